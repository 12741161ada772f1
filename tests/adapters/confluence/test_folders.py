"""Folders, which only Cloud has: pages without a text that show what is below them, to whoever may read both."""

from __future__ import annotations

import pytest

from core.model import Evidence, Scope
from tests.adapters.confluence.reading import pages_of, reading
from tests.core.indexing.parts import Stores
from tests.servers.confluence import ConfluenceServer, Site
from tests.servers.confluence.faults import altered, error
from tests.servers.confluence.site import Kind

LATER = "2026-05-01T12:05:00+00:00"


@pytest.fixture
def site() -> Site:
    site = Site()
    site.add_space("ENG")
    site.add_user("ann", "Ann Lee")
    drawer = site.add_page("ENG", "Archive drawer", kind="folder", author="ann").page_id
    site.add_page("ENG", "Old moulds", "<p>Moulds of 1987.</p>", parent=drawer)
    site.add_page("ENG", "Bell prices", "<p>Prices of 1987.</p>", parent=drawer)
    return site


def find(site: Site, title: str) -> str:
    return next(page.page_id for page in site.pages.values() if page.title == title)


async def shown(home: Stores, site: Site, scope: Scope) -> set[str]:
    """Return the titles that the folder shows."""
    drawer = find(site, "Archive drawer")
    rows: list[Evidence] = [each for each in await home.read_evidences(scope) if each.page_id == drawer]
    return {value for each in rows for row in each.rows for _, value in row}


async def test_a_folder_shows_its_pages_to_whoever_may_read_both(home: Stores, site: Site) -> None:
    ann = Scope(principals=frozenset({f"user:{site.users['ann'].account_id}"}))
    with ConfluenceServer(site, "cloud") as server, reading(server) as wiki:
        await home.sync(wiki)
        assert await shown(home, site, Scope()) == {"Old moulds", "Bell prices"}
        site.restrict(find(site, "Bell prices"), users=["ann"])
        await home.sync(wiki, now=LATER)
        assert await shown(home, site, Scope()) == {"Old moulds"}
        assert await shown(home, site, ann) == {"Old moulds", "Bell prices"}
        site.restrict(find(site, "Archive drawer"), users=["ann"])
        await home.sync(wiki, now=LATER)
        assert await shown(home, site, Scope()) == set()
        assert await shown(home, site, ann) == {"Old moulds", "Bell prices"}
        (facts,) = await home.stores.evidences.find_facts([], ["Archive drawer"], ann)
        assert facts.facts is not None
        assert facts.facts.owner == "Ann Lee"


@pytest.mark.parametrize("kind", ["folder", "database", "whiteboard"])
async def test_a_smart_link_shows_the_title_of_a_folder_to_all_readers_or_none(
    home: Stores, site: Site, kind: Kind
) -> None:
    drawer = site.add_page("ENG", "Tuning tables", kind=kind, author="ann").page_id
    site.add_page("ENG", "Mean tone", "<p>Thirds are pure.</p>", parent=drawer)
    address = f"/spaces/ENG/{kind}/{drawer}"
    with ConfluenceServer(site, "cloud") as server, reading(server) as wiki:
        page = site.add_page("ENG", "Tuning", f"<p>See {make_link(server.url + address)}.</p>").page_id

        async def read_link() -> str:
            (evidence,) = [each for each in await home.read_evidences(Scope()) if each.page_id == page]
            return evidence.text.replace(server.url, "")

        await home.sync(wiki)
        assert await read_link() == f"See Tuning tables ({address})."
        site.restrict(drawer, users=["ann"])
        await home.sync(wiki, now=LATER)
        assert await read_link() == f"See {address}."


@pytest.mark.parametrize("kind", ["folder", "database", "whiteboard"])
async def test_a_smart_link_shows_the_title_of_what_the_listing_of_the_space_lacks(
    home: Stores, site: Site, kind: Kind
) -> None:
    target = site.add_page("ENG", "Tuning tables", kind=kind, author="ann").page_id
    address = f"/spaces/ENG/{kind}/{target}"
    with ConfluenceServer(site, "cloud") as server, reading(server) as wiki:
        page = site.add_page("ENG", "Tuning", f"<p>See {make_link(server.url + address)}.</p>").page_id

        async def sync() -> str:
            (report,) = await home.sync(wiki, now=LATER)
            assert (report.errors, report.warnings) == ([], [])
            (evidence,) = [each for each in await home.read_evidences(Scope()) if each.page_id == page]
            return evidence.text.replace(server.url, "")

        assert await sync() == f"See Tuning tables ({address})."
        site.rename(target, "Temperaments")
        assert await sync() == f"See Temperaments ({address})."
        site.restrict(target, users=["ann"])
        assert await sync() == f"See {address}."
        site.unrestrict(target)
        assert await sync() == f"See Temperaments ({address})."
        site.trash(target)
        assert await sync() == f"See {address}."


