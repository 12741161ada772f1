"""A turn to the sources that people see."""

from __future__ import annotations

from collections.abc import Collection
from math import inf

from core.model import RankedEvidence, Turn
from core.views.sources import SourcesView, SourceView
from core.views.turn_wording import question_text
from core.views.words import KINDS

_SHOWN_CHARS = 600  # of an evidence


def sources_view(turn: Turn, visible: Collection[str]) -> SourcesView:
    """The evidences of pages that are visible (``EvidenceStore.visible``) and not erased, cited ones first."""
    spoken = turn.question.language
    shown = tuple(
        SourceView(
            rank=ranked.rank,
            number=number,
            title=ranked.evidence.context.title,
            heading_path=ranked.evidence.context.heading_path,
            kind=KINDS[ranked.evidence.kind].render(spoken),
            text=shorten_evidence(ranked),
            url=ranked.evidence.url,
            score=ranked.score,
        )
        for ranked, number in order_by_citation(turn)
        if ranked.evidence.page_id in visible and ranked.evidence.text
    )
    hidden = len(turn.evidences) - len(shown)
    return SourcesView(turn.turn_id, spoken, question_text(turn.question), shown, hidden)


def order_by_citation(turn: Turn) -> list[tuple[RankedEvidence, int | None]]:
    """The evidences with the numbers under which they are cited: by number, then the others by rank."""
    cited = {citation.evidence_id: citation.number for citation in reversed(turn.answer.citations)}
    ordered = sorted(turn.evidences, key=lambda ranked: (cited.get(ranked.evidence.evidence_id, inf), ranked.rank))
    return [(ranked, cited.get(ranked.evidence.evidence_id)) for ranked in ordered]


def shorten_evidence(ranked: RankedEvidence) -> str:
    """An evidence's text, cut where it is long."""
    text = ranked.evidence.text
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + " …"
