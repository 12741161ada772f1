"""What both flavours have in common: listing, permissions, the life of a page."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.servers.confluence import ConfluenceServer, Limits, Site, from_documents, many_pages, odd_pages
from tests.servers.confluence_client import everything, fetch, get, listing, page, walk

ROOT = Path(__file__).parents[2]


def ids(server: ConfluenceServer, key: str, name: str | None = None) -> list[str]:
    return [page_id for answer in listing(server, key, name) for page_id in answer.ids]


@pytest.mark.parametrize("cap", [1, 3, 25, None])
@pytest.mark.parametrize("limit", [2, 25, 100])
def test_following_next_finds_every_page_once_whatever_the_cap(
    confluence: ConfluenceServer, cap: int, limit: int
) -> None:
    confluence.limits.cap = cap
    pages = [answer.ids for answer in listing(confluence, "ENG", limit=limit)]
    assert [page_id for part in pages for page_id in part] == sorted(
        (page.page_id for page in confluence.site.in_space("ENG")), key=int
    )
    assert max(len(part) for part in pages) == min(limit, cap or limit, 14)


def test_a_page_comes_with_its_body_and_the_record_says_so(confluence: ConfluenceServer) -> None:
    listing(confluence, "ENG")
    assert not confluence.sent.bodies
    answer = page(confluence, "1048729").json
    assert answer["body"]["storage"]["value"].startswith("<p>Words that sound like English")
    assert answer["version"]["number"] == 1
    assert confluence.sent.bodies == {"1048729": 1}
    assert [request.status for request in confluence.asked("/1048729$")] == [200]


def test_a_hidden_page_is_not_found_and_its_listing_page_is_short_but_has_a_next(confluence: ConfluenceServer) -> None:
    first, second, *_ = ids(confluence, "ENG")
    confluence.site.hide(first)
    answers = listing(confluence, "ENG", limit=2)
    assert answers[0].ids == [second]
    assert "next" in answers[0].json["_links"]
    assert page(confluence, first).status == 404
    assert page(confluence, first, "someone-else").status == 404  # lacks the space's permission
    confluence.site.join("confluence-users", "someone-else")
    assert page(confluence, first, "someone-else").status == 200


def test_without_cutting_first_every_listing_page_is_full(confluence_site: Site) -> None:
    with ConfluenceServer(confluence_site, hides_after_cutting=False) as server:
        confluence_site.hide(ids(server, "ENG")[0])
        assert [len(answer.ids) for answer in listing(server, "ENG", limit=5)] == [5, 5, 3]


def test_an_ancestors_restriction_hides_what_is_below_it(confluence: ConfluenceServer) -> None:
    site = confluence.site
    top = site.add_page("ENG", "Top").page_id
    middle = site.add_page("ENG", "Middle", parent=top).page_id
    leaf = site.add_page("ENG", "Leaf", parent=middle).page_id
    site.hide(top)
    assert {top, middle, leaf}.isdisjoint(ids(confluence, "ENG"))
    assert page(confluence, leaf).status == 404
    site.unrestrict(top)
    assert {top, middle, leaf} <= set(ids(confluence, "ENG"))


def test_a_space_without_permission_is_empty_or_not_found(confluence: ConfluenceServer) -> None:
    number = ids(confluence, "ENG")[0]
    confluence.site.open_space_to("ENG", users=["somebody"])
    assert page(confluence, number).status == 404
    if confluence.flavour == "cloud":
        assert get(confluence, f"/api/v2/spaces/{confluence.site.spaces['ENG'].space_id}/pages").status == 404
        assert [space["key"] for space in get(confluence, "/api/v2/spaces").results] == ["BER", "PEO"]
        assert get(confluence, "/api/v2/spaces", keys="NOPE").results == []
    else:
        assert ids(confluence, "ENG") == []
        assert [space["key"] for space in get(confluence, "/rest/api/space").results] == ["BER", "PEO"]
        assert get(confluence, "/rest/api/space/ENG").json["message"] == "No space found with key : ENG"


def test_trashed_archived_and_purged_pages_vanish_and_their_children_move_up(confluence: ConfluenceServer) -> None:
    site = confluence.site
    for put_away in (site.trash, site.archive, site.purge):
        top = site.add_page("ENG", "Top").page_id
        middle = site.add_page("ENG", "Middle", parent=top).page_id
        leaf = site.add_page("ENG", "Leaf", parent=middle).page_id
        put_away(middle)
        assert middle not in ids(confluence, "ENG")
        assert leaf in ids(confluence, "ENG")
        assert site.pages[leaf].parent_id == top
        if put_away != site.archive:
            assert page(confluence, middle).status == 404
        if put_away != site.purge:
            site.restore(middle)
            assert page(confluence, middle).json["version"]["number"] == 1
            assert middle in ids(confluence, "ENG")


def test_a_move_takes_along_what_is_below_and_makes_no_new_version(confluence: ConfluenceServer) -> None:
    site = confluence.site
    top = site.add_page("ENG", "Top").page_id
    leaf = site.add_page("ENG", "Leaf", parent=top).page_id
    before = page(confluence, leaf).json["version"]
    site.move(top, space="PEO")
    assert {top, leaf} <= set(ids(confluence, "PEO"))
    assert {top, leaf}.isdisjoint(ids(confluence, "ENG"))
    assert page(confluence, leaf).json["version"] == before


def test_a_text_or_a_title_makes_a_new_version_and_a_restriction_or_label_does_not(
    confluence: ConfluenceServer,
) -> None:
    site = confluence.site
    number = site.add_page("ENG", "Runbook").page_id
    site.restrict(number, groups=["confluence-users"])
    site.label(number, "ops")
    assert page(confluence, number).json["version"]["number"] == 1
    site.rename(number, "Run book")
    site.edit_body(number, "<p>Ring twice.</p>")
    assert page(confluence, number).json["version"]["number"] == 3


def test_restrictions_name_users_and_groups_of_the_page_itself(confluence: ConfluenceServer) -> None:
    site = confluence.site
    ada, board = site.add_user("ada"), site.add_group("board")
    number = site.add_page("ENG", "Plans").page_id
    site.restrict(number, ["ada"], ["board"])
    answer = get(confluence, f"/rest/api/content/{number}/restriction/byOperation/read").json
    users, groups = answer["restrictions"]["user"]["results"], answer["restrictions"]["group"]["results"]
    if confluence.flavour == "cloud":
        assert (users[0]["accountId"], groups[0]["id"]) == (ada.account_id, board.group_id)
    else:
        assert (users[0]["username"], users[0]["userKey"], groups[0]["name"]) == ("ada", ada.user_key, "board")
    assert len(users) == 2  # with the syncing account
    child = site.add_page("ENG", "Plan A", parent=number).page_id
    inherited = get(confluence, f"/rest/api/content/{child}/restriction/byOperation").json["read"]["restrictions"]
    assert inherited["user"]["results"] == inherited["group"]["results"] == []


def test_a_search_expands_own_restrictions_in_batches_but_only_when_asked_all_the_way(
    confluence: ConfluenceServer,
) -> None:
    number = ids(confluence, "ENG")[0]
    confluence.site.restrict(number, groups=["confluence-users"])
    search, cql = "/rest/api/content/search", "type=page and space=ENG"
    short = get(confluence, search, expand="restrictions.read", cql=cql, limit=100)
    assert all("restrictions" not in result["restrictions"]["read"] for result in short.results)
    whole = "restrictions.read.restrictions.user,restrictions.read.restrictions.group"
    full = get(confluence, search, expand=whole, cql=cql, limit=100)
    named = {result["id"]: result["restrictions"]["read"]["restrictions"]["group"]["size"] for result in full.results}
    assert len(named) == 14
    assert {page_id for page_id, size in named.items() if size} == {number}


def test_a_deleted_group_goes_on_being_named_by_what_it_restricts(confluence: ConfluenceServer) -> None:
    site = confluence.site
    number = ids(confluence, "ENG")[0]
    site.add_group("choir", [site.syncing])
    site.restrict(number, groups=["choir"], and_syncing=True)
    site.delete_group("choir")
    named = get(confluence, f"/rest/api/content/{number}/restriction/byOperation/read").json["restrictions"]["group"]
    assert [group["name"] for group in named["results"]] == ["choir"]
    site.restrict(number, groups=["choir"], and_syncing=False)
    assert page(confluence, number).status == 404


def test_more_than_200_readers_of_a_page_are_cut_and_can_be_paged(confluence: ConfluenceServer) -> None:
    site = confluence.site
    number = ids(confluence, "ENG")[0]
    site.restrict(number, [site.add_user(f"reader-{one}").name for one in range(250)])
    path = f"/rest/api/content/{number}/restriction/byOperation/read"
    first = get(confluence, path).json["restrictions"]["user"]
    second = get(confluence, path, start=200).json["restrictions"]["user"]
    assert (first["size"], first["limit"], second["size"]) == (200, 200, 51)


def test_members_of_a_group_are_paged_by_200(confluence: ConfluenceServer) -> None:
    group = confluence.site.add_group("choir", [confluence.site.add_user(f"singer-{one}").name for one in range(450)])
    paths = {
        "cloud": f"/rest/api/group/{group.group_id}/membersByGroupId",
        "datacenter": "/rest/api/group/choir/member",
    }
    pages = list(walk(confluence, paths[confluence.flavour], limit=1000))
    assert [answer.json["size"] for answer in pages] == [200, 200, 50]
    confluence.site.leave("choir", "singer-0")
    assert len(everything(confluence, paths[confluence.flavour])) == 449


def test_an_e_mail_is_told_on_cloud_alone_and_there_only_if_its_owner_lets_it(confluence: ConfluenceServer) -> None:
    ada = confluence.site.add_user("ada", email="ada@example.org")
    query = {"accountId": ada.account_id} if confluence.flavour == "cloud" else {"username": "ada"}
    assert not get(confluence, "/rest/api/user", **query).json.get("email")
    ada.email_visible = True
    told = get(confluence, "/rest/api/user", **query).json.get("email")
    assert told == ("ada@example.org" if confluence.flavour == "cloud" else None)
    groups = get(confluence, "/rest/api/user/memberof", **query).results
    assert [group["name"] for group in groups] == ["confluence-users"]


def test_bad_credentials_are_refused_in_html_by_data_center_and_in_json_by_cloud(confluence: ConfluenceServer) -> None:
    path = "/rest/api/user/current"
    refused = fetch(confluence.url + path, {"Authorization": "Bearer wrong"})
    assert refused.status == 401
    assert refused.headers["Content-Type"].startswith(
        "text/html" if confluence.flavour == "datacenter" else "application/json"
    )
    assert get(confluence, path).json["displayName"] == "WikiWhy Sync"
    confluence.revoke(confluence.token)
    assert get(confluence, path).status == 401
    assert confluence.requests[-1].account is None


@pytest.mark.parametrize(
    "cql", ["type page", "lastmodified >= yesterday", "nonsense = 3", "type=page or space=ENG", ""]
)
def test_cql_that_cannot_be_parsed_is_a_400_that_repeats_it(confluence: ConfluenceServer, cql: str) -> None:
    answer = get(confluence, "/rest/api/content/search", cql=cql)
    assert answer.status == 400
    assert answer.json["message"].endswith(f"Could not parse cql : {cql}")


def test_a_search_by_date_means_minutes_in_the_accounts_own_time_zone(confluence: ConfluenceServer) -> None:
    site = confluence.site
    number = site.add_page("ENG", "New").page_id
    site.pages[number].modified = site.pages[number].modified.replace(
        year=2026, month=12, day=1, hour=23, minute=30, second=59
    )
    query = 'type=page and lastmodified>="{}" order by lastmodified desc'
    assert get(confluence, "/rest/api/content/search", cql=query.format("2026-12-01 23:30")).ids == [number]
    assert get(confluence, "/rest/api/content/search", cql=query.format("2026-12-01 23:31")).ids == []
    later = query.format("2026-12-01 23:30").replace(">=", ">")
    assert (
        get(confluence, "/rest/api/content/search", cql=later).ids == []
    )  # though it was in that minute's last second
    site.users[site.syncing].time_zone = "Europe/Berlin"
    assert get(confluence, "/rest/api/content/search", cql=query.format("2026-12-02 00:30")).ids == [number]
    assert get(confluence, "/rest/api/content/search", cql=query.format("2026-12-02 00:31")).ids == []


def test_the_search_index_lags_while_it_is_stopped(confluence: ConfluenceServer) -> None:
    site = confluence.site
    old = ids(confluence, "ENG")[0]
    site.stop_index()
    new = site.add_page("ENG", "New").page_id
    site.edit_body(old, "<p>New text.</p>")
    query = 'space=ENG and lastmodified>="{}"'.format(site.pages[old].modified.strftime("%Y-%m-%d %H:%M"))
    assert get(confluence, "/rest/api/content/search", cql=query).ids == []
    assert new in ids(confluence, "ENG")
    site.catch_up_index()
    assert set(get(confluence, "/rest/api/content/search", cql=query).ids) == {old, new}


def test_what_a_search_may_hold_depends_on_what_is_expanded() -> None:
    with ConfluenceServer(many_pages(1100), "datacenter") as server:
        sizes = {
            expand: get(server, "/rest/api/content/search", cql="type=page", limit=5000, expand=expand).json
            for expand in ("body.storage,version", "version", "")
        }
    assert [(answer["size"], answer["limit"]) for answer in sizes.values()] == [(50, 50), (200, 200), (1000, 1000)]


def test_odd_pages_are_served_without_end_or_error(confluence: ConfluenceServer) -> None:
    odd = odd_pages(confluence.site, big=5_000_000)
    shown = set(ids(confluence, "ODD"))
    assert shown == set(odd.values()) - {odd["archived"], odd["trashed"], odd["draft"]}
    assert ids(confluence, "EMPTY") == []
    for oddity in ("cycle", "its own parent", "missing ancestor", "empty title", "control characters"):
        assert page(confluence, odd[oddity]).status == 200
    assert len(page(confluence, odd["big body"]).json["body"]["storage"]["value"]) >= 5_000_000


def test_documents_are_known_by_the_page_number_of_their_address(tmp_path: Path) -> None:
    document = {"id": "a-1", "title": "T", "content": "<p>x</p>", "space": "~me", "date": "2024-11-15"}
    for name, url in (("one", "https://x/wiki/spaces/~me/pages/365/T"), ("two", "https://x/wiki/display/T")):
        (tmp_path / f"{name}.json").write_text(json.dumps(document | {"url": url}), encoding="utf-8")
    site = from_documents(tmp_path)
    assert "365" in site.pages
    assert len(site.pages) == 2
    assert site.spaces["~me"].kind == "personal"


def test_the_confquestions_pages_are_all_listed_with_a_cap_of_25() -> None:
    given = os.environ.get("WIKIWHY_CONFQUESTIONS")
    documents = (Path(given) if given else ROOT.parent / "shared" / "confquestions") / "documents"
    if not documents.is_dir():
        pytest.skip(f"the pages are not here: {documents}; set WIKIWHY_CONFQUESTIONS to the folder holding documents/")
    site = from_documents(documents)
    for flavour in ("cloud", "datacenter"):
        with ConfluenceServer(site, flavour, limits=Limits(cap=25)) as server:
            found = [page_id for key in site.spaces for page_id in ids(server, key)]
        assert len(found) == len(set(found)) == len(list(documents.glob("*.json")))
