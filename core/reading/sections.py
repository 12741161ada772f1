"""Adds to the retrieved evidences what stands around them, for a language model: found by row, read by section.

Retrieval finds single rows and passages. What they mean stands around them: the rest of the table, the sentence that
restricts it, the section below the same heading. What is added, and in which order it matters, is decided here; how
much of it fits into a prompt is decided where the prompt is made.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.answering.focus import match_texts
from core.evidence.contextualise import ContextMode, contextualise
from core.model import Evidence, RankedEvidence, Ranking, Scope
from core.ports.models import Excerpt, WordMatcher
from core.ports.store import EvidenceStore
from core.retrieval.entries import text_hash
from core.text import content_words

_PAGES = 10  # of the best evidences
_COMPARED = 300  # passages, lists and tables of these pages, by meaning
_COMPUTED = 40  # of these, where no token vectors are stored
_COMPUTED_CHARACTERS = 1_200  # of each
_READ_CHARACTERS = 10_000  # what is added beyond that fits into no prompt
_FACTS_OF = 3  # pages
_DAMPING = 10  # of reciprocal ranks


@dataclass(frozen=True, slots=True, eq=False)
class SectionReader:
    """Adds the parts of pages that a language model needs beside the retrieved evidences."""

    evidences: EvidenceStore
    matcher: WordMatcher
    context: ContextMode = "ALL"  # with which evidences are embedded

    async def add_sections(self, question: str, found: Sequence[RankedEvidence], scope: Scope) -> list[RankedEvidence]:
        """The evidences, each with its place in what is read, and after them those that are added, with theirs.

        Both are ordered by retrieval and by late interaction alike. A list or table brings the text that introduces
        it, and the first pages bring their facts.
        """
        if not found:
            return []
        pages = list(dict.fromkeys(ranked.evidence.page_id for ranked in found))[:_PAGES]
        around = await self.evidences.page_texts(pages, scope)
        facts = {each.page_id: each for each in await self.evidences.page_facts(pages[:_FACTS_OF], (), scope)}
        known = {ranked.evidence.evidence_id for ranked in found}
        others = [each for each in around if each.evidence_id not in known]
        blocks = [*(ranked.evidence for ranked in found), *others]
        compared = await self._compare(question, blocks)
        places = {ranked.evidence.evidence_id: at for at, ranked in enumerate(found)}
        ordered = sorted(
            blocks,
            key=lambda each: -_reciprocal(places, each.evidence_id) - 2 * _reciprocal(compared, each.evidence_id),
        )
        useful = [each for each in ordered if each.evidence_id in compared or each.evidence_id in known]
        wanted = list(_add_facts(_add_introductions(useful, around), facts))
        return _rank(found, wanted)

    async def _compare(self, question: str, blocks: Sequence[Evidence]) -> dict[str, int]:
        """The places by late interaction, from 0, of the blocks that share the most words with the question."""
        texts = [_text(each) for each in blocks]
        likely = (await asyncio.to_thread(_order_by_words, question, texts))[:_COMPARED]
        hashes = {at: text_hash(contextualise(blocks[at], self.context)) for at in likely}
        stored = await self.matcher.match_stored(question, set(hashes.values()))
        totals = {at: stored[hashed] for at, hashed in hashes.items() if hashed in stored}
        lacking = [at for at in likely if at not in totals][:_COMPUTED]
        matches = await self.matcher.match_words(question, [Excerpt.whole(texts[at]) for at in lacking])
        totals |= dict(zip(lacking, matches.totals.tolist(), strict=True))
        order = sorted(totals, key=lambda at: (-totals[at], at))
        return {blocks[at].evidence_id: place for place, at in enumerate(order)}


def _text(evidence: Evidence) -> str:
    lines = (evidence.context.title, *evidence.context.heading_path[-1:], evidence.text[:_COMPUTED_CHARACTERS])
    return "\n".join(line for line in lines if line)


def _order_by_words(question: str, texts: Sequence[str]) -> list[int]:
    """The indexes of the texts, first those that have most of the question's words; rare words count more."""
    matches = np.array(match_texts(tuple(content_words(question)), texts)).reshape(len(texts), -1)
    rarity = np.log(1 + len(texts) / (1 + (matches > 0).sum(axis=0)))
    return [int(at) for at in np.argsort(-(matches @ rarity), kind="stable")]


def _reciprocal(places: dict[str, int], key: str) -> float:
    return 1 / (_DAMPING + places[key]) if key in places else 0.0


def _add_introductions(ordered: Iterable[Evidence], around: Sequence[Evidence]) -> Iterable[Evidence]:
    """Before each list and table the text right before it, where that ends with a colon."""
    before = {(each.page_id, each.ordinal): each for each in around}
    for each in ordered:
        introduction = before.get((each.page_id, each.ordinal - 1))
        if each.kind != "passage" and introduction is not None and introduction.text.endswith(":"):
            yield introduction
        yield each


def _add_facts(ordered: Iterable[Evidence], facts: dict[str, Evidence]) -> Iterable[Evidence]:
    """After the first evidence of a page its facts."""
    left = dict(facts)
    for each in ordered:
        yield each
        if each.page_id in left:
            yield left.pop(each.page_id)


def _rank(found: Sequence[RankedEvidence], wanted: Iterable[Evidence]) -> list[RankedEvidence]:
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
                added.append(RankedEvidence(evidence, rank, 0.0, read=ranks[evidence.evidence_id]))
    return [*(replace(ranked, read=ranks[ranked.evidence.evidence_id]) for ranked in found), *added]
