"""Texts of notices, progress, help and rejections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.platform import format_status
from core.answering.answerer import is_answered_without_model, is_written_by_model
from core.i18n import Message
from core.languages import CATALOGUES, Language
from core.model import Author, Failure, NoticeKind, ProposedCompletion, Question, Rejection, Trace, TraceNotice
from core.model.views import AnswerView, HelpView, Waiting
from core.views.document import Actions, Paragraph, get_plain_text
from core.views.fitting import Limits
from core.views.help import build_correction_form, build_reason_form, list_hints
from core.views.messages import build_answer_view, build_document
from core.views.notices import format_failure, format_notice, format_progress, format_rejection
from core.views.sources import format_hidden_sources
from tests.contracts.chat_examples import ANSWER, CITATION
from tests.contracts.examples import indexed_page, turn


@pytest.mark.parametrize("language", CATALOGUES)
def test_titles_of_forms_and_buttons_are_short_enough_for_every_platform(language: Language) -> None:
    limits = Limits(10_000, lambda block: 1, lambda table: table)
    for form in (build_correction_form("?", language), build_reason_form("?", language)):
        assert all(len(text) <= 24 for text in (form.title, form.submit, form.cancel))
    answer = build_document(AnswerView("t1", language, "!", True, understood_as="?"), limits)
    labels = [button.label for block in answer.after if isinstance(block, Actions) for button in block.buttons]
    assert len(labels) == 5
    assert all(len(label) <= 30 for label in labels)


def test_a_location_that_is_cited_several_times_is_one_line() -> None:
    other = replace(CITATION, number=2, heading="Flights")
    cited = (CITATION, other, replace(CITATION, number=3))
    answer = build_document(replace(ANSWER, citations=cited), Limits(10_000, lambda block: 1, lambda table: table))
    lines = [get_plain_text([block]) for block in answer.after if isinstance(block, Paragraph)]
    assert lines == ["[1][3] Travel policy › Hotels", "[2] Travel policy › Flights"]


def test_progress_has_numbers_if_they_are_known() -> None:
    assert format_progress(Waiting("en", "explanation")) == "Checking which sources matter …"
    assert format_progress(Waiting("de", "sync", about="DOC")) == "Synchronisation läuft: DOC …"
    assert format_progress(Waiting("de", "sync", "DOC", 1200, 3000)).endswith("1.200 von 3.000 Seiten …")


def test_a_status_continues_the_bots_name() -> None:
    assert format_status(Waiting("en", "explanation")) == "is checking which sources matter …"
    assert format_status(Waiting("de", "answer")) == "liest im Wiki …"


def test_hidden_sources_are_counted() -> None:
    assert format_hidden_sources(0, "en") == ""
    assert format_hidden_sources(1, "en").startswith("One source is")
    assert format_hidden_sources(2, "de").startswith("2 Quellen fehlen")


def test_help_depends_on_its_place() -> None:
    in_channel = list_hints(HelpView("en", ("ENG", "HR")))
    assert in_channel[0].startswith("I answer questions from your team's wiki")
    assert in_channel[1].startswith("Mention @WikiWhy with")
    assert in_channel[2] == "Reply in the thread to follow up."
    assert in_channel[-1] == "Here I search these wiki spaces: ENG and HR."
    direct = list_hints(HelpView("en", ("HR",), direct=True))
    assert direct[1].startswith("Send me")
    assert direct[-1].endswith("your own account may read.")


NOTICES = st.builds(
    TraceNotice,
    st.sampled_from(NoticeKind),
    st.none() | st.sampled_from(Failure),
    st.integers(1, 50),
    st.integers(50, 99),
)


@given(NOTICES)
def test_every_notice_has_a_text_in_each_language(notice: TraceNotice) -> None:
    english, german = format_notice(notice, "en"), format_notice(notice, "de")
    assert english != german
    for said in (english, german):
        assert said.endswith((".", "!"))
        assert not set("{}") & set(said)
        assert not any(word in said for word in ("http", "WIKIWHY_", "Error", "Exception"))


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_failure_and_rejection_has_a_text(language: Language) -> None:
    assert all(format_failure(failure, language) for failure in Failure)
    assert all(format_rejection(ProposedCompletion("So?", rejected)) for rejected in Rejection)
    assert format_rejection(ProposedCompletion("So?")) == ""


def test_notices_have_singular_and_plural() -> None:
    one, two = (format_notice(TraceNotice(NoticeKind.INSTRUCTIONS_LEFT_OUT, count=count), "en") for count in (1, 2))
    assert one.startswith("1 sentence of the pages was left out")
    assert two.startswith("2 sentences of the pages were left out")


@given(st.text(max_size=30), st.sampled_from(Author), st.lists(NOTICES, max_size=3), st.booleans())
def test_no_decision_depends_on_a_text(said: str, author: Author, notices: list[TraceNotice], german: bool) -> None:
    """With all texts replaced, authorship, markup and everything else of the view stay the same."""
    asked = "Wer macht das und wann?" if german else "Who does it?"
    made = turn(used=(indexed_page(),), cited=(indexed_page(),))
    made = replace(
        made,
        question=Question(asked, asked),
        answer=replace(made.answer, author=author, answered=author is not Author.NOBODY),
        trace=Trace(notices=tuple(notices)),
    )
    decide: tuple[Callable[[], Any], ...] = (
        lambda: is_written_by_model(made),
        lambda: is_answered_without_model(made.trace),
        lambda: replace(build_answer_view(made), notes=(), text=""),
    )
    before = [each() for each in decide]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Message, "render", lambda message, language: said)
        assert [each() for each in decide] == before
        assert build_answer_view(made).notes == (said,) * len(notices)
