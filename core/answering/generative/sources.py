"""Evidences as the numbered sources of a prompt, without what talks to a model instead of to people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.answering.instructions import LEFT_OUT, talks_to_a_model
from core.evidence.split import sentences
from core.model import Evidence, RankedEvidence

_BEFORE_CHARS = 200  # of the text before a list or a table: what introduces it


@dataclass(frozen=True, slots=True)
class Source:
    """An evidence as a model reads it. ``number`` counts from 1; ``left_out``: sentences that it does not get."""

    number: int
    ranked: RankedEvidence
    title: str
    section: str
    before: str
    text: str
    left_out: int

    @property
    def evidence(self) -> Evidence:
        return self.ranked.evidence

    @property
    def whole(self) -> str:
        """All that the model reads of it."""
        return "\n".join((self.title, self.section, self.before, self.text))


def sources_of(evidences: Sequence[RankedEvidence]) -> list[Source]:
    """The evidences in order, numbered from 1."""
    return [_source(number, ranked) for number, ranked in enumerate(evidences, start=1)]


def _source(number: int, ranked: RankedEvidence) -> Source:
    evidence, context = ranked.evidence, ranked.evidence.context
    text, left_out = for_model(evidence.text)
    before, title, section = ("", 0), for_model(context.title), for_model(" › ".join(context.heading_path))
    if evidence.kind != "passage":
        before = for_model(context.before[-_BEFORE_CHARS:])
    left_out += before[1] + title[1] + section[1]
    return Source(number, ranked, title[0], section[0], before[0], text, left_out)


def for_model(text: str) -> tuple[str, int]:
    """The text with every sentence that talks to a model left out, and how many these were."""
    if not talks_to_a_model(text):
        return text, 0
    lines, left_out = [], 0
    for line in text.split("\n"):
        kept = [LEFT_OUT if talks_to_a_model(sentence) else sentence for sentence in sentences(line) or [line]]
        left_out += kept.count(LEFT_OUT)
        lines.append(" ".join(kept))
    shown = "\n".join(lines)
    # What reads so only across sentences or lines goes as a whole.
    return (LEFT_OUT, left_out + 1) if talks_to_a_model(shown) else (shown, left_out)
