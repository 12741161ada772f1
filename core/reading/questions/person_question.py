"""Recognises questions for a person: "who owns the depot?"."""

from __future__ import annotations

import re

from core.languages import CATALOGUES, choose_catalogue, detect_language
from core.reading.questions.row_question import MOST_WORDS, Operation, RowQuestion
from core.reading.words import DENIALS, split_words
from core.text import split_subject
from core.text_caches import cache_texts
from core.wording.content_words import leave_out_light_words

_WHO = re.compile(r"(?i)^\W*(?:(?:to|from|by|with|for|an|von|bei|mit|für) )?(?:who(?:m|se)?|wer|wem|wen|wessen)\b")
_NOT_ONE = re.compile(rf"(?i)\b(?:{DENIALS}|no|never|most|least|than|meisten|als)\b")


@cache_texts(64)
def read_person_question(question: str) -> RowQuestion | None:
    """Return the question for a person; None for any other, and for "who is not …"."""
    who = _WHO.search(question)
    language = detect_language(question)
    own, _ = split_subject(question)
    if who is None or language not in CATALOGUES or _NOT_ONE.search(own):
        return None
    words = split_words(leave_out_light_words(question[who.end() :]))
    return RowQuestion(Operation.PERSON, choose_catalogue(language), words, ()) if len(words) <= MOST_WORDS else None
