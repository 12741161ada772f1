"""What the Confluence server promises of both flavours, taken from Atlassian's documentation."""

from __future__ import annotations

import base64
import http.client
import json
import re
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import pytest

from tests.servers.confluence import ConfluenceServer, Site, faults, from_documents, many_pages, odd_pages

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


def test_429_comes_with_seconds_a_date_or_neither(confluence: ConfluenceServer) -> None:
    for given in (
        faults.too_many_requests(3),
        faults.too_many_requests(90, date=True, reset=True),
        faults.too_many_requests(),
    ):
        confluence.faults.on("/user/current", given, times=1)
    told = [get(confluence, "/rest/api/user/current") for _ in range(4)]
    assert [answer.status for answer in told] == [429, 429, 429, 200]
    assert told[0].headers["Retry-After"] == "3"
    assert parsedate_to_datetime(told[1].headers["Retry-After"]).tzinfo
    assert told[1].headers["X-RateLimit-Reset"].endswith("Z")
    assert told[2].headers["Retry-After"] is None
    assert [request.fault for request in confluence.requests] == ["429", "429", "429", None]


def test_503_an_error_a_captcha_and_a_login_page_come_in_place_of_the_answer(confluence: ConfluenceServer) -> None:
    for given in (faults.unavailable(2), faults.error(500), faults.captcha(), faults.html_page()):
        confluence.faults.on("/user/current", given, times=1)
    told = [get(confluence, "/rest/api/user/current") for _ in range(4)]
    assert [answer.status for answer in told] == [503, 500, 403, 200]
    assert told[0].headers["Retry-After"] == "2"
    assert told[3].headers["Content-Type"].startswith("text/html")


def test_a_truncated_answer_looks_whole_but_is_not_json(confluence: ConfluenceServer) -> None:
    confluence.faults.on(LISTING, faults.truncated_json(), times=1)
    with pytest.raises(json.JSONDecodeError):
        listing(confluence, "ENG")
    assert len(everything(confluence, "/rest/api/content/search", cql="space=ENG")) == 14


def test_a_connection_breaks_before_or_within_the_answer(confluence: ConfluenceServer) -> None:
    confluence.faults.on("/user/current", faults.connection_reset(), nth=1)
    confluence.faults.on("/user/current", faults.connection_cut(), nth=2)
    with pytest.raises((OSError, http.client.HTTPException)):
        get(confluence, "/rest/api/user/current")
    with pytest.raises((OSError, http.client.HTTPException)):
        get(confluence, "/rest/api/user/current")
    assert get(confluence, "/rest/api/user/current").status == 200
    assert [request.status for request in confluence.requests] == [0, 0, 200]


def test_a_next_may_lead_to_itself(confluence: ConfluenceServer) -> None:
    confluence.faults.on(LISTING, faults.next_to_itself(), nth=2)
    pages = [answer.ids for answer in listing(confluence, "ENG", limit=5)]
    assert [len(page) for page in pages] == [5, 5, 5, 4]
    assert pages[1] == pages[2]


def test_the_site_may_change_between_two_requests(confluence: ConfluenceServer) -> None:
    site = confluence.site
    confluence.faults.on(LISTING, faults.first(lambda: site.trash("1048617")), nth=2)
    seen = [page_id for answer in listing(confluence, "ENG", limit=5) for page_id in answer.ids]
    assert "1048617" in seen  # was listed before it went
    assert site.pages["1048617"].status == "trashed"


def test_a_share_of_requests_fails_the_same_way_for_the_same_seed(confluence_site: Site) -> None:
    def statuses(seed: int) -> list[int]:
        with ConfluenceServer(confluence_site, seed=seed) as server:
            server.faults.share(0.3, faults.too_many_requests(0), faults.unavailable())
            return [get(server, "/api/v2/pages", limit=1 + number % 50).status for number in range(200)]

    first = statuses(1)
    assert first == statuses(1)
    assert first != statuses(2)
    assert 30 < sum(status != 200 for status in first) < 90
    assert {429, 503} < set(first)


