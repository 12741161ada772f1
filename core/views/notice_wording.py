"""Notices, failures and rejections as people read them: made from their kinds and numbers only."""

from __future__ import annotations

from collections.abc import Mapping

from core.i18n import Message, message, plural
from core.model import Candidate, Failure, NoticeKind, Rejection, TraceNotice
from core.text import Language

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
