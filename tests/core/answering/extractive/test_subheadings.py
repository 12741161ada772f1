"""Headings as the items of a list."""

from dataclasses import replace

import pytest

from core.answering.extractive.selection import select_statements
from core.answering.extractive.subheadings import find_subsections
from core.answering.focus import find_focus
from core.model import Evidence
from tests.core.answering.examples import chosen, evidence, ranked

TOP = "Types of bell towers"
QUESTION = "What types of bell towers are there?"


def section(*parts: str, below: str = "", ordinal: int, kind: str = "passage") -> Evidence:
    made = evidence(*parts, ordinal=ordinal, kind="list" if kind == "list" else "passage")
    path = (TOP, below) if below else (TOP,)
    return replace(made, context=replace(made.context, heading_path=path))


OWN = section("We build three types.", "All are tall.", ordinal=1)
WOODEN, STONE, OTHER = (
    section(f"They last {years} years.", below=name, ordinal=at)
    for at, (name, years) in enumerate([("Wooden", 80), ("Stone", 900), ("Steel", 100)], start=2)
)
PAGE = [OWN, WOODEN, STONE, OTHER]


def show(question: str, *evidences: Evidence, best: int = 0) -> list[str]:
    found = ranked(*evidences)
    return [each.text for each in select_statements(find_focus(question), chosen(found[best], 0), found)]


@pytest.mark.parametrize("best", [0, 2])
def test_the_headings_below_a_heading_answer_which_ones_there_are(best: int) -> None:
    assert show(QUESTION, *PAGE, best=best) == ["We build three types.\n- Wooden\n- Stone\n- Steel"]


def test_a_section_without_a_text_of_its_own_is_named() -> None:
    assert show(QUESTION, WOODEN, STONE) == [f"{TOP}:\n- Wooden\n- Stone"]


@pytest.mark.parametrize(
    ("question", "evidences"),
    [
        ("How tall are bell towers?", PAGE),
        ("What types of bell towers have a clock?", PAGE),
        (QUESTION, [OWN, WOODEN]),
        (QUESTION, [section("- Wood", "- Stone", ordinal=2, kind="list"), WOODEN, STONE]),
    ],
    ids=["asks for one value", "asks for more than the heading says", "one heading", "a list of its own"],
)
def test_other_questions_and_sections_do_not(question: str, evidences: list[Evidence]) -> None:
    assert find_subsections(question, evidences) == []
    assert "- Wooden" not in "\n".join(show(question, *evidences))
