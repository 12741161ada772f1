"""What people are told in place of an answer."""

from __future__ import annotations

from core.chat.limits import WINDOW
from core.conversation import MAX_QUESTION_CHARS
from core.errors import ModelRejected, ModelUnavailable, WikiWhyError
from core.text import Language
from core.views.notices import Notice
from core.views.wording import WORDS, too_long, too_many


def instead(why: str, spoken: Language, characters: int = 0) -> Notice:
    """The message for a reason by its name. ``characters``: of a question that is too long."""
    words = WORDS[spoken]
    match why:
        case "too_long":
            return Notice(too_long(characters, MAX_QUESTION_CHARS, spoken))
        case "limit_person" | "limit_channel":
            return Notice(too_many(WINDOW, spoken, in_channel=why == "limit_channel"))
    said = {
        "guest": words.guest_in_direct,
        "no_spaces": words.no_space_here,
        "outside": words.outside_scope,
        "unknown_audience": words.unknown_audience,
        "changed": words.changed,
        "limit_tokens": words.budget_spent,
        "unknown": words.turn_gone,
    }
    wrong = {
        "model_unavailable": words.model_unavailable,
        "model_rejected": words.model_rejected,
        "explaining_failed": words.explaining_failed,
        "not_explainable": words.not_explainable,
    }
    return Notice(said[why]) if why in said else Notice(wrong.get(why, words.failed), kind="problem")


def failure(error: WikiWhyError, otherwise: str = "failed") -> str:
    """Why there is no answer, as a name. The error's own words are for the log: they name servers and settings."""
    if isinstance(error, ModelUnavailable):
        return "model_unavailable"
    return "model_rejected" if isinstance(error, ModelRejected) else otherwise
