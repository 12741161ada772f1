"""With every catalogue text in brackets, chats show no words outside of brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from gettext import NullTranslations
from html import unescape
from typing import Any, get_args

import pytest

import core.i18n
from adapters.slack.blocks import render_message
from adapters.slack.windows import render_form, render_sources
from adapters.teams.cards import render_form_card, render_reply_card
from adapters.teams.cards import render_message as render_teams
from core.indexing.report import PageCounts, SpaceReport
from core.model import Citation
from core.model.reasons import ReasonWithSentence
from core.model.views import (
    AnswerView,
    BarView,
    ExplanationView,
    HelpView,
    LocationView,
    PageLink,
    SourcesView,
    SourceView,
    View,
    Waiting,
)
from core.ports.wiki import PageFailure
from core.views.help import build_correction_form, build_reason_form
from core.views.notices import choose_notice
from core.views.sync import build_sync_failure, build_sync_notice

SHOWN = {"text", "title", "label", "placeholder", "altText", "content", "summary"}
CITED = Citation(1, "e1", "1", "§", "§§", "https://w/1", "passage", "§")
LOCATION = LocationView("§", ("§§",), "https://w/1", (1,))
SOURCES = SourcesView("en", "§?", (SourceView(1, 1, "§", (), "", "§", "https://w/1"),), 2)
VIEWS: list[View] = [
    AnswerView("t1", "en", "§ [1]", True, citations=(CITED,) * 30, understood_as="§?", suggestions=("§?",)),
    AnswerView("t1", "en", "§", False, closest=(PageLink("§", "https://w/1"),), contact="§"),
    AnswerView("t1", "en", "§ " * 9000, True, markup="markdown", citations=(CITED,)),
    ExplanationView(
        "t1", "en", "§", "§?", "§", (BarView(0.9, "90%", (LOCATION,) * 9), BarView(0.001, "<1%", (LOCATION,)))
    ),
    Waiting("en", "answer"),
    Waiting("en", "explanation", done=1, total=2),
    Waiting("en", "sync", "§"),
    HelpView("en", ("§",), admin=True),
    HelpView("en", direct=True),
]


class Bracketed(NullTranslations):
    """Puts every text in brackets, with its placeholders."""

    def gettext(self, text: str) -> str:
        return f"⟦{text}⟧"

    def ngettext(self, one: str, several: str, count: int) -> str:
        return f"⟦{several}⟧"


@pytest.fixture(autouse=True)
def _bracketed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core.i18n, "load_translations", lambda language: Bracketed())


def shown(value: Any, key: str = "") -> Iterator[str]:
    """Yield the texts of a platform's JSON."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from shown(item, name)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from shown(item, key)
    elif isinstance(value, str) and key in SHOWN:
        yield value


def outside(text: str) -> str:
    """Return the letters outside of brackets and addresses; a text that is cut has no closing bracket."""
    text = re.sub(r"https?://[^|>\s)]+|:[a-z_]+:", "", unescape(text))
    while (shorter := re.sub(r"⟦[^⟦⟧]*(⟧|$)", "", text)) != text:
        text = shorter
    return "".join(character for character in text if character.isalpha())


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: type(view).__name__)
def test_messages_have_only_texts_of_the_catalogue(view: View) -> None:
    message = render_message(view, "")
    for text in (message["text"], *shown(message["blocks"]), *shown(render_teams(view))):
        assert outside(text) == "", text


def test_windows_and_forms_have_only_texts_of_the_catalogue() -> None:
    forms = (build_correction_form("§", "en"), build_reason_form("§", "en"))
    rendered = [render_sources(SOURCES), render_reply_card(SOURCES, "t1", "en")]
    rendered += [shown for form in forms for shown in (render_form(form, ""), render_form_card(form, "t1", "1"))]
    for text in shown(rendered):
        assert outside(text) == "", text


def test_sync_reports_have_only_texts_of_the_catalogue() -> None:
    reports = [
        SpaceReport("1", PageCounts(9, 1, 1, 1, 1, 1, 1), errors=[PageFailure("1", "§", "it is broken")]),
        SpaceReport("2", unlisted="it is down"),
        SpaceReport("3", stopped="too many"),
        SpaceReport("4", vanished=True),
    ]
    for notice in (
        build_sync_notice(reports, "en", {"1"}),
        build_sync_notice(reports[1:2], "en", ()),
        build_sync_failure("1", "en", ()),
    ):
        for text in (notice.text, *notice.lines):
            assert outside(text) == "", text


@pytest.mark.parametrize("why", get_args(ReasonWithSentence))
def test_notices_have_only_texts_of_the_catalogue(why: ReasonWithSentence) -> None:
    assert outside(choose_notice(why, "en", 5000).text) == ""
