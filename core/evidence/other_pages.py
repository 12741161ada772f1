"""Makes evidences of what a page shows of other pages: inclusions and reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from core.errors import PageOverBudget
from core.evidence.budget import Budget
from core.evidence.groups import BlockCounts, make_groups, make_row_group
from core.evidence.inclusions import MOST_LEVELS, Inclusion, find_inclusions
from core.evidence.make_evidences import PartReader, add_heading_texts, drop_byline, tidy_title
from core.evidence.reader import read_blocks
from core.evidence.reports import Report, read_properties
from core.evidence.storage_format import parse
from core.evidence.tasks import complete_tasks
from core.evidence.tree import Node
from core.languages import Language
from core.model import Evidence, Page, PageQuery, PageReference

_MOST_INCLUDED = 2_000_000  # characters of storage format of all pages that one page includes
_MOST_READ = 200  # inclusions of one page, direct and nested
_MOST_REPORTED = 20_000_000  # characters of storage format that the reports of one page search for properties
_CHILD_PAGE: Mapping[Language, str] = {"en": "Child page", "de": "Unterseite"}


@dataclass(slots=True)
class InclusionReader(PartReader):
    """Makes the evidences of the pages that a page includes, each within its own budget.

    Their context has only the title and headings of the including page, and they are no context of its own text.
    """

    over_budget: int = 0
    _characters: int = 0
    _read_pages: int = 0

    def read(self, inclusion: Inclusion, included: Mapping[PageReference, Page]) -> Iterator[Evidence]:
        """Yield the evidences of an inclusion and of the inclusions in it; none if the included page is missing."""
        origin = included.get(inclusion.reference)
        path = (self.page.page_id, *inclusion.section.via)
        if origin is None or origin.page_id in path:
            return
        budget = self.budget.make_inclusion_budget(origin)
        self._characters += len(origin.content)
        self._read_pages += 1
        try:
            if self._characters > _MOST_INCLUDED or self._read_pages > _MOST_READ:
                raise PageOverBudget("It includes too much of other pages")
            content = inclusion.find_content(parse(origin.content, budget).root)
            made = self._read(inclusion, content, origin, budget) if content is not None else []
        except PageOverBudget:
            self.over_budget += 1
            return
        yield from made
        if content is None or len(path) >= MOST_LEVELS:
            return
        section = replace(inclusion.section, via=(*inclusion.section.via, origin.page_id))
        for nested in find_inclusions(content, origin, lambda _: "", budget):
            yield from self.read(replace(nested, section=section), included)

    def _read(self, inclusion: Inclusion, content: Node, origin: Page, budget: Budget) -> list[Evidence]:
        self.people.mark_mentions(content)
        complete_tasks(content, lambda: self.people.language)
        blocks = list(add_heading_texts(drop_byline(read_blocks(content, budget))))
        above, anchor = inclusion.section, inclusion.section.anchor
        path = (*above.heading_path, tidy_title(origin.title))
        section = replace(above, heading_path=path, origin=origin.page_id)
        groups = list(make_groups(blocks, lambda _: anchor, self.settings, budget, section, self.numbers))
        made = self._make_evidences(groups, budget)
        self.numbers += BlockCounts.from_blocks(blocks)
        return made


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
class ReportReader(PartReader):
    """Makes the evidences of reports: one row per page, since each row has the readers of its page.

    Rows are no context of each other.
    """

    left_out: int = 0  # pages without a row, because of limits
    _characters: int = 0

    def read(self, report: Report, reported: ReportedPages) -> list[Evidence]:
        """Return the evidences of a report."""
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
            budget = self.budget.make_inclusion_budget(origin)
            section = replace(report.section, origin=origin.page_id)
            group = make_row_group(section, table, row, total, self.settings, budget)
            found += self._make_evidences([group], budget)
        self.numbers += BlockCounts(tables=1)
        self.left_out += left_out
        return found

    def _read_properties(self, report: Report, origin: Page) -> dict[str, str]:
        if not report.with_properties:
            return {}
        budget = self.budget.make_inclusion_budget(origin)
        self._characters += len(origin.content)
        if self._characters > _MOST_REPORTED:
            raise PageOverBudget("It reports on too much")
        root = parse(origin.content, budget).root
        return read_properties(root, report.properties_id, self.people.mark_mentions, budget)
