"""Rendering of documents as Slack messages (https://docs.slack.dev/reference/block-kit), within Slack's limits.

Text is rendered in :mod:`adapters.slack.mrkdwn`, modals in :mod:`adapters.slack.windows`. The texts of tables, charts
and buttons have no markup: they need no escaping and cannot mention anybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from html import unescape
from typing import Any, get_args

from adapters.slack.mrkdwn import (
    Json,
    escape,
    is_mention,
    join_texts,
    make_plain_object,
    make_section,
    make_text_object,
    render_bar,
    render_runs,
    render_text,
)
from core.i18n import message
from core.model.views import View
from core.text import ZERO_WIDTH, clean, collapse_spaces, count_units, is_visible, make_caption
from core.views.document import (
    Actions,
    ActionsKind,
    Block,
    Button,
    Chart,
    Code,
    Details,
    Document,
    Paragraph,
    Run,
    Runs,
    Table,
    get_plain_text,
    join_text,
    list_table_lines,
    strip_colon,
)
from core.views.fitting import Limits, align, fit, pack
from core.views.messages import build_fitting

# Slack's limits, in characters unless another unit is named:
_BUTTON, _VALUE = 75, 2_000  # of a button's label and value
_WHOLE_BUTTON = 30  # of a label; clients may cut a longer one
_BLOCKS, _BLOCK_ID = 50, 255  # blocks of a message; their id
_CHART_TITLE, _CHART_LABEL = 50, 20
_COLUMNS, _ROWS, _FIELDS = 20, 100, 10  # of a data table, without its header; fields of a section
# Below Slack's limits:
_MESSAGE = 11_000  # of all texts; Slack refuses from about 12,000 on (``msg_blocks_too_long``)
_SECTION, _CONTEXT, _FIELD = 2_900, 1_900, 1_900  # of one text: Slack's limits are 3,000, 2,000 and 2,000
_TABLE, _TABLES = 8_000, 9_500  # of one table, and of all tables of a message: Slack's limit is 10,000
_MOST_BLOCKS, _MOST_IN_MODAL = 40, 90  # Slack's limits are 50 and 100; the rest is for the blocks around the document
# Our own:
_MODAL, _TEXT, _SHORT, _QUESTION = 60_000, 3_000, 1_500, 500
_CELL, _CAPTION = 2_000, 200
_PLAIN_ROWS, _MODAL_ROWS, _PAGE = 30, 1_000, 10
_WIDEST = 76  # of a line of an aligned table; a wider table is shown row by row

_EMPTY = "–"
_DATA = frozenset({"data_table", "data_visualization", "container"})
"""Blocks that some workspaces refuse, and that cannot be in windows."""

_BUTTONS = frozenset({"actions", "context_actions"})
_CHILDREN, _CONTAINER_TITLE = 10, 150
_ADDRESS = re.compile("(?:[a-z]:(?=//)|mailto(?=:))", re.IGNORECASE)


def render_message(view: View, mark: str, with_tables: bool = True) -> Json:
    """Return the ``text`` and ``blocks`` of the message that shows a view.

    ``text`` is for notifications and screen readers: escaped, never blank, beginning with the answer. ``mark``: the
    first block's ``block_id``, by which the message is found again; "" for none. ``with_tables``: False for a workspace
    that has no blocks for tables, charts and details.
    """
    limits = LIMITS if with_tables else _PLAIN_LIMITS
    document = build_fitting(view, limits)
    blocks = render_parts(document) or [make_section("…")]
    if with_tables and not _are_within_limits(blocks):
        return render_message(view, mark, with_tables=False)
    if mark:
        blocks[0]["block_id"] = mark[:_BLOCK_ID]
    return {"text": _render_notification([*document.body, *document.before, *document.after]), "blocks": blocks}


def render_forms(view: View, mark: str) -> Iterator[Json]:
    """Yield :func:`render_message`, then simpler forms for a Slack that refuses it.

    First without tables, then the beginning of the text with the buttons.
    """
    shown = render_message(view, mark)
    yield shown
    plain = render_message(view, mark, with_tables=False)
    if has_tables(shown):
        yield plain
    yield _take_beginning(plain)


def render_rest(document: Document) -> list[Json]:
    """Return the blocks below the text of a stream: what the text does not have of a document."""
    blocks = render_parts(fit(document, LIMITS))
    return blocks if _are_within_limits(blocks) else render_parts(fit(document, _PLAIN_LIMITS))


def _are_within_limits(blocks: Sequence[Json]) -> bool:
    tables = [block["rows"] for block in blocks if block["type"] == "data_table"]
    return _count_blocks(blocks) <= _BLOCKS and _count_text(tables, ["text"]) <= _TABLES


def has_tables(message: Json) -> bool:
    """Whether a message has blocks for tables, charts or details, which some workspaces refuse."""
    return any(block["type"] in _DATA for block in message["blocks"])


def _take_beginning(message: Json) -> Json:
    """Return the beginning of a message's text with its buttons."""
    text = escape(LIMITS.make_excerpt(unescape(message["text"]), _SHORT))
    head = make_section(text)
    if mark := message["blocks"][0].get("block_id"):
        head["block_id"] = mark
    return {"text": text, "blocks": [head, *(block for block in message["blocks"] if block["type"] in _BUTTONS)]}


