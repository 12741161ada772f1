"""Pages that say which page holds in their place."""

from dataclasses import replace

import pytest

from core.answering.extractive.quoting.replaced_pages import find_replacements
from core.answering.extractive.quoting.selection import select_quotations
from core.answering.extractive.units import ScoredUnit
from core.model import Evidence
from core.wording.focus import find_focus
from tests.core.answering.examples import evidence, ranked

OLD, NEW = "Mooring rules (2024)", "Mooring rules"


def old(*parts: str, heading: str = "") -> Evidence:
    return evidence(*parts, page_id="1", title=OLD, heading=heading, ordinal=len(heading))


def new(*parts: str, heading: str = "") -> Evidence:
    return evidence(*parts, page_id="2", title=NEW, heading=heading, ordinal=len(heading))


@pytest.mark.parametrize(
    "note",
    [
        old("Outdated. See Mooring rules."),
        old("Veraltet, siehe Mooring rules."),
        old("Superseded by Mooring rules.", heading="Status"),
        old("These rules were replaced by mooring rules."),
        old("Outdated. Replaced on 1 February 2026 by Mooring rules."),
        old("Diese Seite wurde am 1.2.2026 durch „Mooring rules“ ersetzt."),
        new("Replaces Mooring rules (2024)."),
        new("Replaces the outdated page Mooring rules (2024)."),
        new("Accepted. Supersedes the page Mooring rules (2024)."),
        new("Diese Seite ersetzt „Mooring rules (2024)“."),
    ],
)
def test_a_note_above_the_text_names_the_page_that_holds(note: Evidence) -> None:
    others = ranked(note, old("Two ropes.", heading="Ropes"), new("Three ropes.", heading="Ropes"))
    assert find_replacements(others) == {"1": "2"}


@pytest.mark.parametrize(
    "note",
    [
        old("See Mooring rules."),
        old("Outdated. See Harbour dues."),
        old("The rope is outdated, see Mooring rules.", heading="Ropes"),
        old("Outdated."),
        replace(old("Outdated. See Mooring rules."), thread="c1"),
        old("Mooring rules is outdated, see Harbour dues."),
        new("The outdated page Mooring rules (2024) was wrong."),
        new("Mooring rules (2024) is no longer valid."),
        old("This page is not outdated; see Mooring rules for more."),
        old("Superseded by the unmooring rulesets."),  # no whole words
        old("Durch die Mooring rules ist es ruhiger."),
        new("It never replaces the Mooring rules (2024)."),
        new("The harbour replaces ropes and the page Mooring rules (2024) says how."),
    ],
)
def test_other_texts_do_not(note: Evidence) -> None:
    others = ranked(note, old("Two ropes.", heading="Ropes"), new("Three ropes.", heading="Ropes"))
    assert find_replacements(others) == {}


NOTE = old("Outdated.", "See Mooring rules.")
TWO, THREE = (
    old("Boats are moored with two ropes.", heading="Ropes"),
    new("Boats are moored with three ropes.", heading="Ropes"),
)


def _quote(question: str, *scored: tuple[Evidence, float, float]) -> list[str]:
    found = ranked(*(each for each, _, _ in scored), NOTE)
    units = [
        ScoredUnit(each, 0, each.evidence.parts[0], score, 0.5, missing)
        for each, (_, score, missing) in zip(found, scored, strict=False)
    ]
    return [each.text for each in select_quotations(find_focus(question), units, found)]


def test_the_page_that_holds_comes_first() -> None:
    question = "how are boats moored with ropes"
    assert _quote(question, (TWO, 0.8, 0.2), (THREE, 0.75, 0.2)) == [THREE.text, TWO.text]
    assert _quote(question, (TWO, 0.8, 0.1), (THREE, 0.75, 0.2)) == [TWO.text, THREE.text]
    assert _quote(f"{question} in 2024", (TWO, 0.8, 0.2), (THREE, 0.75, 0.2))[0] == TWO.text


def test_where_the_page_that_holds_says_nothing_the_old_one_is_quoted_with_its_note() -> None:
    assert _quote("how are boats moored with ropes", (TWO, 0.8, 0.2), (THREE, 0.5, 0.2)) == [
        TWO.text,
        "Outdated. See Mooring rules.",
    ]
    assert _quote("how are boats moored with ropes", (THREE, 0.8, 0.2)) == [THREE.text]
