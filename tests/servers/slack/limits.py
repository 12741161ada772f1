"""What Slack refuses in blocks and modals, with its messages.

https://docs.slack.dev/reference/block-kit/blocks, /block-elements, /composition-objects; /reference/views
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from tests.servers.slack.elements import Checks, check_element, check_image
from tests.servers.slack.rich_text_limits import check_rich_text, check_table
from tests.servers.slack.state import Json, Refused

Surface = Literal["message", "modal", "home"]

BLOCK_TEXT = 13_200
"""Characters of all blocks' text from which ``msg_blocks_too_long`` was seen; documented nowhere."""
MARKDOWN = 12_000
TEXT = 40_000
UPDATED_TEXT = 4_000
"""Of ``chat.update``: https://docs.slack.dev/reference/methods/chat.update, ``msg_too_long``."""

_EVERYWHERE = {"section", "header", "divider", "image", "context", "actions", "input", "rich_text", "video"}
_ALLOWED: dict[Surface, set[str]] = {
    "message": _EVERYWHERE | {"markdown", "context_actions", "table", "file"},
    "modal": _EVERYWHERE,
    "home": _EVERYWHERE,
}


def check_blocks(blocks: Any, surface: Surface = "message", pointer: str = "/blocks") -> None:
    """Raises the refusal that Slack would answer with."""
    if not isinstance(blocks, list):
        raise Refused("invalid_blocks_format")
    checks = Checks()
    checks.count(blocks, pointer, 50 if surface == "message" else 100)
    for number, block in enumerate(blocks):
        _check_block(checks, block, f"{pointer}/{number}", surface)
    _check_together(checks, blocks, pointer)
    if checks.errors:
        raise invalid("invalid_blocks" if surface == "message" else "invalid_arguments", checks.errors)
    if surface == "message":
        markdown = sum(length(block["text"]) for block in blocks if block["type"] == "markdown")
        if markdown > MARKDOWN or sum(map(length, texts_in(blocks))) > BLOCK_TEXT:
            raise Refused("msg_blocks_too_long")


def invalid(error: str, errors: Sequence[str]) -> Refused:
    messages = [f"[ERROR] {message}" for message in errors]
    return Refused(error, errors=list(errors), response_metadata={"messages": messages})


def length(text: str) -> int:
    """In UTF-16 units: an emoji counts twice. Which units Slack counts is not documented; these are the most."""
    return len(text.encode("utf-16-le")) // 2


def texts_in(item: Any) -> Iterator[str]:
    """All texts that people see in these blocks."""
    if isinstance(item, list):
        for element in item:
            yield from texts_in(element)
    elif isinstance(item, dict):
        if isinstance(item.get("text"), str):
            yield item["text"]
        for value in item.values():
            if isinstance(value, dict | list):
                yield from texts_in(value)


def check_view(view: Any) -> None:
    """A modal or a home tab."""
    checks = Checks()
    if not isinstance(view, dict) or view.get("type") not in ("modal", "home"):
        raise invalid("invalid_arguments", ["unsupported type [json-pointer:/view/type]"])
    surface: Surface = view["type"]
    if surface == "modal":
        checks.text(view.get("title"), "/view/title", 24, {"plain_text"})
        for name in ("submit", "close"):
            if name in view:
                checks.text(view[name], f"/view/{name}", 24, {"plain_text"})
        has_input = any(isinstance(block, dict) and block.get("type") == "input" for block in view.get("blocks") or [])
        if has_input and "submit" not in view:
            checks.error("missing required field: submit", "/view")
    for name, most in (("private_metadata", 3000), ("callback_id", 255), ("external_id", 255)):
        checks.string(view.get(name), f"/view/{name}", most, least=0)
    if checks.errors:
        raise invalid("invalid_arguments", checks.errors)
    check_blocks(view.get("blocks"), surface, "/view/blocks")


def _check_together(checks: Checks, blocks: list[Any], pointer: str) -> None:
    seen: set[str] = set()
    for number, block in enumerate(blocks):
        if isinstance(block, dict) and isinstance(block.get("block_id"), str):
            if block["block_id"] in seen:
                checks.error(f"`block_id` {block['block_id']} already exists", f"{pointer}/{number}/block_id")
            seen.add(block["block_id"])
    if sum(isinstance(block, dict) and block.get("type") == "table" for block in blocks) > 1:
        checks.error("only_one_table_allowed", pointer)


def _check_block(checks: Checks, block: Any, at: str, surface: Surface) -> None:
    if not isinstance(block, dict):
        checks.error("must be an object", at)
        return
    kind = block.get("type")
    if kind not in _ALLOWED[surface]:
        checks.error(f"unsupported type: {kind}", f"{at}/type")
        return
    checks.string(block.get("block_id"), f"{at}/block_id", 255, least=0)
    checks.known(block, kind, at)
    if kind in _CHECKS:
        _CHECKS[kind](checks, block, at)


def _check_header(checks: Checks, block: Json, at: str) -> None:
    checks.text(block.get("text"), f"{at}/text", 150, {"plain_text"})


def _check_markdown(checks: Checks, block: Json, at: str) -> None:
    checks.string(block.get("text"), f"{at}/text", MARKDOWN, required=True)


def _check_input(checks: Checks, block: Json, at: str) -> None:
    checks.text(block.get("label"), f"{at}/label", 2000, {"plain_text"})
    if "hint" in block:
        checks.text(block["hint"], f"{at}/hint", 2000, {"plain_text"})
    check_element(checks, block.get("element"), f"{at}/element", "input")


def _check_section(checks: Checks, block: Json, at: str) -> None:
    if "text" not in block and "fields" not in block:
        checks.error("missing required field: text or fields", at)
    if "text" in block:
        checks.text(block["text"], f"{at}/text", 3000)
    if "fields" in block:
        checks.count(block["fields"], f"{at}/fields", 10, least=1)
        for number, item in enumerate(block["fields"] if isinstance(block["fields"], list) else []):
            checks.text(item, f"{at}/fields/{number}", 2000)
    if "accessory" in block:
        check_element(checks, block["accessory"], f"{at}/accessory", "section")


def _check_row(checks: Checks, block: Json, at: str) -> None:
    kind, elements = block["type"], block.get("elements")
    checks.count(elements, f"{at}/elements", {"context": 10, "actions": 25, "context_actions": 5}[kind], least=1)
    seen: set[str] = set()
    for number, element in enumerate(elements if isinstance(elements, list) else []):
        where = f"{at}/elements/{number}"
        if kind == "context":
            if isinstance(element, dict) and element.get("type") == "image":
                check_image(checks, element, where)
            else:
                checks.text(element, where, 2000)
            continue
        check_element(checks, element, where, kind)
        if isinstance(element, dict) and isinstance(element.get("action_id"), str):
            if element["action_id"] in seen:
                checks.error(f"`action_id` {element['action_id']} already exists", f"{where}/action_id")
            seen.add(element["action_id"])


_CHECKS: dict[str, Callable[[Checks, Json, str], None]] = {
    "section": _check_section, "header": _check_header, "markdown": _check_markdown, "image": check_image,
    "context": _check_row, "actions": _check_row, "context_actions": _check_row, "rich_text": check_rich_text,
    "table": check_table, "input": _check_input,
}  # fmt: skip
