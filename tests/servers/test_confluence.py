"""What the Confluence server promises of both flavours, taken from Atlassian's documentation."""

from __future__ import annotations

import base64
import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from tests.servers.confluence import ConfluenceServer, from_documents, many_pages

LISTING = r"/pages\?|/content\?"


@dataclass(frozen=True)
class Answer:
    status: int
    text: str
    headers: Message

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def results(self) -> list[Any]:
        return list(self.json["results"])

    @property
    def ids(self) -> list[str]:
        return [result["id"] for result in self.results]


def signed_in(server: ConfluenceServer, name: str | None = None) -> dict[str, str]:
    """The header that this account (default: the syncing one) signs in with."""
    user = server.site.users[name or server.site.syncing]
    token = f"token-of-{user.name}"
    if server.flavour == "datacenter":
        return {"Authorization": f"Bearer {token}"}
    return {"Authorization": "Basic " + base64.b64encode(f"{user.email}:{token}".encode()).decode()}


def get(server: ConfluenceServer, path: str, name: str | None = None, **query: object) -> Answer:
    """``path`` below the context path, or from it on. Query names with ``_`` for ``-``."""
    asked = urllib.parse.urlencode({key.replace("_", "-"): value for key, value in query.items()})
    url = server.url.removesuffix(server.context) + server.context + path.removeprefix(server.context)
    return fetch(url + (f"?{asked}" if asked else ""), signed_in(server, name))


def fetch(url: str, headers: dict[str, str], body: bytes | None = None) -> Answer:
    request = urllib.request.Request(url, headers={**headers, "Content-Type": "application/json"}, data=body)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return Answer(response.status, response.read().decode(), response.headers)
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, error.read().decode(), error.headers)


def walk(server: ConfluenceServer, path: str, name: str | None = None, **query: object) -> Iterator[Answer]:
    """This page and every further one, by ``next``."""
    answer = get(server, path, name, **query)
    yield answer
    while following := answer.json["_links"].get("next"):
        answer = get(server, following, name)
        yield answer


def everything(server: ConfluenceServer, path: str, name: str | None = None, **query: object) -> list[Any]:
    return [result for answer in walk(server, path, name, **query) for result in answer.results]


def listing(server: ConfluenceServer, key: str, name: str | None = None, **query: object) -> list[Answer]:
    """The pages of a space, as a sync of each flavour lists them."""
    if server.flavour == "datacenter":
        return list(walk(server, "/rest/api/content", name, spaceKey=key, type="page", **query))
    number = server.site.spaces[key].space_id
    return list(walk(server, f"/api/v2/spaces/{number}/pages", name, status="current", **query))


def page(server: ConfluenceServer, page_id: str, name: str | None = None) -> Answer:
    """One page with its body and version."""
    if server.flavour == "datacenter":
        return get(server, f"/rest/api/content/{page_id}", name, expand="body.storage,version,space,ancestors")
    return get(server, f"/api/v2/pages/{page_id}", name, body_format="storage")


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


def test_a_text_or_a_title_makes_a_new_version_and_a_restriction_does_not(confluence: ConfluenceServer) -> None:
    site = confluence.site
    number = site.add_page("ENG", "Runbook").page_id
    site.restrict(number, groups=["confluence-users"])
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
    inherited = get(confluence, f"/rest/api/content/{child}/restriction/byOperation/read").json["restrictions"]
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


def test_more_than_200_readers_of_a_page_are_cut_and_can_be_paged(confluence: ConfluenceServer) -> None:
    site = confluence.site
    number = ids(confluence, "ENG")[0]
    site.restrict(number, [site.add_user(f"reader-{one}").name for one in range(250)])
    path = f"/rest/api/content/{number}/restriction/byOperation/read"
    first = get(confluence, path).json["restrictions"]["user"]
    second = get(confluence, path, start=200).json["restrictions"]["user"]
    assert (first["size"], first["limit"], second["size"]) == (200, 200, 51)


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
    path = f"{confluence.url}/rest/api/content/search?cql=type=page"
    refused = fetch(path, {"Authorization": "Bearer wrong"})
    html = refused.headers["Content-Type"].startswith("text/html")
    assert (refused.status, html) == (401, confluence.flavour == "datacenter")
    assert fetch(path, signed_in(confluence)).status == 200
    confluence.revoke(confluence.token)
    assert fetch(path, signed_in(confluence)).status == 401


