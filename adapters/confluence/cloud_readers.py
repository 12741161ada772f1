"""Readers of pages of Confluence Cloud: v1 has the restrictions, v2 the folders among the ancestors."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import replace
from typing import Any

from adapters.confluence import restrictions
from adapters.confluence.failures import Refusal
from adapters.confluence.http import Http, Json, Parameters
from adapters.confluence.paging import AT_ONCE_IN_V1, iterate_items, read_items
from adapters.confluence.restrictions import Node, OwnRestriction, Snapshot
from adapters.confluence.site import (
    get_or_none,
    quote_cql,
    read_labels,
    read_text,
    read_version_number,
    run_concurrently,
)
from adapters.confluence.v2 import AT_ONCE, POST, list_v2_items, make_path, read_kind_of_parent, read_parent
from core.model import ReadRestrictions

ACCOUNT = "accountId"
"""The field that identifies a user."""
_KINDS = frozenset({"page", "folder", "whiteboard", "database", "embed"})  # of ancestors of pages


class CloudReaders:
    """Reads restrictions of pages and their ancestors."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def find_current_readers(self, item: Json, space: str) -> ReadRestrictions | None:
        """Return the current readers of a page from v2, or None if its version or location has changed."""
        kinds: dict[str, str] = {}

        async def take() -> Snapshot | None:
            kind = read_text(item.get("type"))
            by_search = await self._read_snapshot_by_search(str(item["id"])) if kind in {POST, "page"} else None
            found = by_search or await self._read_snapshot_by_v2(item, space)
            if found is None:
                return None
            above = {} if kind == POST else await self._read_ancestors(found.page_id, kind)
            kinds.update(above)
            # v1 may omit folders among the ancestors; ancestors that only v1 has are due to a move meanwhile.
            return replace(found, above=tuple(above)) if above.keys() >= set(found.above) else None

        async def ask(node_id: str) -> Node:
            defect = _find_unknown_kind(node_id, kinds)
            return Node(node_id, defect=defect) if defect else await self.request_restriction(Node(node_id))

        found = await take()
        if found is None or (found.version, found.space) != (read_version_number(item), space):
            return None
        if (found.above[-1] if found.above else "") != read_parent(item):
            return None
        return await restrictions.find_current_readers(found, take, ask)

    async def _read_snapshot_by_search(self, page_id: str) -> Snapshot | None:
        """Return the page's snapshot by search, or None if the index lacks it or an ancestor cannot be expanded.

        The index lags, but expanded content is current. https://jira.atlassian.com/browse/CONFCLOUD-77618
        """
        query: Parameters = {"cql": f"id={page_id}", "expand": restrictions.SNAPSHOT, "limit": 1}
        try:
            found = read_items((await self._http.get(f"{restrictions.CONTENT}/search", query)).body)
        except Refusal as refusal:
            if refusal.is_site_wide or refusal.status is None:
                raise
            return None
        return next((restrictions.read_snapshot(each, ACCOUNT) for each in found if str(each["id"]) == page_id), None)

    async def _read_snapshot_by_v2(self, item: Json, space: str) -> Snapshot | None:
        """Return the page's snapshot by v2, without restrictions, or None if the page moved to another space."""
        now = await get_or_none(self._http.get(make_path(str(item["id"]), read_text(item.get("type")))))
        if now is None or now.get("spaceId") != item.get("spaceId") or now.get("status") != "current":
            return None
        return Snapshot(str(item["id"]), read_version_number(now), space, (), {})

    async def _read_ancestors(self, page_id: str, kind: str) -> dict[str, str]:
        """Return id to kind of a page's ancestors, including folders, from the top down."""
        listed = await list_v2_items(self._http, f"{make_path(page_id, kind)}/ancestors")
        kinds = {str(each["id"]): read_text(each.get("type")) for each in listed}
        if len(kinds) >= AT_ONCE:
            raise Refusal(f"has page {page_id} below more than {AT_ONCE} others", "Move it further up.")
        return kinds

    async def add_restrictions(self, space: str, nodes: dict[str, Node]) -> None:
        """Add restrictions by search, for many pages per request; those of pages that it lacks are requested singly.

        The search also returns labels. Missing ones are not requested, because a later sync will find them. The index
        lags by seconds to minutes, so it may lack new pages, but expanded content is current.
        """
        found: dict[str, OwnRestriction] = {}
        labels: dict[str, frozenset[str] | None] = {}
        query: Parameters = {
            "cql": f"type in (page, {POST}) and space={quote_cql(space)}",
            "expand": restrictions.LISTED,
            "limit": AT_ONCE_IN_V1,
        }
        async for item in iterate_items(self._http.get, self._http.host, f"{restrictions.CONTENT}/search", query):
            labels[str(item["id"])] = read_labels(item)
            own = restrictions.read_own_restriction(item, ACCOUNT)
            if own is not None and own.complete:
                found[str(item["id"])] = own
        lacking = [node for node_id, node in nodes.items() if node_id not in found]
        for node in await run_concurrently(map(self.request_restriction, lacking)):
            nodes[node.node_id] = node
        for node_id in nodes.keys() & found.keys():
            nodes[node_id] = replace(nodes[node_id], readers=found[node_id].readers)
        for node_id in nodes.keys() & labels.keys():
            nodes[node_id] = replace(nodes[node_id], labels=labels[node_id])

    async def add_ancestors(self, nodes: dict[str, Node], listed: Iterable[Json]) -> list[Json]:
        """Add missing ancestors: folders and the like, which can be restricted too, and pages created meanwhile.

        Returns those that can be seen, each with its kind as ``type``.
        """
        loaded: list[Json] = []
        kinds = dict(map(read_kind_of_parent, listed))

        async def load(node_id: str) -> Node:
            if defect := _find_unknown_kind(node_id, kinds):
                return Node(node_id, defect=defect)
            try:
                kind = kinds.get(node_id, "page")
                item = (await self._http.get(make_path(node_id, kind))).body
            except Refusal as refusal:
                return Node(node_id).mark_unreadable(refusal)
            kinds.update([read_kind_of_parent(item)])
            loaded.append({**item, "id": node_id, "type": kind})
            return await self.request_restriction(Node(node_id, read_parent(item)))

        await restrictions.add_ancestors(nodes, load)
        return loaded

    def request_restriction(self, node: Node) -> Coroutine[Any, Any, Node]:
        return restrictions.request_restriction(self._http.get, node, ACCOUNT)


def _find_unknown_kind(node_id: str, kinds: Mapping[str, str]) -> str:
    """Return why the restrictions of an ancestor of this kind cannot be read, "" if they can."""
    kind = kinds.get(node_id, "page")
    return "" if kind in _KINDS else f"cannot be read: it is a {kind}, which is not known here"
