"""Comments in REST v1: those of a page, and the search for them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.servers.confluence.request import Request, RequestError, number_of, v1_page
from tests.servers.confluence.site import Comment, Page

_CQL = re.compile(
    r'type=comment(?: and space="((?:[^"\\]|\\.)*)")?(?: and id in \(([\d,]+)\))?'
    r'(?: and lastmodified >= now\("-(\d+)m"\))?'
)


def is_asked_for(cql: str) -> bool:
    return cql.startswith("type=comment")


def search(request: Request, cql: str) -> Any:
    """https://developer.atlassian.com/cloud/confluence/advanced-searching-using-cql/

    As much of it as a sync asks. Comments of pages in the trash or the archive are not found.
    """
    asked = _CQL.fullmatch(cql)
    if asked is None:
        raise RequestError(400, f"Could not parse cql : {cql}")
    space = None if asked[1] is None else re.sub(r"\\(.)", r"\1", asked[1])
    ids = None if asked[2] is None else asked[2].split(",")
    since = None if asked[3] is None else datetime.now(UTC) - timedelta(minutes=int(asked[3]))
    found = [
        comment
        for comment in request.site.indexed_comments()
        if (page := request.site.pages[comment.page_id]).status == "current"
        and space in {None, page.space}
        and (ids is None or comment.comment_id in ids)
        and (since is None or comment.modified >= since)
    ]
    return _comments_page(request, found, request.limits.v1(request.expand), cursor=request.flavour == "cloud")


def descendants(request: Request) -> Any:
    """All comments of a page.

    https://developer.atlassian.com/server/confluence/rest/v940/api-group-content-descendant
    """
    page = request.site.pages.get(request.match["id"])
    if page is None or page.status != "current" or not request.sees(page):
        raise RequestError(404, f"No content found with id: ContentId{{id={request.match['id']}}}")
    return _comments_page(request, request.site.comments_of(page.page_id), request.limits.v1(request.expand))


def first_json(request: Request, page: Page) -> list[dict[str, Any]]:
    """The first comments of a page's threads."""
    return [comment_json(request, each) for each in request.site.comments_of(page.page_id) if each.parent_id is None]


def comment_json(request: Request, comment: Comment) -> dict[str, Any]:
    """Without what was not expanded. A reply is wherever the first comment of its thread is.

    https://developer.atlassian.com/server/confluence/rest/v940/api-group-child-content
    """
    site, expands = request.site, request.expands
    page = site.pages[comment.page_id]
    author = _user_json(request, comment.author)
    shown: dict[str, Any] = {"id": comment.comment_id, "type": "comment", "status": "current"}
    shown["title"] = f"Re: {page.title}"
    if expands("version"):
        shown["version"] = {"number": comment.version, "when": _date(comment.modified), "by": author}
    if expands("history"):
        shown["history"] = {"createdBy": author, "createdDate": _date(comment.created)}
    if expands("container"):
        shown["container"] = {"id": page.page_id, "type": page.kind, "title": page.title}
    if expands("ancestors"):
        shown["ancestors"] = [{"id": each.comment_id, "type": "comment"} for each in site.comments_above(comment)]
    if expands("body.storage"):
        shown["body"] = {"storage": {"value": comment.body, "representation": "storage"}}
    if expands("extensions"):
        shown["extensions"] = _extensions(request, comment)
    return shown


def _extensions(request: Request, comment: Comment) -> dict[str, Any]:
    shown: dict[str, Any] = {"location": "inline" if comment.marked else "footer"}
    if request.expands("extensions.inlineProperties") and comment.marked:
        shown["inlineProperties"] = {"originalSelection": comment.marked, "markerRef": f"ref-{comment.comment_id}"}
    if request.expands("extensions.resolution"):
        shown["resolution"] = {"status": "resolved" if comment.resolved else "open"}
    return shown


def _comments_page(request: Request, found: list[Comment], most: int, cursor: bool = False) -> Any:
    found = sorted(found, key=lambda comment: number_of(comment.comment_id))

    def sees(comment: Comment) -> bool:
        return request.sees(request.site.pages[comment.page_id])

    return v1_page(request, found, lambda comment: comment_json(request, comment), most, sees=sees, cursor=cursor)


def _user_json(request: Request, name: str) -> dict[str, Any]:
    user = request.site.users[name]
    is_cloud = request.flavour == "cloud"
    of_flavour = {"accountId": user.account_id} if is_cloud else {"username": user.name, "userKey": user.user_key}
    return {"type": "known", "displayName": user.display_name, **of_flavour, **user.former(request.flavour)}


def _date(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
