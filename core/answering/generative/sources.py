"""Evidences as the numbered sources of a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.model import Evidence, RankedEvidence

_BEFORE_CHARS = 200  # of the text before a list or a table: what introduces it


@dataclass(frozen=True, slots=True)
class Source:
    """An evidence as a model reads it. ``number`` counts from 1."""

    number: int
    ranked: RankedEvidence
    title: str
    section: str
    before: str
    text: str

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
    before = context.before[-_BEFORE_CHARS:] if evidence.kind != "passage" else ""
    return Source(number, ranked, context.title, " › ".join(context.heading_path), before, evidence.text)
