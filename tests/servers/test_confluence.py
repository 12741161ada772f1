"""What the Confluence server promises of both flavours, taken from Atlassian's documentation."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Any

from tests.servers.confluence import ConfluenceServer, from_documents, many_pages


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


def signed_in(server: ConfluenceServer) -> dict[str, str]:
    """The header that the syncing account signs in with."""
    user = server.site.users[server.site.syncing]
    token = f"token-of-{user.name}"
    if server.flavour == "datacenter":
        return {"Authorization": f"Bearer {token}"}
    return {"Authorization": "Basic " + base64.b64encode(f"{user.email}:{token}".encode()).decode()}


def get(server: ConfluenceServer, path: str, **query: object) -> Answer:
    """``path`` below the context path, or from it on. Query names with ``_`` for ``-``."""
    asked = urllib.parse.urlencode({key.replace("_", "-"): value for key, value in query.items()})
    url = server.url.removesuffix(server.context) + server.context + path.removeprefix(server.context)
    return fetch(url + (f"?{asked}" if asked else ""), signed_in(server))


def fetch(url: str, headers: dict[str, str]) -> Answer:
    request = urllib.request.Request(url, headers={**headers, "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return Answer(response.status, response.read().decode(), response.headers)
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, error.read().decode(), error.headers)


def walk(server: ConfluenceServer, path: str, **query: object) -> Iterator[Answer]:
    """This page and every further one, by ``next``."""
    answer = get(server, path, **query)
    yield answer
    while following := answer.json["_links"].get("next"):
        answer = get(server, following)
        yield answer


def everything(server: ConfluenceServer, path: str, **query: object) -> list[Any]:
    return [result for answer in walk(server, path, **query) for result in answer.results]


def listing(server: ConfluenceServer, key: str, **query: object) -> list[Answer]:
    """The pages of a space, as a sync of each flavour lists them."""
    if server.flavour == "datacenter":
        return list(walk(server, "/rest/api/content", spaceKey=key, type="page", **query))
    number = server.site.spaces[key].space_id
    return list(walk(server, f"/api/v2/spaces/{number}/pages", status="current", **query))


def ids(server: ConfluenceServer, key: str) -> list[str]:
    return [page_id for answer in listing(server, key) for page_id in answer.ids]


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


def test_what_stands_below_a_hidden_page_is_hidden_too(confluence: ConfluenceServer) -> None:
    top = confluence.site.add_page("ENG", "Top").page_id
    leaf = confluence.site.add_page("ENG", "Leaf", parent=top).page_id
    confluence.site.hide(top)
    assert {top, leaf}.isdisjoint(ids(confluence, "ENG"))


def test_where_a_page_goes_away_between_two_requests_data_center_skips_another_and_cloud_does_not(
    confluence: ConfluenceServer,
) -> None:
    first, *_ = listing(confluence, "ENG", limit=5)
    confluence.site.purge(first.ids[0])
    rest = everything(confluence, first.json["_links"]["next"])
    assert len(first.ids) + len(rest) == (14 if confluence.flavour == "cloud" else 13)


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
