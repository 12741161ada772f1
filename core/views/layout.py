"""Views as documents: what stands where in a message, alike on every platform."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.i18n import Message, message
from core.model import Citation
from core.text import Language
from core.views.document import (
    Actions,
    Bar,
    Block,
    Button,
    Chart,
    Document,
    Form,
    Look,
    Paragraph,
    Run,
    is_visible,
    link,
    one_line,
    shorten,
    text_of,
    web_address,
)
from core.views.fitting import Limits
from core.views.markdown import MOST_CHARS, parse_markdown, parse_plain
from core.views.model import (
    AnswerView,
    BarView,
    ExplanationView,
    HelpView,
    Notice,
    PageLink,
    PlaceView,
    SourcesView,
    SourceView,
    View,
    Waiting,
)
from core.views.wording import ADMIN_COMMANDS, NO_SOURCES, format_hidden_sources, help_lines, progress_text

_SOURCES, _SUGGESTIONS, _CLOSEST, _NOTES = 20, 4, 3, 5  # of an answer
_SHOWN_SOURCES = 30  # in a window of their own
_BARS, _PLACES_OF_BAR, _OTHER_PLACES = 8, 4, 5
_LINKS, _LINES = 5, 100  # of a notice
# Lengths of texts of others, in the units in which the platform measures prose:
_QUESTION, _HEADING, _NOTE, _CONTACT, _KIND = 500, 150, 500, 300, 60
_VERDICT, _SENTENCE, _CAUSE, _ANSWER = 500, 200, 300, 500
_EVIDENCE, _HEADLINE, _HINT, _FIELD = 700, 2_500, 1_000, 3_000


def build_document(view: View, limits: Limits) -> Document:
    """The message that shows a view, before it is fitted."""
    match view:
        case AnswerView():
            return build_answer(view, limits)
        case ExplanationView():
            return _build_explanation(view, limits)
        case Waiting():
            return build_waiting(view, limits)
        case Notice():
            return build_notice(view, limits)
        case HelpView():
            return _build_help(view, limits)


def line(
    text: str, limits: Limits, limit: int, look: Look = "subtle", *, tight: bool = False, marker: str | None = None
) -> tuple[Paragraph, ...]:
    """Text of others as a paragraph; none if there is nothing to see."""
    if not is_visible(text):
        return ()
    return (Paragraph((Run(limits.excerpt(text, limit)),), look, tight=tight, marker=marker),)


def _label(text: str, look: Look = "subtle", *, tight: bool = False) -> Paragraph:
    """A sentence of ours."""
    return Paragraph((Run(text),), look, tight=tight)


def _link_place(title: str, headings: Sequence[str], url: str) -> Run:
    """``Title › Heading``, a link where there is an address to link to."""
    return link(url, " › ".join(part for part in (title, *headings) if is_visible(part)))


def _page_lines(pages: Sequence[PageLink], most: int) -> tuple[Paragraph, ...]:
    return tuple(Paragraph((link(page.url, page.title),), marker="•", tight=True) for page in pages[:most])


# ------------------------------------------------------------------------------------------ answers


def build_answer(view: AnswerView, limits: Limits) -> Document:
    """How the question was understood, the answer, its sources or where to look instead, and what to do next."""
    language = view.language
    asked = f"› {view.asked.strip()}" if is_visible(view.asked) else ""
    understood_as = message("Understood as:").render(language)
    understood = f"{understood_as} {view.understood_as.strip()}" if is_visible(view.understood_as) else ""
    whole = Button(message("Show the whole answer").render(language), "whole", view.turn_id, language, 0)
    notes = [note for note in view.notes if is_visible(note)][:_NOTES]
    return Document(
        before=(*line(asked, limits, _QUESTION, "heading"), *line(understood, limits, _QUESTION)),
        body=answer_body(view) or (_label("…", "body"),),
        after=(
            *(_source_lines(view, limits) if view.answered else _elsewhere(view, limits)),
            *(paragraph for at, note in enumerate(notes) for paragraph in line(note, limits, _NOTE, tight=at > 0)),
            *_answer_buttons(view),
        ),
        ending=_goes_on(view),
        more=Actions((whole,)),
        source=_first_link(view.citations),
        language=language,
        summary=view.text,
        citations=view.citations if view.answered else (),
    )


def answer_body(view: AnswerView) -> tuple[Block, ...]:
    """The answer's text, its citations links."""
    citations = view.citations if view.answered else ()
    if view.markup == "plain":
        return tuple(parse_plain(view.text, citations))
    blocks = parse_markdown(view.text[:MOST_CHARS], citations)
    return (*blocks, *((_goes_on(view),) if len(view.text) > MOST_CHARS else ()))


