"""How to ask: the help, the app's home page, and the forms that ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from core.i18n import Message, message
from core.languages import Language
from core.model.views import AdminHomeView, HelpView, HomeView
from core.views.document import Block, Document, Form, Paragraph, Run, link, make_label
from core.views.fitting import Limits
from core.views.notices import choose_notice, link_pages

# Maximum lengths of texts that we did not write, in the platform's units:
_HINT, _LINE, _QUESTION = 1_000, 400, 500
_BY_COMMAND = message(
    "Or ask with the command: /wiki Who approves travel? Everybody here sees the question and the answer."
)
_INTRODUCTION = message("I answer questions from your team's wiki and link to the source of each answer.")
ADMIN_COMMANDS = (
    message("/wiki spaces – list the spaces and their last sync"),
    message("/wiki sync KEY – sync a space"),
    message("/wiki forget KEY – remove a space and everything stored from it"),
)


def build_help(view: HelpView, limits: Limits) -> Document:
    """How to ask, and for admins their commands."""
    heading = message("How to ask").render(view.language)
    shown = [make_label(heading, "heading"), *_make_bullets(map(limits.name_commands, list_hints(view)), limits, _HINT)]
    if view.admin:
        commands = [command.render(view.language) for command in ADMIN_COMMANDS]
        for_admins = make_label(message("For admins").render(view.language), "heading")
        shown += [for_admins, *_make_bullets(map(limits.name_commands, commands), limits, _HINT)]
    return Document(tuple(shown), language=view.language, summary=heading)


def _make_bullets(texts: Iterable[str], limits: Limits, length: int) -> tuple[Paragraph, ...]:
    return tuple(line for text in texts for line in limits.make_line(text, length, "body", tight=True, marker="•"))


def list_hints(view: HelpView) -> list[str]:
    """Return the hints how to ask at a place, without those for admins."""
    if view.refusal == "guest" or view.refusal == "unknown_person":  # to say how to ask would promise an answer
        return [_INTRODUCTION.render(view.language), choose_notice(view.refusal, view.language).text]
    lines = [
        _INTRODUCTION,
        message("Send me a question, for example: Who approves travel?")
        if view.direct
        else message("Mention @WikiWhy with a question: @WikiWhy Who approves travel?"),
        *([_BY_COMMAND] if view.by_command else []),
        _explain_follow_ups(view),
        message("Explain shows which sources an answer really rests on. Sources shows everything that was found."),
        message("I do not read files that are attached to a message."),
    ]
    shown = [line.render(view.language) for line in (*lines, *_describe_searched(view))]
    return [*shown, choose_notice(view.refusal, view.language).text] if view.refusal and _is_refused(view) else shown


def _is_refused(view: HelpView) -> bool:
    """Whether the help needs the notice why nothing is searched."""
    return view.refusal not in {"", "no_spaces"}


def _describe_searched(view: HelpView) -> Iterator[Message]:
    """Return what is searched at this place."""
    if view.spaces and view.shared:
        yield message(
            "People of other organisations can read here, so I search only the wiki spaces that an admin enabled "
            "specifically for this channel: {spaces}.",
            spaces=view.spaces,
        )
    elif view.spaces:
        yield message("Here I search these wiki spaces: {spaces}.", spaces=view.spaces)
    elif view.shared:
        yield message(
            "People of other organisations can read here, so I answer only from wiki spaces that an admin enables "
            "specifically for this channel, and so far none is enabled."
        )
    elif not view.direct and not _is_refused(view):
        yield message("No wiki space is enabled here. An admin can enable one.")
    if view.direct and view.own_pages and not view.refusal:
        yield message("Here I also search the pages that your own account may read.")


def _explain_follow_ups(view: HelpView) -> Message:
    """Return how to follow up. Direct messages and chats of Teams have no threads."""
    if view.by_mention:
        return message("Reply to my answer and mention me again to follow up.")
    return message("Reply to my answer to follow up.") if view.direct else message("Reply in the thread to follow up.")


# -------------------------------------------------------------------------------------- the home page

_NO_QUESTIONS = message("None yet. Ask one under Messages, for example: Who approves travel?")
_NO_SPACES = message("None yet.")
_NO_UNANSWERED = message("None.")


def build_home(view: HomeView, limits: Limits) -> Document:
    """Build the home page. A person who may see nothing sees only why."""
    language = view.help.language
    if view.help.refusal == "guest" or view.help.refusal == "unknown_person":
        return Document((make_label(choose_notice(view.help.refusal, language).text, "body"),), language=language)
    shown: list[Block] = [
        *_build_section(message("Your latest questions"), link_pages(view.questions), language, _NO_QUESTIONS),
        *_build_section(
            message("Wiki spaces that I search for you"),
            _make_bullets(view.spaces, limits, _LINE),
            language,
            _NO_SPACES,
        ),
    ]
    if view.admin:
        shown += _build_admin_blocks(view.admin, language, limits)
    without_spaces = replace(view.help, spaces=())  # they stand above
    shown += _build_section(
        message("How to ask"),
        _make_bullets(map(limits.name_commands, list_hints(without_spaces)), limits, _LINE),
        language,
    )
    return Document(tuple(shown), language=language)


def _build_section(
    heading: Message, lines: Sequence[Paragraph], language: Language, otherwise: Message | None = None
) -> Iterator[Paragraph]:
    if lines or otherwise:
        yield Paragraph((Run(heading.render(language)),), "heading", ruled=True)
    if lines:
        yield from lines
    elif otherwise:
        yield make_label(otherwise.render(language), "body", tight=True)


def _build_admin_blocks(admin: AdminHomeView, language: Language, limits: Limits) -> Iterator[Block]:
    yield from _build_section(message("Syncs"), _make_bullets(admin.spaces, limits, _LINE), language, _NO_SPACES)
    unanswered = message("Unanswered questions in channels in the last seven days")
    yield from _build_section(unanswered, link_pages(admin.unanswered), language, _NO_UNANSWERED)
    judged = message("Helpful: {good}, not helpful: {bad}", good=admin.good, bad=admin.bad).render(language)
    lines = [make_label(judged, "body", tight=True), *_build_complaints(admin, limits)]
    yield from _build_section(message("Feedback in the last seven days"), lines, language)
    commands = [command.render(language) for command in ADMIN_COMMANDS]
    yield from _build_section(
        message("For admins"), _make_bullets(map(limits.name_commands, commands), limits, _LINE), language
    )


def _build_complaints(admin: AdminHomeView, limits: Limits) -> Iterator[Paragraph]:
    for page, reason in admin.complaints:
        said = Run(f": {limits.make_excerpt(reason, _LINE)}")
        yield Paragraph((link(page.url, page.title), said), marker="•", tight=True)


# --------------------------------------------------------------------------------------------- forms


def build_form_head(form: Form, limits: Limits) -> tuple[Paragraph, ...]:
    """Build what stands above a form's field: its title, if messages show titles, and the question that it is about."""
    title = (make_label(form.title, "heading"),) if limits.shows_titles else ()
    return (*title, *limits.make_line(form.question, _QUESTION, tight=True))


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
        title=message("Ask about this page").render(language),
        label=message("Your question, in full").render(language),
        placeholder=message("For example: Who approves travel?").render(language),
        submit=message("Ask").render(language),
        cancel=message("Cancel").render(language),
        value=message("What does “{page}” say about …?", page=title).render(language),
    )
