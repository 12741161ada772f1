"""Pages that change between their listing and their body: the readers that are stored then."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.errors import PageUnreadable, PageWithdrawn
from core.model import Scope
from tests.adapters.confluence.reading import answering, listing_of, reading
from tests.core.indexing.parts import Stores
from tests.servers.confluence.contents import many_pages
from tests.servers.confluence.faults import error, first
from tests.servers.confluence.request import Flavour
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site

SECRET = "<p>The bell is to be sold.</p>"


@pytest.fixture
def site() -> Site:
    site = many_pages(3, "ENG", per_parent=2)
    site.add_group("board", [site.syncing])
    return site


def body_request(flavour: Flavour, page_id: str) -> str:
    return rf"/pages/{page_id}\?.*body-format" if flavour == "cloud" else rf"/content/{page_id}\?.*body"


@pytest.mark.parametrize("nests", [True, False])
@pytest.mark.parametrize("above", [False, True])
async def test_who_restricts_and_then_writes_a_secret_shows_it_to_nobody_else(
    home: Stores, site: Site, flavour: Flavour, nests: bool, above: bool
) -> None:
    """A change after the listing and before the body."""
    top, child, _ = site.pages
    with ConfluenceServer(site, flavour) as server, reading(server) as wiki:
        server.nests = nests
        await home.sync(wiki)

        def protect() -> None:
            site.restrict(top if above else child, groups=["board"])
            site.edit_body(child, SECRET)

        site.edit_body(child, "<p>About to change.</p>")
        server.faults.on(body_request(flavour, child), first(protect), times=1)
        await home.sync(wiki)
        stored = await home.stores.pages.load_page(child)
        assert stored is not None
        assert stored.content == SECRET
        assert child not in await answering(home)
        assert child in await answering(home, "group:board")
        report = (await home.sync(wiki))[0]
        assert child not in await answering(home)
        assert report.errors == []


async def test_readers_that_were_never_readers_at_one_time_are_none(home: Stores, site: Site, flavour: Flavour) -> None:
    """The parent is restricted; while the page is read, the page is restricted and then the parent opened."""
    top, child, _ = site.pages
    site.restrict(top, groups=["board"])
    with ConfluenceServer(site, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
        asked = 0

        def shift() -> None:
            nonlocal asked
            asked += 1
            if asked == 2:
                site.restrict(child, groups=["board"])
                site.unrestrict(top)

        server.nests = False
        server.before_request = shift
        site.edit_body(child, SECRET)
        await home.sync(wiki)
        assert child not in await answering(home)


@pytest.mark.parametrize(
    "change",
    [
        lambda site, page: site.trash(page),
        lambda site, page: site.archive(page),
        lambda site, page: site.hide(page),
        lambda site, page: site.move(page, space="PEO"),
    ],
)
async def test_what_is_withdrawn_while_it_is_read_answers_nobody_even_before_the_next_sync(
    home: Stores, site: Site, flavour: Flavour, change: Callable[[Site, str], None]
) -> None:
    site.add_space("PEO")
    *_, page = site.pages
    with ConfluenceServer(site, flavour) as server, reading(server) as wiki:
        await home.sync_spaces(wiki, "ENG")
        assert page in await answering(home)
        site.edit_body(page, "<p>Changed.</p>")
        (listed,) = [each for each in await listing_of(wiki, "ENG") if each.page_id == page]
        server.faults.on(body_request(flavour, page), first(lambda: change(site, page)), times=1)
        await home.sync_spaces(wiki, "ENG")
        assert page not in await answering(home)
        with pytest.raises(PageWithdrawn, match="Sync again"):
            await wiki.read_page(listed)


async def test_a_page_that_is_another_one_each_time_is_left_for_the_next_sync(site: Site, flavour: Flavour) -> None:
    *_, page = site.pages
    number = 0

    def edit() -> None:
        nonlocal number
        number += 1
        site.edit_body(page, f"<p>Edit {number}.</p>")

    with ConfluenceServer(site, flavour) as server, reading(server) as wiki:
        (listed,) = [each for each in await listing_of(wiki, "ENG") if each.page_id == page]
        server.nests = False
        site.restrict(page, groups=["board"])
        server.limits.subjects = 1  # the page comes without all of its readers
        server.before_request = edit
        with pytest.raises(PageUnreadable, match="another version each time"):
            await wiki.read_page(listed)


async def test_where_ancestors_cannot_be_expanded_their_readers_are_asked_for_one_by_one(
    site: Site, flavour: Flavour
) -> None:
    """For example if one of them is in the trash: https://jira.atlassian.com/browse/CONFCLOUD-77618"""
    top, child, _ = site.pages
    site.restrict(top, groups=["board"])
    with ConfluenceServer(site, flavour) as server, reading(server) as wiki:
        (listed,) = [each for each in await listing_of(wiki, "ENG") if each.page_id == child]
        server.faults.on(r"ancestors\.restrictions", error(404))
        page = await wiki.read_page(listed)
    assert not Scope().admits("ENG", page.read_restrictions)
    assert Scope(principals=frozenset({"group:board"})).admits("ENG", page.read_restrictions)


async def test_a_wider_circle_of_readers_is_read_with_the_page_and_a_narrower_one_is_not(
    home: Stores, site: Site, flavour: Flavour
) -> None:
    """Without a new version, so restricting a page with many below it costs no request for each of them."""
    top, *_ = site.pages
    with ConfluenceServer(site, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
        site.restrict(top, groups=["board"])
        server.forget()
        await home.sync(wiki)
        assert server.sent_bodies.total() == 0
        site.unrestrict(top)
        server.forget()
        await home.sync(wiki)
        assert set(server.sent_bodies) == {top, *(page.page_id for page in site.descendants(top))}
        assert await answering(home) == set(site.pages)
