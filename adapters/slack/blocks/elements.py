"""Block Kit's blocks and elements as JSON, each within its limits (https://docs.slack.dev/reference/block-kit)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adapters.slack.fitting import CONTEXT, SECTION
from adapters.slack.mrkdwn import Json, escape, link, mrkdwn, plain_text
from adapters.slack.pieces import Piece, cut, pack_pieces, remove_links, visible
from core.views.answer import PageLink

BUTTON = 75
BLOCK_ID = 255
_VALUE = 2_000


def section(text: str) -> Json:
    """A block of text, which is not blank and has at most 3,000 characters."""
    return {"type": "section", "text": mrkdwn(text)}


def sections(pieces: Sequence[Piece]) -> list[Json]:
    """Blocks of text, as many as it takes."""
    return [section(text) for text in pack_pieces(pieces, SECTION)]


def context(*lines: str) -> list[Json]:
    """Small grey lines, one below the other; no block if there are none."""
    pieces = [Piece(line, tight=True) for line in lines if visible(remove_links(line))]
    return [{"type": "context", "elements": [mrkdwn(text)]} for text in pack_pieces(pieces, CONTEXT)]


def actions(elements: Sequence[Json]) -> list[Json]:
    """A row of buttons; no block if there are none."""
    return [{"type": "actions", "elements": list(elements)}] if elements else []


def button(label: str, action: str, value: str) -> Json:
    """A button. Raises ValueError for a value that is too long to come back as it is."""
    if len(value) > _VALUE:
        raise ValueError(f"The value of button {action} has {len(value)} characters; Slack takes {_VALUE}.")
    return {"type": "button", "text": plain_text(label, BUTTON), "action_id": action, "value": value}


def mark_blocks(blocks: Sequence[Json], mark: str) -> tuple[Json, ...]:
    """The blocks, the first of them with an id by which the message is found again."""
    first, *others = blocks
    return ({**first, "block_id": mark[:BLOCK_ID]}, *others) if mark else tuple(blocks)


def words(text: str, limit: int = 500) -> str:
    """Text of others as escaped prose of at most so many characters."""
    shown, rest = cut(escape(text).strip(), limit - 2)
    return shown + " …" if rest else shown


def place_link(title: str, heading_path: Sequence[str], url: str) -> str:
    """``Title › Heading``, a link where there is an address to link to."""
    return link(url, " › ".join(part for part in (title, *heading_path) if part.strip()))


def page_lines(pages: Sequence[PageLink]) -> Iterator[str]:
    """A line a page."""
    for page in pages:
        yield f"• {link(page.url, page.title)}"
