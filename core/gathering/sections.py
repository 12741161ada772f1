"""Adds whole sections, tables and lists to the retrieved evidences, for a language model that reads them.

How much of it fits into a prompt is decided where the prompt is made, in
:mod:`core.answering.generative.prompt_sections`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from core.evidence.contextualise import ContextMode, contextualise, hash_text
from core.model import Evidence, RankedEvidence, Ranking, Scope
from core.ports.models import WordMatcher
from core.ports.store import EvidenceStore
from core.text import list_content_words
from core.wording.word_matches import match_texts

_PAGES_OF_SECTIONS = 10  # of the best evidences
_COMPARED = 300  # passages, lists and tables of these pages that are compared by meaning
_COMPUTED = 40  # of these, that are embedded because no token vectors are stored
_COMPUTED_CHARACTERS = 1_200  # of each
_READ_CHARACTERS = 10_000  # added at most; more fits into no prompt
_FACTS_OF = 3  # pages whose facts are added
_DAMPING = 10  # of reciprocal ranks


async def add_sections(
    question: str,
    found: Sequence[RankedEvidence],
    scope: Scope,
    store: EvidenceStore,
    matcher: WordMatcher,
    context: ContextMode,
) -> list[RankedEvidence]:
    """Return the evidences with their importance for reading, followed by the added ones with theirs.

    The order combines retrieval and late interaction, which counts double. A list or table brings the text that
    introduces it, and the first pages bring their facts. ``context``: with which evidences are embedded.
    """
    if not found:
        return []
    pages = list(dict.fromkeys(ranked.evidence.page_id for ranked in found))[:_PAGES_OF_SECTIONS]
    around = await store.load_texts(pages, scope)
    facts = {each.page_id: each for each in await store.find_facts(pages[:_FACTS_OF], (), scope)}
    known = {ranked.evidence.evidence_id for ranked in found}
    others = [each for each in around if each.evidence_id not in known]
    blocks = [*(ranked.evidence for ranked in found), *others]
    compared = await _compare(question, blocks, matcher, context)
    ranks = {ranked.evidence.evidence_id: at for at, ranked in enumerate(found)}
    ordered = sorted(
        blocks,
        key=lambda each: -_score_rank(ranks, each.evidence_id) - 2 * _score_rank(compared, each.evidence_id),
    )
    useful = [each for each in ordered if each.evidence_id in compared or each.evidence_id in known]
    wanted = list(_add_facts(_add_introductions(useful, around), facts))
    return _rank_for_reading(found, wanted)


async def _compare(
    question: str, blocks: Sequence[Evidence], matcher: WordMatcher, context: ContextMode
) -> dict[str, int]:
    """Return the ranks by late interaction, from 0, of the blocks that share the most words with the question."""
    texts = [_join_text(each) for each in blocks]
    likely = (await asyncio.to_thread(_order_by_words, question, texts))[:_COMPARED]
    hashes = {at: hash_text(contextualise(blocks[at], context)) for at in likely}
    stored = await matcher.match_stored(question, set(hashes.values()))
    totals = {at: stored[hashed] for at, hashed in hashes.items() if hashed in stored}
    lacking = [at for at in likely if at not in totals][:_COMPUTED]
    matches = await matcher.match_words(question, [texts[at] for at in lacking])
    totals |= dict(zip(lacking, matches.totals.tolist(), strict=True))
    order = sorted(totals, key=lambda at: (-totals[at], at))
    return {blocks[at].evidence_id: rank for rank, at in enumerate(order)}


def _join_text(evidence: Evidence) -> str:
    lines = (evidence.context.title, *evidence.context.heading_path[-1:], evidence.text[:_COMPUTED_CHARACTERS])
    return "\n".join(line for line in lines if line)


def _order_by_words(question: str, texts: Sequence[str]) -> list[int]:
    """Return the indexes of the texts, by the number of the question's words that they have; rare words count more."""
    matches = np.array(match_texts(tuple(list_content_words(question)), texts)).reshape(len(texts), -1)
    rarity = np.log(1 + len(texts) / (1 + (matches > 0).sum(axis=0)))
    return [int(at) for at in np.argsort(-(matches @ rarity), kind="stable")]


def _score_rank(ranks: dict[str, int], key: str) -> float:
    return 1 / (_DAMPING + ranks[key]) if key in ranks else 0.0


def _add_introductions(ordered: Iterable[Evidence], around: Sequence[Evidence]) -> Iterable[Evidence]:
    """Yield before each list and table the text right before it, if that ends with a colon."""
    before = {(each.page_id, each.ordinal): each for each in around}
    for each in ordered:
        introduction = before.get((each.page_id, each.ordinal - 1))
        if each.kind != "passage" and introduction is not None and introduction.text.endswith(":"):
            yield introduction
        yield each


def _add_facts(ordered: Iterable[Evidence], facts: dict[str, Evidence]) -> Iterable[Evidence]:
    """Yield the facts of a page after its first evidence."""
    left = dict(facts)
    for each in ordered:
        yield each
        if each.page_id in left:
            yield left.pop(each.page_id)


def _rank_for_reading(found: Sequence[RankedEvidence], wanted: Iterable[Evidence]) -> list[RankedEvidence]:
    ranks: dict[str, Ranking] = {}
    added: list[RankedEvidence] = []
    known = {ranked.evidence.evidence_id for ranked in found}
    characters = 0
    for evidence in wanted:
        is_new = evidence.evidence_id not in ranks
        if is_new and (characters < _READ_CHARACTERS or evidence.evidence_id in known):
            characters += len(evidence.text)
            ranks[evidence.evidence_id] = Ranking(len(ranks) + 1, 0.0)
            if evidence.evidence_id not in known:
                rank = len(found) + len(added) + 1
                added.append(RankedEvidence(evidence, rank, 0.0, for_reading=ranks[evidence.evidence_id]))
    return [*(replace(ranked, for_reading=ranks[ranked.evidence.evidence_id]) for ranked in found), *added]