def test_what_a_search_may_hold_depends_on_what_is_expanded() -> None:
    with ConfluenceServer(many_pages(1100), "datacenter") as server:
        sizes = {
            expand: get(server, "/rest/api/content/search", cql="type=page", limit=5000, expand=expand).json
            for expand in ("body.storage,version", "version", "")
        }
    assert [(answer["size"], answer["limit"]) for answer in sizes.values()] == [(50, 50), (200, 200), (1000, 1000)]


def test_documents_are_known_by_the_page_number_of_their_address(tmp_path: Path) -> None:
    document = {"id": "a-1", "title": "T", "content": "<p>x</p>", "space": "~me", "date": "2024-11-15"}
    for name, url in (("one", "https://x/wiki/spaces/~me/pages/365/T"), ("two", "https://x/wiki/display/T")):
        (tmp_path / f"{name}.json").write_text(json.dumps(document | {"url": url}), encoding="utf-8")
    site = from_documents(tmp_path)
    assert "365" in site.pages
    assert len(site.pages) == 2
    assert site.spaces["~me"].kind == "personal"


def test_cloud_pages_by_cursor_in_links_and_in_a_header(confluence_cloud: ConfluenceServer) -> None:
    path = f"/api/v2/spaces/{confluence_cloud.site.spaces['ENG'].space_id}/pages"
    first = get(confluence_cloud, path, limit=10, status="current")
    following = first.json["_links"]["next"]
    assert re.fullmatch(rf"/wiki{path}\?limit=10&status=current&cursor=[\w%=-]+", following)
    assert first.json["_links"]["base"] == confluence_cloud.url
    assert first.headers["Link"] == f'<{following}>; rel="next", <{confluence_cloud.url}>; rel="base"'
    last = get(confluence_cloud, path, limit=14)
    assert ("next" in last.json["_links"], last.headers["Link"]) == (False, None)


def test_where_a_page_goes_away_between_two_requests_data_center_skips_another_and_cloud_does_not(
    confluence: ConfluenceServer,
) -> None:
    first, *_ = listing(confluence, "ENG", limit=5)
    confluence.site.purge(first.ids[0])
    rest = everything(confluence, first.json["_links"]["next"])
    assert len(first.ids) + len(rest) == (14 if confluence.flavour == "cloud" else 13)


def test_data_center_says_the_limit_it_kept_to_and_links_without_the_context(
    confluence_data_center: ConfluenceServer,
) -> None:
    confluence_data_center.limits.cap = 5
    answer = get(confluence_data_center, "/rest/api/content", spaceKey="ENG", limit=100, expand="version").json
    assert (answer["start"], answer["limit"], answer["size"]) == (0, 5, 5)
    assert answer["_links"]["next"] == "/rest/api/content?spaceKey=ENG&expand=version&limit=5&start=5"
    assert answer["_links"]["base"] == confluence_data_center.url
    assert answer["_links"]["context"] == "/confluence"
    last = listing(confluence_data_center, "ENG")[-1].json
    assert "next" not in last["_links"]


def test_clouds_search_goes_on_by_cursor_and_its_link_lacks_wiki(confluence_cloud: ConfluenceServer) -> None:
    answer = get(confluence_cloud, "/rest/api/content/search", cql="type=page", limit=10)
    assert answer.json["_links"]["next"].startswith("/rest/api/content/search?cql=type%3Dpage&limit=10&cursor=")
    assert answer.json["_links"]["context"] == "/wiki"
    assert get(confluence_cloud, "/rest/api/content/search", cql="type=page", limit=10, start=10).ids == answer.ids
    assert len(everything(confluence_cloud, "/rest/api/content/search", cql="type=page", limit=10)) == 26


