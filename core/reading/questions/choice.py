"""Recognises questions for the larger or smaller of two things: "what is cheaper, X or Y"."""

from __future__ import annotations

import re
from dataclasses import replace

from core.languages import CATALOGUES, choose_catalogue, detect_language
from core.reading.questions.comparison import compile_phrases, is_comparison
from core.reading.questions.limits import take_bounds
from core.reading.questions.question import UNREAD, find_negation
from core.reading.questions.row_question import MOST_WORDS, Operation, RowQuestion
from core.reading.questions.superlatives import find_hints, find_order
from core.reading.words import split_words
from core.text_caches import cache_texts

_SUPERLATIVE_OF = {
    comparative: superlative
    for superlative, comparatives in (
        ("heaviest", "heavier schwerer"), ("lightest", "lighter leichter"), ("longest", "longer länger"),
        ("shortest", "shorter kürzer"), ("tallest", "taller"), ("highest", "higher höher"),
        ("lowest", "lower niedriger"), ("largest", "larger bigger greater größer"), ("smallest", "smaller kleiner"),
        ("fastest", "faster quicker schneller"), ("slowest", "slower langsamer"), ("most expensive", "teurer"),
        ("cheapest", "cheaper billiger günstiger"), ("oldest", "older älter"), ("latest", "newer later neuer später"),
        ("earliest", "earlier früher"), ("most", "more mehr"), ("least", "less fewer weniger"),
    )
    for comparative in comparatives.split()
} | {"more expensive": "most expensive", "less expensive": "least expensive"}  # fmt: skip
"""A comparative asks of two things what its superlative asks of all."""
_COMPARATIVE = compile_phrases(
    rf"(?P<comparative>{'|'.join(sorted(_SUPERLATIVE_OF, key=len, reverse=True))})(?:e[nrsm]?)?"
)
_OR = compile_phrases("or", "oder")
_OR_COMPARATIVE = re.compile(rf"{_OR.pattern} {_COMPARATIVE.pattern.removeprefix('(?i)')}")
"""An "or" that offers no choice, but is part of a limit ("5 or more") or about one thing ("older or newer")."""
_NO_CHOICE = compile_phrases("than", "als", "there", "gibt")


@cache_texts(64)
def read_choice(question: str) -> RowQuestion | None:
    """Return a question for the larger or smaller of two things: "what is cheaper, X or Y"; None for any other."""
    found = list(_COMPARATIVE.finditer(question))
    if len(found) != 1 or len(_OR.findall(question)) != 1 or len(split_words(question)) > MOST_WORDS:
        return None
    if any(each.search(question) for each in (_OR_COMPARATIVE, _NO_CHOICE, UNREAD)) or is_comparison(question):
        return None
    language = detect_language(question)
    order = find_order(_SUPERLATIVE_OF[found[0]["comparative"].lower()])
    if language not in CATALOGUES or order is None or find_negation(question):
        return None
    spoken = choose_catalogue(language)
    if take_bounds(question, spoken)[0]:
        return None
    _, choice, superlative = order
    if not superlative.hints:  # "costs more"
        superlative = replace(superlative, hints=find_hints(question))
    words = split_words(_COMPARATIVE.sub(" ", question))
    return RowQuestion(Operation.COMPARE, spoken, words, (), superlative, text=question, choice=choice)
