"""Recognises questions for the value of one cell, and for a number that a cell may state."""

from __future__ import annotations

import re
from dataclasses import replace

from core.languages import CATALOGUES, choose_catalogue, detect_language
from core.reading.questions.question import read_count, read_question
from core.reading.questions.row_question import MOST_WORDS, Operation, RowQuestion
from core.reading.questions.superlatives import asks_price
from core.reading.questions.yes_no import is_yes_no_question
from core.reading.words import DENIALS, split_words
from core.text import split_subject
from core.text_caches import cache_texts
from core.wording.content_words import DEGREES, leave_out_light_words

_ASKS_FOR_MORE = re.compile(
    r"(?i)\b(?:why|how (?:to|do|does|did|can|could|should|is|are|was|were)|who(?:m|se)?|no|never"
    rf"|{DENIALS}|except|and|or|all|each|every|any|more|less|than|between|warum|wieso|weshalb|wer|wem|wen|wessen"
    r"|außer|und|oder|alle\w?|jede\w?|mehr|weniger|als|zwischen"
    rf"|wie (?!viele?|heißt|{'|'.join(DEGREES)})\w)\b"
)
_HOW_MANY_PEOPLE = r"(?i)\bhow many (?:people|persons|guests|colleagues|participants)"
_THING = r"(?:the |den |die |das |dem |der )?(?P<thing>[^?.!,]{1,60}?)"
_END = r"(?=\s*(?:$|[?.!(]))"
_FIT = re.compile(
    rf"{_HOW_MANY_PEOPLE} (?:can |may |could )?(?:fit|sit|find room|have room) (?:in|into|inside) {_THING}{_END}"
)
_HOLD = re.compile(
    rf"{_HOW_MANY_PEOPLE} (?:can|does|will|do) {_THING} (?:hold|seat|fit|accommodate|take|have room for)\b"
)
_PASSEN = re.compile(
    r"(?i)\bwie ?viele (?:leute|personen|menschen|gäste|kollegen|teilnehmer) "
    rf"(?:passen|haben platz|finden platz|können sitzen) (?:in|im|ins) {_THING}{_END}"
)
_IN_TOTAL = re.compile(r"(?i)(?<=\w) (?:all in all|altogether|in (?:all|total)|overall|insgesamt)(?=\s*[?.!]*$)")
_BEGINS_WITH_AND = re.compile(r"(?i)^\W*(?:and|und)\b")
"""The "and" with which a follow-up begins, and which joins nothing: "And how long does it take?"."""


@cache_texts(64)
def read_cell_question(question: str) -> RowQuestion | None:
    """Return the question for one value; None if it asks for several, for an operation on rows, or for a reason."""
    row_question = read_question(question)
    is_value = row_question is None or row_question.operation is Operation.LIST or row_question.asks_value
    if not (is_value or asks_price(question)) or is_yes_no_question(question) or asks_for_more(question):
        return None
    language, words = detect_language(question), split_words(leave_out_light_words(question))
    if language not in CATALOGUES or len(words) > MOST_WORDS:
        return None
    return RowQuestion(Operation.CELL, choose_catalogue(language), words, (), text=question)


@cache_texts(64)
def read_amount_question(question: str) -> RowQuestion | None:
    """Return a question for the number of things as one for a cell; None for any other."""
    asked = read_count(_IN_TOTAL.sub("", _ask_for_seats(question)))
    if asks_for_more(question) or asked is None or asked.bounds or asked.negated is not None or asked.is_distinct:
        return None
    return replace(asked, operation=Operation.CELL)


def _ask_for_seats(question: str) -> str:
    """Return a question for how many people fit into a thing as one for its seats, which is what a header says."""
    english = _FIT.sub(
        r"how many seats does \g<thing> have", _HOLD.sub(r"how many seats does \g<thing> have", question)
    )
    return _PASSEN.sub(r"wie viele Plätze hat \g<thing>", english)


def asks_for_more(question: str) -> bool:
    """Whether a question asks for several things, for what is denied, or for a reason: no single cell answers it.

    The title in brackets that completion added asks for nothing: "Travel and expenses policy".
    """
    own, _ = split_subject(question)
    return bool(_ASKS_FOR_MORE.search(_BEGINS_WITH_AND.sub("", own)))
