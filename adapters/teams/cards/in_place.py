"""Cards that stand in for an answer, for who clicked alone. Each leads back to it."""

from __future__ import annotations

from dataclasses import dataclass

from adapters.teams.cards.elements import action_set, card, execute, heading, line, text, visible
from adapters.teams.cards.forms import REASON, field
from adapters.teams.cards.notices import notice_body
from adapters.teams.json import Json
from core.text import Language
from core.views.notices import Notice
from core.views.wording import WORDS


@dataclass(frozen=True, slots=True)
class ReasonForm:
    """To be asked why an answer is no good. ``question``: as it was understood."""

    question: str
    language: Language


def notice_card(notice: Notice, turn_id: str, language: Language) -> Json:
    """What is told about an answer, with links."""
    return card([*notice_body(notice), *back(turn_id, language)])


def reason_card(form: ReasonForm, turn_id: str) -> Json:
    """Why the answer is no good; may be left empty."""
    words = WORDS[form.language]
    question = [line(text(form.question), tight=True, subtle=True)] if visible(form.question) else []
    send = execute(words.reason.submit, "reason", turn_id, form.language)
    return card(
        [heading(words.reason.title), *question, field(REASON, words.reason), *back(turn_id, form.language, send)]
    )


def back(turn_id: str, language: Language, *before: Json) -> list[Json]:
    """The way back, other buttons before it."""
    return action_set([*before, execute(WORDS[language].back, "answer", turn_id, language)])
