"""Convert views to documents: the layout of each message, the same on every platform; and the help texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from core.i18n import Message, message, plural
from core.languages import Language
from core.model import Citation
from core.views.building import READING, notice_for
from core.views.document import (
    Actions,
    Block,
    Button,
    Document,
    Form,
    Paragraph,
    Run,
    is_visible,
    label,
    link,
    link_place,
    plain_text,
    web_address,
)
from core.views.explanation import build_explanation
from core.views.fitting import Limits, count_more
from core.views.markdown import MOST_CHARS, parse_markdown, parse_plain
from core.views.model import (
    AnswerView,
    ExplanationView,
    HelpView,
    Notice,
    PageLink,
    QuestionView,
    SourcesView,
    SourceView,
    View,
    Waiting,
)
from core.views.rows import emphasise_tables, parse_with_rows

_SOURCES, _SUGGESTIONS, _CLOSEST, _NOTES = 20, 4, 3, 5  # shown with an answer
_SHOWN_SOURCES = 30  # in the Sources window
_LINKS, _LINES = 5, 100  # of a notice
# Maximum lengths of texts that we did not write, in the platform's units:
_QUESTION, _NOTE, _CONTACT, _KIND = 500, 500, 300, 60
_ASKED = 2_500
_EVIDENCE, _HEADLINE, _HINT = 700, 2_500, 1_000


def build_document(view: View, limits: Limits) -> Document:
    """Build the message or window that shows a view, not yet fitted into the platform's limits."""
    match view:
        case AnswerView():
            return _build_answer(view, limits)
        case SourcesView():
            return _build_sources(view, limits)
        case ExplanationView():
            return build_explanation(view, limits)
        case Waiting():
            return _build_waiting(view, limits)
        case Notice():
            return _build_notice(view, limits)
        case QuestionView():
            return _build_question(view, limits)
        case HelpView():
            return _build_help(view, limits)


def _page_lines(pages: Sequence[PageLink], most: int) -> tuple[Paragraph, ...]:
    return tuple(Paragraph((link(page.url, page.title),), marker="•", tight=True) for page in pages[:most])


# ------------------------------------------------------------------------------------------ answers


def _build_answer(view: AnswerView, limits: Limits) -> Document:
    """The completed question, the answer, its sources or the closest pages, and buttons."""
    language, body = view.language, _body(view, limits)
    asked = f"› {view.asked.strip()}" if is_visible(view.asked) else ""
    understood_as = message("Understood as:").render(language)
    understood = f"{understood_as} {view.understood_as.strip()}" if is_visible(view.understood_as) else ""
    whole = Button(message("Show the whole answer").render(language), "whole", view.turn_id, language, 0)
    return Document(
        before=(*limits.line(asked, _QUESTION, "heading"), *limits.line(understood, _QUESTION)),
        body=body or (label("…", "body"),),
        after=(
            *(_source_lines(view, limits) if view.answered else _elsewhere(view, limits)),
            *limits.take(limits.lines(view.notes, _NOTE), _NOTES),
            *_answer_buttons(view),
        ),
        ending=_goes_on(view),
        more=Actions((whole,)),
        source=_first_link(view.citations),
        language=language,
        summary=plain_text(body),
        citations=view.citations if view.answered else (),
    )


def _body(view: AnswerView, limits: Limits) -> tuple[Block, ...]:
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
    return (*blocks, *((_goes_on(view),) if len(view.text) > MOST_CHARS else ()))


def _goes_on(view: AnswerView) -> Paragraph:
    text = message("… the answer continues").render(view.language)
    return Paragraph((Run(f"{text} "), *filter(None, [_first_link(view.citations)])))


def _first_link(citations: Sequence[Citation]) -> Run | None:
    return next((link(cited.url, f"[{cited.number}]") for cited in citations if web_address(cited.url)), None)