def test_no_request_fails_more_often_in_a_row_than_said(confluence_cloud: ConfluenceServer) -> None:
    confluence_cloud.faults.share(1.0, faults.unavailable(), at_most_in_a_row=2)
    assert [get(confluence_cloud, "/api/v2/pages").status for _ in range(6)] == [503, 503, 200, 503, 503, 200]
    confluence_cloud.faults.clear()
    assert get(confluence_cloud, "/api/v2/pages").status == 200


def test_slow_answers_overlap_and_the_most_at_once_is_on_record(confluence_cloud: ConfluenceServer) -> None:
    confluence_cloud.faults.on("/pages", faults.slow(0.3))
    threads = [threading.Thread(target=get, args=(confluence_cloud, "/api/v2/pages")) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert confluence_cloud.at_once > 1
    confluence_cloud.forget()
    assert (confluence_cloud.requests, confluence_cloud.at_once) == ([], 0)


def test_tls_is_with_a_certificate_that_nobody_trusts(confluence_site: Site) -> None:
    with ConfluenceServer(confluence_site, tls=True) as server:
        with pytest.raises(urllib.error.URLError) as refused:
            get(server, "/api/v2/pages")
        assert isinstance(refused.value.reason, ssl.SSLCertVerificationError)


def test_the_record_says_who_asked_what_and_when(confluence: ConfluenceServer) -> None:
    before = time.monotonic()
    get(confluence, "/rest/api/user/current", expand="status")
    request = confluence.requests[0]
    assert (request.method, request.path) == ("GET", f"{confluence.context}/rest/api/user/current")
    assert request.query == {"expand": ["status"]}
    assert (request.status, request.account) == (200, confluence.site.syncing)
    assert request.at >= before
    assert request.headers["Authorization"] == signed_in(confluence)["Authorization"]


def test_cloud_pages_by_cursor_in_links_and_in_a_header(confluence_cloud: ConfluenceServer) -> None:
    first = get(confluence_cloud, "/api/v2/pages", limit=10, body_format="storage", status="current")
    following = first.json["_links"]["next"]
    assert re.fullmatch(r"/wiki/api/v2/pages\?limit=10&body-format=storage&status=current&cursor=[\w%=-]+", following)
    assert first.json["_links"]["base"] == confluence_cloud.url
    assert first.headers["Link"] == f'<{following}>; rel="next", <{confluence_cloud.url}>; rel="base"'
    last = get(confluence_cloud, "/api/v2/pages", limit=26)
    assert "next" not in last.json["_links"]
    assert last.headers["Link"] is None
    assert set(first.results[0]) >= {
        "id",
        "status",
        "title",
        "spaceId",
        "parentId",
        "authorId",
        "version",
        "body",
        "_links",
    }


def test_cloud_loses_no_page_where_one_goes_away_between_two_requests(confluence_cloud: ConfluenceServer) -> None:
    first = get(confluence_cloud, "/api/v2/pages", limit=10)
    confluence_cloud.site.purge(first.ids[0])
    rest = everything(confluence_cloud, first.json["_links"]["next"])
    assert len(first.ids) + len(rest) == 26


def test_data_center_skips_a_page_where_one_goes_away_between_two_requests(
    confluence_data_center: ConfluenceServer,
) -> None:
    first = get(confluence_data_center, "/rest/api/content", limit=10)
    confluence_data_center.site.purge(first.ids[0])
    rest = everything(confluence_data_center, first.json["_links"]["next"])
    assert len(first.ids) + len(rest) == 25


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


def test_cloud_refuses_what_it_does_not_know(confluence_cloud: ConfluenceServer) -> None:
    for query in ({"limit": 251}, {"limit": "x"}, {"body_format": "none"}, {"cursor": "~"}, {"sort": "size"}):
        answer = get(confluence_cloud, "/api/v2/pages", **query)
        assert answer.status == 400, query
        assert answer.json["errors"][0]["code"] == "INVALID_REQUEST_PARAMETER"


def test_errors_are_worded_as_each_api_words_them(
    confluence_cloud: ConfluenceServer, confluence_data_center: ConfluenceServer
) -> None:
    gone = get(confluence_cloud, "/rest/api/content/1")
    assert (gone.status, gone.json["reason"]) == (410, "Gone")
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
    assert "1048729" in get(confluence_cloud, "/api/v2/pages", limit=250).ids
    assert "1048729" not in get(confluence_cloud, "/api/v2/pages", limit=250, status="current").ids
    assert get(confluence_cloud, "/api/v2/pages/1048729").json["status"] == "archived"


def test_cloud_sorts_by_date_and_finds_pages_by_several_ids(confluence_cloud: ConfluenceServer) -> None:
    confluence_cloud.site.edit_body("1048729", "<p>Changed.</p>")
    newest = get(confluence_cloud, "/api/v2/pages", sort="-modified-date", limit=3)
    assert newest.ids[0] == "1048729"
    dates = [
        result["version"]["createdAt"]
        for result in everything(confluence_cloud, "/api/v2/pages", sort="-modified-date")
    ]
    assert dates == sorted(dates, reverse=True)
    assert get(confluence_cloud, "/api/v2/pages", id="1048729,1048601").ids == ["1048601", "1048729"]


def test_a_folder_of_cloud_is_a_parent_but_no_page(confluence_cloud: ConfluenceServer) -> None:
    site = confluence_cloud.site
    folder = site.add_page("ENG", "Drawer", kind="folder").page_id
    leaf = site.add_page("ENG", "In the drawer", parent=folder).page_id
    shown = get(confluence_cloud, f"/api/v2/pages/{leaf}").json
    assert (shown["parentId"], shown["parentType"]) == (folder, "folder")
    assert folder not in get(confluence_cloud, "/api/v2/pages", limit=250).ids
    assert get(confluence_cloud, f"/api/v2/pages/{folder}").status == 404
    assert get(confluence_cloud, f"/api/v2/folders/{folder}").json["title"] == "Drawer"
    assert get(confluence_cloud, f"/api/v2/pages/{leaf}/ancestors").results == [{"id": folder, "type": "folder"}]
    site.hide(folder)
    assert get(confluence_cloud, f"/api/v2/pages/{leaf}").status == 404


def test_labels_and_attachments(confluence_cloud: ConfluenceServer, confluence_data_center: ConfluenceServer) -> None:
    site = confluence_cloud.site
    site.label("1048729", "words", "help")
    site.attach("1048729", "bells.pdf")
    assert [label["name"] for label in get(confluence_cloud, "/api/v2/pages/1048729/labels").results] == [
        "help",
        "words",
    ]
    assert [one["title"] for one in get(confluence_cloud, "/api/v2/pages/1048729/attachments").results] == ["bells.pdf"]
    older = get(confluence_data_center, "/rest/api/content/1048729", expand="metadata.labels,children.attachment").json
    assert [label["name"] for label in older["metadata"]["labels"]["results"]] == ["words", "help"]
    assert [one["title"] for one in older["children"]["attachment"]["results"]] == ["bells.pdf"]


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


UNPARSABLE = ["type page", "lastmodified >= yesterday", "nonsense = 3", "type=page or space=ENG", ""]


@pytest.mark.parametrize("cql", UNPARSABLE)
def test_cql_that_cannot_be_parsed_is_a_400_that_repeats_it(confluence: ConfluenceServer, cql: str) -> None:
    answer = get(confluence, "/rest/api/content/search", cql=cql)
    assert answer.status == 400
    assert answer.json["message"].endswith(f"Could not parse cql : {cql}")


def test_the_search_index_lags_once_it_is_stopped(confluence: ConfluenceServer) -> None:
    old = {result["id"] for result in everything(confluence, "/rest/api/content/search", cql="type=page and space=ENG")}
    confluence.site.stop_index()
    new = confluence.site.add_page("ENG", "New").page_id
    found = everything(confluence, "/rest/api/content/search", cql="type=page and space=ENG")
    assert {result["id"] for result in found} == old
    assert new in ids(confluence, "ENG")
