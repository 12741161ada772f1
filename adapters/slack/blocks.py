"""Documents as Slack's messages (https://docs.slack.dev/reference/block-kit), within Slack's limits.

Texts are mrkdwn, see :mod:`adapters.slack.mrkdwn`; tables and their rows see :mod:`adapters.slack.tables`; windows see
:mod:`adapters.slack.windows`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import unescape
from typing import Any

from adapters.slack.mrkdwn import code_text, escape, is_mention, paragraph_text
from adapters.slack.tables import MOST_ROWS, align_table, render_table, shape_table, size_of_table, tables_fit
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

_MESSAGE = 11_000  # characters of all texts together. Slack refuses about 12,000 and more (``msg_blocks_too_long``)
_MOST_BLOCKS, _MOST_IN_MODAL = 40, 90  # of the 50 and 100 that Slack takes; the others are around what is shown
_MODAL = 60_000
_SECTION = 2_900  # characters of one text; Slack's limit is 3,000
_CONTEXT = 1_900  # characters of one text in a context block; Slack's limit is 2,000
_TEXT = 3_000  # characters of a message's own text
_SHORT, _QUESTION = 1_500, 500
BUTTON, VALUE = 75, 2_000
"""Characters of what stands on a button, and of what comes back with a click on it."""
_BLOCK_ID = 255
_BAR = 12  # characters
_CHART_TITLE, _CHART_LABEL = 50, 20
_DATA = frozenset({"data_table", "data_visualization"})
_SIGNS = {"info": "", "problem": ":warning: ", "done": ":white_check_mark: "}
_ADDRESS = re.compile("(?:[a-z]:(?=//)|mailto(?=:))", re.IGNORECASE)
_BUTTONS = frozenset({"actions", "context_actions"})
_APART = (Actions, Chart, Table)
"""Blocks that share a section with no other."""
_BLOCKS = 50  # of a message
_PLAIN_ROWS, _MODAL_ROWS = 30, 1_000


def render_message(view: View, mark: str, with_tables: bool = True) -> Json:
    """The message that shows a view. ``mark``: becomes its first block's ``block_id``, to find it again ("": none).

    ``text``: for notifications and screen readers, escaped, never blank; it begins with the answer. ``blocks``: what is
    seen. ``with_tables``: False for a workspace that has no blocks for tables and charts.
    """
    limits = LIMITS if with_tables else _PLAIN_LIMITS
    document = fit(build_document(view, limits), limits)
    blocks = render_parts(document) or [_section("…")]
    if with_tables and (len(blocks) > _BLOCKS or not tables_fit(blocks)):
        return render_message(view, mark, with_tables=False)
    if mark:
        blocks[0]["block_id"] = mark[:_BLOCK_ID]
    return {"text": _spoken([*document.body, *document.before, *document.after]), "blocks": blocks}


def has_tables(message: Json) -> bool:
    """Whether a message has blocks for tables or charts, which not every workspace may take."""
    return any(block["type"] in _DATA for block in message["blocks"])


def shorten_message(message: Json) -> Json:
    """The beginning of what a message says, and its buttons: what Slack takes when it has refused the whole."""
    text = escape(LIMITS.excerpt(unescape(message["text"]), _SHORT))
    head = _section(text)
    if mark := message["blocks"][0].get("block_id"):
        head["block_id"] = mark
    return {"text": text, "blocks": [head, *(block for block in message["blocks"] if block["type"] in _BUTTONS)]}


# ------------------------------------------------------------------------------------------- blocks


def render_parts(document: Document) -> list[Json]:
    return [block for part in (document.before, document.body, document.after) for block in render_blocks(part)]


def render_blocks(blocks: Sequence[Block]) -> Iterator[Json]:
    """Blocks of Slack: paragraphs share a section, or small grey ones a context, as long as they fit."""
    groups: list[list[Block]] = []
    for block in blocks:
        if groups and _is_joined(groups[-1][-1], block):
            groups[-1].append(block)
        else:
            groups.append([block])
    for group in groups:
        yield from _render_group(group)


def _is_joined(before: Block, block: Block) -> bool:
    """Whether a block stands in the same section as the one before it."""
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
    for part in pack(group, _CONTEXT if subtle else _SECTION, _size):
        text = _join(part)
        if is_visible(text):
            yield {"type": "context", "elements": [_mrkdwn(text)]} if subtle else _section(text)


def _join(blocks: Sequence[Block]) -> str:
    """The texts of blocks, code right below what stands before it and right above what follows."""
    text = ""
    for at, block in enumerate(blocks):
        near = isinstance(block, Code) or block.tight or isinstance(blocks[at - 1], Code)  # type: ignore[union-attr]
        shown = _text(block)
        if is_visible(shown):
            text += (("\n" if near else "\n\n") if text else "") + shown
    return text


def _text(block: Block) -> str:
    match block:
        case Paragraph():
            return _SIGNS[block.sign] + paragraph_text(block)
        case Code():
            return code_text(block)
        case Chart():
            return "\n".join(_bar_text(bar, block.drawn) for bar in block.bars)
        case Actions():
            return block.intro + "".join(shorten(button.label, _QUESTION) for button in block.buttons)
        case Table():
            raise TypeError("Slack shows tables in blocks of their own.")


def _render_chart(chart: Chart) -> Iterator[Json]:
    """A chart, and its shares in words with links, which a chart has not; one bar alone shows nothing.

    https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block. What stands in it is no markup.
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
    """A share and its places, with a bar where the client draws none.

    Its signs have one width, so that bars are comparable; it shows at least one block. Not as code: Slack would show it
    in red.
    """
    full = min(_BAR, max(1, round(bar.share * _BAR)))
    signs = "" if drawn else f"{'█' * full}{'░' * (_BAR - full)} "
    shown = f"{signs}*{escape(bar.percent)}*"
    return "\n".join([shown, *map(paragraph_text, bar.places)])


