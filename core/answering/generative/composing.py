"""Checked statements to an answer, its citations numbered in order of appearance."""

from __future__ import annotations

from collections.abc import Sequence

from core.answering.focus import content_words, word_matches
from core.answering.generative.sources import Source
from core.answering.generative.statements import Statement
from core.citations import UNSUPPORTED, citation
from core.model import Answer, Citation


def compose_answer(
    statements: Sequence[Statement], cited: Sequence[Sequence[Source]], sources: Sequence[Source]
) -> Answer:
    """The answer; what no source supports is marked. ``cited``: for each statement the sources to cite."""
    numbers: dict[int, int] = {}
    quotes: dict[int, list[str]] = {}
    text = ""
    for statement, used in zip(statements, cited, strict=True):
        shown = statement.text
        if not statement.introduces:
            for source in used:
                numbers.setdefault(source.number, len(numbers) + 1)
                quotes.setdefault(source.number, []).append(statement.text)
            marks = "".join(f"[{numbers[source.number]}]" for source in used) or UNSUPPORTED
            shown = _with_marks(shown, marks) if not statement.is_row else f"{shown[:-1].rstrip()} {marks} |"
        text += (statement.lead if text else "") + shown
    by_number = {source.number: source for source in sources}
    citations = tuple(_citation(number, by_number[of], quotes[of]) for of, number in numbers.items())
    return Answer(text, answered=True, citations=citations)


def _with_marks(text: str, marks: str) -> str:
    return text + ("\n" if text.endswith("```") else " ") + marks


def _citation(number: int, source: Source, said: Sequence[str]) -> Citation:
    return citation(number, source.evidence, _quote(source, said))


def _quote(source: Source, said: Sequence[str]) -> str:
    """The part of a source that says most of what was said."""
    words = content_words(" ".join(said))
    parts = [part for part in source.evidence.parts if part.strip()]
    return max(parts, key=lambda part: sum(word_matches(words, part)), default="") if words else ""
