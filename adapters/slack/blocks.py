"""Rendering of documents as Slack messages (https://docs.slack.dev/reference/block-kit), within Slack's limits.

Text is rendered in :mod:`adapters.slack.mrkdwn`, tables in :mod:`adapters.slack.tables`, modals in
:mod:`adapters.slack.windows`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import unescape
from typing import Any

from adapters.slack.mrkdwn import escape, is_mention, render_code, render_paragraph
from adapters.slack.tables import (
    MOST_ROWS,
    align_table,
    are_tables_within_limit,
    measure_table,
    render_table,
    shape_table,
)
from core.i18n import message
from core.views.document import (
    Actions,
    Bar,
    Block,
    Button,
    Chart,
    Code,
    Document,
    Paragraph,
    Table,
    is_visible,
    one_line,
    plain_text,
    shorten,
    tell_apart,
    units,
)
from core.views.fitting import Limits, fit, pack, table_lines
from core.views.messages import build_document
from core.views.model import View

Json = dict[str, Any]

_MESSAGE = 11_000  # characters of all texts; Slack refuses from about 12,000 on (``msg_blocks_too_long``)
_MOST_BLOCKS, _MOST_IN_MODAL = 40, 90  # Slack's limits are 50 and 100; the rest is for the blocks around the document
_MODAL = 60_000
_SECTION = 2_900  # characters of one text; Slack's limit is 3,000
_CONTEXT = 1_900  # characters of one text in a context block; Slack's limit is 2,000
_TEXT = 3_000  # characters of a message's own text
_SHORT, _QUESTION = 1_500, 500
BUTTON, VALUE = 75, 2_000
"""Slack's limits for a button's label and value, in characters."""
_BLOCK_ID = 255
_BAR = 12  # characters
_CHART_TITLE, _CHART_LABEL = 50, 20
_DATA = frozenset({"data_table", "data_visualization"})
_SIGNS = {"info": "", "problem": ":warning: ", "done": ":white_check_mark: "}
_ADDRESS = re.compile("(?:[a-z]:(?=//)|mailto(?=:))", re.IGNORECASE)
_BUTTONS = frozenset({"actions", "context_actions"})
_APART = (Actions, Chart, Table)
"""Kinds of blocks that never share a section with another block."""
_BLOCKS = 50  # of a message
_PLAIN_ROWS, _MODAL_ROWS = 30, 1_000


def render_message(view: View, mark: str, with_tables: bool = True) -> Json:
    """Return the ``text`` and ``blocks`` of the message that shows a view.

    ``text`` is for notifications and screen readers: escaped, never blank, beginning with the answer. ``mark``: the
    first block's ``block_id``, by which the message is found again; "" for none. ``with_tables``: False for a workspace
    that has no blocks for tables and charts.
    """
    limits = LIMITS if with_tables else _PLAIN_LIMITS
    document = fit(build_document(view, limits), limits)
    blocks = render_parts(document) or [_section("…")]
    if with_tables and (len(blocks) > _BLOCKS or not are_tables_within_limit(blocks)):
        return render_message(view, mark, with_tables=False)
    if mark:
        blocks[0]["block_id"] = mark[:_BLOCK_ID]
    return {"text": _render_notification([*document.body, *document.before, *document.after]), "blocks": blocks}


def has_tables(message: Json) -> bool:
    """Whether a message has blocks for tables or charts, which some workspaces refuse."""
    return any(block["type"] in _DATA for block in message["blocks"])


def shorten_message(message: Json) -> Json:
    """Return the beginning of a message's text with its buttons, for a message that Slack refused as a whole."""
    text = escape(LIMITS.excerpt(unescape(message["text"]), _SHORT))
    head = _section(text)
    if mark := message["blocks"][0].get("block_id"):
        head["block_id"] = mark
    return {"text": text, "blocks": [head, *(block for block in message["blocks"] if block["type"] in _BUTTONS)]}


def render_parts(document: Document) -> list[Json]:
    return [block for part in (document.before, document.body, document.after) for block in render_blocks(part)]


def render_blocks(blocks: Sequence[Block]) -> Iterator[Json]:
    """Yield Slack's blocks. Consecutive paragraphs share a section, subtle ones a context, as long as they fit."""
    groups: list[list[Block]] = []
    for block in blocks:
        if groups and _is_joined(groups[-1][-1], block):
            groups[-1].append(block)
        else:
            groups.append([block])
    for group in groups:
        yield from _render_group(group)


def _is_joined(before: Block, block: Block) -> bool:
    """Whether a block shares the section or context of the block before it."""
    if isinstance(block, Code):
        return not isinstance(before, _APART) and not _is_subtle(before)
    if not isinstance(block, Paragraph) or isinstance(before, _APART) or block.ruled:
        return False
    return block.tight and _is_subtle(before) if _is_subtle(block) else not _is_subtle(before)


def _is_subtle(block: Block) -> bool:
    return isinstance(block, Paragraph) and block.look == "subtle"


def _render_group(group: Sequence[Block]) -> Iterator[Json]:
    match group[0]:
        case Chart() as chart:
            yield from _render_chart(chart)
            return
        case Actions() as actions:
            yield from _render_actions(actions)
            return
        case Table() as table:
            yield from render_table(table) or render_blocks(tuple(table_lines(table)))
            return
        case Paragraph(ruled=True):
            yield {"type": "divider"}
    subtle = _is_subtle(group[0])
    for part in pack(group, _CONTEXT if subtle else _SECTION, _measure):
        text = _join(part)
        if is_visible(text):
            yield {"type": "context", "elements": [_text_object(text)]} if subtle else _section(text)


