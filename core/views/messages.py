"""Messages: the view of an answered turn, its document, and the documents of all views."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from core.answering.answerer import UNSUPPORTED, is_written_by_model
from core.answering.extractive.quoting.compose import label_heading, split_items, write_row
from core.answering.extractive.quoting.lines import join_parts
from core.answering.extractive.units import is_code, is_image
from core.answering.instructions import LEFT_OUT, strip_evidence
from core.i18n import Message, message
from core.model import Answer, Author, Citation, Evidence, Question, Turn
from core.model.views import (
    AnswerView,
    ExplanationView,
    HelpView,
    Notice,
    PageLink,
    QuestionView,
    RowView,
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
    link,
    link_location,
    make_label,
)
from core.views.explanation import build_explanation
from core.views.fitting import Limits, fit
from core.views.help import build_help
from core.views.markdown import (
    ITEM,
    MOST_CHARS,
    emphasise_tables,
    parse_markdown,
    parse_plain,
    parse_with_rows,
    split_mark,
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
from core.wording.focus import Focus, find_focus
from core.wording.identifiers import find_unknown_identifiers
from core.wording.list_markers import strip_marker
from core.wording.quotations import BETWEEN_CELLS, ELLIPSIS, replace_brackets
from core.wording.word_matches import match_text

_SOURCES, _SUGGESTIONS, _CLOSEST, _NOTES = 20, 4, 3, 5  # shown with an answer
_QUESTION, _NOTE, _CONTACT = 500, 500, 300  # maximum lengths of texts that we did not write, in the platform's units
_PASSAGE = 240  # the same, of what a closest page says
_LEAST_CELLS = 2
_CUT = f" {ELLIPSIS}"  # the end of a quotation that is only a part of its row
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
        closest=() if answered else _list_closest_pages(turn, visible),
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


def _list_closest_pages(turn: Turn, visible: Collection[str]) -> tuple[PageLink, ...]:
    """Return the visible pages that were found, each once with its best section and passage, best first."""
    focus = find_focus(turn.question.intent_explicit)
    ranked = [each.evidence for each in sorted(turn.evidences, key=lambda each: each.rank)]
    units = {unit.evidence_id: unit.index for unit in turn.trace.closest}
    named = {evidence.evidence_id: evidence for evidence in ranked}
    found: dict[str, PageLink] = {}
    for evidence in (*(named[each] for each in units if each in named), *ranked):
        page = found.get(evidence.page_id)
        if page and page.passage:
            continue
        if evidence.page_ids.issubset(visible) and evidence.context.title:  # an erased one has no title
            passage = _choose_passage(focus, evidence, units.get(evidence.evidence_id))
            if passage or not page:
                location = evidence.context.title, evidence.url, evidence.heading
                found[evidence.page_id] = PageLink(*location, passage)
    return tuple(found.values())


def _choose_passage(focus: Focus, evidence: Evidence, closest: int | None) -> str:
    """Return the text of an evidence from its closest unit on; else its unit with the most words of the question."""
    usable, _ = strip_evidence(evidence)
    texts = [at for at, part in enumerate(usable.parts) if not (part == LEFT_OUT or is_code(part) or is_image(part))]
    if not texts:
        return ""
    if closest not in texts:
        closest = max(texts, key=lambda at: sum(match_text(focus.words, usable.parts[at])))
    if usable.kind != "passage":
        return replace_brackets(strip_marker(write_row(focus, usable, closest)))
    lines = join_parts(usable, [at for at in texts if at >= closest], omission="").split("\n")
    announced = split_items(usable.context).split("\n") if lines[-1].endswith(":") else []
    return replace_brackets(" ".join(" · ".join(some) for some in (lines, map(strip_marker, announced))).strip())


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


def find_quoted_rows(turn: Turn) -> tuple[RowView, ...]:
    """Find the lines of an extractive answer that are rows of cited tables, each once."""
    if turn.answer.author is not Author.WIKI or turn.answer.erased:
        return ()
    cited = {citation.evidence_id for citation in turn.answer.citations}
    rows = _index_rows([ranked.evidence for ranked in turn.evidences if ranked.evidence.evidence_id in cited])
    found: dict[str, RowView] = {}
    before: _QuotedRow | None = None
    for line in turn.answer.text.split("\n") if rows else ():
        words, _ = split_mark(line.strip().removeprefix(ITEM))
        pieces = words.split(BETWEEN_CELLS)
        is_cut = pieces[-1] not in rows and pieces[-1].endswith(_CUT)
        pieces[-1] = pieces[-1].removesuffix(_CUT) if is_cut else pieces[-1]
        # The name of its table precedes the first cell, so only the last piece is always a whole cell.
        quoted = (_read_row(pieces, row) for row in rows.get(pieces[-1], ()))
        row = next(filter(None, quoted), None) if len(pieces) >= _LEAST_CELLS else None
        if row and before and not row.name and row.source.table == before.source.table:
            row = replace(row, name=before.name)  # an answer names the table of rows in a row once
        if row:
            rest = (("", ELLIPSIS),) if is_cut else ()
            found[words] = RowView(words, f"{row.name}{row.section}".rstrip(" –:"), (*row.cells, *rest))
        before = row
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class _QuotableRow:
    """A row that an answer may quote.

    ``table``: the page and headings of its table. ``cells``: header and value by their form in an answer. ``names``
    and ``sections``: possible texts before the first cell, first a name of the table, then a section of it.
    """

    table: tuple[str, tuple[str, ...]]
    cells: Mapping[str, tuple[str, str]]
    names: Sequence[str]
    sections: Sequence[str]


@dataclass(frozen=True, slots=True)
class _QuotedRow:
    """A row as a line of an answer quotes it, with a name of its table and a section before its cells, "" for none."""

    source: _QuotableRow
    name: str
    section: str
    cells: tuple[tuple[str, str], ...]


def _index_rows(tables: Sequence[Evidence]) -> dict[str, list[_QuotableRow]]:
    """Index the rows of tables by each of their cells."""
    rows: dict[str, list[_QuotableRow]] = defaultdict(list)
    headers = {name for table in tables for row in table.rows for name, _ in row if name}
    left_out = {f"{_normalise(name)}: {ELLIPSIS}": (name, ELLIPSIS) for name in headers}  # the form of such a cell
    for table in tables:
        labels = table.structure.labels if table.structure else ()
        title, path = table.context.title, table.context.heading_path
        heading = label_heading(table.context) if path else ""
        # An answer of an older version may have a heading "Which ones?" with a colon.
        names = (f"{title}:", *((f"{path[-1]}:", heading, f"{title} › {heading}") if path else ()))
        before = ("", *(f"{_normalise(name)} " for name in names))
        for at, row in enumerate(table.rows):
            own = {_normalise(f"{name}: {value}" if name else value): (name, value) for name, value in row}
            cells = left_out | own
            section = _normalise(labels[at]) if at < len(labels) else ""
            sections = ("", f"{section} – ") if section else ("",)
            quotable = _QuotableRow((table.page_id, path), cells, before, sections)
            for cell in cells:
                rows[cell].append(quotable)
    return rows


def _read_row(pieces: Sequence[str], row: _QuotableRow) -> _QuotedRow | None:
    """Return the row if all pieces of the line are its cells."""
    first, *others = pieces
    if not all(piece in row.cells for piece in others):
        return None
    for name, section in product(row.names, row.sections):
        begin = first.removeprefix(name + section).removeprefix(ITEM)
        if first.startswith(name + section) and begin in row.cells:
            return _QuotedRow(row, name, section, tuple(row.cells[piece] for piece in (begin, *others)))
    return None


def _normalise(words: str) -> str:
    """Return a page's words in the form they have in an answer."""
    return " ".join(replace_brackets(words).split())


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
    return next((link(cited.url, f"[{cited.number}]") for cited in citations if check_web_address(cited.url)), None)


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
