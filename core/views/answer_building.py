"""A turn to the answer that people see."""

from __future__ import annotations

from collections.abc import Collection

from core.answering.answerer import is_written_by_model
from core.citations import UNSUPPORTED
from core.i18n import message
from core.model import Turn
from core.views.answer import AnswerView, PageLink
from core.views.notice_wording import notice_text
from core.views.turn_wording import answer_text

_UNSUPPORTED = message("[?] No source supports this statement.")

CLOSEST = 3
"""Pages to try where the wiki does not answer, at most."""


def answer_view(turn: Turn, visible: Collection[str] = (), contact: str = "") -> AnswerView:
    """The answer in the question's language.

    ``visible``: ids of the pages that may be named here where there is no answer (``EvidenceStore.visible``).
    ``contact``: who can help then.
    """
    spoken = turn.question.language
    answered = turn.answer.answered
    unsupported = is_written_by_model(turn) and UNSUPPORTED in turn.answer.text
    return AnswerView(
        turn_id=turn.turn_id,
        language=spoken,
        text=answer_text(turn),
        answered=answered,
        markup="markdown" if is_written_by_model(turn) and not turn.answer.erased else "plain",
        citations=turn.answer.citations if answered else (),
        understood_as=turn.question.intent_explicit if turn.question.completed else "",
        closest=() if answered else closest_pages(turn, visible),
        contact="" if answered else contact,
        notes=(
            *(_UNSUPPORTED.render(spoken),) * unsupported,
            *(notice_text(notice, spoken) for notice in turn.trace.notices),
        ),
        suggestions=tuple(suggestion.question for suggestion in turn.suggestions),
        explainable=answered,
    )


def closest_pages(turn: Turn, visible: Collection[str]) -> tuple[PageLink, ...]:
    """The visible pages that were found, each once, best first."""
    found: dict[str, PageLink] = {}
    for ranked in sorted(turn.evidences, key=lambda ranked: ranked.rank):
        evidence = ranked.evidence
        if evidence.page_id in visible and evidence.context.title:  # an erased one has no title
            found.setdefault(evidence.page_id, PageLink(evidence.context.title, evidence.url.partition("#")[0]))
    return tuple(found.values())[:CLOSEST]
