"""Adds to the evidences that were retrieved for a question what it needs beyond them.

That is the whole table or list that it is about, or the facts of the page that it names, by its title or its month.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from core.answering.identifiers import Form, SearchedText, find_identifiers
from core.model import Evidence, RankedEvidence, Scope
from core.ports.models import WordMatcher
from core.ports.store import EvidenceStore
from core.reading.compute import compute_by_meaning
from core.reading.facts import find_facts
from core.reading.page_question import find_titles, read_page_question
from core.reading.question import read_question

_PAGES = 4  # the best ones; a table on a later page has not been what was asked for


async def add_whole_tables(
    question: str, evidences: Sequence[RankedEvidence], scope: Scope, store: EvidenceStore, matcher: WordMatcher
) -> list[RankedEvidence]:
    """The evidences, and after them the other pieces of the table or list from which the question can be answered.

    Retrieval gives single rows and a part of a long table, from which nothing can be counted.
    """
    if read_question(question) is None:
        return list(evidences)
    ranks: dict[str, int] = {}
    for ranked in evidences:
        ranks.setdefault(ranked.evidence.page_id, ranked.rank)
    pages = list(ranks)[:_PAGES]
    blocks = await store.tables_and_lists(pages, scope)
    passages = [ranked for ranked in evidences if ranked.evidence.kind == "passage"]
    found = [*passages, *(RankedEvidence(each, ranks[each.page_id], 0.0) for each in blocks)]
    computed = await compute_by_meaning(question, found, matcher)
    if computed is None:
        return list(evidences)
    known = {ranked.evidence.evidence_id for ranked in evidences}
    needed = {row.ranked.evidence.evidence_id: row.ranked.evidence for row in computed.plan.relation.rows}
    added = [evidence for key, evidence in needed.items() if key not in known]
    return _append(evidences, added)


async def add_page_facts(
    question: str, evidences: Sequence[RankedEvidence], scope: Scope, store: EvidenceStore
) -> list[RankedEvidence]:
    """The evidences, and after them the facts of the page that the question is about.

    A page with nothing on it but other pages' names has no other evidence, so pages are also looked up by title.
    """
    asked = read_page_question(question)
    if asked is None:
        return list(evidences)
    ranks: dict[str, int] = {}
    for ranked in evidences:
        ranks.setdefault(ranked.evidence.page_id, ranked.rank)
    facts = await store.page_facts(ranks.keys(), find_titles(asked), scope)
    found = [RankedEvidence(each, ranks.get(each.page_id, len(evidences) + 1), 0.0) for each in facts]
    needed = await asyncio.to_thread(find_facts, asked, [*evidences, *found])
    return _append(evidences, [ranked.evidence for ranked in needed])


async def add_months_of_pages(
    question: str, evidences: Sequence[RankedEvidence], scope: Scope, store: EvidenceStore
) -> list[RankedEvidence]:
    """The evidences, and after them the facts of their pages that have a month of the question that no evidence has.

    "The charter of May 2016" may have its month nowhere but in the line that says when it was changed.
    """
    texts = [SearchedText.of(ranked.evidence) for ranked in evidences]
    months = [
        each
        for each in find_identifiers(question)
        if each.form is Form.MONTH and not any(text.has(each) for text in texts)
    ]
    if not months:
        return list(evidences)
    facts = await store.page_facts({ranked.evidence.page_id for ranked in evidences}, (), scope)
    needed = [each for each in facts if any(SearchedText.of(each).has(month) for month in months)]
    return _append(evidences, needed)


def _append(evidences: Sequence[RankedEvidence], added: Sequence[Evidence]) -> list[RankedEvidence]:
    """The evidences, and after them what was added, with the ranks that follow."""
    return [*evidences, *(RankedEvidence(each, rank, 0.0) for rank, each in enumerate(added, len(evidences) + 1))]
