"""Gathers what an answer needs besides the retrieved evidences, in the order of :mod:`core.gathering`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from core.evidence.contextualise import ContextMode
from core.gathering.additional_evidences import (
    add_months_of_pages,
    add_page_facts,
    add_rest_of_page,
    add_whole_tables,
)
from core.gathering.sections import add_sections
from core.model import RankedEvidence, Scope
from core.ports.models import WordMatcher
from core.ports.store import EvidenceStore
from core.reading.lists import add_whole_lists
from core.reading.lookup import add_tables_for_lookup
from core.reading.pages.labelled_paragraphs import add_labelled_paragraphs
from core.reading.pages.outline import add_headings
from core.trace import Stopwatch


@dataclass(frozen=True, slots=True, eq=False)
class Gatherer:
    """Adds to retrieved evidences what an answer needs. ``for_model``: a language model reads them."""

    store: EvidenceStore
    matcher: WordMatcher
    context: ContextMode  # with which evidences are embedded
    for_model: bool

    async def gather_evidences(
        self, question: str, found: Sequence[RankedEvidence], scope: Scope, day: date | None, stopwatch: Stopwatch
    ) -> list[RankedEvidence]:
        """Return the retrieved evidences, followed by the added ones. ``day``: on which it was asked, if known."""
        store, matcher = self.store, self.matcher
        if not self.for_model:
            found = await add_rest_of_page(question, found, scope, store, matcher, self.context)
        found = await add_whole_tables(question, found, scope, store, matcher, day)
        found = await add_page_facts(question, found, scope, store)
        found = await add_headings(question, found, scope, store)
        found = await add_labelled_paragraphs(question, found, scope, store)
        found = await add_tables_for_lookup(question, found, scope, store)
        found = await add_months_of_pages(question, found, scope, store)
        if not self.for_model:
            return await add_whole_lists(found, scope, store)
        with stopwatch.measure_stage("read"):
            return await add_sections(question, found, scope, store, matcher, self.context)