def _size(block: Block) -> int:
    return size_of_table(block) if isinstance(block, Table) else units(_text(block)) + 2


LIMITS = Limits(
    _MESSAGE,
    _size,
    shape_table,
    measure=lambda text: units(escape(text)),
    command="/wiki ",
    mention="<@{user}>",
    count=lambda blocks: sum(1 for _ in render_blocks(blocks)),
    quotes_tables=True,
    most_rows=MOST_ROWS,
    draws_charts=True,
)
"""Of a message."""

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
            "positive_button": {"text": plain(good.label, BUTTON), "value": f"good:{good.turn_id}"},
            "negative_button": {"text": plain(bad.label, BUTTON), "value": f"bad:{bad.turn_id}"},
        }
        yield {"type": "context_actions", "elements": [element]}
        return
    if actions.intro:
        yield {"type": "context", "elements": [_mrkdwn(escape(actions.intro))]}
    if any(units(one_line(button.label)) > BUTTON for button in actions.buttons):
        yield from (_render_long_button(button) for button in actions.buttons)
    else:
        yield {"type": "actions", "elements": [_render_button(button) for button in actions.buttons]}


def _render_long_button(button: Button) -> Json:
    """What a button would say, with the button beside it: a button takes 75 characters."""
    short = replace(button, label=message("Ask").render(button.language))
    return _section(escape(LIMITS.excerpt(button.label, _QUESTION))) | {"accessory": _render_button(short)}


def _render_button(button: Button) -> Json:
    """A button. Raises ValueError for a value that is too long to come back as it is."""
    action = button.name if button.index is None else f"{button.name}:{button.index}"
    if len(button.turn_id) > VALUE:
        raise ValueError(f"The value of button {action} has {len(button.turn_id)} characters; Slack takes {VALUE}.")
    return {"type": "button", "text": plain(button.label, BUTTON), "action_id": action, "value": button.turn_id}


def _section(text: str) -> Json:
    return {"type": "section", "text": _mrkdwn(text)}


def _mrkdwn(text: str) -> Json:
    """A text object in which Slack itself looks for no links, names or channels."""
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def plain(text: str, limit: int) -> Json:
    """A text object without markup, on one line."""
    return {"type": "plain_text", "text": shorten(one_line(text), limit) or "…", "emoji": False}


def _spoken(blocks: Sequence[Block]) -> str:
    """The words of blocks as the text of a message, of which Slack itself links addresses."""
    text = _ADDRESS.sub("\\g<0>\u200b", plain_text(blocks))
    shown = escape(LIMITS.excerpt(text, _TEXT))
    for mention in (
        run.text for block in blocks if isinstance(block, Paragraph) for run in block.runs if is_mention(run)
    ):
        shown = mention.join(shown.rsplit(escape(mention), 1))
    return shown or "…"
