"""Schemas for the kinds of blocks that the bot uses; all other blocks are refused.

https://docs.slack.dev/reference/block-kit/blocks, /block-elements, /composition-objects; /reference/views
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from tests.servers.chat_server import Json
from tests.servers.slack.state import RequestError

BLOCK_TEXT = 13_200
"""Characters of all blocks from which ``msg_blocks_too_long`` was observed; not documented."""
TEXT = 40_000
UPDATED_TEXT = 4_000
"""Limit of ``chat.update``: https://docs.slack.dev/reference/methods/chat.update, ``msg_too_long``."""


def length(text: str) -> int:
    """Return the length in UTF-16 units. Slack does not document its units; these are the strictest."""
    return len(text.encode("utf-16-le")) // 2


def _max_length(validator: object, most: int, text: object, schema: object) -> Iterator[ValidationError]:
    if isinstance(text, str) and length(text) > most:
        yield ValidationError(f"must be less than {most + 1} characters")


_Validator = extend(Draft202012Validator, {"maxLength": _max_length})


def _string(most: int, least: int = 0) -> Json:
    return {"type": "string", "minLength": least, "maxLength": most}


def _object(required: str, **properties: Json) -> Json:
    return {
        "type": "object", "properties": {"type": {}, "block_id": _string(255), **properties},
        "required": required.split(), "additionalProperties": False,
    }  # fmt: skip


def _array(most: int, items: Json) -> Json:
    return {"type": "array", "items": items, "minItems": 1, "maxItems": most}


def _plain(most: int) -> Json:
    return _object("type text", type={"const": "plain_text"}, text=_string(most, 1), emoji={"type": "boolean"})


def _text(most: int) -> Json:
    mrkdwn = _object("type text", type={"const": "mrkdwn"}, text=_string(most, 1), verbatim={"type": "boolean"})
    is_plain = {"properties": {"type": {"const": "plain_text"}}}
    return {"if": is_plain, "then": _plain(most), "else": mrkdwn}


