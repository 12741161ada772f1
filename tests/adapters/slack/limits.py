"""Checks of rendered blocks and texts against Slack's limits and markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from tests.servers.chat_server import Json
from tests.servers.slack import blocks as blocks_limits
from tests.servers.slack.blocks import length

_LINK = re.compile(r"<([^<>|\n]+)\|([^<>\n]*)>")
_ENTITY = re.compile(r"&(?:amp|lt|gt);")


def find_texts(item: object) -> Iterator[Json]:
    """Yield every text object."""
    if isinstance(item, dict):
        if item.get("type") in ("mrkdwn", "plain_text"):
            yield item
        for value in item.values():
            yield from find_texts(value)
    elif isinstance(item, list | tuple):
        for value in item:
            yield from find_texts(value)


def read_texts(item: object) -> str:
    return "\n".join(text["text"] for text in find_texts(item))


def read_markup(item: object) -> str:
    return "\n".join(text["text"] for text in find_texts(item) if text["type"] == "mrkdwn")


def find_links(text: str) -> list[str]:
    return [html.unescape(url) for url, _ in _LINK.findall(text)]


def check_markup(text: str, *, allowed: Sequence[str] = ()) -> None:
    """Assert that the only markup is complete links, entities and balanced code fences."""
    for mention in allowed:
        text = text.replace(mention, "")
    rest = _LINK.sub("", text)
    assert "<" not in rest, rest
    assert ">" not in "\n".join(line.removeprefix(">") for line in rest.split("\n")), rest
    assert "&" not in _ENTITY.sub("", text), text
    assert text.count("```") % 2 == 0, text
    assert all(re.match(r"https?://", url, re.IGNORECASE) for url in find_links(text)), text
    assert not any(character in url for url in find_links(text) for character in " |<>\n`")


def check_blocks(blocks: Sequence[Json], *, allowed: Sequence[str] = ()) -> None:
    assert blocks
    blocks_limits.check_blocks(list(blocks))
    check_texts(blocks, allowed=allowed)
    assert sum(length(text["text"]) for text in find_texts(list(blocks))) <= 12_000


def check_texts(blocks: Sequence[Json], *, allowed: Sequence[str] = ()) -> None:
    for text in find_texts(list(blocks)):
        assert text["text"].strip(), "blank"
        if text["type"] == "mrkdwn":
            assert text["verbatim"] is True
            check_markup(text["text"], allowed=allowed)


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
    blocks_limits.check_modal(view)
    check_texts(view["blocks"])
