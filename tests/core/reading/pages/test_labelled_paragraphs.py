"""Paragraphs that are numbered by hand."""

from __future__ import annotations

import pytest

from core.reading.pages.labelled_paragraphs import answer_from_labels
from tests.core.reading.tables import evidences

PAGE = """<h2>Tower priorities</h2><p>(A) New ropes for the big bell:</p><ul><li>Ask three makers.</li></ul>
<p>(B) A second door. It may be narrow.</p><ul><li>Ask the city.</li></ul><p>(C) Paint.</p>
<h2>Next meeting</h2><p>(A) Budget.</p><p>In May.</p>"""


def answer(question: str, content: str = PAGE) -> str:
    said = answer_from_labels(question, evidences(content, "Guild call - 7 May 2026", max_chars=40))
    return said.text if said else ""


@pytest.mark.parametrize(
    "question",
    [
        "What were the main points for the tower priorities in the guild call on 7 May 2026?",
        "Which tower priorities are there?",
        "How many tower priorities were in the guild call of 7 May 2026?",
    ],
)
def test_the_numbered_paragraphs_of_the_named_section_are_listed(question: str) -> None:
    assert answer(question).splitlines() == [
        "3 entries in “Tower priorities”:",
        "- (A) New ropes for the big bell [1]",
        "- (B) A second door. [2]",
        "- (C) Paint. [3]",
    ]


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("Which tower priorities need makers?", PAGE),  # asks for something in the section
        ("What is on the list for the next meeting?", PAGE),  # one paragraph
        ("Who set the tower priorities?", PAGE),
        ("Which tower priorities are there?", PAGE.replace("(B)", "(D)")),  # one is missing
    ],
)
def test_other_questions_and_gaps_get_no_list(question: str, content: str) -> None:
    assert not answer(question, content)
