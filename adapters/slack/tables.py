"""Rendering of tables within Slack's limits: data tables, and fields for a table of one row.

https://docs.slack.dev/reference/block-kit/blocks/data-table-block, …/section-block, …/rich-text-block. Rich and raw
text has no markup, so it needs no escaping and cannot mention anybody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from adapters.slack.mrkdwn import render_runs
from core.views.document import Block, Run, Runs, Table, clean, is_visible, one_line, shorten, text_of, units
from core.views.fitting import align

Json = dict[str, Any]

MOST_ROWS = 100
"""Rows of a table without its header."""

_COLUMNS = 20
_TABLE, _TABLES = 8_000, 9_500  # characters of one table, and of all tables of a message; Slack's limit is 10,000
_CELL = 2_000  # characters of a cell; Slack documents no limit for cells
_FIELDS, _FIELD = 10, 1_900  # of a section; characters of a field: Slack's limit is 2,000
_PAGE = 10  # rows visible at a time
_WIDEST = 76  # characters of a line of an aligned table; a wider table is shown row by row
_EMPTY = "–"
_STYLES = {"bold": "bold", "italic": "italic", "strike": "strike"}


def shape_table(table: Table) -> Block | None:
    """Return the table itself if Slack can show it as a table or fields, otherwise :func:`align_table`."""
    return table if _is_fit(table) or _is_row(table) else align_table(table)


def align_table(table: Table) -> Block | None:
    """Return a narrow table as lines of code, or None for a wide one."""
    return align(table, _WIDEST)


def render_table(table: Table) -> list[Json]:
    """Return the blocks of a table from :func:`shape_table`; none for a cut table that no longer fits."""
    if _is_row(table):
        return list(_render_fields(table))
    return [_render_table(table)] if _is_fit(table) else []


def measure_table(table: Table) -> int:
    """Count the characters of all cells and their links."""
    return sum(
        units(run.text) + units(run.url) + 2 for row in (table.head, *table.rows) for cell in row for run in cell
    )


def are_tables_within_limit(blocks: Sequence[Json]) -> bool:
    """Whether the tables of a message together are within Slack's limit."""
    return sum(map(_count_text, (block["rows"] for block in blocks if block["type"] == "data_table"))) <= _TABLES


def _count_text(item: Any) -> int:
    if isinstance(item, dict):
        return units(item.get("text", "")) + sum(map(_count_text, item.get("elements", ())))
    return sum(map(_count_text, item))


def _is_fit(table: Table) -> bool:
    cells = [cell for row in (table.head, *table.rows) for cell in row]
    return (
        0 < len(table.head) <= _COLUMNS
        and 0 < len(table.rows) <= MOST_ROWS
        and measure_table(table) + len(cells) <= _TABLE
        and all(units(text_of(cell)) <= _CELL for cell in cells)
    )


def _is_row(table: Table) -> bool:
    """Whether a table has one row whose cells all fit into fields."""
    if len(table.rows) != 1 or not table.head or measure_table(table) > _TABLE:
        return False
    fields = _fields(table)
    return bool(fields) and all(units(field) <= _FIELD for field in fields)


def _render_fields(table: Table) -> Iterator[Json]:
    fields = [{"type": "mrkdwn", "text": field, "verbatim": True} for field in _fields(table)]
    for at in range(0, len(fields), _FIELDS):
        yield {"type": "section", "fields": fields[at : at + _FIELDS]}


def _fields(table: Table) -> list[str]:
    """Return each non-empty cell below its column's name."""
    pairs = zip(table.head, table.rows[0], strict=False)
    shown = [(render_runs(_named(name)), render_runs(cell)) for name, cell in pairs]
    return ["\n".join(filter(is_visible, field)) for field in shown if is_visible(field[1])]


def _named(name: Runs) -> Runs:
    words = one_line(text_of(name)).rstrip(":")
    return (Run(f"{words}:"),) if words else ()


def _render_table(table: Table) -> Json:
    return {
        "type": "data_table",
        "caption": _caption(table),
        "page_size": _PAGE,
        "rows": [[_raw(text_of(cell)) for cell in table.head], *([_cell(cell) for cell in row] for row in table.rows)],
    }


def _caption(table: Table) -> str:
    """Return the column names, which screen readers use as the table's caption."""
    return shorten(", ".join(filter(None, (one_line(text_of(cell)) for cell in table.head))), 200) or _EMPTY


def _cell(cell: Runs) -> Json:
    if not is_visible(text_of(cell)) or not any(run.styles or run.url or run.code for run in cell):
        return _raw(text_of(cell))
    elements = [_element(run) for run in cell if clean(run.text)]
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": elements}]}


def _element(run: Run) -> Json:
    style = {_STYLES[each]: True for each in run.styles} | ({"code": True} if run.code else {})
    element: Json = {"type": "link", "url": run.url} if run.url else {"type": "text"}
    return {**element, "text": clean(run.text), **({"style": style} if style else {})}


def _raw(text: str) -> Json:
    shown = clean(text).strip()
    return {"type": "raw_text", "text": shown if is_visible(shown) else _EMPTY}
