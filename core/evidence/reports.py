"""Page properties, and the reports that show them: the query and the rows of a report.

A list of pages (by label, or below a page) is treated as a report without properties.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, starmap

from core.evidence import inline
from core.evidence.budget import Budget
from core.evidence.headings import Section
from core.evidence.inclusions import find_reference
from core.evidence.lists_and_tables import list_table_rows
from core.evidence.macros import find_macros
from core.evidence.split import shorten
from core.evidence.storage_format import parse
from core.evidence.tables import DataTable, TableRow
from core.evidence.tree import MACROS, Node
from core.model import Page, PageQuery, PageTree

_REPORT, _LIST, _PROPERTIES = "detailssummary", "contentbylabel", "details"
_CHILDREN, _TREE = "children", "pagetree"
_MACROS = frozenset({_REPORT, _LIST, _CHILDREN, _TREE})
MOST_PAGES = 1_000
"""The maximum number of rows of a report."""
_MOST = 10  # reports of one page
_MOST_COLUMNS = 30
_VALUE_CHARACTERS = 500
_MOST_LEVELS = 50
_THIS_SPACE = {"currentspace()", "@self"}
_THIS_PAGE = "@self"
_TERM = re.compile(
    r"(?P<field>label|space|space\.key|type|parent|ancestor)\s*(?:=\s*(?P<one>[^\s()]+(?:\(\))?|\"[^\"]*\")|in\s*\((?P<many>[^()]*(?:\(\)[^()]*)*)\))",
    re.IGNORECASE,
)
_AND = re.compile(r"\sand\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Report:
    """A table of other pages."""

    query: PageQuery
    section: Section
    title_column: str = "Title"  # "" for the word for "child page" in the page's language
    columns: tuple[str, ...] = ()  # names of the properties to show; () for all
    properties_id: str = ""  # show only properties with this id; "" for all
    with_properties: bool = True  # False for lists of pages

    def make_table(self, number: int, rows: Sequence[tuple[str, dict[str, str]]]) -> DataTable:
        """Return the whole table. ``number``: on its page, from 1; ``rows``: title and properties of each page."""
        names = list(dict.fromkeys(name for _, properties in rows for name in properties))
        if self.columns:
            wanted = {name.casefold(): name for name in names}
            names = [wanted[name.casefold()] for name in self.columns if name.casefold() in wanted]
        names = names[:_MOST_COLUMNS]
        found = (
            ((self.title_column, title), *((name, own[name]) for name in names if own.get(name))) for title, own in rows
        )
        return DataTable(number, (self.title_column, *names), tuple(starmap(TableRow, enumerate(found, start=1))))


def find_page_reports(page: Page, budget: Budget) -> list[Report]:
    """Return the reports of a page, without their sections."""
    if not any(f'"{name}"' in page.content for name in _MACROS):
        return []
    return find_reports(parse(page.content, budget).root, page, lambda _: "", budget)


def find_reports(root: Node, page: Page, anchor: Callable[[str], str], budget: Budget) -> list[Report]:
    """Return the first reports of a page that the store can answer, in document order."""
    return list(islice(_find_reports(root, page, anchor, budget), _MOST))


def _find_reports(root: Node, page: Page, anchor: Callable[[str], str], budget: Budget) -> Iterator[Report]:
    for name, macro, section in find_macros(root, _MACROS, anchor, budget):
        if name in {_CHILDREN, _TREE}:
            tree = _read_tree(name, macro, page)
            if tree is not None:
                yield Report(PageQuery((), frozenset(), tree), section, "", with_properties=False)
            continue
        query = _read_query(macro, page)
        if query is not None:
            columns = tuple(part.strip() for part in macro.get_parameter("headings").split(",") if part.strip())
            title = macro.get_parameter("firstcolumn") or "Title"
            yield Report(query, section, title, columns, macro.get_parameter("id"), name == _REPORT)


def _read_tree(name: str, macro: Node, page: Page) -> PageTree | None:
    """Return the tree that a list of child pages or a page tree shows; None for that of a whole space (the default)."""
    if name == _CHILDREN:
        depth = macro.get_parameter("depth")
        levels = int(depth) if depth.isdecimal() and len(depth) < 3 else 1
        levels = _MOST_LEVELS if macro.get_parameter("all") == "true" else min(max(levels, 1), _MOST_LEVELS)
        return PageTree(find_reference(macro, page.space) or page.page_id, levels)
    reference = find_reference(macro, page.space, ("root",))
    if reference is None or reference.title == _THIS_PAGE:
        return PageTree(page.page_id, _MOST_LEVELS) if reference else None
    return None if reference.title.startswith("@") else PageTree(reference, _MOST_LEVELS)


def _read_query(macro: Node, page: Page) -> PageQuery | None:
    """Return the query of a report; None if it uses conditions other than labels, spaces and ancestors."""
    space = page.space
    if cql := macro.get_parameter("cql"):
        return _read_cql(cql, page)
    labels = re.split(r"[,\s]+", macro.get_parameter("label") or macro.get_parameter("labels"))
    spaces = re.split(r"[,\s]+", macro.get_parameter("spaces")) if macro.get_parameter("spaces") else [space]
    wanted = frozenset(label.lower() for label in labels if label)
    keys = frozenset(space if key.lower() in _THIS_SPACE else key for key in spaces if key)
    return PageQuery((wanted,), keys) if wanted and keys and not any("*" in key or "@" in key for key in keys) else None


def _read_cql(cql: str, page: Page) -> PageQuery | None:
    space, tree = page.space, None
    labels: list[frozenset[str]] = []
    spaces = frozenset[str]()
    for term in _AND.split(cql):
        found = _TERM.fullmatch(term.strip())
        if found is None:
            return None
        values = found["many"].split(",") if found["many"] is not None else [found["one"]]
        wanted = frozenset(value.strip().strip("\"'") for value in values if value.strip())
        if found["field"].lower() == "label":
            labels.append(frozenset(label.lower() for label in wanted))
        elif found["field"].lower().startswith("space"):
            keys = frozenset(space if key.lower() in _THIS_SPACE else key for key in wanted)
            spaces = spaces & keys if spaces else keys
        elif found["field"].lower() in {"parent", "ancestor"}:
            if tree or len(wanted) != 1:
                return None
            (root,) = wanted
            levels = 1 if found["field"].lower() == "parent" else _MOST_LEVELS
            tree = PageTree(page.page_id if root.lower() == "currentcontent()" else root, levels)
        elif wanted != {"page"}:
            return None
    if tree:
        return PageQuery(tuple(labels), spaces, tree)
    return PageQuery(tuple(labels), spaces or frozenset({space})) if labels else None


def read_properties(
    root: Node, properties_id: str, mark_mentions: Callable[[Node], None], budget: Budget
) -> dict[str, str]:
    """Read the page properties in a tree, as name to value. The first property with a name counts."""
    found: dict[str, str] = {}
    for node in root.iterate_descendants():
        is_shown = node.name in MACROS and node.attribute("ac:name") == _PROPERTIES
        if is_shown and properties_id in {"", node.get_parameter("id")}:
            mark_mentions(node)
            for table in (below for below in node.iterate_descendants() if below.name == "table"):
                for name, value in _read_pairs(list_table_rows(table, budget), budget):
                    found.setdefault(name, value)
    return found


def _read_pairs(rows: list[list[Node]], budget: Budget) -> Iterator[tuple[str, str]]:
    """Yield names and values: the first row below a header row, or each row as a name and a value."""
    texts = [[_read_cell(cell, budget) for cell in row] for row in rows]
    if len(rows) > 1 and len(rows[0]) > 1 and all(cell.name == "th" for cell in rows[0]):
        yield from ((name, value) for name, value in zip(texts[0], texts[1], strict=False) if name)
        return
    for row in texts:
        if len(row) > 1 and row[0]:
            yield row[0].rstrip(": "), row[1]


def _read_cell(cell: Node, budget: Budget) -> str:
    lines = inline.render_text(cell, budget).split("\n")
    return shorten(", ".join(line.strip() for line in lines if line.strip()), _VALUE_CHARACTERS)
