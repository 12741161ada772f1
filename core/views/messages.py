"""Messages: the view of an answered turn, its document, and the documents of all views."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from core.answering.answerer import UNSUPPORTED, is_written_by_model
from core.answering.extractive.quoting.closest_pages import list_closest_pages
from core.answering.extractive.quoting.quoted_rows import find_quoted_rows
from core.i18n import Message, message
from core.model import Answer, Citation, Question, Turn
from core.model.views import (
    AnswerView,
    ExplanationView,
    HelpView,
    Notice,
    PageLink,
    QuestionView,
    SourcesView,
    View,
    Waiting,
)
from core.text import is_visible
from core.views.document import (
    Actions,
    Block,
    Button,
    Document,
    Paragraph,
    Run,
    check_web_address,
    get_plain_text,
    link_location,
    make_label,
    make_mark,
)
from core.views.explanation import build_explanation
from core.views.fitting import Limits, fit
from core.views.help import build_help
from core.views.markdown import (
    MOST_CHARS,
    emphasise_tables,
    parse_markdown,
    parse_plain,
    parse_with_rows,
)
from core.views.notices import (
    NO_ANSWER,
    build_notice,
    build_question,
    build_waiting,
    format_notice,
    link_pages,
)
from core.views.sources import build_sources
from core.wording.courtesy import strip_courtesy
from core.wording.identifiers import find_unknown_identifiers

_SOURCES, _SUGGESTIONS, _CLOSEST, _NOTES = 20, 4, 3, 5  # shown with an answer
_QUESTION, _NOTE, _CONTACT = 500, 500, 300  # maximum lengths of texts that we did not write, in the platform's units
_PASSAGE = 240  # the same, of what a closest page says
_ANSWER_ERASED = message("The source of this answer has been removed from the wiki.")
_UNSUPPORTED = message("[?] No source supports this statement.")


def build_fitting(view: View, limits: Limits) -> Document:
    """Build the message or window that shows a view, within the platform's limits."""
    return fit(build_document(view, limits), limits)


def build_document(view: View, limits: Limits) -> Document:
    """Build the message or window that shows a view, not yet fitted into the platform's limits."""
    document = _build(view, limits)
    heading = (make_label(document.title, "heading"),) if limits.shows_titles and document.title else ()
    return replace(
        document,
        before=(*heading, *document.before),
        after=tuple(each for each in document.after if not (isinstance(each, Actions) and each.kind in limits.hides)),
        more=None if "buttons" in limits.hides else document.more,
    )


def _build(view: View, limits: Limits) -> Document:
    match view:
        case AnswerView():
            return _build_answer(view, limits)
        case SourcesView():
            return build_sources(view, limits)
        case ExplanationView():
            return build_explanation(view, limits)
        case Waiting():
            return build_waiting(view, limits)
        case Notice():
            return build_notice(view, limits)
        case QuestionView():
            return build_question(view, limits)
        case HelpView():
            return build_help(view, limits)


# ------------------------------------------------------------------------------------------ the view of a turn


def build_answer_view(turn: Turn, visible: Collection[str] = (), contact: str = "") -> AnswerView:
    """Build the view of an answer in the question's language.

    ``visible``: ids of the pages that may be named if there is no answer (``EvidenceStore.filter_visible``).
    ``contact``: who can help in that case.
    """
    language = turn.question.language
    answered = turn.answer.answered
    unsupported = is_written_by_model(turn) and UNSUPPORTED in turn.answer.text
    return AnswerView(
        turn_id=turn.turn_id,
        language=language,
        text=_choose_text(turn),
        answered=answered,
        markup="markdown" if is_written_by_model(turn) and not turn.answer.erased else "plain",
        citations=turn.answer.citations if answered else (),
        understood_as=_describe_completion(turn.question),
        closest=() if answered else list_closest_pages(turn, visible),
        contact="" if answered else contact,
        notes=(
            *(_UNSUPPORTED.render(language),) * unsupported,
            *((each.render(language) for each in _report_unknown_names(turn)) if answered else ()),
            *(format_notice(notice, language) for notice in turn.trace.notices),
        ),
        suggestions=tuple(suggestion.question for suggestion in turn.suggestions),
        question=turn.question.intent_explicit,
        rows=find_quoted_rows(turn),
    )


def build_part_view(turn_id: str, question: Question, part: Answer, asked: str = "") -> AnswerView:
    """Build the view of the beginning of a model's answer. ``asked``: as in :class:`AnswerView`."""
    return AnswerView(
        turn_id=turn_id,
        language=question.language,
        text=part.text,
        answered=True,
        markup="markdown",
        citations=part.citations,
        understood_as=_describe_completion(question),
        asked=asked,
        question=question.intent_explicit,
    )


def _describe_completion(question: Question) -> str:
    same = question.intent_explicit in {question.as_asked, strip_courtesy(question.as_asked)}
    return "" if same else " ".join(question.intent_explicit.split())


def _choose_text(turn: Turn) -> str:
    """Return the answer's text, or a sentence that it was erased or not found."""
    if turn.answer.erased or turn.answer.answered:
        return format_stored_answer(turn)
    said = next(_report_unknown_names(turn), NO_ANSWER)
    return said.render(turn.question.language)


def format_stored_answer(turn: Turn) -> str:
    """Return the answer's text as stored, for programs, or a note if it was erased."""
    return _ANSWER_ERASED.render(turn.question.language) if turn.answer.erased else turn.answer.text


