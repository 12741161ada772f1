"""Requests to REST v2 of Confluence Cloud, and what its items say of their place in the page tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from adapters.confluence.http import Http, Json, Parameters
from adapters.confluence.paging import list_items
from adapters.confluence.site import read_text

V2 = "api/v2"
POST = "blogpost"
AT_ONCE = 250
"""The maximum number of items of one response."""


async def list_v2_items(http: Http, path: str, parameters: Parameters | None = None) -> list[Json]:
    """Return all items of a listing. Raises Refusal rather than return only some."""
    return await list_items(http, path, parameters, limit=AT_ONCE)


def make_path(page_id: str, kind: str = "page") -> str:
    """Return the path of a page, or of another kind of content, such as a folder."""
    return f"{V2}/{kind}s/{quote(page_id, safe='')}"


def read_parent(item: Mapping[str, Any]) -> str:
    """Return the id of an item's parent, "" for none."""
    parent = item.get("parentId")
    return str(parent) if isinstance(parent, str | int) else ""


def read_kind_of_parent(item: Mapping[str, Any]) -> tuple[str, str]:
    """Return id and kind of an item's parent."""
    return read_parent(item), read_text(item.get("parentType")) or "page"
