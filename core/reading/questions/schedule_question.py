"""Recognises questions for what is at a time: "who is on call this week", "when is the next release"."""

from __future__ import annotations

import re
from datetime import date

from core.languages import CATALOGUES, choose_catalogue, detect_language
from core.reading.questions.moments import Moment, read_moment
from core.reading.questions.row_question import MOST_WORDS, Operation, RowQuestion
from core.reading.questions.yes_no import is_yes_no_question
from core.reading.words import DENIALS, split_words
from core.wording.content_words import leave_out_light_words

_ASKS = re.compile(
    r"(?i)^\W*(?:(?:so|and|und|hey|hi) )?(?:(?:to|from|by|with|for|an|von|bei|mit|für|in) )?"
    r"(?:who(?:m|se)?|who['’]s|wer|wem|wen|wessen|which|what|what['’]?s|when|when['’]s|where|welche[rnms]?|was|wann|wo"
    r"|list|name|show|liste|nenne|zeige?)\b"
)
_EXISTS = re.compile(r"(?i)^\W*(?:(?:is|are|was|were) there|gibt es|gibt['’]?s|gab es|do we have|haben wir)\b")
_UNREAD = re.compile(
    rf"(?i)\b(?:why|how|wie|warum|wieso|weshalb|no|never|{DENIALS}|except|außer|than|between|zwischen|or|oder|since|seit"
    r"|before|after|vor|nach|until|till|bis|all|most|least|first|meisten|wenigsten|erste[nrsm]?)\b"
)


def read_schedule_question(question: str, day: date | None) -> tuple[RowQuestion, Moment] | None:
    """Return a question for what is at a time, with the time; None for any other. ``day``: on which it was asked."""
    moment = read_moment(question, day)
    language = detect_language(question)
    if moment is None or language not in CATALOGUES or _UNREAD.search(moment.text):
        return None
    if not (_ASKS.search(question) or asks_for_existence(question) or is_yes_no_question(question)):
        return None
    words = split_words(leave_out_light_words(moment.text))
    if not any(word.is_content for word in words) or len(words) > MOST_WORDS:
        return None
    return RowQuestion(Operation.CELL, choose_catalogue(language), words, (), text=question), moment


def asks_for_existence(question: str) -> bool:
    """Whether a question begins with "is there", so that the number of rows answers it."""
    return bool(_EXISTS.search(question))
