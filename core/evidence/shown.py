"""Makes evidences of what a page shows of others."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import PageOverBudget
from core.evidence.budget import Budget
from core.evidence.groups import ExtractionSettings, Numbers, Section, make_groups
from core.evidence.inclusions import Inclusion
from core.evidence.people import PeopleOnPage
from core.evidence.placing import add_heading_texts, make_evidences, tidy_title, without_byline
from core.evidence.reader import read_blocks
from core.evidence.storage_format import parse
from core.evidence.tasks import complete_tasks
from core.model import Evidence, Page

_MOST_INCLUDED = 2_000_000  # characters of storage format that one page shows of others


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

    def read(self, inclusion: Inclusion, origin: Page) -> list[Evidence]:
        """The evidences of an inclusion; none where the other page does not have what it should show."""
        budget = self.budget.for_included(origin)
        self._characters += len(origin.content)
        try:
            if self._characters > _MOST_INCLUDED:
                raise PageOverBudget("It includes too much of other pages")
            return self._read(inclusion, origin, budget)
        except PageOverBudget:
            self.over_budget += 1
            return []

    def _read(self, inclusion: Inclusion, origin: Page, budget: Budget) -> list[Evidence]:
        root = parse(origin.content, budget).root
        content = inclusion.find_content(root)
        if content is None:
            return []
        self.people.mark_mentions(content)
        complete_tasks(content, lambda: self.people.language)
        blocks = list(add_heading_texts(without_byline(read_blocks(content, budget))))
        above, anchor = inclusion.section, inclusion.section.anchor
        path = (*above.heading_path, tidy_title(origin.title))
        section = Section(path, anchor, origin=origin.page_id)
        groups = list(make_groups(blocks, lambda _: anchor, self.settings, budget, section, self.numbers))
        placed = list(make_evidences(groups, self.page, self.settings, budget, self.ordinal))
        self.numbers += Numbers.after(blocks)
        self.ordinal += len(placed)
        return placed
