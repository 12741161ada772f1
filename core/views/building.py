"""Convert turns, and reasons why there is no answer, to views and sentences in the reader's language."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from math import inf

from core.access import Reason
from core.answering.answerer import UNSUPPORTED, is_written_by_model
from core.answering.identifiers import find_unknown
from core.chat.limits import WINDOW
from core.conversation import MAX_QUESTION_CHARS
from core.errors import ModelRejected, ModelUnavailable, WikiWhyError
from core.i18n import Message, message, plural
from core.languages import Language, name_language
from core.model import (
    Candidate,
    EvidenceKind,
    Failure,
    NoticeKind,
    PageFacts,
    Question,
    RankedEvidence,
    Rejection,
    TraceNotice,
    Turn,
)
from core.views.model import AnswerView, Notice, PageLink, SourcesView, SourceView
from core.views.rows import find_quoted_rows

_EVIDENCE_CHARS = 600

_UNSUPPORTED = message("[?] No source supports this statement.")

NOTHING_TO_EXPLAIN = message("The wiki did not answer this question, so there is nothing to explain.")
EXPLAINED_ALREADY = message("This answer has already been explained:")
EXPLANATION_UNDER_WAY = message("This answer is being explained; the result will appear below it.")
EXPLANATION_SHARED = message("The explanation is being posted for everybody here.")
EXPLANATION_LINK = message("the explanation")
READING = message("Reading the wiki …")
NO_WINDOW = message("No window could be opened in time. Please click again.")
EMPTY_QUESTION = message("Please type a question, for example: Who approves travel?")
THANKS = message("Thank you, that helps to improve the answers.")
THANKS_FOR_REASON = message("Thank you. Your comment was saved for the people who maintain the wiki.")
KINDS: Mapping[EvidenceKind, Message] = {
    "passage": message("passage"),
    "list": message("list"),
    "table": message("table"),
    "table_row": message("table row"),
    "facts": message("facts of the page"),
}

# ------------------------------------------------------------------------------------------------- answers and sources


def answer_view(turn: Turn, visible: Collection[str] = (), contact: str = "") -> AnswerView:
    """Build the view of an answer in the question's language.

    ``visible``: ids of the pages that may be named if there is no answer (``EvidenceStore.visible``). ``contact``: who
    can help in that case.
    """
    spoken = turn.question.language
    answered = turn.answer.answered
    unsupported = is_written_by_model(turn) and UNSUPPORTED in turn.answer.text
    return AnswerView(
        turn_id=turn.turn_id,
        language=spoken,
        text=_answer_text(turn),
        answered=answered,
        markup="markdown" if is_written_by_model(turn) and not turn.answer.erased else "plain",
        citations=turn.answer.citations if answered else (),
        understood_as=turn.question.intent_explicit if turn.question.completed else "",
        closest=() if answered else _closest_pages(turn, visible),
        contact="" if answered else contact,
        notes=(
            *(_UNSUPPORTED.render(spoken),) * unsupported,
            *((each.render(spoken) for each in _name_unknown(turn)) if answered else ()),
            *(notice_text(notice, spoken) for notice in turn.trace.notices),
        ),
        suggestions=tuple(suggestion.question for suggestion in turn.suggestions),
        explainable=answered,
        question=turn.question.intent_explicit,
        rows=find_quoted_rows(turn),
    )


def _closest_pages(turn: Turn, visible: Collection[str]) -> tuple[PageLink, ...]:
    """Return the visible pages that were found, each once, best first."""
    found: dict[str, PageLink] = {}
    for ranked in sorted(turn.evidences, key=lambda ranked: ranked.rank):
        evidence = ranked.evidence
        if evidence.page_ids.issubset(visible) and evidence.context.title:  # an erased one has no title
            found.setdefault(evidence.page_id, PageLink(evidence.context.title, evidence.url.partition("#")[0]))
    return tuple(found.values())


def sources_view(turn: Turn, visible: Mapping[str, PageFacts]) -> SourcesView:
    """Build the view of a turn's evidences, cited ones first.

    ``visible``: facts of the pages that may be shown (``EvidenceStore.visible_facts``); erased evidences are left out.
    """
    spoken = turn.question.language
    shown = tuple(
        SourceView(
            rank=ranked.rank,
            number=number,
            title=ranked.evidence.context.title,
            heading_path=ranked.evidence.context.heading_path,
            kind=KINDS[ranked.evidence.kind].render(spoken),
            text=_shorten_evidence(ranked),
            url=ranked.evidence.url,
            page=tuple(each.render(spoken) for each in describe_page(visible[ranked.evidence.page_id])),
        )
        for ranked, number in _order_by_citation(turn)
        if ranked.evidence.page_ids.issubset(visible) and ranked.evidence.text
    )
    hidden = len(turn.evidences) - len(shown)
    return SourcesView(turn.turn_id, spoken, question_text(turn.question), shown, hidden)


def _order_by_citation(turn: Turn) -> list[tuple[RankedEvidence, int | None]]:
    """Return the evidences with their citation numbers: cited ones by number, then the others by rank."""
    cited = {citation.evidence_id: citation.number for citation in reversed(turn.answer.citations)}
    ordered = sorted(turn.evidences, key=lambda ranked: (cited.get(ranked.evidence.evidence_id, inf), ranked.rank))
    return [(ranked, cited.get(ranked.evidence.evidence_id)) for ranked in ordered]


def _format_rows(rows: Sequence[Sequence[tuple[str, str]]]) -> str:
    """Format one row as one line per cell, several rows as one line each."""
    between = "\n" if len(rows) == 1 else ", "
    cells = [[f"{name}: {value}" if name else value for name, value in row if value] for row in rows]
    return "\n".join(between.join(" ".join(cell.split()) for cell in row) for row in cells)


def describe_page(facts: PageFacts) -> Iterator[Message]:
    """Yield a page's owner or author, and its last change."""
    if facts.owner:
        yield message("owner: {name}", name=facts.owner)
    elif facts.creator:
        yield message("author: {name}", name=facts.creator)
    if changed := facts.updated or facts.created:
        yield message("updated on {date}", date=changed)