def render_parts(document: Document) -> list[Json]:
    """Return Slack's blocks without a divider at the top, where it divides nothing."""
    found = [block for part in (document.before, document.body, document.after) for block in render_blocks(part)]
    return found[1:] if len(found) > 1 and found[0]["type"] == "divider" else found


def render_blocks(blocks: Sequence[Block]) -> Iterator[Json]:
    """Yield Slack's blocks. Consecutive paragraphs share a section, subtle ones a context, as long as they fit."""
    groups: list[list[Block]] = []
    for block in blocks:
        if groups and _is_joined(groups[-1][-1], block):
            groups[-1].append(block)
        else:
            groups.append([block])
    for group in groups:
        match group[0]:
            case Chart() as chart:
                yield from _render_chart(chart)
            case Actions() as actions:
                yield from _render_actions(actions)
            case Details() as details:
                yield from _render_details(details)
            case Table() as table:  # a table that was cut may no longer be one for Slack
                yield from _render_table(table) or render_blocks(tuple(list_table_lines(table)))
            case _:
                yield from _render_text_blocks(group)


def _find_type(block: Block) -> str:
    """Return the type of the block that a block's text is in, "" for a block without a text."""
    if isinstance(block, Paragraph) and block.look == "subtle":
        return "context"
    return "section" if isinstance(block, Paragraph | Code) else ""


def _is_joined(before: Block, block: Block) -> bool:
    """Whether a block shares the section or context of the block before it."""
    kind = _find_type(block)
    if isinstance(block, Paragraph) and (block.ruled or (kind == "context" and not block.tight)):
        return False
    return kind != "" and kind == _find_type(before)


def _render_text_blocks(group: Sequence[Block]) -> Iterator[Json]:
    kind = _find_type(group[0])
    if isinstance(group[0], Paragraph) and group[0].ruled:
        yield {"type": "divider"}
    for part in pack(group, _SECTION if kind == "section" else _CONTEXT, _measure_text):
        text = join_texts(part)
        if is_visible(text):
            yield make_section(text) if kind == "section" else {"type": kind, "elements": [make_text_object(text)]}


def _measure_text(block: Block) -> int:
    return count_units(render_text(block)) + 2


def _measure(block: Block) -> int:
    """Count the characters of a block that count towards the limit of a message."""
    return _measure_text(block) if _find_type(block) else _count_text(list(render_blocks([block])))


def _count_blocks(blocks: Iterable[Json]) -> int:
    """Count blocks and those inside of containers, since Slack does not say whether these count."""
    return sum(1 + len(block.get("child_blocks", ())) for block in blocks)


def _count_text(item: Any, names: Sequence[str] = ("text", "url")) -> int:
    """Count the characters of the texts with these names in a part of a message."""
    if isinstance(item, dict):
        own = sum(count_units(item[name]) for name in names if isinstance(item.get(name), str))
        return own + sum(_count_text(each, names) for each in item.values())
    return sum(_count_text(each, names) for each in item) if isinstance(item, list) else 0


# ------------------------------------------------------------------------------------------ tables, charts, buttons


def _shape_table(table: Table) -> Block | None:
    """Return the table itself if Slack can show it as a table or fields, otherwise aligned lines of code."""
    return table if _render_table(table) else align(table, _WIDEST)


def _render_table(table: Table) -> list[Json]:
    """Return fields for a table of one row, a data table for others, nothing for one beyond Slack's limits.

    https://docs.slack.dev/reference/block-kit/blocks/section-block and …/data-table-block, whose caption is for screen
    readers. Slack documents no limit for one cell.
    """
    rows = [list(map(_render_raw_cell, table.head)), *(list(map(_render_cell, row)) for row in table.rows)]
    size = _count_text(rows) + 2 * len(table.cells)
    fields = ["\n".join(filter(None, map(render_runs, _end_name(*pair)))) for pair in table.named_cells]
    if fields and size <= _TABLE and all(count_units(field) <= _FIELD for field in fields):
        texts = list(map(make_text_object, fields))
        return [{"type": "section", "fields": texts[at : at + _FIELDS]} for at in range(0, len(texts), _FIELDS)]
    if not (0 < len(table.head) <= _COLUMNS and 0 < len(table.rows) <= _ROWS and size <= _TABLE):
        return []
    if any(count_units(join_text(cell)) > _CELL for cell in table.cells):
        return []
    names = ", ".join(filter(None, (collapse_spaces(join_text(cell)) for cell in table.head)))
    return [{"type": "data_table", "caption": make_caption(names, _CAPTION), "page_size": _PAGE, "rows": rows}]


def _end_name(name: Runs, cell: Runs) -> tuple[Runs, Runs]:
    """Return a column's name as plain text with one colon, and the cell."""
    words = collapse_spaces(join_text(strip_colon(name)))
    return (Run(f"{words}:"),) if words else (), cell


