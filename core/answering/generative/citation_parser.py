"""What a generation says: its statements, or what is wrong with it as a whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.answering.generative.refusal import refuses
from core.answering.generative.statements import Statement, statements_of
from core.text import Language, clearly_not_in

Complaint = Literal["", "empty", "language", "script"]

_MAX_WORDS = 250  # of an answer; what goes on after them is a wall, not an answer
_CLEAR_SIGNALS = 4  # words of a language, from which a text can be said to be in it
_NO_WORD = re.compile(r"\w{80}")  # longer than any: a model that has lost its way
_OTHER_SCRIPT = re.compile(r"[^\W\d_a-zA-Z\u00c0-\u024f\u1e00-\u1eff]")


@dataclass(frozen=True, slots=True)
class Reading:
    """What one generation said."""

    statements: tuple[Statement, ...]
    complaint: Complaint = ""


def read(text: str, finished: bool, wanted: Language) -> Reading:
    """Reads a cleaned text. ``finished`` False: it was cut off, so that its last statement is not whole."""
    statements = _without_repetitions(statements_of(text))
    if not finished and len(statements) > 1:
        statements = statements[:-1]
    # An answer asks nothing: what does is a model that goes on with the conversation by itself, or a page's phishing.
    statements = [said for said in statements if not said.text.endswith("?")] or statements
    statements = [said for said in statements if "`" in said.text or not _NO_WORD.search(said.text)]
    if not statements:
        return Reading((), "empty")
    kept = tuple(_within(statements, _MAX_WORDS))
    return Reading(kept, "" if refuses(kept) else _complaint(" ".join(said.text for said in kept), wanted))


def _complaint(text: str, wanted: Language) -> Complaint:
    letters = sum(character.isalpha() for character in text)
    if len(_OTHER_SCRIPT.findall(text)) > letters / 4:
        return "script"
    return "language" if clearly_not_in(text, wanted, _CLEAR_SIGNALS) else ""


def _without_repetitions(statements: Sequence[Statement]) -> list[Statement]:
    """Each statement once: small models repeat themselves until they are stopped."""
    first: dict[str, Statement] = {}
    for statement in statements:
        first.setdefault(" ".join(statement.text.lower().split()), statement)
    return list(first.values())


def _within(statements: Sequence[Statement], limit: int) -> list[Statement]:
    """The first statements that together have at most so many words; always one."""
    kept: list[Statement] = []
    words = 0
    for statement in statements:
        words += len(statement.text.split())
        if kept and words > limit:
            break
        kept.append(statement)
    return kept
