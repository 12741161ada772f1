"""Makes evidences of what a page shows of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from core.errors import PageOverBudget
from core.evidence.budget import Budget
from core.evidence.groups import ExtractionSettings, Numbers, make_groups, make_row_group
from core.evidence.inclusions import MOST_LEVELS, Inclusion, find_inclusions
from core.evidence.people import PeopleOnPage
from core.evidence.placing import add_heading_texts, make_evidences, tidy_title, without_byline
from core.evidence.reader import read_blocks
from core.evidence.reports import Report, read_properties
from core.evidence.storage_format import parse
from core.evidence.tasks import complete_tasks
from core.evidence.tree import Node
from core.languages import Language
from core.model import Evidence, Page, PageQuery, PageReference

_MOST_INCLUDED = 2_000_000  # characters of storage format that one page shows of others
_MOST_READ = 200  # times that another page is read for one page
_MOST_REPORTED = 20_000_000  # characters of storage format in which the reports of one page look for properties
_CHILD_PAGE: Mapping[Language, str] = {"en": "Child page", "de": "Unterseite"}


@dataclass(slots=True)
class InclusionReader:
    """Makes evidences of what a page shows of others, each within its own budget.

    Their context has nothing of the page but its title and headings, and no text of the page has them as its context.
    ``numbers``, ``ordinal``: of tables, lists and evidences before the next inclusion.
    """

    page: Page
    people: PeopleOnPage
    settings: ExtractionSettings
    budget: Budget
    numbers: Numbers
    ordinal: int
    over_budget: int = 0
    _characters: int = 0
    _read_pages: int = 0

    def read(self, inclusion: Inclusion, included: Mapping[PageReference, Page]) -> Iterator[Evidence]:
        """The evidences of an inclusion and of those in it; none where there is not what it should show."""
        origin = included.get(inclusion.reference)
        path = (self.page.page_id, *inclusion.section.via)
        if origin is None or origin.page_id in path:
            return
        budget = self.budget.for_included(origin)
        self._characters += len(origin.content)
        self._read_pages += 1
        try:
            if self._characters > _MOST_INCLUDED or self._read_pages > _MOST_READ:
                raise PageOverBudget("It includes too much of other pages")
            content = inclusion.find_content(parse(origin.content, budget).root)
            placed = self._read(inclusion, content, origin, budget) if content is not None else []
        except PageOverBudget:
            self.over_budget += 1
            return
        yield from placed
        if content is None or len(path) >= MOST_LEVELS:
            return
        section = replace(inclusion.section, via=(*inclusion.section.via, origin.page_id))
        for nested in find_inclusions(content, origin, lambda _: "", budget):
            yield from self.read(replace(nested, section=section), included)

    def _read(self, inclusion: Inclusion, content: Node, origin: Page, budget: Budget) -> list[Evidence]:
        self.people.mark_mentions(content)
        complete_tasks(content, lambda: self.people.language)
        blocks = list(add_heading_texts(without_byline(read_blocks(content, budget))))
        above, anchor = inclusion.section, inclusion.section.anchor
        path = (*above.heading_path, tidy_title(origin.title))
        section = replace(above, heading_path=path, origin=origin.page_id)
        groups = list(make_groups(blocks, lambda _: anchor, self.settings, budget, section, self.numbers))
        placed = list(make_evidences(groups, self.page, self.settings, budget, self.ordinal))
        self.numbers += Numbers.after(blocks)
        self.ordinal += len(placed)
        return placed


@dataclass(frozen=True, slots=True)
class ReportedPages:
    """The pages of a report, without ``more`` that it would show if it were not limited."""

    pages: tuple[Page, ...] = ()
    more: int = 0


@dataclass(frozen=True, slots=True)
class ShownPages:
    """What a page shows something of: other pages by how it names them, and those of its reports."""

    included: Mapping[PageReference, Page] = field(default_factory=dict)
    reported: Mapping[PageQuery, ReportedPages] = field(default_factory=dict)


@dataclass(slots=True)
class ReportReader:
    """Makes evidences of the rows of reports, each from another page and so with readers of its own.

    No row is another one's context. ``numbers``, ``ordinal``: of tables, lists and evidences before the next report.
    ``left_out``: how many pages have no row, because reports are limited.
    """

    page: Page
    people: PeopleOnPage
    settings: ExtractionSettings
    budget: Budget
    numbers: Numbers
    ordinal: int
    left_out: int = 0
    _characters: int = 0

    def read(self, report: Report, reported: ReportedPages) -> list[Evidence]:
        """The evidences of a report."""
        rows: list[tuple[Page, dict[str, str]]] = []
        left_out = reported.more
        for origin in reported.pages:
            try:
                properties = self._read_properties(report, origin)
            except PageOverBudget:
                left_out += 1
                continue
            if properties or not report.with_properties:
                rows.append((origin, properties))
        titles = [(tidy_title(origin.title), properties) for origin, properties in rows]
        report = replace(report, title_column=report.title_column or _CHILD_PAGE[self.people.language])
        table = report.make_table(self.numbers.tables + 1, titles)
        total = len(rows) + left_out
        found: list[Evidence] = []
        for (origin, _), row in zip(rows, table.rows, strict=True):
            budget = self.budget.for_included(origin)
            section = replace(report.section, origin=origin.page_id)
            group = make_row_group(section, table, row, total, self.settings, budget)
            found += make_evidences([group], self.page, self.settings, budget, self.ordinal + len(found))
        self.numbers += Numbers(tables=1)
        self.ordinal += len(found)
        self.left_out += left_out
        return found

    def _read_properties(self, report: Report, origin: Page) -> dict[str, str]:
        if not report.with_properties:
            return {}
        budget = self.budget.for_included(origin)
        self._characters += len(origin.content)
        if self._characters > _MOST_REPORTED:
            raise PageOverBudget("It reports on too much")
        root = parse(origin.content, budget).root
        return read_properties(root, report.properties_id, self.people.mark_mentions, budget)
