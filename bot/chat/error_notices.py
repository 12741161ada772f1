"""What people read in place of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from core.chat.limits import WINDOW
from core.conversation import MAX_QUESTION_CHARS
from core.errors import ModelRejected, ModelUnavailable, WikiWhyError
from core.i18n import Message, message
from core.text import Language
from core.views.notices import Notice

_WAIT = timedelta(seconds=WINDOW)
_NOT_ALLOWED: Mapping[str, Message] = {
    "limit_person": message("You have asked many questions in a short time. Please ask again {wait}.", wait=_WAIT),
    "limit_channel": message(
        "Many questions were asked in this channel in a short time. Please ask again {wait}.", wait=_WAIT
    ),
    "limit_tokens": message(
        "Today's budget for the language model is used up. Please ask again tomorrow, or tell an admin."
    ),
    "guest": message("Guests can ask me in channels only. Please ask in a channel that you share with the team."),
    "no_spaces": message("No wiki space is enabled in this channel. An admin can enable one."),
    "outside": message(
        "This answer may rest on pages that you may not read here, so it is shown only where it was asked."
    ),
    "unknown_audience": message(
        "I can't tell right now whether people from other organisations can read this conversation, so I'm not showing "
        "anything. Please ask again in a minute; if this keeps happening, tell an admin."
    ),
    "changed": message(
        "The sources of this answer changed while I was writing it, so I'm not showing it. Please ask again."
    ),
    "unknown": message("This answer is no longer available. Please ask the question again."),
}
_PROBLEMS: Mapping[str, Message] = {
    "model_unavailable": message("I can't answer right now. Please ask again in a few minutes."),
    "model_rejected": message(
        "The language model rejects its settings. An admin has to correct them; `wikiwhy doctor` says which."
    ),
    "explaining_failed": message("This answer could not be explained. Please click Explain again in a few minutes."),
    "not_explainable": message(
        "This answer can no longer be explained: its sources have changed, or the language model that wrote it is no "
        "longer set up. Ask the question again, then explain the new answer."
    ),
    "failed": message(
        "Something went wrong, so there is no answer. Please ask again; if it happens again, tell an admin."
    ),
}


def instead(why: str, spoken: Language, characters: int = 0) -> Notice:
    """The message for a reason by its name. ``characters``: of a question that is too long."""
    if why == "too_long":
        text = message(
            "Your question has {characters} characters; at most {limit} are allowed. Please ask it in a few sentences.",
            characters=characters,
            limit=MAX_QUESTION_CHARS,
        )
        return Notice(text.render(spoken))
    if why in _NOT_ALLOWED:
        return Notice(_NOT_ALLOWED[why].render(spoken))
    return Notice(_PROBLEMS.get(why, _PROBLEMS["failed"]).render(spoken), kind="problem")


def failure(error: WikiWhyError, otherwise: str = "failed") -> str:
    """Why there is no answer, as a name. The error's own words are for the log: they name servers and settings."""
    if isinstance(error, ModelUnavailable):
        return "model_unavailable"
    return "model_rejected" if isinstance(error, ModelRejected) else otherwise
