"""Page properties, and the reports that show those of other pages: which pages a report asks for, and its rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, starmap

from core.evidence import inline
from core.evidence.budget import Budget
from core.evidence.groups import Section, find_macros, shorten
from core.evidence.lists_and_tables import table_rows
from core.evidence.storage_format import parse
from core.evidence.tables import DataTable, Row
from core.evidence.tree import MACROS, Node
from core.model import Page, PageQuery

_REPORT, _LIST, _PROPERTIES = "detailssummary", "contentbylabel", "details"
MOST_PAGES = 1_000
"""Of one report."""
_MOST = 10  # reports of one page
_MOST_COLUMNS = 30
_VALUE_CHARACTERS = 500
_THIS_SPACE = {"currentspace()", "@self"}
_TERM = re.compile(
    r"\s*(?P<field>label|space|space\.key|type)\s*(?:=\s*(?P<one>[^\s()]+(?:\(\))?|\"[^\"]*\")|in\s*\((?P<many>[^()]*(?:\(\)[^()]*)*)\))\s*",
    re.IGNORECASE,
)
_AND = re.compile(r"\sand\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Report:
    """A table of other pages. ``columns``: the properties that it shows, () for all; ``with_properties``: it shows any.

    ``properties_id``: of the properties that it shows, "" for those of every id.
    """

    query: PageQuery
    section: Section
    title_column: str = "Title"
    columns: tuple[str, ...] = ()
    properties_id: str = ""
    with_properties: bool = True

    def make_table(self, number: int, rows: Sequence[tuple[str, dict[str, str]]]) -> DataTable:
        """The whole table. ``number``: on its page, from 1; ``rows``: the title and the properties of each page."""
        names = list(dict.fromkeys(name for _, properties in rows for name in properties))
        if self.columns:
            wanted = {name.casefold(): name for name in names}
            names = [wanted[name.casefold()] for name in self.columns if name.casefold() in wanted]
        names = names[:_MOST_COLUMNS]
        found = (
            ((self.title_column, title), *((name, own[name]) for name in names if own.get(name))) for title, own in rows
        )
        return DataTable(number, (self.title_column, *names), tuple(starmap(Row, enumerate(found, start=1))))


def find_queries(page: Page, budget: Budget) -> tuple[PageQuery, ...]:
    """Which pages the reports of a page ask for, each once."""
    if f'"{_REPORT}"' not in page.content and f'"{_LIST}"' not in page.content:
        return ()
    reports = find_reports(parse(page.content, budget).root, page, lambda _: "", budget)
    return tuple(dict.fromkeys(report.query for report in reports))


def find_reports(root: Node, page: Page, anchor: Callable[[str], str], budget: Budget) -> list[Report]:
    """The first reports of a page in document order that ask for labels and spaces. ``anchor``: of a heading."""
    return list(islice(_reports(root, page, anchor, budget), _MOST))


def _reports(root: Node, page: Page, anchor: Callable[[str], str], budget: Budget) -> Iterator[Report]:
    for name, macro, section in find_macros(root, {_REPORT, _LIST}, anchor, budget):
        query = _read_query(macro, page.space)
        if query is not None:
            columns = tuple(part.strip() for part in macro.parameter("headings").split(",") if part.strip())
            title = macro.parameter("firstcolumn") or "Title"
            yield Report(query, section, title, columns, macro.parameter("id"), name == _REPORT)


def _read_query(macro: Node, space: str) -> PageQuery | None:
    """What a report asks for; None for anything but labels and spaces, which nobody here could answer."""
    if cql := macro.parameter("cql"):
        return _read_cql(cql, space)
    labels = re.split(r"[,\s]+", macro.parameter("label") or macro.parameter("labels"))
    spaces = re.split(r"[,\s]+", macro.parameter("spaces")) if macro.parameter("spaces") else [space]
    wanted = frozenset(label.lower() for label in labels if label)
    keys = frozenset(space if key.lower() in _THIS_SPACE else key for key in spaces if key)
    return PageQuery((wanted,), keys) if wanted and keys and not any("*" in key or "@" in key for key in keys) else None


def _read_cql(cql: str, space: str) -> PageQuery | None:
    labels: list[frozenset[str]] = []
    spaces = frozenset[str]()
    for term in _AND.split(cql):
        found = _TERM.fullmatch(term)
        if found is None:
            return None
        values = found["many"].split(",") if found["many"] is not None else [found["one"]]
        wanted = frozenset(value.strip().strip("\"'") for value in values if value.strip())
        if found["field"].lower() == "label":
            labels.append(frozenset(label.lower() for label in wanted))
        elif found["field"].lower().startswith("space"):
            keys = frozenset(space if key.lower() in _THIS_SPACE else key for key in wanted)
            spaces = spaces & keys if spaces else keys
        elif wanted != {"page"}:
            return None
    return PageQuery(tuple(labels), spaces or frozenset({space})) if labels else None


def read_properties(
    root: Node, properties_id: str, mark_mentions: Callable[[Node], None], budget: Budget
) -> dict[str, str]:
    """The page properties in a tree: name to value. The first of a name counts."""
    found: dict[str, str] = {}
    for node in root.below():
        is_shown = node.name in MACROS and node.attribute("ac:name") == _PROPERTIES
        if is_shown and properties_id in {"", node.parameter("id")}:
            mark_mentions(node)
            for table in (below for below in node.below() if below.name == "table"):
                for name, value in _read_pairs(table_rows(table, budget), budget):
                    found.setdefault(name, value)
    return found


def _read_pairs(rows: list[list[Node]], budget: Budget) -> Iterator[tuple[str, str]]:
    """Of a table with a header row its first row, of another one the rows with a name and a value."""
    texts = [[_cell_text(cell, budget) for cell in row] for row in rows]
    if len(rows) > 1 and len(rows[0]) > 1 and all(cell.name == "th" for cell in rows[0]):
        yield from ((name, value) for name, value in zip(texts[0], texts[1], strict=False) if name)
        return
    for row in texts:
        if len(row) > 1 and row[0]:
            yield row[0].rstrip(": "), row[1]


def _cell_text(cell: Node, budget: Budget) -> str:
    return shorten(_join_lines(inline.inline(cell, budget)), _VALUE_CHARACTERS)


def _join_lines(text: str) -> str:
    return ", ".join(line.strip() for line in text.split("\n") if line.strip())
