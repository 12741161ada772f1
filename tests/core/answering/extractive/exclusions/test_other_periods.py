"""Sentences about another month, quarter or year than the question's."""

import pytest

from core.answering.extractive.exclusions.exclusion import leave_out_others
from core.answering.extractive.units import list_units
from core.evidence.extract import extract
from core.model import Page, RankedEvidence

CALLS = """<h2>Calls</h2><p>In September 612 calls came in, 48 more than in August. The mean wait was 37 seconds.</p>
<p>The harbour closed in March.</p><ul><li>For May: order rope</li><li>order paint, due 3 May</li></ul>"""
GERMAN = "<p>Im September gingen 612 Anrufe ein. Die Leitung war im März gestört.</p>"
YEARS = "<p>In 2024 the crane lifted 900 boats. The crane was bought for 2025. In Q2 it stood still.</p>"


def _texts(question: str, content: str, title: str = "Desk") -> str:
    page = Page("1", "SEA", title, "", content)
    found = [RankedEvidence(each, at, 1 / at) for at, each in enumerate(extract(page).evidences, start=1)]
    return " | ".join(unit.text for unit in leave_out_others(question, list_units(found)))


@pytest.mark.parametrize(
    ("question", "content", "gone", "kept"),
    [
        ("how many calls came in october", CALLS, ["612", "March", "order rope"], ["mean wait", "due 3 May"]),
        ("how many calls came in august", CALLS, ["March"], ["612"]),
        ("what did we order for may", CALLS, ["612"], ["order rope", "order paint"]),
        ("wie viele Anrufe gab es im Oktober?", GERMAN, ["612", "gestört"], []),
        ("wie viele Anrufe gab es im September?", GERMAN, ["gestört"], ["612"]),
        ("how many boats in 2026", YEARS, ["900", "bought"], ["stood still"]),
        ("how many boats in 2024", YEARS, ["bought"], ["900", "stood still"]),
        ("how many boats in q3", YEARS, ["stood still"], ["900", "bought"]),
    ],
)
def test_a_sentence_about_another_period_is_left_out(
    question: str, content: str, gone: list[str], kept: list[str]
) -> None:
    texts = _texts(question, content)
    assert not [text for text in gone if text in texts]
    assert [text for text in kept if text not in texts] == []


@pytest.mark.parametrize(
    "question",
    [
        "how many calls came in",
        "how many calls came in since october",
        "more calls in october than in july?",
        "how many calls came on 3 October",
        "how many calls came in? (Calls in October)",
    ],
)
def test_without_a_period_of_its_own_a_question_leaves_out_nothing(question: str) -> None:
    texts = _texts(question, CALLS)
    assert "612" in texts
    assert "March" in texts


def test_a_title_with_the_period_keeps_sentences_that_only_mention_another_one() -> None:
    texts = _texts("why did the harbour close in october", CALLS, "Harbour report October")
    assert "closed in March" in texts
    assert "612" not in texts


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("what was decided in october", "Minutes October 2025"),
        ("was wurde im oktober beschlossen", "Protokoll Oktober 2025"),
    ],
)
def test_a_title_with_the_period_keeps_what_was_planned_for_another_one(question: str, title: str) -> None:
    assert "moves" in _texts(question, "<p>In November the office moves to Essen.</p>", title)


def test_a_year_is_no_number_of_things() -> None:
    assert "cases" in _texts("how many calls in 2024", "<p>In 2000 cases the call was closed at once.</p>")
