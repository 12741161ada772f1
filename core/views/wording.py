"""Sentences that people read in chats, made from kinds and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from core.access import Reason
from core.chat.limits import WINDOW
from core.conversation import MAX_QUESTION_CHARS
from core.errors import ModelRejected, ModelUnavailable, WikiWhyError
from core.i18n import Message, message, plural
from core.model import Candidate, EvidenceKind, Failure, NoticeKind, Question, Rejection, TraceNotice, Turn
from core.text import Language
from core.views.model import HelpView, Notice, Waiting

KINDS: Mapping[EvidenceKind, Message] = {
    "passage": message("passage"),
    "list": message("list"),
    "table": message("table"),
    "table_row": message("table row"),
    "facts": message("facts of the page"),
}

# -------------------------------------------------------------------------------- questions and answers

_ANSWER_ERASED = message("The source of this answer has been removed from the wiki.")
_QUESTION_ERASED = message("(a suggested question, removed with its page)")
NO_ANSWER = message("I could not find that in the wiki.")


def question_text(question: Question) -> str:
    """The question as it was asked; of one that was erased, that it was."""
    return _QUESTION_ERASED.render(question.language) if question.erased else question.as_asked


def format_stored_answer(turn: Turn) -> str:
    """The answer's text as it is stored, for programs; of one that was erased, that it was."""
    return _ANSWER_ERASED.render(turn.question.language) if turn.answer.erased else turn.answer.text


def answer_text(turn: Turn) -> str:
    """The answer's text; of one that was erased, or where there is none, that this is so."""
    if turn.answer.erased or turn.answer.answered:
        return format_stored_answer(turn)
    return NO_ANSWER.render(turn.question.language)


# -------------------------------------------------------------------------------- how a turn was made

_FAILURES: Mapping[Failure, Message] = {
    Failure.UNAVAILABLE: message("The language model is not answering right now."),
    Failure.REJECTED: message("The language model rejects its settings; an admin has to correct them."),
    Failure.CONTEXT_TOO_LONG: message("The sources do not fit into the language model's context window."),
    Failure.NOT_ASKED_AGAIN: message("The language model was not asked again."),
    Failure.EMPTY: message("The language model returned an empty answer."),
    Failure.OTHER_LANGUAGE: message("The language model answered in another language."),
    Failure.UNSUPPORTED: message("The language model's answer is not supported by the sources."),
    Failure.OTHER: message("Something went wrong; the log tells an admin why."),
}
_REJECTIONS: Mapping[Rejection, Message] = {
    Rejection.NOT_ONE_QUESTION: message("it is not one question"),
    Rejection.INVENTS_WORDS: message("it adds words that nobody used"),
    Rejection.DROPS_WORDS: message("it drops words of the question"),
    Rejection.REPEATS: message("it repeats an earlier question"),
    Rejection.OTHER_LANGUAGE: message("it is in another language"),
}


def notice_text(notice: TraceNotice, language: Language) -> str:
    """A notice as people read it."""
    return _notice(notice, _FAILURES[notice.failure or Failure.OTHER]).render(language)


def _notice(notice: TraceNotice, failure: Message) -> Message:
    match notice.kind:
        case NoticeKind.INSTRUCTIONS_LEFT_OUT:
            return plural(
                "{count} sentence from the pages was addressed to a language model instead of to people, or followed "
                "one that was, and was not used.",
                "{count} sentences from the pages were addressed to a language model instead of to people, or followed "
                "one that was, and were not used.",
                notice.count,
            )
        case NoticeKind.EVIDENCES_LEFT_OUT:
            return plural(
                "{count} of {total} evidences was left out: no more fit into the language model's context window.",
                "{count} of {total} evidences were left out: no more fit into the language model's context window.",
                notice.count,
                total=notice.total,
            )
        case NoticeKind.QUOTED_INSTEAD:
            return message("{failure} This is what the wiki itself says.", failure=failure)
        case NoticeKind.NOT_FOUND_INSTEAD:
            return message("{failure} The wiki itself does not say it word for word either.", failure=failure)
        case NoticeKind.COMPLETED_WITHOUT_MODEL:
            return message("{failure} The question was completed without it.", failure=failure)
        case NoticeKind.SUGGESTED_WITHOUT_MODEL:
            return message("{failure} The follow-up questions were made without it.", failure=failure)
        case NoticeKind.NO_SUGGESTIONS:
            return message("No follow-up questions could be made. {failure}", failure=failure)
        case NoticeKind.OTHER:
            return message("This answer had a notice that is no longer stored.")


def failure_text(failure: Failure, language: Language) -> str:
    """What failed, as people read it: it names no server and no setting."""
    return _FAILURES[failure].render(language)


def rejection_text(candidate: Candidate, language: Language = "en") -> str:
    """Why a proposed completion was not taken, "" if it could be."""
    if candidate.rejected is None:
        return ""
    text = _REJECTIONS[candidate.rejected].render(language)
    return f"{text}: {', '.join(candidate.words)}" if candidate.words else text


# ------------------------------------------------------------------------------- in place of an answer

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


def notice_for(reason: str, spoken: Language, characters: int = 0) -> Notice:
    """The message for a reason by its name. ``characters``: of a question that is too long."""
    if reason == "too_long":
        text = message(
            "Your question has {characters} characters; at most {limit} are allowed. Please ask it in a few sentences.",
            characters=characters,
            limit=MAX_QUESTION_CHARS,
        )
        return Notice(text.render(spoken))
    if reason in _NOT_ALLOWED:
        return Notice(_NOT_ALLOWED[reason].render(spoken))
    return Notice(_PROBLEMS.get(reason, _PROBLEMS["failed"]).render(spoken), kind="problem")


def reason_of(error: WikiWhyError, otherwise: str = "failed") -> str:
    """The name of the reason why there is no answer. The error's own text is for the log: it names servers."""
    if isinstance(error, ModelUnavailable):
        return "model_unavailable"
    return "model_rejected" if isinstance(error, ModelRejected) else otherwise


# ------------------------------------------------------------------------------- access, progress, help

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
            return READING
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


ADMIN_COMMANDS = (
    message("/wiki spaces – list the spaces, and when each was last synced"),
    message("/wiki sync KEY – read a space again"),
    message("/wiki forget KEY – remove a space and everything stored from it"),
)
NO_SOURCES = message("Nothing was found for this question.")
NOTHING_TO_EXPLAIN = message("The wiki did not answer this question, so there is nothing to explain.")
EXPLAINED_ALREADY = message("This answer has already been explained:")
EXPLANATION_UNDER_WAY = message("This answer is being explained; the result will appear below it.")
EXPLANATION_LINK = message("the explanation")
READING = message("Reading the wiki …")
EMPTY_QUESTION = message("Please type a question, for example: Who approves travel?")
THANKS = message("Thank you, that helps to improve the answers.")
THANKS_FOR_REASON = message("Thank you. Your comment was saved for the people who maintain the wiki.")


def format_hidden_sources(count: int, language: Language) -> str:
    """That sources are not shown; "" if none is missing."""
    if not count:
        return ""
    return plural(
        "One source is not shown: its page is gone, or not everyone here may read it.",
        "{count} sources are not shown: their pages are gone, or not everyone here may read them.",
        count,
    ).render(language)
