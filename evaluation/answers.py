"""Measures of answers: their words, their citations, and what was answered without the language model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from core.answering.answerer import fell_back as answered_without
from core.citations import UNSUPPORTED
from core.completion.generative import fell_back as completed_without
from core.model import Turn
from core.text import words
from evaluation.measures import Judged, group_by_label, mean
from evaluation.relevance import without_marks

_ARTICLES = frozenset({"a", "an", "the"})
_MARKS_OF_A_STATEMENT = re.compile(rf"(?:\[\d{{1,3}}\])+|{re.escape(UNSUPPORTED)}")


def token_f1(judged: Sequence[Judged]) -> float:
    """Mean F1 of the answers' words against the gold answers', over questions that have one; 0 where refused.

    As in SQuAD (Rajpurkar et al., 2016) without case, punctuation and the English articles. Gold answers are English,
    so German answers score low however right they are: compare German figures with German ones only. Answers that
    quote whole sentences score low too, since every word beyond the gold answer costs precision.
    """
    asked = [item for item in judged if item.gold.gold_answer]
    return mean([f1(_said(item), item.gold.gold_answer) for item in asked])


def _said(item: Judged) -> str:
    return without_marks(item.turn.answer.text) if item.turn.answer.answered else ""


def f1(text: str, gold: str) -> float:
    """Token F1: 2 · shared words / words of both texts together, repeated words counted as often as both have them."""
    said, wanted = _tokens(text), _tokens(gold)
    total = said.total() + wanted.total()
    return 2 * (said & wanted).total() / total if total else 1.0


def _tokens(text: str) -> Counter[str]:
    return Counter(word for word in words(text) if word not in _ARTICLES)


def citation_precision(judged: Sequence[Judged]) -> float:
    """Share of all citations of the answered questions that are of a gold page, each citation counted alike."""
    return mean([item.is_gold(cited.url) for item in judged for cited in item.turn.answer.citations])


def measure_unsupported_statements(judged: Sequence[Judged]) -> float:
    """Share of the answers' statements that are marked as supported by no source."""
    answers = [item.turn.answer.text for item in judged if item.turn.answer.answered]
    marks = [mark for text in answers for mark in _MARKS_OF_A_STATEMENT.findall(text)]
    return mean([mark == UNSUPPORTED for mark in marks])


def fell_back(turns: Iterable[Turn]) -> int:
    """How many turns were completed or answered without the configured language model, because it failed them."""
    return sum(answered_without(turn.trace) or completed_without(turn.trace) for turn in turns)


def judge_summary(judged: Sequence[Judged]) -> dict[str, Any]:
    """The judge's scores: their mean (None if nothing was judged), how many there are and how many lack, and why."""
    unjudged = Counter(item.relevance.reason for item in judged if item.relevance and item.relevance.score is None)
    return {
        **_scores(judged),
        "reasons": dict(unjudged.most_common()),
        "by": {
            name: {value: _scores(items) for value, items in values.items()}
            for name, values in group_by_label(judged).items()
        },
    }


def _scores(judged: Sequence[Judged]) -> dict[str, float | int | None]:
    found = [item.relevance for item in judged if item.relevance]
    scores = [relevance.score for relevance in found if relevance.score is not None]
    return {"mean": mean(scores) if scores else None, "judged": len(scores), "unjudged": len(found) - len(scores)}
