"""What Slack refuses, and what it would make of a text: for tests of rendering."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import Any

Json = dict[str, Any]

_LINK = re.compile(r"<([^<>|\n]+)\|([^<>\n]*)>")
_ENTITY = re.compile(r"&(?:amp|lt|gt);")


def length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def texts_of(item: object) -> Iterator[Json]:
    """Every text object."""
    if isinstance(item, dict):
        if item.get("type") in ("mrkdwn", "plain_text"):
            yield item
        for value in item.values():
            yield from texts_of(value)
    elif isinstance(item, list | tuple):
        for value in item:
            yield from texts_of(value)


def shown_of(item: object) -> str:
    return "\n".join(text["text"] for text in texts_of(item))


def markup_of(item: object) -> str:
    return "\n".join(text["text"] for text in texts_of(item) if text["type"] == "mrkdwn")


def links_of(text: str) -> list[str]:
    return [html.unescape(url) for url, _ in _LINK.findall(text)]


def check_markup(text: str, *, allowed: Sequence[str] = ()) -> None:
    """Nothing but whole links and entities, balanced fences."""
    for mention in allowed:
        text = text.replace(mention, "")
    rest = _LINK.sub("", text)
    assert "<" not in rest, rest
    assert ">" not in "\n".join(line.removeprefix(">") for line in rest.split("\n")), rest
    assert "&" not in _ENTITY.sub("", text), text
    assert text.count("```") % 2 == 0, text
    assert all(re.match(r"https?://", url, re.IGNORECASE) for url in links_of(text)), text
    assert not any(character in url for url in links_of(text) for character in " |<>\n`")


def check_blocks(blocks: Sequence[Json], *, most: int = 50, allowed: Sequence[str] = ()) -> None:
    assert 1 <= len(blocks) <= most
    assert all(len(block.get("block_id", "x")) <= 255 for block in blocks)
    for block in blocks:
        _CHECKS[block["type"]](block)
    for text in texts_of(list(blocks)):
        assert text["text"].strip(), "blank"
        if text["type"] == "mrkdwn":
            assert text["verbatim"] is True
            check_markup(text["text"], allowed=allowed)
    if most == 50:
        assert sum(length(text["text"]) for text in texts_of(list(blocks))) <= 12_000


def check_message_text(text: str, *, allowed: Sequence[str] = ()) -> None:
    for mention in allowed:
        text = text.replace(mention, "x")
    assert text.strip()
    assert length(text) <= 3_000
    assert "<" not in text
    assert ">" not in "\n".join(line.removeprefix(">") for line in text.split("\n"))
    assert "&" not in _ENTITY.sub("", text)
    assert "://" not in text


def check_view(view: Json) -> None:
    assert length(view["title"]["text"]) <= 24 if "title" in view else view["type"] == "home"
    assert all(length(view[name]["text"]) <= 24 for name in ("submit", "close") if name in view)
    assert len(view.get("private_metadata", "")) <= 3_000
    check_blocks(view["blocks"], most=100)


def _section(block: Json) -> None:
    assert length(block["text"]["text"]) <= 3_000


def _context(block: Json) -> None:
    assert 1 <= len(block["elements"]) <= 10
    assert all(length(element["text"]) <= 2_000 for element in block["elements"])


def _actions(block: Json) -> None:
    assert 1 <= len(block["elements"]) <= 25
    ids = [element["action_id"] for element in block["elements"]]
    assert len(set(ids)) == len(ids)
    for element in block["elements"]:
        assert element["type"] == "button"
        assert length(element["text"]["text"]) <= 75
        assert len(element["value"]) <= 2_000
        assert len(element["action_id"]) <= 255


def _feedback(block: Json) -> None:
    (element,) = block["elements"]
    for name in ("positive_button", "negative_button"):
        assert length(element[name]["text"]["text"]) <= 75
        assert len(element[name]["value"]) <= 2_000


def _input(block: Json) -> None:
    assert length(block["label"]["text"]) <= 2_000
    assert length(block["element"]["placeholder"]["text"]) <= 150
    assert length(block["element"].get("initial_value", "")) <= 3_000


_CHECKS = {
    "section": _section,
    "context": _context,
    "actions": _actions,
    "context_actions": _feedback,
    "input": _input,
    "divider": lambda block: None,
}