_BUTTON = _object(
    "type text", type={"const": "button"}, text=_plain(75), action_id=_string(255, 1), value=_string(2000),
    url={"pattern": "^(https?|mailto|slack):", **_string(3000)}, style={"enum": ["primary", "danger"]},
    accessibility_label=_string(75),
)  # fmt: skip
_THUMB = _object("text value", text=_plain(75), value=_string(2000, 1), accessibility_label=_string(75))
_THUMBS = _object(
    "type positive_button negative_button", type={"const": "feedback_buttons"}, action_id=_string(255, 1),
    positive_button=_THUMB, negative_button=_THUMB,
)  # fmt: skip
_INPUT = _object(
    "type", type={"const": "plain_text_input"}, action_id=_string(255, 1), initial_value=_string(3000),
    placeholder=_plain(150), multiline={"type": "boolean"}, focus_on_load={"type": "boolean"},
    min_length={"type": "integer"}, max_length={"type": "integer", "maximum": 3000},
)  # fmt: skip
_RAW = _object("type text", type={"const": "raw_text"}, text=_string(10_000, 1))
_STYLE = {
    "type": "object", "additionalProperties": False,
    "properties": {name: {"type": "boolean"} for name in ("bold", "italic", "strike", "code")},
}  # fmt: skip
_WORDS = _object("type text", type={"const": "text"}, text=_string(10_000, 1), style=_STYLE)
_LINK = _object(
    "type url", type={"const": "link"}, url={"pattern": "^https?:", **_string(3000, 1)}, text=_string(3000, 1),
    style=_STYLE,
)  # fmt: skip
_IN_RICH = {"if": {"properties": {"type": {"const": "link"}}}, "then": _LINK, "else": _WORDS}
_RICH_SECTION = _object("type elements", type={"const": "rich_text_section"}, elements=_array(500, _IN_RICH))
_RICH = _object("type elements", type={"const": "rich_text"}, elements=_array(100, _RICH_SECTION))
_CELL = {"if": {"properties": {"type": {"const": "rich_text"}}}, "then": _RICH, "else": _RAW}
_DATA_TABLE = _object(
    "caption rows", caption=_string(10_000, 1), page_size={"type": "integer", "minimum": 1, "maximum": 100},
    row_header_column_index={"type": "integer", "minimum": 0},
    rows={
        "type": "array", "minItems": 2, "maxItems": 101, "prefixItems": [_array(20, _RAW)], "items": _array(20, _CELL),
    },
)  # fmt: skip
_POINT = _object("label value", label=_string(20, 1), value={"type": "number"})
_BAR_CHART = _object(
    "type series axis_config", type={"const": "bar"},
    series=_array(6, _object("name data", name=_string(20, 1), data=_array(20, _POINT))),
    axis_config=_object("categories", categories={**_array(20, _string(20, 1)), "uniqueItems": True},
                        x_label=_string(50), y_label=_string(50)),
)  # fmt: skip
"""https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block"""
_MOST_CHARTS = 2
TABLE_TEXT = 10_000
"""Characters of all cells of all tables: https://docs.slack.dev/reference/block-kit/blocks/data-table-block"""
_SCHEMAS: dict[str, Json] = {
    "section": {
        **_object("", text=_text(3000), fields=_array(10, _text(2000)), expand={"type": "boolean"}, accessory=_BUTTON),
        "anyOf": [{"required": ["text"]}, {"required": ["fields"]}],
    },
    "data_table": _DATA_TABLE,
    "data_visualization": _object("title chart", title=_string(50, 1), chart=_BAR_CHART),
    "header": _object("text", text=_plain(150)),
    "divider": _object(""),
    "context": _object("elements", elements=_array(10, _text(2000))),
    "actions": _object("elements", elements=_array(25, _BUTTON)),
    "context_actions": _object("elements", elements=_array(5, _THUMBS)),
    "input": _object(
        "label element", label=_plain(2000), element=_INPUT, hint=_plain(2000), optional={"type": "boolean"},
        dispatch_action={"type": "boolean"},
    ),
}  # fmt: skip
_SCHEMAS["container"] = _object(
    "title child_blocks", title=_plain(150), is_collapsible={"type": "boolean"}, default_collapsed={"type": "boolean"},
    child_blocks={"type": "array", "minItems": 1, "maxItems": 10},
)  # fmt: skip
"""https://docs.slack.dev/reference/block-kit/blocks/container-block; stricter: only kinds that the bot uses in one."""
_CHILDREN = {"actions", "context", "divider", "section"}
_MESSAGE_ONLY = {"container", "context_actions", "data_table", "data_visualization"}
_MODAL = {
    "properties": {
        "title": _plain(24), "submit": _plain(24), "close": _plain(24), "private_metadata": _string(3000),
        "callback_id": _string(255), "external_id": _string(255), "blocks": {"type": "array", "maxItems": 100},
    },
    "required": ["title", "blocks"],
}  # fmt: skip


_HOME = {"properties": {"blocks": {"type": "array", "maxItems": 100}}, "required": ["blocks"]}


def check_blocks(blocks: Any) -> None:
    """Check the blocks of a message. Raises Slack's error."""
    if not isinstance(blocks, list):
        raise RequestError("invalid_blocks_format")
    wrong = [*_wrong_in(blocks, "message", "/blocks"), *_wrong(blocks, {"maxItems": 50}, "/blocks")]
    if wrong:
        raise RequestError("invalid_blocks", wrong[0])
    charts = [block["chart"] for block in blocks if block["type"] == "data_visualization"]
    if len(charts) > _MOST_CHARTS:
        raise RequestError("invalid_blocks", "too many charts")
    for chart in charts:
        for series in chart["series"]:
            if [point["label"] for point in series["data"]] != chart["axis_config"]["categories"]:
                raise RequestError("invalid_blocks", "labels must match the categories")
    tables = [block["rows"] for block in blocks if block["type"] == "data_table"]
    if any(len(row) != len(rows[0]) for rows in tables for row in rows):
        raise RequestError("invalid_blocks", "all rows of a table must have the same number of cells")
    if sum(map(length, texts_in(tables))) > TABLE_TEXT:
        raise RequestError("invalid_blocks", "too many characters in tables")
    if sum(map(length, texts_in(blocks))) > BLOCK_TEXT:
        raise RequestError("msg_blocks_too_long")


