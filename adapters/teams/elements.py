"""Rendering of blocks as elements of Adaptive Cards (https://adaptivecards.io/explorer).

All text from pages, models and people goes into text runs, which have no markup: it cannot become bold, a link, a
mention or HTML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

from core.languages import Language
from core.text import clean, collapse_spaces, count_units, make_caption, shorten
from core.views.document import (
    SIGNS,
    Actions,
    Bar,
    Block,
    Button,
    Chart,
    Code,
    Details,
    Form,
    Paragraph,
    Run,
    Runs,
    Style,
    Table,
    add_style,
    join_text,
    list_table_lines,
)
from core.views.fitting import Limits
from core.views.help import build_form_head
from core.views.inert import break_links, break_macros, join_lines

Json = dict[str, Any]

Delivery = Literal["post", "stream", "update"]
"""How a message is delivered: posted, as the end of a stream, or as an update, which loses Teams' own thumbs."""

QUESTION, REASON = "question", "reason"
"""Ids of the input fields for a question and for the reason of bad feedback."""

FORM = "form"
"""The field of a submission with the id of its form (:func:`adapters.teams.activities.parse_activity_id`)."""

MOST_BYTES = 76_000
"""Limit of an activity in UTF-16. Teams' limit is about 100 KB, it advises 80, and its connector adds to it:
https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages."""

_INPUT = 3_000
_UNDERSTOOD = 1_000  # characters of a question to correct
_TITLE = 80  # characters on a button, and of a chart's title
_LABEL = 40  # characters beside a bar of a chart
_MOST_BLOCKS = 120  # more make clients slow
_MOST_COLUMNS = 8
_MOST_SUGGESTIONS = 3
_REPLACES = frozenset({"whole", "correct"})
"""Buttons whose response replaces the card, which clients without ``Action.Execute`` cannot do."""
_NARROWEST, _WIDEST = 6, 40  # characters of a table's column
_PHONE, _PADDING = 36, 2  # width of a table on a phone and of a cell's padding, in characters
_DEEPEST = 4
_DETAILS = "details"
_PLAIN = re.compile(r"[^\W\d_][^\W_]*(?:[ ,.?!:;…“”„’'%&+–-]{1,3}[^\W_]+)*[ ,.?!:;…“”„’'%&+–-]{0,3}")  # no markup
_WIDE = "\u00a0"
_HEADING: Json = {"type": "TextBlock", "style": "heading", "weight": "Bolder", "wrap": True}
_QUOTED: Json = {"type": "Container", "style": "emphasis", "items": []}
_NEXT_QUOTED: Json = _QUOTED | {"spacing": "None"}
_STYLES: dict[Style, tuple[str, object]] = {
    "bold": ("weight", "Bolder"), "italic": ("italic", True), "strike": ("strikethrough", True)
}  # fmt: skip


def make_card(
    blocks: Sequence[Block], language: Language, form: Sequence[Json] = (), delivery: Delivery = "post"
) -> Json:
    """Return a card of a form's elements and then blocks, in full width if it has a table.

    ``delivery``: how the card's message is delivered. Buttons store it, so that the way back renders the same card.
    Version 1.5 is the latest that all clients of Teams show.
    """
    rendered = (element for block in blocks for element in render_block(block))
    body = [*form, *_join_quotations(rendered)] or [_render_line([])]
    card: Json = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.5",
        "lang": language,
        "body": body if delivery == "post" else _add_delivery(body, delivery),
    }
    is_wide = any(isinstance(block, Table) and not block.named_cells for block in blocks)
    return {**card, "msteams": {"width": "Full"}} if is_wide else card


def _join_quotations(elements: Iterable[Json]) -> list[Json]:
    """Join the lines of a quotation in one container: each has a margin of its own."""
    joined: list[Json] = []
    for element in elements:
        before = joined[-1] if joined else {}
        if {**element, "items": []} == _NEXT_QUOTED and before.get("style") == element["style"]:
            joined[-1] = {**before, "items": [*before["items"], *element["items"]]}
        else:
            joined.append(element)
    return joined


def _add_delivery(body: Sequence[Json], delivery: Delivery) -> Any:
    def add(part: Json) -> Json:
        return {**part, "way": delivery} if "wikiwhy" in part else part

    return json.loads(json.dumps(body), object_hook=add)