def _goes_on(view: AnswerView) -> Paragraph:
    text = message("… the answer continues").render(view.language)
    return Paragraph((Run(f"{text} "), *filter(None, [_first_link(view.citations)])))


def _first_link(citations: Sequence[Citation]) -> Run | None:
    return next((link(cited.url, f"[{cited.number}]") for cited in citations if web_address(cited.url)), None)


def _source_lines(view: AnswerView, limits: Limits) -> tuple[Paragraph, ...]:
    """Numbered places, as many as there is room for."""
    lines: list[Paragraph] = []
    room = limits.room * 4 // 11
    for cited in view.citations[:_SOURCES]:
        place = _link_place(cited.title, [cited.heading], cited.url)
        shown = Paragraph((Run(f"[{cited.number}] "), place), "subtle", tight=bool(lines))
        room -= limits.size(shown)
        if room < 0:
            break
        lines.append(shown)
    return (*lines, *_more(len(view.citations) - len(lines), view.language, tight=bool(lines)))


def _more(count: int, language: Language, *, tight: bool = True) -> tuple[Paragraph, ...]:
    """How many more there are."""
    return (_label(message("and {count} more", count=count).render(language), tight=tight),) if count > 0 else ()


def _elsewhere(view: AnswerView, limits: Limits) -> tuple[Paragraph, ...]:
    """The closest pages, and who can help."""
    pages = _page_lines(view.closest, _CLOSEST)
    shown = (_label(message("These pages come closest:").render(view.language), "body"), *pages) if pages else ()
    if not is_visible(view.contact):
        return shown
    who_can_help = Run(message("Who can help:").render(view.language) + " ")
    contact = Run(limits.excerpt(view.contact, _CONTACT), by_admin=True)
    return (*shown, Paragraph((who_can_help, contact), tight=bool(shown)))


def _answer_buttons(view: AnswerView) -> Iterator[Actions]:

    def button(label: Message, name: str, form: Form | None = None) -> Button:
        return Button(label.render(view.language), name, view.turn_id, view.language, form=form)

    explain = [button(message("Explain"), "explain")] if view.answered and view.explainable else []
    sources = [button(message("Sources"), "sources")] if view.answered else []
    form = build_correction_form(view.understood_as, view.language)
    correct = [button(message("Not what I meant"), "correct", form)] if is_visible(view.understood_as) else []
    suggested = [(at, question) for at, question in enumerate(view.suggestions) if is_visible(question)]
    if buttons := (*explain, *sources, *correct):
        yield Actions(buttons)
    if suggested:
        questions = tuple(
            Button(question, "suggest", view.turn_id, view.language, at) for at, question in suggested[:_SUGGESTIONS]
        )
        yield Actions(questions, "suggestions", message("You could also ask:").render(view.language))
    yield Actions((button(message("Helpful"), "good"), button(message("Not helpful"), "bad")), "feedback")


# ------------------------------------------------------------------------------------- explanations


