"""Texts that depend on what is shown: progress, help, sources that are hidden."""

from __future__ import annotations

from core.i18n import Message, message, plural
from core.identities import Reason
from core.text import Language
from core.views.notices import HelpView, Waiting
from core.views.words import WORDS

__all__ = ["WORDS", "format_hidden_sources", "help_lines", "progress_text", "reason_text"]

_REASONS: dict[Reason, Message] = {
    "unmapped": message(
        "I don't know which Confluence account is yours, so I searched only what everyone here may read."
    ),
    "hidden": message(
        "Confluence does not tell me which account is yours, so I searched only what everyone here may read. "
        "Please ask your WikiWhy administrator to add it to the accounts file."
    ),
    "ambiguous": message(
        "More than one Confluence account could be yours, so I searched only what everyone here may read. "
        "Please ask your WikiWhy administrator to add yours to the accounts file."
    ),
    "missing": message(
        "The Confluence account that I have for you does not exist, so I searched only what everyone here may read. "
        "Please ask your WikiWhy administrator to correct it in the accounts file."
    ),
    "deactivated": message("Your Confluence account is deactivated, so I searched only what everyone here may read."),
    "unavailable": message(
        "I can't find out right now what you may read in Confluence, so I searched only what everyone here may read. "
        "Please try again in a few minutes."
    ),
}


def reason_text(reason: Reason, language: Language) -> str:
    """Why a direct message saw no more than what everybody may read."""
    return _REASONS[reason].render(language)


def progress_text(waiting: Waiting) -> str:
    """What is being done, and how far that has come where it is known."""
    return _progress(waiting).render(waiting.language)


def _progress(waiting: Waiting) -> Message:
    known, done, total = waiting.total > 0, waiting.done, waiting.total
    match waiting.work:
        case "answer":
            return message("Reading the wiki …")
        case "explanation" if known:
            return message("Checking which sources matter: {done} of {total} …", done=done, total=total)
        case "explanation":
            return message("Checking which sources matter …")
        case "sync" if known:
            return message("Syncing {space}: {done} of {total} pages …", space=waiting.about, done=done, total=total)
        case "sync":
            return message("Syncing {space} …", space=waiting.about)


def help_lines(view: HelpView) -> list[str]:
    """How to ask here, a line a hint; what is for admins is not among them."""
    lines = [
        message("Send me a question, for example: Who approves travel?")
        if view.direct
        else message("Mention {bot} with a question: {bot} Who approves travel?", bot=view.bot),
        _follow_up(view),
        message("Explain shows which sources an answer really rests on; Sources shows everything that was found."),
    ]
    if view.spaces:
        lines.append(message("Here I search these wiki spaces: {spaces}.", spaces=view.spaces))
    elif not view.direct:
        lines.append(message("No wiki space is enabled here. An admin can enable one."))
    if view.direct:
        lines.append(message("Here I also search the pages that your own account may read."))
    return [line.render(view.language) for line in lines]


def _follow_up(view: HelpView) -> Message:
    """Direct messages and chats of Teams have no threads."""
    if view.by_mention:
        return message("Reply to my answer and mention me again to follow up.")
    return message("Reply to my answer to follow up.") if view.direct else message("Reply in the thread to follow up.")


def format_hidden_sources(count: int, language: Language) -> str:
    """That sources are not shown; "" if none is missing."""
    if not count:
        return ""
    return plural(
        "One source is not shown: its page is gone, or not everyone here may read it.",
        "{count} sources are not shown: their pages are gone, or not everyone here may read them.",
        count,
    ).render(language)
