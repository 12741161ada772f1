"""Answers that need neither a plan nor a choice of sentences: facts of a page, its sections, numbered paragraphs."""

from __future__ import annotations

from collections.abc import Sequence

from core.model import Answer, RankedEvidence
from core.reading.pages.facts import answer_from_facts
from core.reading.pages.labelled_paragraphs import answer_from_labels
from core.reading.pages.outline import answer_from_headings


def answer_directly(question: str, evidences: Sequence[RankedEvidence]) -> Answer | None:
    """Return the facts, sections or numbered paragraphs that a question asks for; None for other questions."""
    for answer in (answer_from_facts, answer_from_headings, answer_from_labels):
        if found := answer(question, evidences):
            return found
    return None