def _build_explanation(view: ExplanationView, limits: Limits) -> Document:
    """Shares as bars with their sources, the verdict, what would be without the first of them."""
    heading = line(view.heading, limits, _HEADING, "heading")
    causes = [cause for cause in view.causes if is_visible(cause)][:2]
    notes = [note for note in (*view.notes[:2], view.made) if is_visible(note)]
    return Document(
        before=(*heading, *(line(view.question, limits, _CAUSE, tight=True) if heading else ())),
        body=(
            *_chart(view, limits),
            *line(view.verdict, limits, _VERDICT, "heading"),
            *_quote(*view.without_top, limits, "body"),
            *line(view.problem, limits, _CAUSE),
            *_headed(*view.unmoved, view, limits),
            *_headed(*view.unknown, view, limits),
            *(shown for at, cause in enumerate(causes) for shown in line(cause, limits, _CAUSE, tight=at > 0)),
            *_quote(*view.compared_with, limits, "subtle"),
            *(shown for at, note in enumerate(notes) for shown in line(note, limits, _SENTENCE, tight=at > 0)),
        ),
        language=view.language,
        summary=f"{view.heading}: {view.verdict}" if heading else view.verdict,
        citations=(),
    )


def _chart(view: ExplanationView, limits: Limits) -> Iterator[Block]:
    bars = view.bars[:_BARS]
    room = limits.room * 2 // 5 // max(len(bars), 2)
    if bars:
        yield Chart(one_line(view.heading), tuple(_bar(bar, room, view, limits) for bar in bars))
    yield from _more(len(view.bars) - len(bars), view.language, tight=False)


def _bar(bar: BarView, room: int, view: ExplanationView, limits: Limits) -> Bar:
    percent = shorten(one_line(bar.percent), 8)
    number = percent.strip("<% ")
    sentence = message("{percent} percent", percent=number)
    if percent.startswith("<"):
        sentence = message("less than {percent} percent", percent=number)
    first = bar.places[0] if bar.places else None
    numbers = "".join(f"[{number}]" for number in first.numbers[:3]) if first else ""
    return Bar(
        bar.share,
        percent,
        sentence.render(view.language),
        f"{numbers} {one_line(first.title)}".strip() if first else "",
        _place_lines(bar.places, _PLACES_OF_BAR, room, view, limits, "body"),
    )


def _place_lines(
    places: Sequence[PlaceView], most: int, room: int, view: ExplanationView, limits: Limits, look: Look
) -> tuple[Paragraph, ...]:
    """A line a place, as many as there is room for; the first one in any case, if need be without its link."""
    lines: list[Paragraph] = []
    for place in places[:most]:
        shown = _place(place, look, limits)
        needed = limits.size(shown)
        if needed > room:
            if not lines:
                lines = [replace(shown, runs=(Run(text_of(shown.runs)),))]
            break
        room -= needed
        lines.append(shown)
    return (*lines, *_more(len(places) - len(lines), view.language))


def _place(place: PlaceView, look: Look, limits: Limits) -> Paragraph:
    numbers = "".join(f"[{number}]" for number in place.numbers[:5])
    kinds = f" ({limits.excerpt(place.kinds, _KIND)})" if is_visible(place.kinds) else ""
    name = _link_place(place.title, place.heading_path, place.url)
    return Paragraph((Run(f"{numbers} " if numbers else ""), name, Run(kinds)), look, tight=True)