def render_block(block: Block) -> list[Json]:
    """Return the elements of a block."""
    match block:
        case Paragraph() if block.quoted:  # a background, because spaces indent only the first line of a narrow screen
            return [(_NEXT_QUOTED if block.tight else _QUOTED) | {"items": [_render_paragraph(block)]}]
        case Paragraph():
            return [_render_paragraph(block)]
        case Code():
            lines = [Run(_keep_indent(line) or _WIDE, code=True) for line in block.lines]
            items = [_render_line([line], tight=at > 0) for at, line in enumerate(lines)]
            return [_QUOTED | {"items": items}]
        case Table():
            return list(_render_table(block))
        case Chart():
            return list(_render_chart(block))
        case Actions():
            return list(_render_actions(block))
        case Details():
            return list(_render_details(block))


def _render_paragraph(block: Paragraph) -> Json:
    runs = add_style(block.runs, "italic") if block.quoted else block.runs
    if block.is_bold:
        runs = add_style(runs, "bold")
    lead = _WIDE * 4 * min(block.level + max(0, block.quoted - 1), _DEEPEST) + SIGNS[block.sign]
    marker = f"{block.marker} " if block.marker else ""
    text = lead + join_text(runs)
    element = _render_line([Run(lead), Run(marker), *runs], tight=block.tight, subtle=block.look == "subtle")
    if block.is_bold and _PLAIN.fullmatch(text) and not any(run.url for run in runs):  # a ``TextBlock`` has markup
        element = _HEADING | {"text": text} | ({"spacing": "None"} if block.tight else {})  # for screen readers
    return {**element, "separator": True} if block.ruled else element


def _render_line(runs: Sequence[Run], *, tight: bool = False, subtle: bool = False) -> Json:
    shown = [replace(run, text=join_lines(clean(run.text))) for run in runs]
    inlines = [_run(run) for run in shown if run.text] or [_run(Run("…"))]
    if subtle:
        inlines = [{**inline, "isSubtle": True, "size": "Small"} for inline in inlines]
    block: Json = {"type": "RichTextBlock", "inlines": inlines}
    return {**block, "spacing": "None"} if tight else block


def _run(run: Run) -> Json:
    """Return a ``TextRun``. Addresses are broken up outside of code, macros everywhere."""
    element: Json = {"type": "TextRun", "text": break_macros(run.text) if run.code else break_links(run.text)}
    if run.code:
        element["fontType"] = "Monospace"
    if run.url:
        element["selectAction"] = {"type": "Action.OpenUrl", "url": run.url}
    return element | dict(_STYLES[style] for style in run.styles)


def _keep_indent(text: str) -> str:
    inner = text.lstrip(" \t")
    return _WIDE * len(text[: len(text) - len(inner)].expandtabs(4)) + inner


def _render_table(table: Table) -> Iterator[Json]:
    """Yield a table, and if a phone would break words in its cells, also a line per row for phones.

    Teams shows the element of the pair whose ``targetWidth`` fits:
    https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-format. A table of one row
    becomes name and cell per line. Not a ``FactSet``, because text in it has markup.
    """
    if named := table.named_cells:
        yield {
            **_render_grid([(add_style(name, "bold"), cell) for name, cell in named], [1, 2]),
            "showGridLines": False,
        }
        return
    rows = (table.head, *table.rows) if table.head else table.rows
    columns = [[join_text(cell) for cell in column] for column in zip(*rows, strict=False)]
    words = [max((len(word) for cell in column for word in cell.split()), default=0) for column in columns]
    lines = [_render_paragraph(replace(line, tight=False)) for line in list_table_lines(table)]
    if len(columns) > _MOST_COLUMNS:  # a cut row of many columns is no longer rendered as fields
        yield from lines
        return
    # A column's longest word should not break; a long cell takes more room.
    widths = [
        min(word, _WIDEST) + min(max(map(len, column)), _WIDEST) // 2 + _NARROWEST
        for word, column in zip(words, columns, strict=True)
    ]
    shown = _render_grid(rows, widths, has_head=bool(table.head))
    if not table.head or sum(words) + len(words) * _PADDING <= _PHONE:
        yield shown
        return
    yield {**shown, "targetWidth": "atLeast:standard"}
    yield {"type": "Container", "targetWidth": "atMost:narrow", "items": lines}


def _render_grid(rows: Sequence[Sequence[Runs]], widths: Sequence[int], *, has_head: bool = False) -> Json:
    cells = [[{"type": "TableCell", "items": [_render_line(cell or [Run(_WIDE)])]} for cell in row] for row in rows]
    return {
        "type": "Table",
        "firstRowAsHeaders": has_head,
        "columns": [{"width": width} for width in widths],
        "rows": [{"type": "TableRow", "cells": row} for row in cells],
    }


