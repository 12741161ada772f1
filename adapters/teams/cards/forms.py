"""Forms within cards, which need no window of their own."""

from __future__ import annotations

from adapters.teams.cards.elements import clean, execute, heading, shorten
from adapters.teams.json import Json
from core.text import Language
from core.views.wording import WORDS
from core.views.words import ModalWords

QUESTION, REASON = "question", "reason"
"""Ids of the fields in which a question is corrected, and feedback explained."""

_INPUT = 3_000
_UNDERSTOOD = 1_000  # characters of a question to correct


def field(name: str, words: ModalWords, value: str = "") -> Json:
    """Where something can be written. ``value``: what stands there at first."""
    shown: Json = {
        "type": "Input.Text",
        "id": name,
        "label": words.label,
        "placeholder": words.placeholder,
        "isMultiline": True,
        "maxLength": _INPUT,
    }
    return {**shown, "value": value} if value else shown


def correction(understood_as: str, turn_id: str, language: Language) -> Json:
    """A button that opens a form to ask again in other words, beginning with how the question was understood."""
    words = WORDS[language]
    asked = field(QUESTION, words.correction, shorten(clean(understood_as).strip(), _UNDERSTOOD))
    send = execute(words.correction.submit, "correct", turn_id, language)
    form = {"type": "AdaptiveCard", "body": [heading(words.correction.title), asked], "actions": [send]}
    return {"type": "Action.ShowCard", "title": words.not_meant, "card": form}