def check_modal(view: Any) -> None:
    if not isinstance(view, dict) or view.get("type") != "modal":
        raise RequestError("invalid_arguments", "unsupported type [json-pointer:/view/type]")
    wrong = [*_wrong(view, _MODAL, "/view"), *_wrong_in(view.get("blocks") or [], "modal", "/view/blocks")]
    if "submit" not in view and any(block.get("type") == "input" for block in view["blocks"]):
        wrong.append("missing required field: submit [json-pointer:/view]")
    if wrong:
        raise RequestError("invalid_arguments", wrong[0])


def check_home(view: Any) -> None:
    """Check a home tab: like a modal, but without title and buttons of its own."""
    if not isinstance(view, dict) or view.get("type") != "home" or {"title", "submit", "close"} & view.keys():
        raise RequestError("invalid_arguments", "unsupported type [json-pointer:/view/type]")
    wrong = [*_wrong(view, _HOME, "/view"), *_wrong_in(view.get("blocks") or [], "modal", "/view/blocks")]
    if wrong:
        raise RequestError("invalid_arguments", wrong[0])


def _wrong_in(blocks: list[Any], surface: str, pointer: str) -> Iterator[str]:
    for number, block in enumerate(blocks):
        kind, at = block.get("type"), f"{pointer}/{number}"
        if kind not in _SCHEMAS or (surface == "modal" and kind in _MESSAGE_ONLY):
            yield f"unsupported type: {kind} [json-pointer:{at}/type]"
            continue
        yield from _wrong(block, _SCHEMAS[kind], at)
        if kind == "container":
            inside = block.get("child_blocks") or []
            yield from (f"unsupported type: {one.get('type')}" for one in inside if one.get("type") not in _CHILDREN)
            yield from _wrong_in(inside, surface, f"{at}/child_blocks")
        if kind == "actions":
            yield from _repeated("action_id", block["elements"], f"{at}/elements")
    yield from _repeated("block_id", blocks, pointer)


def _wrong(item: Any, schema: Json, pointer: str) -> Iterator[str]:
    for error in _Validator(schema).iter_errors(item):
        path = "".join(f"/{part}" for part in error.absolute_path)
        yield f"{error.message[:200]} [json-pointer:{pointer}{path}]"


def _repeated(name: str, items: list[Json], pointer: str) -> Iterator[str]:
    counts = Counter(item[name] for item in items if name in item)
    yield from (f"`{name}` {each} already exists [json-pointer:{pointer}]" for each, n in counts.items() if n > 1)


def texts_in(item: Any) -> Iterator[str]:
    """Yield all texts that people see in blocks."""
    if isinstance(item, list):
        for element in item:
            yield from texts_in(element)
    elif isinstance(item, dict):
        if isinstance(item.get("text"), str):
            yield item["text"]
        for value in item.values():
            yield from texts_in(value)


def with_ids(blocks: list[Json]) -> list[Json]:
    """Return copies in which blocks and elements without ids have some, as Slack adds them."""

    def element(given: Json) -> Json:
        return given if given["type"] in ("mrkdwn", "plain_text") else {"action_id": secrets.token_hex(3)} | given

    shown: list[Json] = []
    for block in blocks:
        copy: Json = {"block_id": secrets.token_hex(3)} | block
        if "elements" in block:
            copy["elements"] = [element(one) for one in block["elements"]]
        copy |= {name: element(block[name]) for name in ("accessory", "element") if name in block}
        shown.append(copy)
    return shown
