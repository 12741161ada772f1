"""Documents as elements of Adaptive Cards (https://adaptivecards.io/explorer).

Whatever comes from pages, models and people stands in text runs, which have no markup at all: nothing in them can be
bold, a link, a mention or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from adapters.teams.json import Json, size
from core.languages import Language
from core.views.document import (
    Actions,
    Bar,
    Block,
    Button,
    Chart,
    Code,
    Form,
    Paragraph,
    Run,
    Runs,
    Table,
    clean,
    one_line,
    shorten,
    tell_apart,
    text_of,
)
from core.views.fitting import Limits, table_lines

QUESTION, REASON = "question", "reason"
"""Ids of the fields in which a question is corrected, and feedback explained."""

MOST_BYTES = 76_000
"""Of an activity, in UTF-16. Teams takes about 100 KB and advises 80, and its connector adds to it:
https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages."""

SIGNS = {"info": "", "problem": "⚠ ", "done": "✓ "}

_INPUT = 3_000
_UNDERSTOOD = 1_000  # characters of a question to correct
_TITLE = 80  # characters on a button, and of a chart's title
_LABEL = 40  # characters beside a bar of a chart
_MOST_BLOCKS = 120  # clients become slow with more
_MOST_COLUMNS = 8
_MOST_SUGGESTIONS = 3
_NARROWEST, _WIDEST = 6, 40  # characters of a table's column
_PHONE, _PADDING = 36, 2  # characters of a table on a phone, and of the space around a cell
_DEEPEST = 4
_PLAIN = re.compile(r"[^\W\d_][^\W_]*(?:[ ,.?!:;…“”„’'%&+–-]{1,3}[^\W_]+)*[ ,.?!:;…“”„’'%&+–-]{0,3}")  # no markup
_MACRO = re.compile(r"\{\{(?=\s*(?:DATE|TIME))")  # clients put dates there
_HOST_OR_MAIL = re.compile(r"(?:(?<![^\W_])www(?=\.))|(?=@)", re.IGNORECASE)
_WIDE = "\u00a0"


def card(blocks: Sequence[Block], language: Language) -> Json:
    """A card, as wide as the conversation if it has a table. 1.5 is the version that Teams shows everywhere."""
    content: Json = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.5",
        "lang": language,
        "body": [element for block in blocks for element in render_block(block)] or [_line([])],
    }
    is_wide = any(isinstance(block, Table) and not is_one_row(block) for block in blocks)
    return {**content, "msteams": {"width": "Full"}} if is_wide else content


def render_block(block: Block) -> list[Json]:
    """The elements of a block."""
    match block:
        case Paragraph():
            return [_paragraph(block)]
        case Code():
            lines = [Run(_keep_indent(line) or _WIDE, code=True) for line in block.lines]
            items = [_line([line], tight=at > 0) for at, line in enumerate(lines)]
            return [{"type": "Container", "style": "emphasis", "items": items}]
        case Table():
            return [_fields(block)] if is_one_row(block) else list(_table_of_any_width(block))
        case Chart():
            return list(_chart(block))
        case Actions():
            return list(_actions(block))


def without_macros(text: str) -> str:
    """Text in which no client puts a date."""
    return _MACRO.sub("{\u200b{", clean(text))


def without_links(text: str) -> str:
    """Text in which no client makes a link of an address, nor puts a date."""
    return without_macros(text).replace("://", ":\u200b//")


def without_addresses(text: str) -> str:
    """Text in which no client finds ``www.…`` or a mail address: in the text of a message these become links too."""
    return _HOST_OR_MAIL.sub("\\g<0>\u200b", text)


def _paragraph(block: Paragraph) -> Json:
    bold = block.look in ("heading", "headline")
    runs = list(block.runs)
    if block.quoted:
        runs = [replace(run, styles=(*run.styles, "italic")) for run in runs]
    if bold:
        runs = [replace(run, styles=(*run.styles, "bold")) for run in runs]
    lead = _WIDE * 4 * min(block.level + block.quoted, _DEEPEST) + SIGNS[block.sign]
    marker = f"{block.marker} " if block.marker else ""
    element = _line([Run(lead), Run(marker), *runs], tight=block.tight, subtle=block.look == "subtle")
    text = lead + "".join(run.text for run in runs)
    if bold and _PLAIN.fullmatch(text) and not any(run.url for run in runs):
        element = _heading(text, tight=block.tight)
    return {**element, "separator": True} if block.ruled else element


def join_lines(text: str) -> str:
    """The lines with one space between them. Splitting is linear; a pattern for white space around breaks is not."""
    first, *others = text.split("\n")
    if not others:
        return text
    between = [line for each in others[:-1] if (line := each.strip())]
    return " ".join([first.rstrip(), *between, others[-1].lstrip()])


def _heading(text: str, *, tight: bool) -> Json:
    """A heading for those who listen to it. A ``TextBlock`` has markup, so only plain words may stand in it."""
    block: Json = {"type": "TextBlock", "style": "heading", "weight": "Bolder", "wrap": True, "text": text}
    return {**block, "spacing": "None"} if tight else block


def _line(runs: Sequence[Run], *, tight: bool = False, subtle: bool = False) -> Json:
    shown = [replace(run, text=join_lines(clean(run.text))) for run in runs]
    inlines = [_run(run) for run in shown if run.text] or [_run(Run("…"))]
    if subtle:
        inlines = [{**inline, "isSubtle": True, "size": "Small"} for inline in inlines]
    block: Json = {"type": "RichTextBlock", "inlines": inlines}
    return {**block, "spacing": "None"} if tight else block


def _run(run: Run) -> Json:
    """A ``TextRun``; outside of code its addresses are broken. In code too clients would put a date."""
    element: Json = {"type": "TextRun", "text": without_macros(run.text) if run.code else without_links(run.text)}
    if run.code:
        element["fontType"] = "Monospace"
    if run.url:
        element["selectAction"] = {"type": "Action.OpenUrl", "url": run.url}
        return element
    if "bold" in run.styles:
        element["weight"] = "Bolder"
    if "italic" in run.styles:
        element["italic"] = True
    if "strike" in run.styles:
        element["strikethrough"] = True
    return element


def _keep_indent(text: str) -> str:
    inner = text.lstrip(" \t")
    return _WIDE * len(text[: len(text) - len(inner)].expandtabs(4)) + inner


def _table_of_any_width(table: Table) -> Iterator[Json]:
    """A table; where a phone would break the words in its cells, on phones a row a line instead.

    Teams shows of such a pair what is for the width of the card:
    https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-format.
    """
    rows = (table.head, *table.rows)
    if len(table.head or table.rows[0]) > _MOST_COLUMNS:  # of a part of a row, which is not shown as fields any more
        yield from (_paragraph(replace(line, tight=False)) for line in table_lines(table))
        return
    if not table.head or sum(_longest_word(column) + _PADDING for column in zip(*rows, strict=False)) <= _PHONE:
        yield _table(table)
        return
    yield {**_table(table), "targetWidth": "atLeast:standard"}
    lines = [_paragraph(replace(line, tight=False)) for line in table_lines(table)]
    yield {"type": "Container", "targetWidth": "atMost:narrow", "items": lines}


def _longest_word(cells: Sequence[Runs]) -> int:
    return max((len(word) for cell in cells for word in text_of(cell).split()), default=0)


def _table(table: Table) -> Json:
    rows = (table.head, *table.rows) if table.head else table.rows
    return {
        "type": "Table",
        "firstRowAsHeaders": bool(table.head),
        "columns": [{"width": _weigh([text_of(row[at]) for row in rows])} for at in range(len(rows[0]))],
        "rows": [{"type": "TableRow", "cells": [_cell(cell) for cell in row]} for row in rows],
    }


def _weigh(cells: Sequence[str]) -> int:
    """How wide a column is beside others: by its longest word, which should not break, and its longest cell."""
    word = max((len(word) for cell in cells for word in cell.split()), default=0)
    return min(word, _WIDEST) + min(max(map(len, cells)), _WIDEST) // 2 + _NARROWEST


def is_one_row(table: Table) -> bool:
    """Whether a table is one row of named cells, of which not all are empty."""
    return len(table.rows) == 1 and len(table.head) == len(table.rows[0]) and any(table.rows[0])


def _fields(table: Table) -> Json:
    """One row: a line for each cell, after its name. No ``FactSet``, because text in it is markup."""
    named = [(name, cell) for name, cell in zip(table.head, table.rows[0], strict=True) if cell]
    rows = [[_cell([replace(run, styles=(*run.styles, "bold")) for run in name]), _cell(cell)] for name, cell in named]
    return {
        "type": "Table",
        "firstRowAsHeaders": False,
        "showGridLines": False,
        "columns": [{"width": 1}, {"width": 2}],
        "rows": [{"type": "TableRow", "cells": cells} for cells in rows],
    }


def _cell(runs: Sequence[Run]) -> Json:
    return {"type": "TableCell", "items": [_line(runs or [Run(_WIDE)])]}


def _chart(chart: Chart) -> Iterator[Json]:
    """Bars drawn by the client; where it draws none, columns that every client has.

    Then the same in words, with links: a chart has none, and says nothing to those who do not see it.
    """
    labels = tell_apart([without_links(bar.label) for bar in chart.bars], _LABEL)
    shares = [max(round(bar.share * 100), 1) for bar in chart.bars]
    yield {
        "type": "Chart.HorizontalBar",
        "title": shorten(without_links(chart.title), _TITLE) or "…",
        "displayMode": "PartToWhole",
        "data": [{"x": label, "y": share} for label, share in zip(labels, shares, strict=True)],
        "fallback": {"type": "Container", "items": [_columns(bar) for bar in chart.bars]},
    }
    for bar in chart.bars:
        yield _line([Run(bar.sentence, ("bold",))])
        yield from map(_paragraph, bar.places)


def _columns(bar: Bar) -> Json:
    full = min(max(round(bar.share * 100), 1), 100)
    filled: Json = {"type": "Column", "width": full, "style": "accent", "items": [_line([Run(_WIDE)])]}
    empty: Json = {"type": "Column", "width": 100 - full, "items": [_line([Run(_WIDE)])]}
    number: Json = {"type": "Column", "width": "50px", "items": [_line([Run(bar.percent)])]}
    return {"type": "ColumnSet", "spacing": "Small", "columns": [filled, *([empty] if full < 100 else []), number]}


def _actions(actions: Actions) -> Iterator[Json]:
    if actions.kind != "suggestions":
        yield {"type": "ActionSet", "actions": [_button(button) for button in actions.buttons]}
        return
    yield _line([Run(actions.intro)], subtle=True)
    for button in actions.buttons[:_MOST_SUGGESTIONS]:  # each wraps, as no button's title does
        yield {
            "type": "Container",
            "style": "emphasis",
            "spacing": "Small",
            "items": [_line([Run(shorten(one_line(button.label), 200))])],
            "selectAction": _execute(button),
        }


def _button(button: Button) -> Json:
    if button.form:
        send = _execute(replace(button, label=button.form.submit))
        body = [_paragraph(Paragraph((Run(button.form.title),), "heading")), field(button.form)]
        form: Json = {"type": "AdaptiveCard", "body": body, "actions": [send]}
        return {"type": "Action.ShowCard", "title": button.label, "card": form}
    # A part takes the place of its card, which clients without Action.Execute cannot do.
    return {**_execute(button), "fallback": "drop"} if button.name == "whole" else _execute(button)


def _execute(button: Button) -> Json:
    """A button of ours; clients without ``Action.Execute`` send the same by ``Action.Submit``."""
    content: Json = {"wikiwhy": button.name, "turn": button.turn_id, "language": button.language}
    if button.index is not None:
        content["index"] = button.index
    title = shorten(without_links(one_line(button.label)), _TITLE) or "…"
    fallback: Json = {"type": "Action.Submit", "title": title, "data": content}
    return {"type": "Action.Execute", "title": title, "verb": button.name, "data": content, "fallback": fallback}


def field(form: Form) -> Json:
    """Where something can be written."""
    shown: Json = {
        "type": "Input.Text",
        "id": QUESTION if form.name == "correction" else REASON,
        "label": form.label,
        "placeholder": form.placeholder,
        "isMultiline": True,
        "maxLength": _INPUT,
    }
    value = shorten(without_macros(form.value).strip(), _UNDERSTOOD)
    return {**shown, "value": value} if value else shown


def block_size(block: Block) -> int:
    """Bytes of a block within a card."""
    return sum(size(element) + 1 for element in render_block(block))


def _show_table(table: Table) -> Table | None:
    return table if is_one_row(table) or len(table.head or table.rows[0]) <= _MOST_COLUMNS else None


LIMITS = Limits(MOST_BYTES - 2_000, block_size, _show_table, most_blocks=_MOST_BLOCKS, quotes_tables=True)
"""Of a card; 2,000 bytes are what is around it."""
