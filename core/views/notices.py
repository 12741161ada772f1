"""Notices and short sentences: why there is no answer, what a trace notice says, what is under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from core.chat.limits import WINDOW
from core.conversation import MAX_QUESTION_CHARS
from core.errors import ModelRejected, ModelUnavailable, WikiWhyError
from core.i18n import Message, message, plural
from core.languages import Language, name_language
from core.model import Failure, NoticeKind, ProposedCompletion, Question, Rejection, TraceNotice
from core.model.reasons import AccountReason, ErrorReason, ReasonWithSentence
from core.model.views import Notice, PageLink, QuestionView, Waiting
from core.views.document import Document, Paragraph, Run, link_location, make_label
from core.views.fitting import Limits

NOTHING_TO_EXPLAIN = message("The wiki did not answer this question, so there is nothing to explain.")
EXPLAINED_ALREADY = message("This answer has already been explained:")
EXPLANATION_UNDER_WAY = message("This answer is being explained; the result will appear below it.")
EXPLANATION_SHARED = message("The explanation is being posted for everybody here.")
EXPLANATION_BELOW = message("This window cannot show the result. It is below the answer, where only you see it.")
EXPLANATION_LINK = message("the explanation")
ASKED_ALREADY = message("This question has already been asked; the answer is in this conversation.")
ANSWER_LINK = message("the answer")
READING = message("Reading the wiki …")
THREAD_UNREAD = message("I could not read the earlier messages of this thread, so I answered without them.")
NO_WINDOW = message("The window could not be opened in time. Please click again.")
NO_REASON_WINDOW = message(
    "Your vote was saved. The window for a comment could not be opened in time: click again for it."
)
NOT_NOW = message(
    "I can't find out right now who can read this, so your click had no effect. Please click again in a minute."
)
NOT_YOURS_TO_STOP = message("Only the person who asked the question can stop its answer.")
EMPTY_QUESTION = message("Please type a question, for example: Who approves travel?")
THANKS = message("Thank you, that helps to improve the answers.")
THANKS_FOR_REASON = message("Thank you. Your comment was saved for the people who maintain the wiki.")
NO_ANSWER = message("I could not find that in the wiki.")
_QUESTION_ERASED = message("(a suggested question, removed with its page)")
_LINKS, _LINES = 5, 100  # of a notice
# Maximum lengths of texts that we did not write, in the platform's units:
_NOTE, _ASKED, _HEADLINE = 500, 2_500, 2_500


def format_question(question: Question) -> str:
    """Return the question as asked, or a note if it was erased."""
    return _QUESTION_ERASED.render(question.language) if question.erased else question.as_asked


# -------------------------------------------------------------------------------- how a turn was made

_FAILURES: Mapping[Failure, Message] = {
    Failure.UNAVAILABLE: message("The language model is not answering right now."),
    Failure.REJECTED: message("The language model rejects its settings; an admin has to correct them."),
    Failure.CONTEXT_TOO_LONG: message("The sources do not fit into the language model's context window."),
    Failure.NOT_ASKED_AGAIN: message("The language model was not asked again."),
    Failure.EMPTY: message("The language model returned an empty answer."),
    Failure.OTHER_LANGUAGE: message("The language model answered in another language."),
    Failure.UNSUPPORTED: message("The language model's answer is not supported by the sources."),
    Failure.OTHER: message("Something went wrong; an admin can find the cause in the log."),
}
_REJECTIONS: Mapping[Rejection, str] = {
    Rejection.NOT_ONE_QUESTION: "it is not one question",
    Rejection.INVENTS_WORDS: "it adds words that nobody used",
    Rejection.DROPS_WORDS: "it drops words of the question",
    Rejection.REPEATS: "it repeats an earlier question",
    Rejection.OTHER_LANGUAGE: "it is in another language",
}
_NOTICES_WITHOUT_VALUES = {
    NoticeKind.UNSURE: message("I'm not sure that this answers your question."),
    NoticeKind.NO_VERDICT: message("I can't tell for sure whether this means yes or no."),
    NoticeKind.OTHER: message("This answer had a notice that is no longer stored."),
}


def format_notice(notice: TraceNotice, language: Language) -> str:
    """Return the sentence for a trace notice."""
    return _choose_notice(notice, _FAILURES[notice.failure or Failure.OTHER], language).render(language)


def _choose_notice(notice: TraceNotice, failure: Message, reader: Language) -> Message:
    match notice.kind:
        case NoticeKind.INSTRUCTIONS_LEFT_OUT | NoticeKind.EVIDENCES_LEFT_OUT:
            return _count_left_out(notice)
        case NoticeKind.QUOTED_INSTEAD:
            return message("{failure} This is what the wiki itself says.", failure=failure)
        case NoticeKind.NOT_FOUND_INSTEAD:
            return message("{failure} No sentence of the wiki answers the question either.", failure=failure)
        case NoticeKind.BROKEN_OFF:
            return message("{failure} The rest of the answer is missing.", failure=failure)
        case NoticeKind.OTHER_LANGUAGE:
            return message("The page is in {language}.", language=name_language(notice.language, reader))
        case NoticeKind.COMPLETED_WITHOUT_MODEL:
            return message("{failure} The question was completed without it.", failure=failure)
        case NoticeKind.SUGGESTED_WITHOUT_MODEL:
            return message("{failure} The follow-up questions were made without it.", failure=failure)
        case NoticeKind.NO_SUGGESTIONS:
            return message("No follow-up questions could be made. {failure}", failure=failure)
        case NoticeKind.UNSURE | NoticeKind.NO_VERDICT | NoticeKind.OTHER:
            return _NOTICES_WITHOUT_VALUES[notice.kind]


def _count_left_out(notice: TraceNotice) -> Message:
    if notice.kind is NoticeKind.INSTRUCTIONS_LEFT_OUT:
        return plural(
            "{count} sentence of the pages was left out because it looks like an instruction to a language model.",
            "{count} sentences of the pages were left out because they look like instructions to a language model.",
            notice.count,
        )
    return plural(
        "{count} of {total} sources was left out: no more fit into the language model's context window.",
        "{count} of {total} sources were left out: no more fit into the language model's context window.",
        notice.count,
        total=notice.total,
    )


def format_failure(failure: Failure, language: Language) -> str:
    """Return the sentence for a failure, without names of servers or settings."""
    return _FAILURES[failure].render(language)


def format_rejection(completion: ProposedCompletion) -> str:
    """Return why a proposed completion was rejected, or ""; in English, since no chat shows it."""
    if completion.rejected is None:
        return ""
    text = _REJECTIONS[completion.rejected]
    return f"{text}: {', '.join(completion.words)}" if completion.words else text


# ------------------------------------------------------------------------------- in place of an answer

_WAIT = timedelta(seconds=WINDOW)
_SENTENCES: Mapping[ReasonWithSentence, Message] = {
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
    "unknown_person": message(
        "I can't tell right now who you are, so I'm not showing anything. Please ask again in a minute; if this keeps "
        "happening, tell an admin."
    ),
    "page_outside": message(
        "I answer no questions about this page here: it may not be read here, or it is no longer in the wiki."
    ),
    "unknown_audience": message(
        "I can't tell right now whether people from other organisations can read this conversation, so I'm not showing "
        "anything. Please ask again in a minute; if this keeps happening, tell an admin."
    ),
    "changed": message(
        "The sources of this answer changed while I was writing it, so I'm not showing it. Please ask again."
    ),
    "unknown": message("This answer is no longer available. Please ask the question again."),
    "thanks": message("You're welcome."),
}
_PROBLEMS: Mapping[ReasonWithSentence, Message] = {
    "model_unavailable": message("I can't answer right now. Please ask again in a few minutes."),
    "model_rejected": message(
        "The language model rejects its settings. An admin has to correct them; `wikiwhy doctor` says which."
    ),
    "explaining_failed": message("This answer could not be explained. Please click Explain again in a few minutes."),
    "not_explainable": message(
        "This answer can no longer be explained: its sources have changed, or the language model that wrote it is no "
        "longer set up. Ask the question again, then explain the new answer."
    ),
    "refused": message(
        "Your question could not be answered where you asked it, because I may not post there. Please ask an admin to "
        "allow it, or ask your question somewhere else."
    ),
    "result_refused": message(
        "The result of your command could not be shown, because I may not post there. Please ask an admin to allow it."
    ),
    "edit_refused": message(
        "The answer to your edited question could not be shown. An answer that is still there belongs to the question "
        "before the edit. Please ask again, or ask an admin whether I may post there."
    ),
    "deletion_refused": message(
        "Your question was deleted, but I may not delete my answer to it. Please ask an admin to delete that."
    ),
    "explanation_refused": message(
        "The explanation could not be shown to you where you clicked. Please ask an admin whether I may post there."
    ),
    "sharing_refused": message(
        "The explanation is ready, but it could not be posted. Please ask an admin whether I may post there."
    ),
    "failed": message(
        "Something went wrong, so there is no answer. Please ask again; if it happens again, tell an admin."
    ),
}


def choose_notice(reason: ReasonWithSentence, language: Language, characters: int = 0) -> Notice:
    """Build the notice for a reason. ``characters``: length of a question that is too long."""
    if reason == "too_long":
        text = message(
            "Your question has {characters} characters; at most {limit} are allowed. Please ask it in a few sentences.",
            characters=characters,
            limit=MAX_QUESTION_CHARS,
        )
        return Notice(text.render(language))
    if reason in _PROBLEMS:
        return Notice(_PROBLEMS[reason].render(language), kind="problem")
    return Notice(_SENTENCES[reason].render(language))


def choose_reason(error: WikiWhyError, otherwise: ErrorReason = "failed") -> ErrorReason:
    """Return the reason that is shown for an error. The error's own text names servers, so it is only logged."""
    if isinstance(error, ModelUnavailable):
        return "model_unavailable"
    return "model_rejected" if isinstance(error, ModelRejected) else otherwise


