"""Syncs of Confluence, from the real client into real indexes."""

from __future__ import annotations

import pytest

from core.indexing.page_reader import SyncSettings
from tests.adapters.confluence.reading import answering, reading
from tests.core.indexing.parts import Stores
from tests.servers.confluence import faults
from tests.servers.confluence.contents import many_pages, odd_pages
from tests.servers.confluence.request import Flavour, Limits
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site


@pytest.fixture
def small() -> Site:
    """A space with six pages: a parent with two children, and three more."""
    return many_pages(6, "ENG", per_parent=2)


@pytest.mark.slow
async def test_a_second_sync_reads_no_body_and_embeds_nothing(home: Stores, flavour: Flavour) -> None:
    with ConfluenceServer(many_pages(215), flavour, limits=Limits(cap=25)) as server, reading(server) as wiki:
        (first,) = await home.sync(wiki)
        assert (first.pages.added, first.embedded) == (215, 215)
        assert first.traffic.requests > 215
        server.forget()
        (second,) = await home.sync(wiki)
    assert (second.pages.seen, second.pages.unchanged, second.embedded) == (215, 215, 0)
    assert server.sent_bodies.total() == 0
    assert second.traffic.requests == len(server.requests) - 1  # which lists the spaces


async def test_what_people_do_to_pages_is_followed(home: Stores, small: Site, flavour: Flavour) -> None:
    top, child, other, *rest = small.pages
    small.add_space("PEO")
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
        assert await answering(home) == set(small.pages)

        async def bodies() -> set[str]:
            server.forget()
            await home.sync(wiki)
            return set(server.sent_bodies)

        small.edit_body(other, "<p>Muffled today.</p>")
        small.rename(rest[0], "Another name")
        assert await bodies() == {other, rest[0]}
        new = small.add_page("ENG", "New", "<p>New.</p>").page_id
        assert await bodies() == {new}
        small.trash(rest[1])
        small.archive(rest[2])
        assert await bodies() == set()
        assert await answering(home) == set(small.pages) - {rest[1], rest[2]}
        small.restore(rest[1])
        small.restore(rest[2])
        await home.sync(wiki)
        assert await answering(home) == set(small.pages)
        small.move(child, space="PEO", parent=None)
        reports = {report.key: report for report in await home.sync(wiki)}
        assert (reports["PEO"].pages.added, reports["ENG"].pages.removed) == (1 + len(small.descendants(child)),) * 2
        assert await answering(home) == set(small.pages)
        small.hide(top)
        await home.sync(wiki)
        assert top not in await answering(home)


async def test_a_restriction_above_holds_after_the_next_sync(home: Stores, small: Site, flavour: Flavour) -> None:
    top = next(iter(small.pages))
    below = {page.page_id for page in small.descendants(top)}
    small.add_group("crew", [small.syncing])
    free = small.add_page("ENG", "Free", "<p>Free.</p>").page_id
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
        small.restrict(top, groups=["crew"])
        server.forget()
        (report,) = await home.sync(wiki)
        assert (report.pages.restricted, report.pages.updated) == (1 + len(below),) * 2
        assert (server.sent_bodies.total(), report.embedded) == (0, 0)
        assert await answering(home) == {free}
        assert await answering(home, "group:crew") == {free, top, *below}
        small.unrestrict(top)
        await home.sync(wiki)
        assert await answering(home) == {free, top, *below}


async def test_a_listing_that_breaks_off_removes_nothing(home: Stores, small: Site) -> None:
    with ConfluenceServer(small, "cloud", limits=Limits(cap=2)) as server, reading(server) as wiki:
        await home.sync(wiki)
        server.faults.on(r"/pages\?.*cursor", faults.truncated_json())
        (report,) = await home.sync(wiki)
        assert "Space ENG cannot be listed" in report.unlisted
        assert await answering(home) == set(small.pages)
        (summary,) = await home.stores.spaces.load_summaries()
        assert "truncated or broken" in summary.last_error


async def test_odd_pages_are_reported_and_the_rest_is_synced(home: Stores, flavour: Flavour) -> None:
    site = Site()
    ids = odd_pages(site, big=100_000)
    with ConfluenceServer(site, flavour) as server, reading(server) as wiki:
        server.faults.on(rf"/{ids['unknown macro']}\?", faults.html_page())
        reports = {report.key: report for report in await home.sync(wiki)}
        odd = reports["ODD"]
        assert [error.page_id for error in odd.errors] == [ids["unknown macro"]]
        assert {ids["broken storage format"], ids["cycle"], ids["cycle, below"]} <= {
            warning.page_id for warning in odd.warnings
        }
        found = await answering(home)
    assert {ids["big body"], ids["empty title"], ids["title used twice"], ids["title used twice, again"]} <= found
    assert not {ids["cycle"], ids["cycle, below"], ids["archived"], ids["trashed"], ids["draft"]} & found


async def test_full_reads_every_page_again_and_embeds_nothing(home: Stores, small: Site) -> None:
    with ConfluenceServer(small, "cloud") as server, reading(server) as wiki:
        await home.sync(wiki)
        server.forget()
        (report,) = await home.sync(wiki, full=True)
    assert set(server.sent_bodies) == set(small.pages)
    assert (report.pages.updated, report.embedded) == (6, 0)


async def test_a_preview_tells_what_a_sync_would_do_and_does_nothing(home: Stores, small: Site) -> None:
    one, *_, last = small.pages
    with ConfluenceServer(small, "datacenter") as server, reading(server) as wiki:
        await home.sync(wiki)
        small.edit_body(one, "<p>Other.</p>")
        small.trash(last)
        small.add_page("ENG", "New", "<p>New.</p>")
        server.forget()
        before = await home.state()
        (report,) = await home.synchroniser(SyncSettings()).preview(wiki, ["ENG"])
        assert (report.pages.added, report.pages.updated, report.pages.removed) == (1, 1, 1)
        assert report.pages.unchanged == 4
        assert await home.state() == before
        assert server.sent_bodies.total() == 0
