"""The comments of a page, and which pages have changed comments. REST v1, the same on both flavours.

Cloud's v2 lists only the first comments of threads, and needs one request per comment for the replies. v1's
descendants are all comments of a page, including inline ones and replies, with the names of their authors.

A comment changes neither version nor date of its page. So a sync searches for the ids of all comments of a space (a
thousand per request without expansion), and for the comments that changed since the previous sync.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any
from urllib.parse import quote

from adapters.confluence.http import Http, Json, Parameters
from adapters.confluence.paging import iterate_items
from adapters.confluence.restrictions import CONTENT
from adapters.confluence.site import (
    make_account,
    quote_cql,
    read_body,
    read_name,
    read_part,
    read_text,
    read_version_number,
)
from core.model import Comment, Page
from core.ports.wiki import KnownComment

_VERSION = "version,extensions.resolution"
_WHOLE = f"body.storage,history,ancestors,extensions.inlineProperties,{_VERSION}"
_AT_ONCE = 200  # maximum of v1 with expanded content; it returns fewer with bodies
_IDS_AT_ONCE = 1000  # maximum of v1's search without expansion
_LOOKED_UP_AT_ONCE = 100  # ids in one URL
_OVERLAP = timedelta(hours=1)  # the search index lags by minutes, and clocks differ
_AHEAD = timedelta(minutes=-1)  # if the last sync was later than that, a clock was wrong, so its time says nothing


async def add_comments(http: Http, page: Page) -> Page:
    """Return the page with its current comments, in the order in which they were written."""
    found = [_read_comment(item, page.url) for item in await _list_comments(http, page.page_id, _WHOLE)]
    found.sort(key=lambda comment: (comment.date, len(comment.comment_id), comment.comment_id))
    return replace(page, comments=tuple(found), facts=replace(page.facts, comments=len(found)))


async def has_same_comments(http: Http, page: Page) -> bool:
    """Whether all comments that were read still exist unchanged.

    If so, they existed all the time, so whoever could read the page meanwhile could read them too.
    """
    if not page.comments:
        return True
    now = {str(item["id"]): _read_version(item) for item in await _list_comments(http, page.page_id, _VERSION)}
    return all(now.get(comment.comment_id) == comment.version for comment in page.comments)


async def find_commented_pages(http: Http, space: str, known: Mapping[str, KnownComment], since: str) -> frozenset[str]:
    """See :meth:`core.ports.wiki.Wiki.find_commented_pages`."""
    of_space = f"type=comment and space={quote_cql(space)}"
    elapsed = _measure_elapsed(since) if since else _AHEAD
    if not known or elapsed <= _AHEAD:
        listed = await _search_versions(http, of_space)
        return frozenset(_find_differing_pages(listed, known, listed))
    there = {str(item["id"]) async for item in _search(http, of_space, {"limit": _IDS_AT_ONCE})}
    changed = await _search_versions(http, f"{of_space} and lastmodified >= {_format_relative_time(elapsed)}")
    # Comments may also arrive with a page from another space, or become visible with their page.
    unknown = iter(sorted(there - known.keys() - changed.keys()))
    while some := list(islice(unknown, _LOOKED_UP_AT_ONCE)):
        changed |= await _search_versions(http, f"type=comment and id in ({','.join(some)})")
    return frozenset(_find_differing_pages(changed, known, there | changed.keys()))


async def _list_comments(http: Http, page_id: str, expand: str) -> list[Json]:
    path = f"{CONTENT}/{quote(page_id, safe='')}/descendant/comment"
    parameters: Parameters = {"depth": "all", "expand": expand, "limit": _AT_ONCE}
    return [item async for item in iterate_items(http.get, http.host, path, parameters)]


async def _search_versions(http: Http, cql: str) -> dict[str, KnownComment]:
    """Return the comments that a search finds, by id."""
    parameters: Parameters = {"expand": f"container,{_VERSION}", "limit": _AT_ONCE}
    return {
        str(item["id"]): KnownComment(str(read_part(item, "container").get("id", "")), _read_version(item))
        async for item in _search(http, cql, parameters)
    }


def _search(http: Http, cql: str, parameters: Parameters) -> AsyncIterator[Json]:
    return iterate_items(http.get, http.host, f"{CONTENT}/search", {"cql": cql, **parameters})


def _find_differing_pages(
    listed: Mapping[str, KnownComment], known: Mapping[str, KnownComment], there: Collection[str]
) -> Iterator[str]:
    """Yield the ids of pages whose comments differ from the known ones or no longer exist."""
    yield from (comment.page_id for comment_id, comment in listed.items() if known.get(comment_id) != comment)
    yield from (comment.page_id for comment_id, comment in known.items() if comment_id not in there)


def _measure_elapsed(since: str) -> timedelta:
    moment = datetime.fromisoformat(since)
    return datetime.now(UTC) - (moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def _format_relative_time(elapsed: timedelta) -> str:
    """Return a time in CQL, relative to now: CQL reads absolute times in the account's time zone."""
    return f'now("-{max(1, int((elapsed + _OVERLAP).total_seconds() // 60))}m")'


def _read_comment(item: Json, page_url: str) -> Comment:
    comment_id = str(item["id"])
    above = item.get("ancestors")
    parents = [str(each["id"]) for each in above if _is_comment(each)] if isinstance(above, list) else []
    writer = read_part(item, "history", "createdBy") or read_part(item, "version", "by")
    query = "&" if "?" in page_url else "?"
    return Comment(
        comment_id=comment_id,
        content=read_body(item),
        author=read_name(writer),
        author_account=make_account("account-id", writer.get("accountId"))
        or make_account("userkey", writer.get("userKey")),
        date=_read_time(item),
        url=f"{page_url}{query}focusedCommentId={comment_id}#comment-{comment_id}",
        parent_id=parents[-1] if parents else "",
        version=_read_version(item),
        marked=" ".join(read_text(read_part(item, "extensions", "inlineProperties").get("originalSelection")).split()),
        resolved=_is_resolved(item),
    )


def _is_comment(ancestor: Any) -> bool:
    return isinstance(ancestor, dict) and ancestor.get("type", "comment") == "comment" and bool(ancestor.get("id"))


def _read_time(item: Json) -> str:
    return read_text(read_part(item, "history").get("createdDate")) or read_text(read_part(item, "version").get("when"))


def _read_version(item: Json) -> str:
    return f"{read_version_number(item)}{' resolved' if _is_resolved(item) else ''}"


def _is_resolved(item: Json) -> bool:
    return read_part(item, "extensions", "resolution").get("status") == "resolved"
