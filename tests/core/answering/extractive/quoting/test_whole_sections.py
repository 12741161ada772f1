"""Which list comes first for a question that asks for all of something."""

import pytest

from core.answering.extractive.quoting.whole_sections import put_named_lists_first
from core.answering.extractive.units import ScoredUnit
from core.model import Evidence
from core.wording.focus import find_focus
from tests.core.answering.examples import evidence, ranked, row

TEXT = evidence("Towers keep our bells dry.", title="Our company")
LIST = evidence("- Utrecht", "- Ghent", kind="list", page_id="2", title="Our company", heading="All towers")
TABLE = row(("Name", "Utrecht"), page_id="3", title="Our company", heading="Towers")


def find_first(question: str, *units: tuple[float, Evidence]) -> str:
    scored = [ScoredUnit(ranked(item)[0], 0, item.parts[0], score, 1.0, 0.0) for score, item in units]
    return put_named_lists_first(find_focus(question), scored)[0].evidence.page_id


@pytest.mark.parametrize(
    "question",
    [
        "Which towers do we have?",
        "What bell towers are there?",
        "Welche Towers gibt es?",
        "Welche Türme (Towers) gibt es?",
    ],
)
def test_a_list_under_the_name_of_what_all_is_asked_for_comes_before_a_text(question: str) -> None:
    assert find_first(question, (0.7, TEXT), (0.68, LIST)) == "2"
    assert find_first(question, (0.7, TEXT), (0.68, TABLE)) == "3"


@pytest.mark.parametrize(
    "question",
    [
        "Which tower is dry?",
        "What keeps our bells dry?",
        "What does a tower do?",
        "Which colour are towers?",
        "Welche Farbe ist es?",
    ],
)
def test_a_question_for_one_thing_keeps_the_text_first(question: str) -> None:
    assert find_first(question, (0.7, TEXT), (0.68, LIST)) == "1"


def test_a_list_that_fits_less_stays_behind() -> None:
    assert find_first("Which towers do we have?", (0.7, TEXT), (0.6, LIST)) == "1"