def _headed(heading: str, places: Sequence[PlaceView], view: ExplanationView, limits: Limits) -> tuple[Paragraph, ...]:
    if not places:
        return ()
    shown = line(heading, limits, _SENTENCE) or (_label("…"),)
    return (*shown, *_place_lines(places, _OTHER_PLACES, limits.room // 12, view, limits, "subtle"))


def _quote(sentence: str, answer: str, limits: Limits, look: Look) -> Iterator[Paragraph]:
    """A sentence, and an answer that follows it; nothing without the sentence."""
    if is_visible(sentence):
        yield from line(sentence, limits, _SENTENCE, look)
        yield from (replace(shown, quoted=1) for shown in line(answer, limits, _ANSWER, look, tight=True))


# ------------------------------------------------------------------------------------------ sources


def build_sources(view: SourcesView, limits: Limits) -> Document:
    """The sources of an answer, cited ones first, each with its place, text and rank."""
    language = view.language
    found = [paragraph for source in view.sources[:_SHOWN_SOURCES] for paragraph in _source(source, view, limits)]
    hidden = format_hidden_sources(view.hidden, language)
    more = _more(len(view.sources) - _SHOWN_SOURCES, language, tight=False)
    return Document(
        before=line(view.question, limits, _QUESTION, tight=True),
        body=tuple(found) or (_label(NO_SOURCES.render(language), "body"),),
        after=(*more, *((_label(hidden, tight=bool(more)),) if hidden else ())),
        language=language,
        title=message("Sources").render(language),
    )


def _source(source: SourceView, view: SourcesView, limits: Limits) -> Iterator[Paragraph]:
    number = [Run(f"[{source.number}] ", ("bold",))] if source.number is not None else []
    place = _link_place(source.title, source.heading_path, source.url)
    yield Paragraph((*number, place) if number or is_visible(place.text) else (Run("…"),), ruled=True)
    yield from line(source.text, limits, _EVIDENCE, "body", tight=True)
    about = [limits.excerpt(source.kind, _KIND), message("rank {rank}", rank=source.rank).render(view.language)]
    if source.number is not None:
        about.append(message("cited as [{number}]", number=source.number).render(view.language))
    yield _label(", ".join(about), tight=True)


# ------------------------------------------------------------------------------------------ notices


def build_waiting(view: Waiting, limits: Limits) -> Document:
    """A placeholder, which becomes another message soon."""
    progress = line(progress_text(view), limits, _NOTE)
    return Document((*progress, *line(view.detail, limits, _NOTE, tight=True)), language=view.language)


def build_notice(view: Notice, limits: Limits) -> Document:
    """A headline, links and lines."""

    def text(sentence: str) -> str:
        return sentence.replace("/wiki ", limits.command)

    headline = line(text(view.text), limits, _HEADLINE, "headline" if view.lines else "body")
    lines = [shown for each in view.lines[:_LINES] for shown in line(text(each), limits, _NOTE, "body", tight=True)]
    first = replace(headline[0], sign=view.kind) if headline else _label("…", "body")
    return Document((first, *_page_lines(view.links, _LINKS), *lines), summary=text(view.text))


def _build_help(view: HelpView, limits: Limits) -> Document:
    """How to ask, and the commands for those who may give them."""
    heading = message("How to ask").render(view.language)

    def add_bullets(texts: Sequence[str]) -> Iterator[Paragraph]:
        for text in texts:
            yield from line(text, limits, _HINT, "body", tight=True, marker="•")

    shown = [_label(heading, "heading"), *add_bullets(help_lines(view))]
    if view.admin:
        commands = [command.render(view.language).replace("/wiki ", limits.command) for command in ADMIN_COMMANDS]
        shown += [_label(message("For admins:").render(view.language), "heading"), *add_bullets(commands)]
    return Document(tuple(shown), language=view.language, summary=heading)


# -------------------------------------------------------------------------------------------- forms


def build_correction_form(question: str, language: Language) -> Form:
    """To ask again in other words, beginning with how the question was understood."""
    return Form(
        "correction",
        title=message("What did you mean?").render(language),
        label=message("Your question, in full").render(language),
        placeholder=message("As you would ask somebody who has not read this thread").render(language),
        submit=message("Ask again").render(language),
        cancel=message("Cancel").render(language),
        value=question,
    )


def build_reason_form(question: str, language: Language, limits: Limits) -> Form:
    """Why the answer to this question is no good; may be left empty."""
    return Form(
        "reason",
        title=message("What was wrong?").render(language),
        label=message("What should the answer have said, or which page has it? (optional)").render(language),
        placeholder=message("For example: the limit changed in May, see the page Travel").render(language),
        submit=message("Send").render(language),
        cancel=message("Cancel").render(language),
        above=line(question, limits, _QUESTION, tight=True),
        optional=True,
    )
