"""Phrases without a question word, and questions for when or how often somebody has a role, as questions for rows.

Both are computed only if nothing else is: most phrases look for a text.
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
