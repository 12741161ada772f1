"""Measures of retrieval and answers over judged questions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core.answering.answerer import UNSUPPORTED, is_answered_without_model
from core.completion.generative import is_completed_without_model
from core.model import Turn
from core.text import STOPWORDS, list_words
from core.wording.quotations import CITATION_MARK, strip_citations
from evaluation.questions import GoldQuestion, parse_page_number
from evaluation.relevance import Relevance

_ARTICLES = frozenset({"a", "an", "the"})
_MARKS_OF_A_STATEMENT = re.compile(rf"(?:{CITATION_MARK})+|{re.escape(UNSUPPORTED)}")


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A question with its turn. ``rank``: of the first evidence from a gold page, from 1; None if there is none."""

    gold: GoldQuestion
    turn: Turn
    rank: int | None
    literal_first: bool  # whether the first evidence's URL equals a gold URL exactly
    relevance: Relevance | None = None  # set if a language model judged the answer

    def is_gold(self, url: str) -> bool:
        """Whether the URL of an evidence or citation belongs to a gold page."""
        return parse_page_number(url.partition("#")[0]) in {parse_page_number(gold) for gold in self.gold.gold_urls}


def judge(gold: GoldQuestion, turn: Turn) -> JudgedQuestion:
    """Judge a turn. Pages are compared by number, since gold URLs differ from the pages' URLs in punctuation."""
    numbers = {parse_page_number(url) for url in gold.gold_urls}
    found = [parse_page_number(ranked.evidence.url.partition("#")[0]) for ranked in turn.evidences]
    rank = next((place for place, number in enumerate(found, start=1) if number in numbers), None)
    first = turn.evidences[0].evidence.url.partition("#")[0] if turn.evidences else ""
    return JudgedQuestion(gold, turn, rank, first in gold.gold_urls)


def p_at_1(judged: Sequence[JudgedQuestion]) -> float:
    """Share of questions whose first evidence is from a gold page (P@1)."""
    return mean([item.rank == 1 for item in judged])


def hit_at_10(judged: Sequence[JudgedQuestion]) -> float:
    """Share of questions with a gold page among the first ten evidences."""
    return mean([item.rank is not None and item.rank <= 10 for item in judged])


def mrr_at_10(judged: Sequence[JudgedQuestion]) -> float:
    """Mean of 1 / rank of the first gold page; 0 for ranks beyond ten."""
    return mean([1 / item.rank if item.rank is not None and item.rank <= 10 else 0.0 for item in judged])


def literal_p_at_1(judged: Sequence[JudgedQuestion]) -> float:
    """P@1 with URLs compared exactly, as in the RAGonite paper."""
    return mean([item.literal_first for item in judged])


def measure_refused(judged: Sequence[JudgedQuestion]) -> float:
    """Share of questions answered with "not found"."""
    return mean([not item.turn.answer.answered for item in judged])


def measure_cited_gold(judged: Sequence[JudgedQuestion]) -> float:
    """Share of the answered questions whose first citation is from a gold page."""
    answered = [item for item in judged if item.turn.answer.citations]
    return mean([item.is_gold(item.turn.answer.citations[0].url) for item in answered])


def contains_answer(judged: Sequence[JudgedQuestion]) -> float:
    """Mean share of the gold answer's content words, without the question's, that the answer has; 0 for refusals."""
    return mean([_containment(item) for item in judged if item.gold.gold_answer])


def _containment(item: JudgedQuestion) -> float:
    if not item.turn.answer.answered:
        return 0.0
    gold = _content_words(item.gold.gold_answer) - _content_words(item.gold.human_completed)
    gold = gold or _content_words(item.gold.gold_answer)
    return len(gold & _content_words(item.turn.answer.text)) / len(gold) if gold else 1.0


def _content_words(text: str) -> set[str]:
    return {word for word in list_words(text) if word not in STOPWORDS}


def mean(values: Sequence[float]) -> float:
    """Return the mean rounded to four places; 0 of no values."""
    return round(sum(values) / len(values), 4) if values else 0.0


def group_by_label(judged: Iterable[JudgedQuestion]) -> dict[str, dict[str, list[JudgedQuestion]]]:
    """Group the questions by language, turn, and each label of the set: {"language": {"en": […]}, "source": …}."""
    groups: dict[str, dict[str, list[JudgedQuestion]]] = defaultdict(lambda: defaultdict(list))
    for item in judged:
        labels = (("language", item.gold.language), *item.gold.labels, ("turn", str(item.gold.turn)))
        for name, value in labels:
            groups[name][value].append(item)
    return {name: dict(sorted(values.items(), key=_natural)) for name, values in groups.items()}


def _natural(item: tuple[str, object]) -> tuple[int, str]:
    return (int(item[0]) if item[0].isdecimal() else 0, item[0])


def token_f1(judged: Sequence[JudgedQuestion]) -> float:
    """Mean token F1 of the answers against the gold answers, over questions with a gold answer; 0 for refusals.

    As in SQuAD (Rajpurkar et al., 2016), case, punctuation and English articles are ignored. Gold answers are English,
    so right German answers score low too: compare German figures only with German ones. Answers that quote whole
    sentences score low, since every word that the gold answer lacks costs precision.
    """
    return mean([f1(_answer_text(item), item.gold.gold_answer) for item in judged if item.gold.gold_answer])


def _answer_text(item: JudgedQuestion) -> str:
    return strip_citations(item.turn.answer.text) if item.turn.answer.answered else ""


def f1(text: str, gold: str) -> float:
    """Return the token F1: 2 · shared words / words of both texts. A repeated word is shared as often as in both."""
    said, wanted = _tokens(text), _tokens(gold)
    total = said.total() + wanted.total()
    return 2 * (said & wanted).total() / total if total else 1.0


def _tokens(text: str) -> Counter[str]:
    return Counter(word for word in list_words(text) if word not in _ARTICLES)


def citation_precision(judged: Sequence[JudgedQuestion]) -> float:
    """Share of citations from a gold page, over all citations of the answered questions."""
    return mean([item.is_gold(cited.url) for item in judged for cited in item.turn.answer.citations])


def measure_unsupported_statements(judged: Sequence[JudgedQuestion]) -> float:
    """Share of the answers' statements that are marked as unsupported by any source."""
    answers = [item.turn.answer.text for item in judged if item.turn.answer.answered]
    marks = [found[0] for text in answers for found in _MARKS_OF_A_STATEMENT.finditer(text)]
    return mean([mark == UNSUPPORTED for mark in marks])


def fell_back(turns: Iterable[Turn]) -> int:
    """Return the number of turns that were completed or answered without the language model because it failed."""
    return sum(is_answered_without_model(turn.trace) or is_completed_without_model(turn.trace) for turn in turns)


def summarise_judgements(judged: Sequence[JudgedQuestion]) -> dict[str, Any]:
    """Return the mean of the judge's scores (None without scores), the numbers of judged and unjudged, and reasons."""
    unjudged = Counter(item.relevance.reason for item in judged if item.relevance and item.relevance.score is None)
    return {
        **_scores(judged),
        "reasons": dict(unjudged.most_common()),
        "by": {
            name: {value: _scores(items) for value, items in values.items()}
            for name, values in group_by_label(judged).items()
        },
    }


def _scores(judged: Sequence[JudgedQuestion]) -> dict[str, float | int | None]:
    found = [item.relevance for item in judged if item.relevance]
    scores = [relevance.score for relevance in found if relevance.score is not None]
    return {"mean": mean(scores) if scores else None, "judged": len(scores), "unjudged": len(found) - len(scores)}