async def test_only_linked_things_cost_requests(home: Stores, site: Site) -> None:
    targets = [site.add_page("ENG", f"Table {number}", kind="database").page_id for number in range(3)]
    with ConfluenceServer(site, "cloud") as server, reading(server) as wiki:
        await home.sync(wiki)
        (before,) = await home.sync(wiki, now=LATER)
        links = [make_link(f"{server.url}/spaces/ENG/database/{target}") for target in targets[:2]]
        links.append(make_link(f"{server.url}/spaces/ENG/database/99999"))  # does not exist
        links.append(make_link(f"{server.url}/spaces/OTHER/database/{targets[2]}"))  # a space that is not synced
        site.add_page("ENG", "Tables", f"<p>{' '.join(links)}</p>")
        await home.sync(wiki, now=LATER)
        (after,) = await home.sync(wiki, now=LATER)
        assert after.pages.unchanged == before.pages.unchanged + 3
        assert after.traffic.requests == before.traffic.requests + 2 * 2 + 1


async def test_what_the_account_may_not_see_costs_a_link_only_its_title(home: Stores, site: Site) -> None:
    target = site.add_page("ENG", "Tuning tables", kind="database").page_id
    with ConfluenceServer(site, "cloud") as server, reading(server) as wiki:
        server.faults.on("/databases/", error(403))
        address = f"{server.url}/spaces/ENG/database/{target}"
        site.add_page("ENG", "Tuning", f"<p>See {make_link(address)}.</p>")
        (report,) = await home.sync(wiki)
        assert (report.errors, report.pages.added) == ([], 4)
        assert f"See {address}." in [each.text for each in await home.read_evidences(Scope())]


async def test_after_a_temporary_error_what_is_stored_stays_and_the_report_names_it(home: Stores, site: Site) -> None:
    target = site.add_page("ENG", "Tuning tables", kind="database").page_id
    with ConfluenceServer(site, "cloud") as server, reading(server) as wiki:
        address = f"{server.url}/spaces/ENG/database/{target}"
        site.add_page("ENG", "Tuning", f"<p>See {make_link(address)}.</p>")
        await home.sync(wiki)
        server.faults.on("/databases/", error(500))
        (report,) = await home.sync(wiki, now=LATER)
        assert (report.pages.removed, len(report.errors)) == (0, 1)
        assert report.errors[0].title == "Links to ENG"
        assert f"See Tuning tables ({address})." in [each.text for each in await home.read_evidences(Scope())]


def make_link(address: str) -> str:
    return f'<a href="{address}" data-card-appearance="inline">{address}</a>'


async def test_a_folder_is_renamed_and_gone_with_its_last_page(home: Stores, site: Site) -> None:
    with ConfluenceServer(site, "cloud") as server, reading(server) as wiki:
        await home.sync(wiki)
        site.rename(find(site, "Archive drawer"), "Attic")
        await home.sync(wiki, now=LATER)
        assert await home.stores.evidences.find_facts([], ["Attic"], Scope())
        for title in ("Old moulds", "Bell prices"):
            site.move(find(site, title))
        (report,) = await home.sync(wiki, now=LATER)
        assert report.pages.removed == 1
        assert not await home.stores.evidences.find_facts([], ["Attic"], Scope())


async def test_an_unchanged_folder_is_not_read_again(home: Stores, site: Site) -> None:
    with ConfluenceServer(site, "cloud") as server, reading(server) as wiki:
        (first,) = await home.sync(wiki)
        (again,) = await home.sync(wiki, now=LATER)
        assert (first.pages.added, again.pages.unchanged, again.embedded) == (3, 3, 0)


async def test_a_folder_of_which_too_little_is_told_is_a_level_only(site: Site) -> None:
    with ConfluenceServer(site, "cloud") as server, reading(server) as wiki:
        server.faults.on("/folders/", altered(lambda answer, asked: {**answer, "version": None}))
        assert set(await pages_of(wiki, "ENG")) == {"Old moulds", "Bell prices"}