def _shorten_evidence(ranked: RankedEvidence) -> str:
    """Return the text of an evidence, shortened; table rows as names and values of their cells."""
    text = _format_rows(ranked.evidence.rows) or ranked.evidence.text
    return text if len(text) <= _EVIDENCE_CHARS else text[:_EVIDENCE_CHARS] + " …"


# -------------------------------------------------------------------------------- questions and answers

_ANSWER_ERASED = message("The source of this answer has been removed from the wiki.")
_QUESTION_ERASED = message("(a suggested question, removed with its page)")
NO_ANSWER = message("I could not find that in the wiki.")


def question_text(question: Question) -> str:
    """Return the question as asked, or a note if it was erased."""
    return _QUESTION_ERASED.render(question.language) if question.erased else question.as_asked


def format_stored_answer(turn: Turn) -> str:
    """Return the answer's text as stored, for programs, or a note if it was erased."""
    return _ANSWER_ERASED.render(turn.question.language) if turn.answer.erased else turn.answer.text


def _answer_text(turn: Turn) -> str:
    """Return the answer's text, or a sentence that it was erased or not found."""
    if turn.answer.erased or turn.answer.answered:
        return format_stored_answer(turn)
    said = next(_name_unknown(turn), NO_ANSWER)
    return said.render(turn.question.language)


def _name_unknown(turn: Turn) -> Iterator[Message]:
    """Yield a sentence about names of the question that the wiki does not contain, unless evidences were erased."""
    if all(ranked.evidence.text for ranked in turn.evidences):
        unknown = find_unknown(turn.question.intent_explicit, turn.evidences)
        names = [name for name in unknown if not any(name in other and name != other for other in unknown)]
        if names:
            yield message("I found nothing about “{names}” in the wiki.", names=", ".join(names))


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
_REJECTIONS: Mapping[Rejection, str] = {
    Rejection.NOT_ONE_QUESTION: "it is not one question",
    Rejection.INVENTS_WORDS: "it adds words that nobody used",
    Rejection.DROPS_WORDS: "it drops words of the question",
    Rejection.REPEATS: "it repeats an earlier question",
    Rejection.OTHER_LANGUAGE: "it is in another language",
}


_NOTICES_WITHOUT_VALUES = {
    NoticeKind.UNSURE: message("I'm not sure that this answers your question."),
    NoticeKind.OTHER: message("This answer had a notice that is no longer stored."),
}


def notice_text(notice: TraceNotice, language: Language) -> str:
    """Return the sentence for a trace notice."""
    return _notice(notice, _FAILURES[notice.failure or Failure.OTHER], language).render(language)


def _notice(notice: TraceNotice, failure: Message, reader: Language) -> Message:
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
        case NoticeKind.OTHER_LANGUAGE:
            return message("The page is in {language}.", language=name_language(notice.language, reader))
        case NoticeKind.COMPLETED_WITHOUT_MODEL:
            return message("{failure} The question was completed without it.", failure=failure)
        case NoticeKind.SUGGESTED_WITHOUT_MODEL:
            return message("{failure} The follow-up questions were made without it.", failure=failure)
        case NoticeKind.NO_SUGGESTIONS:
            return message("No follow-up questions could be made. {failure}", failure=failure)
        case NoticeKind.UNSURE | NoticeKind.OTHER:
            return _NOTICES_WITHOUT_VALUES[notice.kind]


def failure_text(failure: Failure, language: Language) -> str:
    """Return the sentence for a failure, without names of servers or settings."""
    return _FAILURES[failure].render(language)


def rejection_text(candidate: Candidate) -> str:
    """Return why a proposed completion was rejected, or ""; in English, since no chat shows it."""
    if candidate.rejected is None:
        return ""
    text = _REJECTIONS[candidate.rejected]
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
    """Build the notice for a reason by its name. ``characters``: length of a question that is too long."""
    if reason == "too_long":
        text = message(
            "Your question has {characters} characters; at most {limit} are allowed. Please ask it in a few sentences.",
            characters=characters,
            limit=MAX_QUESTION_CHARS,
        )
        return Notice(text.render(spoken))
    if reason == "thanks":
        return Notice(message("You're welcome.").render(spoken))
    if reason in _NOT_ALLOWED:
        return Notice(_NOT_ALLOWED[reason].render(spoken))
    return Notice(_PROBLEMS.get(reason, _PROBLEMS["failed"]).render(spoken), kind="problem")


def reason_of(error: WikiWhyError, otherwise: str = "failed") -> str:
    """Return the name of the reason for an error. The error's own text names servers, so it is only logged."""
    if isinstance(error, ModelUnavailable):
        return "model_unavailable"
    return "model_rejected" if isinstance(error, ModelRejected) else otherwise


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
    """Return the sentence why a direct message searched only what everybody may read."""
    return _REASONS[reason].render(language)
