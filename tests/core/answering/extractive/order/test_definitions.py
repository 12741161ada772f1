"""Sections that are named after one thing, such as an option or a variable."""

from __future__ import annotations

import pytest

from core.answering.extractive.order.definitions import put_definitions_first
from core.answering.extractive.units import ScoredUnit
from tests.core.answering.examples import evidence, ranked, row

OTHER = "It defaults to 64 megabytes."


def first(question: str, *headings: str, score: float = 0.5) -> str:
    """The heading of the first unit; the unit below the last heading has this score, the others .7."""
    evidences = ranked(*(evidence(OTHER, heading=heading, ordinal=at) for at, heading in enumerate(headings)))
    scores = [*(0.7 for _ in headings[1:]), score]
    units = [ScoredUnit(item, 0, OTHER, each, 0.5, 0.0) for item, each in zip(evidences, scores, strict=True)]
    return put_definitions_first(question, units)[0].evidence.context.heading_path[-1]


@pytest.mark.parametrize(
    ("question", "heading", "longer"),
    [
        ("What is the default of bell_mem?", "bell_mem (integer)", "tower_bell_mem (integer)"),
        ("Was ist der Standardwert von Bell_Mem?", "bell_mem", "bell_mem_max"),
        ("What does --rope-size take?", "-s, --rope-size=SIZE", "--rope-size-unit"),
        ("What does --rope-size take?", "--rope-size SIZE", "--rope-size-unit"),
        ("Where does tower.keyFile point to?", "tower.keyFile", "tower.keyFile.old"),
    ],
)
def test_the_definition_with_exactly_this_name_comes_first(question: str, heading: str, longer: str) -> None:
    assert first(question, longer, heading) == heading
    assert first(question, longer, "Memory", heading) == heading


def test_a_heading_that_only_mentions_the_name_or_fits_badly_does_not_come_first() -> None:
    about = "bell_mem on the old tower"
    assert first("What is the default of bell_mem?", "Memory", about) == "Memory"
    assert first("What is the default of bell_mem?", "Memory", "bell_mem", score=0.3) == "Memory"


def test_words_of_ordinary_form_name_no_definition() -> None:
    assert first("What is the default of memory?", "Limits", "Memory") == "Limits"


@pytest.mark.parametrize("heading", ["BellProxy Directive", "The option BellProxy", "Die Einstellung BellProxy"])
def test_a_named_property_of_a_definition_with_its_kind_comes_first(heading: str) -> None:
    rows = [(where, *row) for where in ("Other", heading) for row in (("Default", "off"), ("Context", "tower"))]
    evidences = ranked(
        *(
            evidence(f"{name} is {value}", kind="table_row", heading=where, ordinal=at, rows=(((name, value),),))
            for at, (where, name, value) in enumerate(rows)
        )
    )
    units = [ScoredUnit(item, 0, item.evidence.parts[0], 0.7 - item.rank / 100, 0.5, 0.0) for item in evidences]
    assert put_definitions_first("What is the context of BellProxy?", units)[0] is units[3]
    for other in ("Which towers does BellProxy call?", "Which towers are in the context of BellProxy?"):
        assert put_definitions_first(other, units) == units


@pytest.mark.parametrize(
    "question", ['what does the "ship" step of do_build.sh do?', "Was macht „ship“ in do_build.sh?"]
)
def test_a_row_that_a_question_names_in_quotes_comes_first(question: str) -> None:
    ship = row(("Step", "ship"), ("Description", "Makes the image."), heading="Steps")
    script = evidence("do_build.sh runs all steps.", heading="Build")
    evidences = ranked(script, ship)
    units = [
        ScoredUnit(item, 0, item.evidence.parts[0], score, 0.5, 0.0)
        for item, score in zip(evidences, (0.7, 0.5), strict=True)
    ]
    assert put_definitions_first(question, units)[0].evidence is ship
    assert put_definitions_first("what does the ship step of do_build.sh do?", units)[0].evidence is script
