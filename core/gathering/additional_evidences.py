"""Adds to the retrieved evidences what an answer from them needs: whole tables, facts, and the rest of a page.

Retrieval finds single rows and passages. A computed answer needs all rows of the table, and a fact or a sentence may be
elsewhere on the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date

from core.evidence.contextualise import ContextMode, contextualise, hash_text
from core.model import TABLE_KINDS, TEXT_KINDS, Evidence, RankedEvidence, Scope, append_evidences
from core.ports.models import WordMatcher
from core.ports.store import EvidenceStore
from core.reading.compute import find_meant_relations
from core.reading.pages.facts import find_facts
from core.reading.pages.page_question import find_titles, read_page_question
from core.reading.pages.replacements import is_replacement_note
from core.reading.plans.tasks import asks_for_state, is_task_list
from core.reading.questions.readers import read_question_for_all_rows
from core.reading.questions.schedule_question import read_schedule_question
from core.wording.identifiers import IdentifierForm, SearchedText, find_identifiers
from core.wording.word_matches import has_terms, list_name_terms

_MOST_OF_PAGE = 3  # passages and lists of the first page that are added
_MOST_NOTES = 2  # on the first page, of being replaced or replacing another one
_NEARLY = 0.96  # of the best match of its retrieved evidences
_BESIDE = 0.85  # the same for a text beside a retrieved table: the rows match by its words, and by their own
_NAMES_ROW = 0.6  # the same for a text that has the name of the best row: it may share no other word with the question
_BESIDE_CHARS = 60  # of the text beside a table that are compared
_PAGES_OF_TABLES = 4  # best pages; in measurements no table of a later page was asked for


async def add_whole_tables(
    question: str,
    evidences: Sequence[RankedEvidence],
    scope: Scope,
    store: EvidenceStore,
    matcher: WordMatcher,
    day: date | None = None,
) -> list[RankedEvidence]:
    """Return the evidences, followed by the other pieces of the table or list from which the question can be answered.

    Retrieval returns single rows and a part of a long table, from which nothing can be counted. If several tables may
    be meant, all are added, since with one of them alone that could not be seen.

    The task lists of a page are read as one. If a question asks for the state of tasks, each page of which one was
    retrieved gets all of them, whatever its rank, since a part of them says nothing about the page.
    """
    row_question = read_question_for_all_rows(question)
    if row_question is None and read_schedule_question(question, day) is None:
        return list(evidences)
    ranks = _find_page_ranks(evidences)
    pages = list(ranks)[:_PAGES_OF_TABLES]
    with_tasks = (
        {each.evidence.page_id for each in evidences if is_task_list(each.evidence)}
        if row_question and asks_for_state(row_question)
        else set[str]()
    )
    blocks = await store.load_tables_and_lists([*pages, *(with_tasks - set(pages))], scope)
    passages = [ranked for ranked in evidences if ranked.evidence.kind == "passage"]
    found = [*passages, *(RankedEvidence(each, ranks[each.page_id], 0.0) for each in blocks)]
    relations = await find_meant_relations(question, found, matcher, day)
    needed = {
        ranked.evidence.evidence_id: ranked.evidence
        for each in relations
        for row in each.rows_of_page
        for ranked, _ in row.sources
    }
    needed |= {each.evidence_id: each for each in blocks if each.page_id in with_tasks and is_task_list(each)}
    return append_evidences(evidences, needed.values())


async def add_page_facts(
    question: str, evidences: Sequence[RankedEvidence], scope: Scope, store: EvidenceStore
) -> list[RankedEvidence]:
    """Return the evidences, followed by the facts of the page that the question is about.

    Pages are also looked up by title, because a page without text of its own has no other evidence.
    """
    page_question = read_page_question(question)
    if page_question is None:
        return list(evidences)
    ranks = _find_page_ranks(evidences)
    facts = await store.find_facts(ranks.keys(), find_titles(page_question), scope)
    found = [RankedEvidence(each, ranks.get(each.page_id, len(evidences) + 1), 0.0) for each in facts]
    needed = await asyncio.to_thread(find_facts, page_question, [*evidences, *found])
    return append_evidences(evidences, [ranked.evidence for ranked in needed])


async def add_months_of_pages(
    question: str, evidences: Sequence[RankedEvidence], scope: Scope, store: EvidenceStore
) -> list[RankedEvidence]:
    """Return the evidences, followed by facts of their pages that have a month of the question which no evidence has.

    "The charter of May 2016" may have its month only in the date of its last change.
    """
    texts = [SearchedText.of(ranked.evidence) for ranked in evidences]
    months = [
        each
        for each in find_identifiers(question)
        if each.form is IdentifierForm.MONTH and not any(text.has(each) for text in texts)
    ]
    if not months:
        return list(evidences)
    facts = await store.find_facts({ranked.evidence.page_id for ranked in evidences}, (), scope)
    needed = [each for each in facts if any(SearchedText.of(each).has(month) for month in months)]
    return append_evidences(evidences, needed)


async def add_rest_of_page(
    question: str,
    evidences: Sequence[RankedEvidence],
    scope: Scope,
    store: EvidenceStore,
    matcher: WordMatcher,
    context: ContextMode,
) -> list[RankedEvidence]:
    """Return the evidences, followed by passages and lists of the first page that match the question nearly as well.

    And by what that page says of being replaced or replacing another one, since both match a question alike.

    Retrieval returns few evidences of a page, so that other pages have room. What answers may stand in another one:
    a sentence above a table of which it returned three rows. They are compared by late interaction with stored vectors;
    ``context``: with which evidences are embedded.
    """
    if not evidences:
        return []
    first = evidences[0].evidence.page_id
    known = {ranked.evidence.evidence_id for ranked in evidences}
    own = [ranked.evidence for ranked in evidences if ranked.evidence.page_id == first]
    texts = [each for each in await store.load_texts([first], scope) if each.kind in TEXT_KINDS]
    others = [each for each in texts if each.evidence_id not in known]
    hashes = {each.evidence_id: hash_text(contextualise(each, context)) for each in (*own, *others)}
    totals = await matcher.match_stored(question, set(hashes.values())) if others else {}
    best = max((totals.get(hashes[each.evidence_id], 0.0) for each in own), default=0.0)
    matching = [(totals[hashes[each.evidence_id]], each) for each in others if hashes[each.evidence_id] in totals]
    near = [pair for pair in matching if pair[0] >= best * _find_least_share(pair[1], own)]
    matching = sorted(near, key=lambda pair: -pair[0])[:_MOST_OF_PAGE]
    score = min(ranked.score for ranked in evidences)
    notes = [each for each in others if is_replacement_note(each)][:_MOST_NOTES]
    added = dict.fromkeys((*(each for _, each in matching), *notes))
    return append_evidences(evidences, added, score)


def _find_page_ranks(evidences: Sequence[RankedEvidence]) -> dict[str, int]:
    """Return the rank of the best evidence of each page, best pages first."""
    ranks: dict[str, int] = {}
    for ranked in evidences:
        ranks.setdefault(ranked.evidence.page_id, ranked.rank)
    return ranks


def _find_least_share(text: Evidence, retrieved: Sequence[Evidence]) -> float:
    """Return how well a text has to match, as a share of the best match of its page's retrieved evidences."""
    if _names_row(text.text, retrieved[0]):
        return _NAMES_ROW
    return _BESIDE if _is_beside_table(text, retrieved) else _NEARLY


def _names_row(text: str, evidence: Evidence) -> bool:
    """Whether a text has the name of the row that an evidence is: "M3 is late because …" of the milestone M3."""
    is_row = evidence.kind == "table_row" and bool(evidence.rows)
    return is_row and has_terms(text, list_name_terms(evidence.rows[0][0][1]))


def _is_beside_table(text: Evidence, retrieved: Sequence[Evidence]) -> bool:
    """Whether a text stands right after or before a retrieved table or row, so that it may be found by this text."""
    said = " ".join(text.text.split())
    begin, end = said[:_BESIDE_CHARS], said[-_BESIDE_CHARS:]
    tables = (each.context for each in retrieved if each.kind in TABLE_KINDS)
    return any(
        " ".join(context.after.split()).startswith(begin) or " ".join(context.before.split()).endswith(end)
        for context in tables
    )