def _report_unknown_names(turn: Turn) -> Iterator[Message]:
    """Yield a sentence about names of the question that the wiki does not contain, unless evidences were erased."""
    if all(ranked.evidence.text for ranked in turn.evidences):
        unknown = find_unknown_identifiers(turn.question.intent_explicit, turn.evidences)
        names = [name for name in unknown if not any(name in other and name != other for other in unknown)]
        if names:
            yield message("I found nothing about “{names}” in the wiki.", names=", ".join(names))


# ------------------------------------------------------------------------------------------ the document of an answer


def _build_answer(view: AnswerView, limits: Limits) -> Document:
    """The completed question, the answer, its sources or the closest pages, and buttons."""
    language, body = view.language, _build_body(view, limits)
    asked = f"› {view.asked.strip()}" if is_visible(view.asked) else ""
    understood_as = message("Understood as:").render(language)
    understood = f"{understood_as} {view.understood_as.strip()}" if is_visible(view.understood_as) else ""
    whole = Button(message("Show the whole answer").render(language), "whole", language, view.turn_id, index=0)
    return Document(
        before=(*limits.make_line(asked, _QUESTION, "heading"), *limits.make_line(understood, _QUESTION)),
        body=body or (make_label("…", "body"),),
        after=(
            *(_build_source_lines(view, limits) if view.answered else _build_alternatives(view, limits)),
            *limits.take(limits.make_lines(view.notes, _NOTE), _NOTES),
            *_build_buttons(view),
        ),
        ending=_make_ending(view),
        more=Actions((whole,)),
        source=_find_first_link(view.citations),
        language=language,
        summary=get_plain_text(body),
        citations=view.citations if view.answered else (),
    )


def _build_body(view: AnswerView, limits: Limits) -> tuple[Block, ...]:
    """The answer's text; on platforms with tables, its quoted rows as tables."""
    if not limits.quotes_tables:
        return answer_body(view)
    body = tuple(parse_with_rows(view)) if view.markup == "plain" and view.rows else answer_body(view)
    return emphasise_tables(body, view.question)


def answer_body(view: AnswerView) -> tuple[Block, ...]:
    """Build the answer's text with citations as links."""
    citations = view.citations if view.answered else ()
    if view.markup == "plain":
        return tuple(parse_plain(view.text, citations))
    blocks = parse_markdown(view.text[:MOST_CHARS], citations)
    return (*blocks, *((_make_ending(view),) if len(view.text) > MOST_CHARS else ()))


def _make_ending(view: AnswerView) -> Paragraph:
    text = message("… the answer continues").render(view.language)
    return Paragraph((Run(f"{text} "), *filter(None, [_find_first_link(view.citations)])))


def _find_first_link(citations: Sequence[Citation]) -> Run | None:
    return next((make_mark(cited) for cited in citations if check_web_address(cited.url)), None)


def _build_source_lines(view: AnswerView, limits: Limits) -> tuple[Paragraph, ...]:
    """Return each cited location once, with its citation numbers, as many as fit."""
    if not limits.lists_sources:
        return ()
    locations: dict[tuple[str, str, str], list[int]] = {}
    for cited in view.citations:
        locations.setdefault((cited.title, cited.heading, cited.url), []).append(cited.number)
    lines = []
    for at, ((title, heading, url), numbers) in enumerate(limits.take([*locations.items()], _SOURCES)):
        marks = "".join(f"[{number}]" for number in limits.take(numbers, _SOURCES))
        lines.append(Paragraph((Run(f"{marks} "), link_location(title, [heading], url)), "subtle", tight=at > 0))
    return limits.fill(lines, limits.room * 4 // 11, len(locations), view.language)


def _build_alternatives(view: AnswerView, limits: Limits) -> tuple[Paragraph, ...]:
    """Return the closest pages with what they say, and the contact, for a question without an answer."""
    pages = [
        replace(line, runs=(*line.runs, Run(f": {passage}"))) if (passage := _make_passage(page, limits)) else line
        for page, line in zip(view.closest, link_pages(view.closest, _CLOSEST), strict=False)
    ]
    shown = (make_label(message("These pages come closest:").render(view.language), "body"), *pages) if pages else ()
    if not is_visible(view.contact):
        return shown
    who_can_help = Run(message("Who can help:").render(view.language) + " ")
    contact = Run(limits.make_excerpt(view.contact, _CONTACT), may_mention=True)
    return (*shown, Paragraph((who_can_help, contact), tight=bool(shown)))


def _make_passage(page: PageLink, limits: Limits) -> str:
    return limits.make_excerpt(page.passage, _PASSAGE) if is_visible(page.passage) else ""


def _build_buttons(view: AnswerView) -> Iterator[Actions]:

    def button(label: Message, name: str) -> Button:
        return Button(label.render(view.language), name, view.language, view.turn_id)

    explain = [button(message("Explain"), "explain")] if view.answered else []
    sources = [button(message("Sources"), "sources")] if view.answered else []
    correct = [button(message("Not what I meant"), "correct")] if is_visible(view.understood_as) else []
    suggested = [(at, question) for at, question in enumerate(view.suggestions) if is_visible(question)]
    if buttons := (*explain, *sources, *correct):
        yield Actions(buttons)
    if suggested:
        questions = tuple(
            Button(question, "suggest", view.language, view.turn_id, index=at)
            for at, question in suggested[:_SUGGESTIONS]
        )
        yield Actions(questions, "suggestions", message("You could also ask:").render(view.language))
    yield Actions((button(message("Helpful"), "good"), button(message("Not helpful"), "bad")), "feedback")