def _render_cell(cell: Runs) -> Json:
    if not is_visible(join_text(cell)) or not any(run.styles or run.url or run.code for run in cell):
        return _render_raw_cell(cell)
    elements = [_render_run(run) for run in cell if clean(run.text)]
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": elements}]}


def _render_run(run: Run) -> Json:
    style = dict.fromkeys((*run.styles, *(["code"] if run.code else [])), True)
    element: Json = {"type": "link", "url": run.url} if run.url else {"type": "text"}
    return {**element, "text": clean(run.text), **({"style": style} if style else {})}


def _render_raw_cell(cell: Runs) -> Json:
    shown = clean(join_text(cell)).strip()
    return {"type": "raw_text", "text": shown if is_visible(shown) else _EMPTY}


def _render_chart(chart: Chart) -> Iterator[Json]:
    """Yield a chart of two or more bars, then each share in percent with its links, which a chart cannot contain.

    https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block.
    """
    if chart.drawn and len(chart.bars) > 1:
        data = [{"label": label, "value": percent} for label, percent in chart.label_bars(_CHART_LABEL)]
        axis = {"categories": [each["label"] for each in data]}
        bars = {"type": "bar", "series": [{"name": "%", "data": data}], "axis_config": axis}
        yield {"type": "data_visualization", "title": make_caption(chart.title, _CHART_TITLE), "chart": bars}
    yield from (make_section(render_bar(bar, chart.drawn)) for bar in chart.bars)


def _render_details(details: Details) -> Iterator[Json]:
    """Yield a closed container; or its lines, if they are too many for one.

    https://docs.slack.dev/reference/block-kit/blocks/container-block.
    """
    inside = list(render_blocks(details.lines))
    if not 0 < len(inside) <= _CHILDREN:
        yield from inside
        return
    title = make_plain_object(details.title, _CONTAINER_TITLE)
    yield {
        "type": "container", "title": title, "is_collapsible": True, "default_collapsed": True, "child_blocks": inside
    }  # fmt: skip


def _render_actions(actions: Actions) -> Iterator[Json]:
    if actions.kind == "feedback":
        good, bad = (
            {"text": make_plain_object(button.label, _BUTTON), "value": f"{button.name}:{button.turn_id}"}
            for button in actions.buttons
        )
        votes = {"type": "feedback_buttons", "action_id": "feedback", "positive_button": good, "negative_button": bad}
        yield {"type": "context_actions", "elements": [votes]}
        return
    if actions.intro:
        yield {"type": "context", "elements": [make_text_object(escape(actions.intro))]}
    longest = max(count_units(collapse_spaces(button.label)) for button in actions.buttons)
    if actions.kind == "suggestions" and longest > _WHOLE_BUTTON:
        yield from map(_render_long_button, actions.buttons)
    else:
        yield {"type": "actions", "elements": list(map(_render_button, actions.buttons))}


def _render_long_button(button: Button) -> Json:
    """Return a section with the label and a short button beside it, for a label that a button may not show in full."""
    short = replace(button, label=message("Ask").render(button.language))
    return make_section(escape(LIMITS.make_excerpt(button.label, _QUESTION))) | {"accessory": _render_button(short)}


def _render_button(button: Button) -> Json:
    """Return a button. Raises ValueError if its value exceeds Slack's limit."""
    action = button.name if button.index is None else f"{button.name}:{button.index}"
    value = button.turn_id or button.page_id
    if len(value) > _VALUE:
        raise ValueError(f"The value of button {action} has {len(value)} characters; Slack takes {_VALUE}.")
    return {"type": "button", "text": make_plain_object(button.label, _BUTTON), "action_id": action, "value": value}


def _render_notification(blocks: Sequence[Block]) -> str:
    """Return the plain text of blocks for ``text``, with addresses broken up, because Slack would link them."""
    shown = escape(LIMITS.make_excerpt(_ADDRESS.sub(rf"\g<0>{ZERO_WIDTH}", get_plain_text(blocks)), _TEXT))
    for mention in [
        run.text for block in blocks if isinstance(block, Paragraph) for run in block.runs if is_mention(run)
    ]:
        shown = mention.join(shown.rsplit(escape(mention), 1))
    return shown or "…"


LIMITS = Limits(
    _MESSAGE,
    _measure,
    _shape_table,
    measure=lambda text: count_units(escape(text)),
    command="/wiki ",
    mention="<@{user}>",
    count=lambda blocks: _count_blocks(render_blocks(blocks)),
    quotes_tables=True,
    most_rows=_ROWS,
    draws_charts=True,
    has_details=True,
)
"""Limits of a message."""

_PLAIN_LIMITS = replace(
    LIMITS,
    table=partial(align, widest=_WIDEST),
    quotes_tables=False,
    draws_charts=False,
    has_details=False,
    most_rows=_PLAIN_ROWS,
    most_blocks=_MOST_BLOCKS,
)
MODAL_LIMITS = replace(
    _PLAIN_LIMITS,
    room=_MODAL,
    most_rows=_MODAL_ROWS,
    most_blocks=_MOST_IN_MODAL,
    hides=frozenset(get_args(ActionsKind)),
)
