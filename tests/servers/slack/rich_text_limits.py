"""The shape of rich text and of tables.

https://docs.slack.dev/reference/block-kit/blocks/rich-text-block and /table-block
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.servers.slack.elements import Checks
from tests.servers.slack.state import Json

_CONTAINERS = {"rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote"}
_LEAVES = {
    "text": "text", "link": "url", "user": "user_id", "usergroup": "usergroup_id", "channel": "channel_id",
    "broadcast": "range", "emoji": "name", "date": "timestamp", "color": "value",
}  # fmt: skip
_TABLE_TEXT = 10_000
"""Characters in all cells together."""


def check_rich_text(checks: Checks, block: Json, at: str) -> None:
    checks.count(block.get("elements"), f"{at}/elements", 10_000, least=1)
    for number, element in enumerate(block["elements"] if isinstance(block.get("elements"), list) else []):
        where = f"{at}/elements/{number}"
        if not isinstance(element, dict) or element.get("type") not in _CONTAINERS:
            kind = element.get("type") if isinstance(element, dict) else element
            checks.error(f"unsupported type: {kind}", f"{where}/type")
            continue
        _check_container(checks, element, where)


def _check_container(checks: Checks, container: Json, at: str) -> None:
    elements = container.get("elements")
    checks.count(elements, f"{at}/elements", 10_000)
    is_list = container["type"] == "rich_text_list"
    if is_list and container.get("style") not in ("bullet", "ordered"):
        checks.error("unsupported style", f"{at}/style")
    for number, element in enumerate(elements if isinstance(elements, list) else []):
        where = f"{at}/elements/{number}"
        kind = element.get("type") if isinstance(element, dict) else element
        if is_list:
            if kind == "rich_text_section":
                _check_container(checks, element, where)
            else:
                checks.error(f"unsupported type: {kind}", f"{where}/type")
        elif not isinstance(kind, str) or kind not in _LEAVES:
            checks.error(f"unsupported type: {kind}", f"{where}/type")
        elif _LEAVES[kind] not in element:
            checks.error(f"missing required field: {_LEAVES[kind]}", where)
        elif kind == "text":
            checks.string(element["text"], f"{where}/text", 40_000)
        elif kind == "link":
            checks.url(element["url"], f"{where}/url")


def check_table(checks: Checks, block: Json, at: str) -> None:
    rows = block.get("rows")
    checks.count(rows, f"{at}/rows", 100, least=1)
    if "column_settings" in block:
        checks.count(block["column_settings"], f"{at}/column_settings", 20)
    total = 0
    for number, row in enumerate(rows if isinstance(rows, list) else []):
        checks.count(row, f"{at}/rows/{number}", 20, least=1)
        for column, cell in enumerate(row if isinstance(row, list) else []):
            total += _check_cell(checks, cell, f"{at}/rows/{number}/{column}")
    if total > _TABLE_TEXT:
        checks.error(f"table text must be less than {_TABLE_TEXT + 1} characters", f"{at}/rows")


def _check_cell(checks: Checks, cell: Any, at: str) -> int:
    """How many characters it has."""
    kind = cell.get("type") if isinstance(cell, dict) else cell
    if kind == "raw_text":
        checks.string(cell.get("text"), f"{at}/text", _TABLE_TEXT, required=True)
        return len(str(cell.get("text") or ""))
    if kind == "rich_text":
        check_rich_text(checks, cell, at)
        return sum(map(len, _texts(cell)))
    checks.error(f"unsupported type: {kind}", f"{at}/type")
    return 0


def _texts(item: Any) -> Iterator[str]:
    for element in item.get("elements") or [] if isinstance(item, dict) else []:
        if isinstance(element, dict) and isinstance(element.get("text"), str):
            yield element["text"]
        yield from _texts(element)
