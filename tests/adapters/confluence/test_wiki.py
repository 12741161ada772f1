"""Spaces, pages, readers and bodies of both flavours, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import SpaceUnknown
from core.model import PageFacts, Scope
from tests.adapters.confluence.reading import listing_of, pages_of, reading
from tests.servers.confluence.contents import many_pages, odd_pages
from tests.servers.confluence.faults import altered, first
from tests.servers.confluence.request import Flavour, Limits
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site


def account(server: ConfluenceServer, name: str) -> str:
    user = server.site.users[name]
    return f"user:{user.account_id if server.flavour == 'cloud' else user.name}"


async def test_a_listing_takes_few_requests_and_no_body(flavour: Flavour) -> None:
    with ConfluenceServer(many_pages(1500), flavour) as server, reading(server) as wiki:
        assert len(await listing_of(wiki, "BIG")) == 1500
        assert wiki.traffic.requests == len(server.requests) <= 2 * (1500 // 100 + 10)
        assert len(server.asked("pages$|content$")) <= 1500 // 100 + 10
        assert server.sent_bodies.total() == 0


async def test_what_the_account_may_not_see_is_not_there(flavour: Flavour) -> None:
    site = many_pages(120)
    hidden = [page_id for number, page_id in enumerate(site.pages) if number % 3 == 2]
    for page_id in hidden:
        site.hide(page_id)
    with ConfluenceServer(site, flavour, limits=Limits(cap=25)) as server, reading(server) as wiki:
        visible = {page.page_id for page in site.pages.values() if site.may_read(site.syncing, page)}
        assert 0 < len(visible) < 120
        assert {page.page_id for page in await listing_of(wiki, "BIG")} == visible


async def test_a_page_comes_with_all_that_is_known_of_it(confluence: ConfluenceServer) -> None:
    site = confluence.site
    site.add_user("ann")
    page = site.add_page("ENG", 'Bell  "Ö" & <ropes>', "<p>Pull.</p>", author="ann", labels=["ropes", "bells"])
    for number in range(30):
        site.attach(page.page_id, f"rope {number}.pdf")
    with reading(confluence) as wiki:
        listed = (await pages_of(wiki, "ENG"))['Bell "Ö" & <ropes>']
        confluence.forget()
        found = await wiki.read_page(listed)
    assert (found.page_id, found.space, found.title) == (page.page_id, "ENG", 'Bell "Ö" & <ropes>')
    assert found.content == "<p>Pull.</p>"
    assert found.date.startswith(page.modified.strftime("%Y-%m-%dT%H:%M:%S"))
    assert f"user:{found.author}" == account(confluence, "ann")
    assert found.labels == ("ropes", "bells")
    assert found.attachments == tuple(sorted(f"rope {number}.pdf" for number in range(30)))
    assert found.url.startswith(f"{confluence.url}/")
    assert page.page_id in found.url
    name = site.users["ann"].display_name if confluence.flavour == "datacenter" else ""  # Cloud gives accounts only
    days = {"created": page.created.date(), "updated": page.modified.date()}
    ann = account(confluence, "ann").removeprefix("user:")
    key = f"account-id:{ann}" if confluence.flavour == "cloud" else f"userkey:{site.users['ann'].user_key}"
    owner = key if confluence.flavour == "cloud" else ""
    accounts = {"owner_account": owner, "creator_account": key, "editor_account": key}
    assert found.facts == PageFacts(creator=name, editor=name, version=1, comments=0, **days, **accounts)
    assert len(confluence.requests) == (5 if confluence.flavour == "cloud" else 3)


async def test_data_center_s_addresses_are_not_mistaken_for_cloud_s(confluence_site: Site) -> None:
    """Newer versions have Cloud's path. Below the context path /wiki it would look like Cloud's, with other anchors."""

    def newer(answer: Any, asked: str) -> Any:
        return {**answer, "_links": {**answer["_links"], "webui": f"/spaces/ENG/pages/{answer['id']}/Title"}}

    for context, expected in [("/wiki", "/pages/viewpage.action?pageId="), ("/docs", "/spaces/ENG/pages/")]:
        with ConfluenceServer(confluence_site, "datacenter", context=context) as server, reading(server) as wiki:
            listed, *_ = await listing_of(wiki, "ENG")
            server.faults.on(rf"/content/{listed.page_id}\?", altered(newer))
            assert (await wiki.read_page(listed)).url.startswith(f"{server.url}{expected}{listed.page_id}")


async def test_restrictions_are_effective_over_all_ancestors(confluence: ConfluenceServer) -> None:
    site = confluence.site
    for name in ("ann", "bob"):
        site.add_user(name)
    site.add_group("crew", ["ann", site.syncing])
    site.add_space("SEC")
    top = site.add_page("SEC", "Top")
    middle = site.add_page("SEC", "Middle", parent=top.page_id)
    site.add_page("SEC", "Leaf", parent=middle.page_id)
    site.add_page("SEC", "Beside")
    site.restrict(top.page_id, groups=["crew"], and_syncing=False)
    site.restrict(middle.page_id, users=["bob"], groups=["crew"])
    with reading(confluence) as wiki:
        listed = await pages_of(wiki, "SEC")
    syncing, bob = account(confluence, site.syncing), account(confluence, "bob")
    crew = frozenset({"group:crew"})
    assert listed["Beside"].read_restrictions == ()
    assert listed["Top"].read_restrictions == (crew,)
    assert listed["Leaf"].read_restrictions == (frozenset({bob, "group:crew", syncing}), crew)
    assert not Scope(principals=frozenset({bob})).admits("SEC", listed["Leaf"].read_restrictions)
    assert Scope(principals=frozenset({bob, "group:crew"})).admits("SEC", listed["Leaf"].read_restrictions)


async def test_more_readers_than_one_answer_names_are_all_found(confluence: ConfluenceServer) -> None:
    site = confluence.site
    names = [f"ringer{number}" for number in range(61)]
    for name in names:
        site.add_user(name)
    page = next(page for page in site.pages.values() if page.space == "ENG")
    site.restrict(page.page_id, users=names)
    confluence.limits.subjects = 25
    with reading(confluence) as wiki:
        listed = next(each for each in await listing_of(wiki, "ENG") if each.page_id == page.page_id)
    assert listed.read_restrictions == (frozenset(account(confluence, name) for name in [*names, site.syncing]),)


async def test_a_new_page_that_the_search_does_not_know_yet_is_restricted_all_the_same(
    confluence: ConfluenceServer,
) -> None:
    site = confluence.site
    site.stop_index()
    old = next(page for page in site.pages.values() if page.space == "ENG")
    new = site.add_page("ENG", "Brand new")
    for page in (old, new):
        site.restrict(page.page_id)
    with reading(confluence) as wiki:
        listed = {page.page_id: page.read_restrictions for page in await listing_of(wiki, "ENG")}
    only_the_account = (frozenset({account(confluence, site.syncing)}),)
    assert listed[old.page_id] == listed[new.page_id] == only_the_account


async def test_a_folder_s_restriction_counts_on_cloud(confluence_cloud: ConfluenceServer) -> None:
    site = confluence_cloud.site
    outer = site.add_page("ENG", "Outer folder", kind="folder")
    inner = site.add_page("ENG", "Inner folder", kind="folder", parent=outer.page_id)
    site.add_page("ENG", "In the folder", parent=inner.page_id)
    site.restrict(outer.page_id)
    with reading(confluence_cloud) as wiki:
        listed = await pages_of(wiki, "ENG")
    assert listed["Inner folder"].read_restrictions == listed["In the folder"].read_restrictions
    assert listed["In the folder"].read_restrictions == (frozenset({account(confluence_cloud, site.syncing)}),)


async def test_pages_in_a_circle_or_without_their_ancestor_are_kept_from_everybody(
    confluence: ConfluenceServer,
) -> None:
    odd_pages(confluence.site, big=0)
    with reading(confluence) as wiki:
        listed = await pages_of(wiki, "ODD")
    kept = {title for title, page in listed.items() if page.read_restrictions == (frozenset(),)}
    assert kept == {title for title, page in listed.items() if page.warning}
    # Data Center lists only existing ancestors of a page, so with a missing one the page looks like a top page.
    assert kept == {"Ouroboros", "Tail"} | ({"Orphan", "Narcissus"} if confluence.flavour == "cloud" else set())
    assert "circle" in listed["Tail"].warning
    assert listed["Meeting notes"].read_restrictions == ()


async def test_a_page_deleted_during_a_listing_passes_no_other_over(confluence: ConfluenceServer) -> None:
    site = many_pages(120, site=confluence.site)
    confluence.limits.cap = 25
    victim = next(page for page in site.pages.values() if page.space == "BIG")
    children = [page.page_id for page in site.descendants(victim.page_id)]
    confluence.faults.on(r"start=2\d|cursor", first(lambda: site.trash(victim.page_id)), times=1)
    with reading(confluence) as wiki:
        listed = {page.page_id for page in await listing_of(wiki, "BIG")}
    assert set(children) <= listed


async def test_who_may_read_a_space(confluence: ConfluenceServer) -> None:
    site = confluence.site
    site.add_user("ann")
    site.add_group("crew", [site.syncing])
    site.add_space("SEC", users=["ann"], groups=["crew"])
    with reading(confluence) as wiki:
        found = await wiki.find_readers("SEC")
        assert found.principals == {account(confluence, "ann"), "group:crew"}
        assert (found.anonymous, found.everybody) == (False, False)
        site.open_space_to("SEC", anonymous=True)
        assert (await wiki.find_readers("SEC")).anonymous


async def test_an_unknown_space_and_one_without_access_say_the_same(confluence: ConfluenceServer) -> None:
    confluence.site.add_space("SECRET", groups=[])
    with reading(confluence) as wiki:
        for key in ("NOPE", "SECRET", "eng", 'E"G', "../space"):
            with pytest.raises(SpaceUnknown) as caught:
                await listing_of(wiki, key)
            assert f"no space {key}, or the account may not read it" in str(caught.value)
            assert "BER, ENG, PEO" in str(caught.value)
        assert "SECRET" not in await wiki.list_spaces()
