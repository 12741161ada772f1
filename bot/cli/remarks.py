"""Replies to what people type in the terminal that is no question: greetings, thanks, calls for help."""

from __future__ import annotations

from core.chat.listening import calls_for_help
from core.languages import detect_catalogue
from core.views.notices import choose_notice
from core.wording.courtesy import has_words, is_acknowledgement, is_thanks

_ABOUT = "I answer questions from the synced wiki, and cite the place of each answer."


def reply_to_remark(text: str, usage: str) -> str | None:
    """Return the reply to a text that is no question, "" for agreement such as "ok"; None for a question.

    ``usage``: how to ask, which follows a greeting.
    """
    if calls_for_help(text):
        return f"{_ABOUT}\n{usage}"
    if has_words(text) and is_acknowledgement(text):
        return choose_notice("thanks", detect_catalogue(text)).text if is_thanks(text) else ""
    return None
