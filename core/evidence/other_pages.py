"""Makes evidences of what a page shows of other pages: inclusions and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.errors import PageOverBudget
from core.evidence.budget import Budget
from core.evidence.groups import BlockCounts, make_row_group
from core.evidence.inclusions import MOST_LEVELS, Inclusion, find_inclusions
from core.evidence.make_evidences import PageEvidences, add_heading_texts, drop_byline, tidy_title
from core.evidence.reports import Report, read_properties
from core.evidence.storage_format import parse
from core.evidence.tree import Node
from core.languages import Language
from core.model import Page, PageQuery, PageReference

_MOST_INCLUDED = 2_000_000  # characters of storage format of all pages that one page includes
_MOST_READ = 200  # inclusions of one page, direct and nested
_MOST_REPORTED = 20_000_000  # characters of storage format that the reports of one page search for properties
_CHILD_PAGE: Mapping[Language, str] = {"en": "Child page", "de": "Unterseite"}


@dataclass(slots=True)
class InclusionReader:
    """Adds the evidences of the pages that a page includes, each within its own budget.

    Their context has only the title and headings of the including page, and they are no context of its own text.
    """

    evidences: PageEvidences
    over_budget: int = 0
    _characters: int = 0
    _read_pages: int = 0

    def read(self, inclusion: Inclusion, included: Mapping[PageReference, Page]) -> None:
        """Add the evidences of an inclusion and of the inclusions in it; none if the included page is missing."""
        origin = included.get(inclusion.reference)
        path = (self.evidences.page.page_id, *inclusion.section.via)
        if origin is None or origin.page_id in path:
            return
        budget = self.evidences.budget.make_inclusion_budget(origin)
        self._characters += len(origin.content)
        self._read_pages += 1
        try:
            if self._characters > _MOST_INCLUDED or self._read_pages > _MOST_READ:
                raise PageOverBudget("It includes too much of other pages")
            content = inclusion.find_content(parse(origin.content, budget).root)
            if content is not None:
                self._read(inclusion, content, origin, budget)
        except PageOverBudget:
            self.over_budget += 1
            return
        if content is None or len(path) >= MOST_LEVELS:
            return
        section = replace(inclusion.section, via=(*inclusion.section.via, origin.page_id))
        for nested in find_inclusions(content, origin, lambda _: "", budget):
            self.read(replace(nested, section=section), included)

    def _read(self, inclusion: Inclusion, content: Node, origin: Page, budget: Budget) -> None:
        blocks = list(add_heading_texts(drop_byline(self.evidences.read_blocks(content, budget))))
        above, anchor = inclusion.section, inclusion.section.anchor
        path = (*above.heading_path, tidy_title(origin.title))
        section = replace(above, heading_path=path, origin=origin.page_id)
        self.evidences.add(self.evidences.make_groups(blocks, budget, section, lambda _: anchor), budget)
        self.evidences.numbers += BlockCounts.from_blocks(blocks)


@dataclass(frozen=True, slots=True)
class ReportedPages:
    """The pages that a report shows."""

    pages: tuple[Page, ...] = ()
    more: int = 0  # the number of further pages beyond the limit


@dataclass(frozen=True, slots=True)
class OtherPages:
    """The other pages that a page includes and reports on."""

    included: Mapping[PageReference, Page] = field(default_factory=dict)
    reported: Mapping[PageQuery, ReportedPages] = field(default_factory=dict)


@dataclass(slots=True)
class ReportReader:
    """Adds the evidences of reports: one row per page, since each row has the readers of its page.

    Rows are no context of each other.
    """

    evidences: PageEvidences
    left_out: int = 0  # pages without a row, because of limits
    _characters: int = 0

    def read(self, report: Report, reported: ReportedPages) -> None:
        """Add the evidences of a report."""
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
        report = replace(report, title_column=report.title_column or _CHILD_PAGE[self.evidences.mentions.language])
        table = report.make_table(self.evidences.numbers.tables + 1, titles)
        total = len(rows) + left_out
        for (origin, _), row in zip(rows, table.rows, strict=True):
            budget = self.evidences.budget.make_inclusion_budget(origin)
            section = replace(report.section, origin=origin.page_id)
            group = make_row_group(section, table, row, total, self.evidences.settings, budget)
            self.evidences.add([group], budget)
        self.evidences.numbers += BlockCounts(tables=1)
        self.left_out += left_out

    def _read_properties(self, report: Report, origin: Page) -> dict[str, str]:
        if not report.with_properties:
            return {}
        budget = self.evidences.budget.make_inclusion_budget(origin)
        self._characters += len(origin.content)
        if self._characters > _MOST_REPORTED:
            raise PageOverBudget("It reports on too much")
        root = parse(origin.content, budget).root
        return read_properties(root, report.properties_id, self.evidences.mentions.mark_mentions, budget)
