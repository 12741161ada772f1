"""What is shown with the best unit."""

import pytest

from core.answering.extractive.compose import quote_items, quote_passage
from core.answering.extractive.selection import drop_repeated, select_statements
from core.answering.extractive.units import ScoredUnit
from core.answering.focus import find_focus
from core.model import Evidence
from tests.core.answering.examples import chosen, evidence, ranked, row

FOCUS = find_focus("Does the bell crack in frost?")


def part(*sentences: str, ordinal: int, heading: str = "Frost", kind: str = "passage") -> Evidence:
    return evidence(*sentences, ordinal=ordinal, heading=heading, kind="list" if kind == "list" else "passage")


LONG = "Frost is common in the hills. " * 45
FIRST = part(LONG, "The bell is rung in any frost.", ordinal=3)
SECOND = part("Bronze never cracks in it.", "The clapper may stick.", ordinal=4)


def show(*evidences: Evidence) -> list[str]:
    found = ranked(*evidences)
    return [each.text for each in select_statements(FOCUS, chosen(found[0], 1), found)]


def test_a_text_that_was_split_after_the_best_sentence_is_quoted_on() -> None:
    assert show(FIRST, SECOND) == [
        "The bell is rung in any frost.",
        "Bronze never cracks in it. The clapper may stick.",
    ]


@pytest.mark.parametrize(
    "other",
    [
        part("A later text.", ordinal=5),
        part("Another section.", ordinal=4, heading="Heat"),
        part("- An item.", ordinal=4, kind="list"),
        part("word " * 95, ordinal=4),
    ],
)
def test_a_text_elsewhere_or_too_long_for_an_answer_is_not(other: Evidence) -> None:
    assert show(FIRST, other) == ["The bell is rung in any frost."]


def test_a_short_text_is_not_quoted_on_since_it_was_not_split() -> None:
    short = part("Frost is common.", "The bell is rung in any frost.", ordinal=3)
    assert show(short, SECOND) == ["The bell is rung in any frost."]


LIST = evidence("- Look.", "- Listen.", kind="list", before="Before you ring:", ordinal=2)
LEAD_IN = evidence("Wear gloves.", "Before you ring:", after="- Look. - Listen.", ordinal=1)


def test_a_list_is_not_repeated_after_the_sentence_that_announces_it() -> None:
    announced, whole = quote_passage(LEAD_IN, [0, 1]), quote_items(LIST, [0, 1])
    assert announced.text.endswith(whole.text)
    assert drop_repeated([announced, whole]) == [announced]
    assert drop_repeated([whole, announced]) == [whole, announced]


def test_the_same_text_of_another_page_is_another_source() -> None:
    copy = evidence("- Look.", "- Listen.", kind="list", before="Before you ring:", page_id="8", title="Copy")
    both = [quote_items(LIST, [0, 1]), quote_items(copy, [0, 1])]
    assert drop_repeated(both) == both


def clock(build: str, result: str, number: int, clock: str = "Rook 4 Bergkerk", **more: str) -> Evidence:
    return row(
        ("Build", build), ("Clock", clock), *more.items(), ("Result", result), number=number, title="Tower tests"
    )


def show_rows(question: str, best: Evidence, other: Evidence, score: float = 0.96) -> list[str]:
    first, second = ranked(best, other)
    units = [ScoredUnit(first, 0, best.parts[0], 1.0, 0.5, 0.0), ScoredUnit(second, 0, other.parts[0], score, 0.5, 0.0)]
    return [each.evidence.evidence_id for each in select_statements(find_focus(question), units, [first, second])]


ASKED = "What is the result of the tests of the Rook 4 Bergkerk?"
BEST = clock("6671", "pass", 1)


@pytest.mark.parametrize("name", ["Rook 4 Bergkerk", "rook 4 bergkerk"])
def test_a_second_row_of_the_thing_that_the_question_names_is_shown_too(name: str) -> None:
    twin = clock("6662", "fail, see the long notes", 2, name)
    assert show_rows(ASKED, BEST, twin) == [BEST.evidence_id, twin.evidence_id]


@pytest.mark.parametrize(
    ("question", "other", "score"),
    [
        (ASKED, clock("6662", "fail", 2, "Rook 4 Domkerk"), 0.96),
        (ASKED, clock("6662", "fail", 2), 0.9),
        (ASKED, row(("Build", "6662"), ("Clock", "Rook 4 Bergkerk"), number=2, title="Tower tests"), 0.96),
        ("What is the result of the tests of the Bergkerk?", clock("6662", "fail", 2), 0.96),
    ],
    ids=["another thing", "worse", "without the column", "few words named"],
)
def test_a_row_is_no_second_test_of_a_thing_without_what_the_question_names(
    question: str, other: Evidence, score: float
) -> None:
    assert show_rows(question, BEST, other, score) == [BEST.evidence_id]
