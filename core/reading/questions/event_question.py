"""Recognises questions for the time between two events: "How long from the alarm until the last kiln was cold?"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.languages import CATALOGUES, choose_catalogue, detect_language
from core.reading.questions.row_question import Operation, RowQuestion
from core.reading.words import split_words

_ASKS = re.compile(
    r"(?i)\b(?:how long|how much time|how many (?:minutes|hours|days|weeks)"
    r"|wie lange?|wie ?viel zeit|wie ?viele (?:minuten|stunden|tage|wochen))\b"
)
_STARTS = frozenset("from between after since von vom zwischen ab nach seit".split())
_ENDS = frozenset("until till to and before bis und".split())
_MOST_SPLITS = 20  # ways to divide a question into two events


def read_elapsed_time(question: str) -> RowQuestion | None:
    """Return a question for how long it took from one event to another as one for two rows; None for any other."""
    if next(split_events(question), None) is None or (language := detect_language(question)) not in CATALOGUES:
        return None
    return RowQuestion(Operation.COMPARE, choose_catalogue(language), split_words(question), (), text=question)


def split_events(question: str) -> Iterator[tuple[str, str]]:
    """Yield the texts for the two events: "from the alarm until the end" has one pair, with "and" maybe more."""
    asks = _ASKS.search(question)
    if asks is None:
        return
    tokens = question[asks.end() :].split()
    folded = [token.strip(",.?!").lower() for token in tokens]
    pairs = (
        (start, end)
        for start, word in enumerate(folded)
        if word in _STARTS
        for end in range(start + 2, len(folded) - 1)
        if folded[end] in _ENDS
    )
    for number, (start, end) in enumerate(pairs):
        if number == _MOST_SPLITS:
            return
        yield " ".join(tokens[start + 1 : end]), " ".join(tokens[end + 1 :])