def test_errors_are_worded_as_each_api_words_them(
    confluence_cloud: ConfluenceServer, confluence_data_center: ConfluenceServer
) -> None:
    missing = get(confluence_cloud, "/api/v2/pages/1")
    assert missing.status == 404
    assert missing.json == {"errors": [{"status": 404, "code": "NOT_FOUND", "title": "Page not found", "detail": None}]}
    older = get(confluence_data_center, "/rest/api/content/1")
    assert (older.status, older.json["statusCode"], older.json["reason"]) == (404, 404, "Not Found")
    assert older.json["message"] == "No content found with id: ContentId{id=1}"
    outside = confluence_data_center.url.removesuffix("/confluence") + "/rest/api/content"
    assert fetch(outside, signed_in(confluence_data_center)).status == 404
    assert get(confluence_cloud, "/api/v2/search").status == 404


def test_cloud_lists_archived_pages_unless_told_otherwise(confluence_cloud: ConfluenceServer) -> None:
    confluence_cloud.site.archive("1048729")
    path = f"/api/v2/spaces/{confluence_cloud.site.spaces['ENG'].space_id}/pages"
    assert "1048729" in get(confluence_cloud, path, limit=250).ids
    assert "1048729" not in ids(confluence_cloud, "ENG")
    assert get(confluence_cloud, "/api/v2/pages/1048729").json["status"] == "archived"


def test_a_folder_of_cloud_is_a_parent_but_no_page(confluence_cloud: ConfluenceServer) -> None:
    site = confluence_cloud.site
    folder = site.add_page("ENG", "Drawer", kind="folder").page_id
    leaf = site.add_page("ENG", "In the drawer", parent=folder).page_id
    shown = get(confluence_cloud, f"/api/v2/pages/{leaf}").json
    assert (shown["parentId"], shown["parentType"]) == (folder, "folder")
    assert folder not in ids(confluence_cloud, "ENG")
    assert get(confluence_cloud, f"/api/v2/pages/{folder}").status == 404
    assert get(confluence_cloud, f"/api/v2/folders/{folder}").json["title"] == "Drawer"
    assert get(confluence_cloud, f"/api/v2/pages/{leaf}/ancestors").results == [{"id": folder, "type": "folder"}]
    site.hide(folder)
    assert get(confluence_cloud, f"/api/v2/pages/{leaf}").status == 404


def test_who_may_read_a_space(confluence_cloud: ConfluenceServer, confluence_data_center: ConfluenceServer) -> None:
    site = confluence_cloud.site
    ada = site.add_user("ada")
    site.open_space_to("ENG", ["ada"], ["confluence-users"])
    rows = everything(confluence_cloud, f"/api/v2/spaces/{site.spaces['ENG'].space_id}/permissions")
    readers = [row["principal"] for row in rows if row["operation"] == {"key": "read", "targetType": "space"}]
    assert readers == [
        {"type": "user", "id": ada.account_id},
        {"type": "group", "id": site.groups["confluence-users"].group_id},
    ]
    older = get(confluence_data_center, "/rest/api/space/ENG/permissions").json
    subjects = [row["subject"] for row in older if row["operation"]["operationKey"] == "read"]
    assert subjects == [{"type": "group", "name": "confluence-users"}, {"type": "user", "userKey": ada.user_key}]


def test_clouds_token_counts_with_its_owners_e_mail_alone(confluence_cloud: ConfluenceServer) -> None:
    confluence_cloud.site.users[confluence_cloud.site.syncing].email = "old@example.org"
    before = signed_in(confluence_cloud)
    confluence_cloud.site.users[confluence_cloud.site.syncing].email = "new@example.org"
    url = f"{confluence_cloud.url}/api/v2/spaces"
    assert fetch(url, before).status == 401
    assert fetch(url, signed_in(confluence_cloud)).status == 200


def test_the_search_index_lags_once_it_is_stopped(confluence: ConfluenceServer) -> None:
    old = {result["id"] for result in everything(confluence, "/rest/api/content/search", cql="type=page and space=ENG")}
    confluence.site.stop_index()
    new = confluence.site.add_page("ENG", "New").page_id
    found = everything(confluence, "/rest/api/content/search", cql="type=page and space=ENG")
    assert {result["id"] for result in found} == old
    assert new in ids(confluence, "ENG")
