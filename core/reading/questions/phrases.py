"""Phrases without a question word, and questions for who took part or when somebody has a role, as questions for rows.

They are computed only if nothing else is: most phrases look for a text.
"""

from __future__ import annotations

import re

from core.languages import detect_language
from core.reading.questions.comparison import compile_phrases, is_comparison
from core.reading.questions.question import read_question
from core.reading.questions.row_question import Operation, RowQuestion
from core.reading.questions.yes_no import find_auxiliary
from core.text_caches import cache_texts

_ASKS = compile_phrases(
    "who(?:m|se)?", "when", "where", "why", "how", "what", "which", "wer", "wem", "wen", "wessen", "wann", "wo",
    "wohin", "woher", "warum", "wieso", "weshalb", "wie", "was", "welche[rnms]?",
)  # fmt: skip
"""Words of questions that are no phrases."""
_OCCURRENCES = re.compile(
    r"(?i)^\W*(?:(?:and|und) )?(?:when|wann|(?P<often>how often|how many times|wie oft))"
    r" (?:is|are|was|were|had|ist|sind|war|waren|hat|hatten?)\b"
)
_MEETING = r"(?:\w+-?)?(?:call|meeting|workshop|session|review|training|stand-?up|sync|retro(?:spective)?|kick-?off)s?"
_WHO_TOOK_PART = re.compile(
    r"(?i)^\W*(?:(?:and|und) )?(?:all )?(?P<who>who|wer)\b"
    r"(?!.*\b(?:absent|excused|missing|ill|sick|on holiday|late|named|not|abwesend|entschuldigt|krank|nicht|fehlte)\b)"
    r"(?=.*(?:"
    r"\b(?:attended|took part|participated|teilgenommen|teilnahm(?:en)?)\b"
    r"|\b(?:war|waren|ist|sind)\b.{0,80}\b(?:dabei|anwesend)\W*(?:$|\()"
    rf"|\b(?:was|were)\b.{{0,40}}\b(?:on(?! call\b)|at|in(?! charge\b)|present)\b.{{0,60}}\b{_MEETING}\b(?! team\b)))"
)
_TAKING_PART = re.compile(
    r"(?i)\b(?:attended|took part(?: in)?|participated(?: in)?|(?:was|were) (?:present )?(?:on|at|in)|alles"
    r"|(?:mit )?dabei|hat|haben|teilgenommen|teilnahm(?:en)?|anwesend|present|was|were|war|waren)\b"
)


def asks_who_took_part(question: str) -> bool:
    """Whether a question asks who was present at something."""
    return bool(_WHO_TOOK_PART.match(question))


@cache_texts(64)
def read_attendance(question: str, attendees: str = "attendees") -> RowQuestion | None:
    """Return a question for who took part in something as one for its ``attendees``; None for any other.

    "Who from Acme was on the March call?" asks which attendees of the March call are from Acme.
    """
    match = _WHO_TOOK_PART.match(question)
    if match is None:
        return None
    which = "welche" if match["who"].lower() == "wer" else "which"
    return read_question(f"{which} {attendees} {_TAKING_PART.sub(' ', question[match.end() :])}")


@cache_texts(64)
def read_listing(question: str) -> RowQuestion | None:
    """Return a phrase for rows, such as "contracts ending in 2027", as if it began with "which"; None for any other."""
    if _ASKS.search(question) or read_question(question) or is_comparison(question):
        return None
    language = detect_language(question)
    if find_auxiliary(question, language):
        return None
    found = read_question(f"{'welche' if language == 'de' else 'which'} {question.strip()}")
    return found if found and found.operation is Operation.LIST and not found.is_distinct else None


@cache_texts(64)
def read_occurrences(question: str) -> RowQuestion | None:
    """Return a question for when or how often somebody has a role as one for the rows that say so; None for others."""
    match = _OCCURRENCES.match(question)
    if match is None:
        return None
    is_german = detect_language(question) == "de"
    begins = ("wie viele einträge", "welche einträge") if is_german else ("how many entries", "which entries")
    return read_question(f"{begins[0] if match['often'] else begins[1]} {question[match.end() :]}")