_REASONS: dict[AccountReason, Message] = {
    "unmapped": message(
        "I don't know which Confluence account is yours, so I searched only what everyone here may read. "
        "Please ask your WikiWhy administrator to add it to the accounts file."
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
        "The Confluence account that is set for you does not exist, so I searched only what everyone here may read. "
        "Please ask your WikiWhy administrator to correct it in the accounts file."
    ),
    "deactivated": message(
        "Your Confluence account is deactivated, so I searched only what everyone here may read. "
        "Please ask your WikiWhy administrator to set your current one in the accounts file."
    ),
    "unavailable": message(
        "I can't find out right now what you may read in Confluence, so I searched only what everyone here may read. "
        "Please try again in a few minutes."
    ),
}


def format_reason(reason: AccountReason, language: Language) -> str:
    """Return the sentence why a direct message searched only what everybody may read."""
    return _REASONS[reason].render(language)


# ----------------------------------------------------------------------------------------- documents


def build_notice(view: Notice, limits: Limits) -> Document:
    """A headline, links and lines."""
    text, *notes = map(limits.name_commands, (view.text, *view.lines[:_LINES]))
    headline = limits.make_line(text, _HEADLINE, "headline" if notes else "body")
    lines = [line for note in notes for line in limits.make_line(note, _NOTE, "body", tight=True)]
    first = replace(headline[0], sign=view.kind) if headline else make_label("…", "body")
    return Document((first, *link_pages(view.links, _LINKS), *lines), summary=text)


