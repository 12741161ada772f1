"""The app's home page: a person's questions, the spaces, help, and the admin's overview."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.i18n import Message, message
from core.languages import Language
from core.views.building import notice_for
from core.views.document import Block, Document, Paragraph, Run, label, link
from core.views.fitting import Limits
from core.views.layout import ADMIN_COMMANDS, help_lines
from core.views.model import AdminHomeView, HomeView, PageLink

_LINE = 400  # characters, in the platform's units


def build_home(view: HomeView, limits: Limits) -> Document:
    """Build the home page. A guest sees only where guests can ask."""
    language = view.help.language
    if view.help.refusal == "guest":
        return Document((label(notice_for("guest", language).text, "body"),), language=language)
    shown: list[Block] = [
        *_headed(message("Your latest questions"), _links(view.questions), language, _NO_QUESTIONS),
        *_headed(message("Wiki spaces that I search for you"), _lines(view.spaces, limits), language, _NO_SPACES),
    ]
    if view.admin:
        shown += _admin_blocks(view.admin, language, limits)
    without_spaces = replace(view.help, spaces=())  # they stand above
    help_texts = [line.replace("/wiki ", limits.command) for line in help_lines(without_spaces)]
    shown += _headed(message("How to ask"), _lines(help_texts, limits), language)
    return Document(tuple(shown), language=language)


_NO_QUESTIONS = message("None yet. Ask one under Messages, for example: Who approves travel?")
_NO_SPACES = message("None yet.")


def _headed(
    heading: Message, lines: Sequence[Paragraph], language: Language, otherwise: Message | None = None
) -> Iterator[Paragraph]:
    if lines or otherwise:
        yield Paragraph((Run(heading.render(language)),), "heading", ruled=True)
    if lines:
        yield from lines
    elif otherwise:
        yield label(otherwise.render(language), "body", tight=True)


def _links(pages: Sequence[PageLink]) -> list[Paragraph]:
    return [Paragraph((link(page.url, page.title),), marker="•", tight=True) for page in pages]


def _lines(texts: Sequence[str], limits: Limits) -> list[Paragraph]:
    return [line for text in texts for line in limits.line(text, _LINE, "body", tight=True, marker="•")]


def _admin_blocks(admin: AdminHomeView, language: Language, limits: Limits) -> Iterator[Block]:
    yield from _headed(message("Syncs"), _lines(admin.spaces, limits), language, _NO_SPACES)
    unanswered = message("Questions in channels of the last seven days that the wiki did not answer")
    yield from _headed(unanswered, _links(admin.unanswered), language, _NO_UNANSWERED)
    judged = message("Helpful: {good}, not helpful: {bad}", good=admin.good, bad=admin.bad).render(language)
    lines = [label(judged, "body", tight=True), *_complaints(admin, limits)]
    yield from _headed(message("Feedback of the last seven days"), lines, language)
    commands = [command.render(language).replace("/wiki ", limits.command) for command in ADMIN_COMMANDS]
    yield from _headed(message("For admins:"), _lines(commands, limits), language)


_NO_UNANSWERED = message("None.")


def _complaints(admin: AdminHomeView, limits: Limits) -> Iterator[Paragraph]:
    for page, reason in admin.complaints:
        said = Run(f": {limits.excerpt(reason, _LINE)}")
        yield Paragraph((link(page.url, page.title), said), marker="•", tight=True)