def _source_lines(view: AnswerView, limits: Limits) -> tuple[Paragraph, ...]:
    """Return each cited place once, with its citation numbers, as many as fit."""
    if not limits.lists_sources:
        return ()
    places: dict[tuple[str, str, str], list[int]] = {}
    for cited in view.citations:
        places.setdefault((cited.title, cited.heading, cited.url), []).append(cited.number)
    lines = []
    for at, ((title, heading, url), numbers) in enumerate(limits.take([*places.items()], _SOURCES)):
        marks = "".join(f"[{number}]" for number in limits.take(numbers, _SOURCES))
        lines.append(Paragraph((Run(f"{marks} "), link_place(title, [heading], url)), "subtle", tight=at > 0))
    return limits.fill(lines, limits.room * 4 // 11, len(places), view.language)


def _elsewhere(view: AnswerView, limits: Limits) -> tuple[Paragraph, ...]:
    """Return the closest pages and the contact, for a question without an answer."""
    pages = _page_lines(view.closest, _CLOSEST)
    shown = (label(message("These pages come closest:").render(view.language), "body"), *pages) if pages else ()
    if not is_visible(view.contact):
        return shown
    who_can_help = Run(message("Who can help:").render(view.language) + " ")
    contact = Run(limits.excerpt(view.contact, _CONTACT), may_mention=True)
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


# ------------------------------------------------------------------------------------------ sources


def _build_sources(view: SourcesView, limits: Limits) -> Document:
    """The sources of an answer, each with its place, text and page facts."""
    language = view.language
    shown = limits.take(view.sources, _SHOWN_SOURCES)
    found = [paragraph for source in shown for paragraph in _source(source, view, limits)]
    hidden, title = format_hidden_sources(view.hidden, language), message("Sources").render(language)
    more = count_more(len(view.sources) - len(shown), language, tight=False)
    return Document(
        before=limits.line(view.question, _QUESTION, tight=True),
        body=tuple(found) or (label(message("Nothing was found for this question.").render(language), "body"),),
        after=(*more, *((label(hidden, tight=bool(more)),) if hidden else ())),
        language=language,
        title=title,
        summary=title,
    )


def _source(source: SourceView, view: SourcesView, limits: Limits) -> Iterator[Paragraph]:
    number = [Run(f"[{source.number}] ", ("bold",))] if source.number is not None else []
    place = link_place(source.title, source.heading_path, source.url)
    yield Paragraph((*number, place) if number or is_visible(place.text) else (Run("…"),), ruled=True)
    yield from limits.line(source.text, _EVIDENCE, "body", tight=True)
    about = [limits.excerpt(source.kind, _KIND)]
    if limits.whole:
        about.append(message("rank {rank}", rank=source.rank).render(view.language))
    if source.number is not None:
        about.append(message("cited as [{number}]", number=source.number).render(view.language))
    about += (limits.excerpt(each, _KIND) for each in source.page if is_visible(each))
    yield label(", ".join(about), tight=True)


# ------------------------------------------------------------------------------------------ notices


def _build_waiting(view: Waiting, limits: Limits) -> Document:
    """A message about work in progress, which is updated later."""
    progress = limits.line(progress_text(view), _NOTE)
    return Document((*progress, *limits.line(view.detail, _NOTE, tight=True)), language=view.language)


def _build_notice(view: Notice, limits: Limits) -> Document:
    """A headline, links and lines."""

    def text(sentence: str) -> str:
        return sentence.replace("/wiki ", limits.command)

    headline = limits.line(text(view.text), _HEADLINE, "headline" if view.lines else "body")
    lines = [shown for each in view.lines[:_LINES] for shown in limits.line(text(each), _NOTE, "body", tight=True)]
    first = replace(headline[0], sign=view.kind) if headline else label("…", "body")
    return Document((first, *_page_lines(view.links, _LINKS), *lines), summary=text(view.text))


def _build_question(view: QuestionView, limits: Limits) -> Document:
    """The asker as a mention, so that the platform notifies them of the answer, and the question."""
    question = limits.excerpt(view.question, _ASKED)
    return Document((Paragraph((Run(limits.mention.format(user=view.user), may_mention=True), Run(f": {question}"))),))


def _build_help(view: HelpView, limits: Limits) -> Document:
    """How to ask, and for admins their commands."""
    heading = message("How to ask").render(view.language)
    lines = [line.replace("/wiki ", limits.command) for line in help_lines(view)]
    shown = [label(heading, "heading"), *_bullets(lines, limits)]
    if view.admin:
        commands = [command.render(view.language).replace("/wiki ", limits.command) for command in ADMIN_COMMANDS]
        shown += [label(message("For admins:").render(view.language), "heading"), *_bullets(commands, limits)]
    return Document(tuple(shown), language=view.language, summary=heading)


def _bullets(texts: Iterable[str], limits: Limits) -> Iterator[Paragraph]:
    for text in texts:
        yield from limits.line(text, _HINT, "body", tight=True, marker="•")


# -------------------------------------------------------------------------------------------- forms


def build_correction_form(question: str, language: Language) -> Form:
    """Build the form to rephrase a question, prefilled with the completed question."""
    return Form(
        "correction",
        language,
        title=message("What did you mean?").render(language),
        label=message("Your question, in full").render(language),
        placeholder=message("As you would ask somebody who has not read this thread").render(language),
        submit=message("Ask again").render(language),
        cancel=message("Cancel").render(language),
        value=question,
    )


def build_reason_form(question: str, language: Language) -> Form:
    """Build the form for what was wrong with an answer; it may be left empty."""
    return Form(
        "reason",
        language,
        title=message("What was wrong?").render(language),
        label=message("What should the answer have said, or which page has it? (optional)").render(language),
        placeholder=message("For example: the limit changed in May, see the page Travel").render(language),
        submit=message("Send").render(language),
        cancel=message("Cancel").render(language),
        question=question,
        optional=True,
    )


def build_page_form(title: str, language: Language) -> Form:
    """Build the form to ask about a page; the person completes the prefilled sentence."""
    return Form(
        "page",
        language,
        title=message("Ask this page").render(language),
        label=message("Your question, in full").render(language),
        placeholder=message("For example: Who approves travel?").render(language),
        submit=message("Ask").render(language),
        cancel=message("Cancel").render(language),
        value=message("What does “{page}” say about …?", page=title).render(language),
    )


# ----------------------------------------------------------------------------------------------------------- sentences


def progress_text(waiting: Waiting) -> str:
    """Return the text of work in progress, with its progress if known."""
    return _progress(waiting).render(waiting.language)


def status_text(waiting: Waiting) -> str:
    """Return the status of work on an answer or explanation, to follow the bot's name."""
    explains = waiting.work == "explanation"
    status = message("is checking which sources matter …") if explains else message("is reading the wiki …")
    return status.render(waiting.language)


def _progress(waiting: Waiting) -> Message:
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


def help_lines(view: HelpView) -> list[str]:
    """Return the hints how to ask at a place, without those for admins."""
    lines = [
        message("I answer questions from your team's wiki, and cite the place of each answer."),
        message("Send me a question, for example: Who approves travel?")
        if view.direct
        else message("Mention {bot} with a question: {bot} Who approves travel?", bot=view.bot),
        *([_BY_COMMAND] if view.by_command else []),
        _follow_up(view),
        message("Explain shows which sources an answer really rests on; Sources shows everything that was found."),
    ]
    shown = [line.render(view.language) for line in (*lines, *_searched(view))]
    return [*shown, notice_for(view.refusal, view.language).text] if _is_refused(view) else shown


def _is_refused(view: HelpView) -> bool:
    """Whether the help needs the notice why nothing is searched."""
    return view.refusal not in {"", "no_spaces"}


def _searched(view: HelpView) -> Iterator[Message]:
    """Return what is searched at this place."""
    if view.spaces and view.shared:
        yield message(
            "People of other organisations can read here, so I search only the wiki spaces that an admin enabled for "
            "this very channel: {spaces}.",
            spaces=view.spaces,
        )
    elif view.spaces:
        yield message("Here I search these wiki spaces: {spaces}.", spaces=view.spaces)
    elif view.shared:
        yield message(
            "People of other organisations can read here, so I answer only from wiki spaces that an admin enables for "
            "this very channel, and none is."
        )
    elif not view.direct and not _is_refused(view):
        yield message("No wiki space is enabled here. An admin can enable one.")
    if view.direct and view.own_pages and not view.refusal:
        yield message("Here I also search the pages that your own account may read.")


def _follow_up(view: HelpView) -> Message:
    """Return how to follow up. Direct messages and chats of Teams have no threads."""
    if view.by_mention:
        return message("Reply to my answer and mention me again to follow up.")
    return message("Reply to my answer to follow up.") if view.direct else message("Reply in the thread to follow up.")


_BY_COMMAND = message("Or ask with the command: /wiki Who approves travel? Everybody here sees question and answer.")

ADMIN_COMMANDS = (
    message("/wiki spaces – list the spaces, and when each was last synced"),
    message("/wiki sync KEY – read a space again"),
    message("/wiki forget KEY – remove a space and everything stored from it"),
)


def format_hidden_sources(count: int, language: Language) -> str:
    """Return the note that sources are hidden, or ""."""
    if not count:
        return ""
    return plural(
        "One source is not shown: its page is gone, or not everyone here may read it.",
        "{count} sources are not shown: their pages are gone, or not everyone here may read them.",
        count,
    ).render(language)