def _render_chart(chart: Chart) -> Iterator[Json]:
    """Yield a chart with a fallback of columns, then the shares in words, with links, also for screen readers."""
    yield {
        "type": "Chart.HorizontalBar",
        "title": break_links(make_caption(chart.title, _TITLE)),
        "displayMode": "PartToWhole",
        "data": [{"x": break_links(label), "y": percent} for label, percent in chart.label_bars(_LABEL)],
        "fallback": {"type": "Container", "items": [_render_columns(bar) for bar in chart.bars]},
    }
    for bar in chart.bars:
        yield _render_line([Run(bar.sentence, ("bold",))])
        yield from map(_render_paragraph, bar.locations)


def _render_details(block: Details) -> Iterator[Json]:
    """Yield a button that shows and hides the lines, which are hidden at first.

    https://learn.microsoft.com/adaptive-cards/schema-explorer/action-toggle-visibility. A card has at most one.
    """
    toggle = {
        "type": "Action.ToggleVisibility",
        "title": make_caption(block.title, _TITLE),
        "targetElements": [_DETAILS],
    }
    yield {"type": "ActionSet", "actions": [toggle]}
    yield {"type": "Container", "id": _DETAILS, "isVisible": False, "items": list(map(_render_paragraph, block.lines))}


def _render_columns(bar: Bar) -> Json:
    full = bar.whole_percent
    shown = [(full, _WIDE, {"style": "accent"}), (100 - full, _WIDE, {}), ("50px", bar.percent, {})]
    columns = [
        {"type": "Column", "width": width, **style, "items": [_render_line([Run(text)])]}
        for width, text, style in shown
        if width
    ]
    return {"type": "ColumnSet", "spacing": "Small", "columns": columns}


def _render_actions(actions: Actions) -> Iterator[Json]:
    if actions.kind != "suggestions":
        yield {"type": "ActionSet", "actions": list(map(render_button, actions.buttons))}
        return
    yield _render_line([Run(actions.intro)], subtle=True)
    for button in actions.buttons[:_MOST_SUGGESTIONS]:  # the text of a container wraps, a button's title does not
        yield {
            "type": "Container",
            "style": "emphasis",
            "spacing": "Small",
            "items": [_render_line([Run(shorten(collapse_spaces(button.label), 200))])],
            "selectAction": render_button(button),
        }


def render_button(button: Button) -> Json:
    """Return a button. Clients without ``Action.Execute`` show one that sends the same by ``Action.Submit``.

    They show none if its response replaces the card or, as under a link, is for one person.
    """
    data: Json = {"link": button.url} if button.url else {"turn": button.turn_id, "language": button.language}
    if button.index is not None:
        data["index"] = button.index
    if button.form_id:
        data[FORM] = button.form_id
    title, sent = make_caption(break_links(button.label), _TITLE), {"wikiwhy": button.name, **data}
    submit: Json = {"type": "Action.Submit", "title": title, "data": sent}
    fallback = "drop" if button.url or button.name in _REPLACES else submit
    return {"type": "Action.Execute", "title": title, "verb": button.name, "data": sent, "fallback": fallback}


def render_form(form: Form) -> list[Json]:
    """Return a form's title, question and input field."""
    value = shorten(break_macros(form.value).strip(), _UNDERSTOOD)
    field: Json = {
        "type": "Input.Text",
        "id": REASON if form.name == "reason" else QUESTION,
        "label": form.label,
        "placeholder": form.placeholder,
        "isMultiline": True,
        "maxLength": _INPUT,
    }
    return [*map(_render_paragraph, build_form_head(form, LIMITS)), field | ({"value": value} if value else {})]


def count_bytes(item: object) -> int:
    """Return the bytes of a part of an activity as JSON in UTF-16, as Teams counts them."""
    return 2 * count_units(json.dumps(item, ensure_ascii=False, separators=(",", ":")))


def count_block_bytes(block: Block) -> int:
    """Return the bytes of a block within a card."""
    return sum(count_bytes(element) + 1 for element in render_block(block))


def _show_table(table: Table) -> Table | None:
    return table if table.named_cells or len(table.head or table.rows[0]) <= _MOST_COLUMNS else None


LIMITS = Limits(
    MOST_BYTES - 2_000,
    count_block_bytes,
    _show_table,
    most_blocks=_MOST_BLOCKS,
    quotes_tables=True,
    has_details=True,
    shows_titles=True,
)
"""Limits of a card; 2,000 bytes are for the activity around it."""
