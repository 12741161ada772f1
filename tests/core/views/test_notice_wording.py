"""The words of notices: for all of them, in each language, from kinds and numbers only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering.answerer import fell_back, is_written_by_model
from core.i18n import Message
from core.model import Author, Candidate, Failure, NoticeKind, Question, Rejection, Trace, TraceNotice
from core.text import Language
from core.views.answer_building import answer_view
from core.views.notice_wording import failure_text, notice_text, rejection_text
from tests.contracts.examples import indexed_page, turn

NOTICES = st.builds(
    TraceNotice,
    st.sampled_from(NoticeKind),
    st.none() | st.sampled_from(Failure),
    st.integers(1, 50),
    st.integers(50, 99),
)


@given(NOTICES)
def test_every_notice_has_words_in_each_language(notice: TraceNotice) -> None:
    english, german = notice_text(notice, "en"), notice_text(notice, "de")
    assert english != german
    for said in (english, german):
        assert said.endswith((".", "!"))
        assert not set("{}") & set(said)
        assert not any(word in said for word in ("http", "WIKIWHY_", "Error", "Exception"))


@pytest.mark.parametrize("spoken", ["en", "de"])
def test_every_failure_and_rejection_has_words(spoken: Language) -> None:
    assert all(failure_text(failure, spoken) for failure in Failure)
    assert all(rejection_text(Candidate("So?", rejected), spoken) for rejected in Rejection)
    assert rejection_text(Candidate("So?"), spoken) == ""


def test_one_and_several_are_told_apart() -> None:
    one, two = (notice_text(TraceNotice(NoticeKind.INSTRUCTIONS_LEFT_OUT, count=count), "en") for count in (1, 2))
    assert one.startswith("1 sentence from the pages was")
    assert two.startswith("2 sentences from the pages were")


@given(st.text(max_size=30), st.sampled_from(Author), st.lists(NOTICES, max_size=3), st.booleans())
def test_nothing_is_decided_by_the_words(said: str, author: Author, notices: list[TraceNotice], german: bool) -> None:
    """All sentences replaced by any text: authorship, markup and everything else of the view stay."""
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
        lambda: fell_back(made.trace),
        lambda: replace(answer_view(made), notes=(), text=""),
    )
    before = [each() for each in decide]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Message, "render", lambda message, language: said)
        assert [each() for each in decide] == before
        assert answer_view(made).notes == (said,) * len(notices)
