"""What each flavour has to itself: the shapes of its pages, links and errors."""

from __future__ import annotations

import json
import re

from tests.servers.confluence import ConfluenceServer
from tests.servers.confluence_client import everything, fetch, get, listing, signed_in


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


def test_before_9_1_data_center_tells_permissions_by_json_rpc_alone(confluence_data_center: ConfluenceServer) -> None:
    confluence_data_center.version = (8, 5)
    assert get(confluence_data_center, "/rest/api/space/ENG/permissions").status == 404
    url = f"{confluence_data_center.url}/rpc/json-rpc/confluenceservice-v2/getSpacePermissionSets"
    answer = fetch(url, signed_in(confluence_data_center), json.dumps(["ENG"]).encode()).json
    assert answer[0]["spacePermissions"] == [{"type": "VIEWSPACE", "groupName": "confluence-users", "userName": None}]


def test_clouds_token_counts_with_its_owners_e_mail_alone(confluence_cloud: ConfluenceServer) -> None:
    confluence_cloud.site.users[confluence_cloud.site.syncing].email = "old@example.org"
    before = signed_in(confluence_cloud)
    confluence_cloud.site.users[confluence_cloud.site.syncing].email = "new@example.org"
    url = f"{confluence_cloud.url}/api/v2/spaces"
    assert fetch(url, before).status == 401
    assert fetch(url, signed_in(confluence_cloud)).status == 200


def test_clouds_users_are_looked_up_in_bulk(confluence_cloud: ConfluenceServer) -> None:
    ada = confluence_cloud.site.add_user("ada", "Ada Lovelace")
    body = json.dumps({"accountIds": [ada.account_id, "nobody"]}).encode()
    found = fetch(f"{confluence_cloud.url}/api/v2/users-bulk", signed_in(confluence_cloud), body)
    assert [user["displayName"] for user in found.results] == ["Ada Lovelace"]
    assert get(confluence_cloud, "/rest/api/user/email", accountId=ada.account_id).status == 403
