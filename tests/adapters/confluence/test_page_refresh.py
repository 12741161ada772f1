"""Refreshing one Confluence page after a hint, from the real client into real indexes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import pytest

from adapters.confluence.wiki import ConfluenceWiki
from core.errors import EmbedderUnavailable, WikiUnavailable
from core.indexing.page_reader import SyncSettings
from core.indexing.page_refresh import Hint, PageRefresher, RefreshResult
from tests.adapters.confluence.reading import answering, listing_of, reading
from tests.core.indexing.parts import DictWiki, Stores
from tests.servers.confluence import faults
from tests.servers.confluence.contents import many_pages
from tests.servers.confluence.request import Flavour
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site


@dataclass
class World:
    home: Stores
    site: Site
    server: ConfluenceServer
    wiki: ConfluenceWiki

    async def refresh(self, page_id: str, space: str = "ENG") -> RefreshResult:
        stores = self.home.stores
        refresher = PageRefresher(self.home.indexer, stores.pages, stores.spaces, stores.people, SyncSettings())
        look = await refresher.refresh(self.wiki, Hint(space, page_id))
        await self.home.indexer.clean()
        await self.home.state()  # checks that indexes and store agree
        return look


@pytest.fixture
async def world(home: Stores, flavour: Flavour) -> AsyncIterator[World]:
    """Space ENG with six pages, a parent with two children among them, and PEO with one, both synced; LAW is not."""
    site = many_pages(6, "ENG", per_parent=2)
    for key in ("PEO", "LAW"):
        site.add_space(key)
        site.add_page(key, f"Home of {key}", f"<p>All of {key}.</p>")
    with ConfluenceServer(site, flavour) as server, reading(server) as wiki:
        await home.synchroniser(SyncSettings()).sync_all(wiki, ["ENG", "PEO"], "2026-01-01", lambda _: None)
        server.forget()
        yield World(home, site, server, wiki)


async def test_a_page_looked_at_is_the_page_as_listed(world: World) -> None:
    site = world.site
    top, child, *_ = site.pages
    site.add_group("crew", [site.syncing])
    folder = site.add_page("ENG", "Folder", kind="folder").page_id if world.server.flavour == "cloud" else top
    deep = site.add_page("ENG", "Deep", "<p>Deep.</p>", parent=folder).page_id
    site.restrict(top, groups=["crew"])
    site.restrict(folder, groups=["crew"])
    site.restrict(child, users=[])
    for page in await listing_of(world.wiki, "ENG"):
        assert await world.wiki.find_page(page.page_id) == replace(page, labels=None)
    assert deep in {page.page_id for page in await listing_of(world.wiki, "ENG")}
    assert world.server.sent_bodies.total() == 0


async def test_an_edit_is_followed_and_nothing_else_is_read(world: World) -> None:
    page_id = list(world.site.pages)[-3]
    world.site.edit_body(page_id, "<p>Muffled today.</p>")
    assert (await world.refresh(page_id)).outcome == "updated"
    assert set(world.server.sent_bodies) == {page_id}
    stored = await world.home.stores.pages.load_page(page_id)
    assert stored is not None
    assert "Muffled" in stored.content
    world.server.forget()
    embedded = len(world.home.embedder.embedded)
    assert await world.refresh(page_id) == RefreshResult("unchanged")
    assert (world.server.sent_bodies.total(), len(world.home.embedder.embedded)) == (0, embedded)
    (report, _) = await world.home.synchroniser(SyncSettings()).sync_all(
        world.wiki, ["ENG", "PEO"], "2026-01-02", lambda _: None
    )
    assert (report.pages.unchanged, report.pages.updated) == (6, 0)


async def test_a_new_page_is_added_only_in_a_synced_space(world: World) -> None:
    new = world.site.add_page("ENG", "New", "<p>New.</p>").page_id
    elsewhere = world.site.add_page("LAW", "Secret", "<p>Not synced.</p>").page_id
    assert (await world.refresh(new)).outcome == "added"
    world.server.forget()
    assert (await world.refresh(elsewhere, "LAW")).outcome == "ignored"
    assert world.server.requests == [], "nothing is asked about a space that is not synced"
    assert (await world.refresh(elsewhere, "ENG")).outcome == "ignored"
    assert (await world.refresh(elsewhere, "")).outcome == "ignored"
    found = await answering(world.home)
    assert new in found
    assert elsewhere not in found


@pytest.mark.parametrize("what", ["trash", "archive", "purge", "hide"])
async def test_a_page_that_went_answers_no_more_and_its_space_is_to_be_synced(world: World, what: str) -> None:
    top = next(iter(world.site.pages))
    getattr(world.site, what)(top)
    look = await world.refresh(top)
    assert look == RefreshResult("removed", frozenset({"ENG"}))
    assert top not in await answering(world.home)
    assert await world.refresh(top) == RefreshResult("ignored")


async def test_a_restriction_holds_at_once_and_its_space_is_to_be_synced(world: World) -> None:
    site = world.site
    top = next(iter(site.pages))
    site.add_group("crew", [site.syncing])
    site.restrict(top, groups=["crew"])
    assert await world.refresh(top) == RefreshResult("updated", frozenset({"ENG"}))
    assert world.server.sent_bodies.total() == 0, "its text is the same"
    assert top not in await answering(world.home)
    assert top in await answering(world.home, "group:crew")
    below = {page.page_id for page in site.descendants(top)}
    assert below
    await world.home.synchroniser(SyncSettings()).sync_all(world.wiki, ["ENG"], "2026-01-02", lambda _: None)
    assert not below & await answering(world.home)


async def test_a_restriction_holds_for_all_pages_below_although_the_embedder_fails(world: World) -> None:
    site, pages, embedder = world.site, world.home.stores.pages, world.home.embedder
    top = next(iter(site.pages))
    below = [page_id for page_id, page in site.pages.items() if page.parent_id == top]
    site.edit_body(list(site.pages)[-3], "<p>Muffled today.</p>")
    site.restrict(top, users=[site.syncing])
    embedder.fails_after = len(embedder.embedded)
    with pytest.raises(EmbedderUnavailable):
        await world.home.synchroniser(SyncSettings()).sync_all(world.wiki, ["ENG"], "2026-01-02", lambda _: None)
    assert below
    for page_id in (top, *below):
        stored = await pages.load_page(page_id)
        assert stored is not None
        assert stored.read_restrictions


async def test_a_page_that_moved_is_followed_to_a_synced_space_and_left_out_of_another(world: World) -> None:
    top, *_ = world.site.pages
    world.site.move(top, space="PEO")
    assert await world.refresh(top, "PEO") == RefreshResult("updated", frozenset({"ENG", "PEO"}))
    stored = await world.home.stores.pages.load_page(top)
    assert stored is not None
    assert stored.space == "PEO"
    world.site.move(top, space="LAW")
    assert (await world.refresh(top, "LAW")).outcome == "removed", "though the hint names a space that is not synced"
    assert top not in await answering(world.home)


async def test_where_the_whole_space_is_out_of_sight_nothing_is_removed(world: World) -> None:
    before = await answering(world.home)
    world.site.open_space_to("ENG", groups=[])
    for page_id in list(world.site.pages)[:6]:
        assert await world.refresh(page_id) == RefreshResult("ignored", frozenset({"ENG"}))
    assert await answering(world.home) == before


@pytest.mark.parametrize("fault", [faults.error(500), faults.error(403), faults.html_page()])
async def test_a_look_that_fails_changes_nothing(world: World, fault: faults.Fault) -> None:
    before = await world.home.state()
    page_id = next(iter(world.site.pages))
    world.site.trash(page_id)
    world.server.faults.on("", fault)
    with pytest.raises(WikiUnavailable, match=f"Page {page_id} cannot be looked up: Confluence at 127"):
        await world.refresh(page_id)
    assert await world.home.state() == before


async def test_a_page_edited_restricted_and_unreadable_at_once_answers_only_its_readers(world: World) -> None:
    """By a refresh and by a sync: the stored version was open to all, and the new one cannot be read."""
    site = world.site
    site.add_group("crew", [site.syncing])
    *_, by_look, by_sync, _, _ = site.pages
    for page_id in (by_look, by_sync):
        site.edit_body(page_id, "<p>Salaries.</p>")
        site.restrict(page_id, groups=["crew"])
        world.server.faults.on(rf"/{page_id}\?.*(include-labels|body)", faults.html_page())
    look = await world.refresh(by_look)
    assert look.outcome == "failed"
    assert look.error is not None
    assert "a web page titled" in look.error.cause
    assert {by_look, by_sync} & await answering(world.home) == {by_sync}
    synchroniser = world.home.synchroniser(SyncSettings())
    (report,) = await synchroniser.sync_all(world.wiki, ["ENG"], "2026-01-02", lambda _: None)
    assert {error.page_id for error in report.errors} == {by_look, by_sync}
    assert not {by_look, by_sync} & await answering(world.home)
    assert {by_look, by_sync} <= await answering(world.home, "group:crew")
    world.server.faults.clear()
    (report,) = await synchroniser.sync_all(world.wiki, ["ENG"], "2026-01-03", lambda _: None)
    assert (report.errors, report.pages.updated) == ([], 2)
    stored = await world.home.stores.pages.load_page(by_look)
    assert stored is not None
    assert "Salaries" in stored.content


async def test_a_forged_id_does_no_harm(world: World) -> None:
    before = await world.home.state()
    for page_id in ("999999", "0", "", "7/../8", "7?status=trashed", "seven", "9" * 19, "9" * 200, "٧"):
        assert await world.refresh(page_id) == RefreshResult("ignored"), page_id
        assert await world.home.state() == before


async def test_a_page_of_another_source_with_the_same_id_is_left_alone(world: World) -> None:
    folder = DictWiki(name="folder /documents")
    folder.put("777", "<p>Of a folder.</p>", space="DOC")
    await world.home.sync(folder)
    world.site.add_page("ENG", "Namesake", "<p>Of Confluence.</p>", page_id="777")
    assert await world.refresh("777") == RefreshResult("ignored")
    stored = await world.home.stores.pages.load_page("777")
    assert stored is not None
    assert stored.space == "DOC"