def link_pages(pages: Sequence[PageLink], most: int | None = None) -> tuple[Paragraph, ...]:
    """Return a bullet with a link for each of the first ``most`` pages."""
    return tuple(
        Paragraph((link_location(page.title, [page.heading], page.url),), marker="•", tight=True)
        for page in pages[:most]
    )


def build_question(view: QuestionView, limits: Limits) -> Document:
    """The asker as a mention, so that the platform notifies them of the answer, and the question."""
    question = limits.make_excerpt(view.question, _ASKED)
    return Document((Paragraph((Run(limits.mention.format(user=view.user), may_mention=True), Run(f": {question}"))),))


def build_waiting(view: Waiting, limits: Limits) -> Document:
    """A message about work in progress, which is updated later."""
    progress = limits.make_line(format_progress(view), _NOTE)
    return Document(progress, language=view.language)


def format_progress(waiting: Waiting) -> str:
    """Return the text of work in progress, with its progress if known."""
    return _choose_progress(waiting).render(waiting.language)


def _choose_progress(waiting: Waiting) -> Message:
    known, done, total = waiting.total > 0, waiting.done, waiting.total
    match waiting.work:
        case "answer":
            return READING
        case "explanation":
            return message("Checking which sources matter …")
        case "sync" if known:
            return message("Syncing {space}: {done} of {total} pages …", space=waiting.about, done=done, total=total)
        case "sync":
            return message("Syncing {space} …", space=waiting.about)