def _join(blocks: Sequence[Block]) -> str:
    """Join the texts of blocks with blank lines between them, but none around code."""
    text = ""
    for at, block in enumerate(blocks):
        near = isinstance(block, Code) or block.tight or isinstance(blocks[at - 1], Code)  # type: ignore[union-attr]
        shown = _render_text(block)
        if is_visible(shown):
            text += (("\n" if near else "\n\n") if text else "") + shown
    return text


def _render_text(block: Block) -> str:
    match block:
        case Paragraph():
            return _SIGNS[block.sign] + render_paragraph(block)
        case Code():
            return render_code(block)
        case Chart():
            return "\n".join(_bar_text(bar, block.drawn) for bar in block.bars)
        case Actions():
            return block.intro + "".join(shorten(button.label, _QUESTION) for button in block.buttons)
        case Table():
            raise TypeError("A table has no text; it is rendered as blocks.")


def _render_chart(chart: Chart) -> Iterator[Json]:
    """Yield a chart of two or more bars, then each share in words with its links, which a chart cannot contain.

    https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block. Its texts have no markup.
    """
    if chart.drawn and len(chart.bars) > 1:
        labels = tell_apart([one_line(bar.label) for bar in chart.bars], _CHART_LABEL)
        shares = [max(round(bar.share * 100), 1) for bar in chart.bars]
        data = [{"label": label, "value": share} for label, share in zip(labels, shares, strict=True)]
        bars = {"type": "bar", "series": [{"name": "%", "data": data}], "axis_config": {"categories": labels}}
        yield {
            "type": "data_visualization",
            "title": shorten(one_line(chart.title), _CHART_TITLE) or "…",
            "chart": bars,
        }
    yield from (_section(_bar_text(bar, chart.drawn)) for bar in chart.bars)


def _bar_text(bar: Bar, drawn: bool) -> str:
    """Return a share with its places, and a bar of characters if the client draws none.

    The characters have the same width, so bars are comparable; at least one is filled. The bar is not code, which Slack
    shows in red.
    """
    full = min(_BAR, max(1, round(bar.share * _BAR)))
    signs = "" if drawn else f"{'█' * full}{'░' * (_BAR - full)} "
    shown = f"{signs}*{escape(bar.percent)}*"
    return "\n".join([shown, *map(render_paragraph, bar.places)])


def _measure(block: Block) -> int:
    return measure_table(block) if isinstance(block, Table) else units(_render_text(block)) + 2


LIMITS = Limits(
    _MESSAGE,
    _measure,
    shape_table,
    measure=lambda text: units(escape(text)),
    command="/wiki ",
    mention="<@{user}>",
    count=lambda blocks: sum(1 for _ in render_blocks(blocks)),
    quotes_tables=True,
    most_rows=MOST_ROWS,
    draws_charts=True,
)
"""Limits of a message."""

_PLAIN_LIMITS = replace(
    LIMITS, table=align_table, quotes_tables=False, draws_charts=False, most_rows=_PLAIN_ROWS, most_blocks=_MOST_BLOCKS
)
MODAL_LIMITS = replace(_PLAIN_LIMITS, room=_MODAL, most_rows=_MODAL_ROWS, most_blocks=_MOST_IN_MODAL)


def _render_actions(actions: Actions) -> Iterator[Json]:
    if actions.kind == "feedback":
        good, bad = actions.buttons
        element = {
            "type": "feedback_buttons",
            "action_id": "feedback",
            "positive_button": {"text": plain_object(good.label, BUTTON), "value": f"good:{good.turn_id}"},
            "negative_button": {"text": plain_object(bad.label, BUTTON), "value": f"bad:{bad.turn_id}"},
        }
        yield {"type": "context_actions", "elements": [element]}
        return
    if actions.intro:
        yield {"type": "context", "elements": [_text_object(escape(actions.intro))]}
    if any(units(one_line(button.label)) > BUTTON for button in actions.buttons):
        yield from (_render_long_button(button) for button in actions.buttons)
    else:
        yield {"type": "actions", "elements": [_render_button(button) for button in actions.buttons]}


def _render_long_button(button: Button) -> Json:
    """Return a section with the label and a short button beside it, for a label that exceeds a button's limit."""
    short = replace(button, label=message("Ask").render(button.language))
    return _section(escape(LIMITS.excerpt(button.label, _QUESTION))) | {"accessory": _render_button(short)}


def _render_button(button: Button) -> Json:
    """Return a button. Raises ValueError if its value exceeds Slack's limit."""
    action = button.name if button.index is None else f"{button.name}:{button.index}"
    if len(button.turn_id) > VALUE:
        raise ValueError(f"The value of button {action} has {len(button.turn_id)} characters; Slack takes {VALUE}.")
    return {"type": "button", "text": plain_object(button.label, BUTTON), "action_id": action, "value": button.turn_id}


def _section(text: str) -> Json:
    return {"type": "section", "text": _text_object(text)}


def _text_object(text: str) -> Json:
    """Return a text object in which Slack does not detect links, names or channels itself."""
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def plain_object(text: str, limit: int) -> Json:
    """Return a text object without markup, on one line."""
    return {"type": "plain_text", "text": shorten(one_line(text), limit) or "…", "emoji": False}


def _render_notification(blocks: Sequence[Block]) -> str:
    """Return the plain_object text of blocks for ``text``, with addresses broken up, because Slack would link them."""
    text = _ADDRESS.sub("\\g<0>\u200b", plain_text(blocks))
    shown = escape(LIMITS.excerpt(text, _TEXT))
    for mention in (
        run.text for block in blocks if isinstance(block, Paragraph) for run in block.runs if is_mention(run)
    ):
        shown = mention.join(shown.rsplit(escape(mention), 1))
    return shown or "…"
