"""The order of quotations by how likely they answer."""

from dataclasses import replace

import pytest

from core.answering.extractive.order.asked_values import find_asked_kind
from core.answering.extractive.quoting.compose import quote_units
from core.answering.extractive.quoting.likelier import put_likelier_first
from core.model import Evidence
from core.wording.focus import find_focus
from core.wording.quotations import Quotation
from tests.core.answering.examples import chosen, evidence, ranked, row

DEFAULTS = evidence("The default page is index.html.", heading="Defaults")
SIZE = evidence("The buffer takes 128 KiB unless it is set.", heading="BufferSize", ordinal=1)


def _put(*rated: tuple[Evidence, float, float], question: str = "Which buffer?", lead: str = "") -> list[str]:
    """Quote a unit of each evidence with its score and rating, and return the texts in their new order."""
    focus = find_focus(question)
    found = ranked(*(each for each, _, _ in rated))
    units = [
        replace(chosen(each, 0)[0], score=score, rating=rating)
        for each, (_, score, rating) in zip(found, rated, strict=True)
    ]
    quotations: list[Quotation] = [replace(quote_units(focus, [unit]), lead=lead) for unit in units]
    return [each.text for each in put_likelier_first(focus, find_asked_kind(question), quotations, units, found)]


def test_a_text_that_matches_and_is_rated_better_comes_first() -> None:
    assert _put((DEFAULTS, 0.7, 2.0), (SIZE, 0.8, 4.0)) == [SIZE.parts[0], DEFAULTS.parts[0]]


@pytest.mark.parametrize(
    ("score", "rating"),
    [(0.6, 4.0), (0.8, 2.5), (0.8, 0.0)],
    ids=["matches less well", "rated hardly higher", "not rated"],
)
def test_another_text_stays_where_it_is(score: float, rating: float) -> None:
    assert _put((DEFAULTS, 0.7, 2.0), (SIZE, score, rating)) == [DEFAULTS.parts[0], SIZE.parts[0]]


def test_a_text_without_the_asked_value_does_not_come_before_one_with_it() -> None:
    weeks, pay = evidence("Leave takes 12 weeks."), evidence("Leave is paid by the state.", ordinal=1)
    question = "How long does leave take?"
    assert _put((weeks, 0.7, 2.0), (pay, 0.8, 4.0), question=question)[0] == weeks.parts[0]
    assert _put((pay, 0.7, 2.0), (weeks, 0.8, 4.0), question=question)[0] == weeks.parts[0]


def test_a_verdict_stays_first() -> None:
    assert _put((DEFAULTS, 0.7, 2.0), (SIZE, 0.8, 4.0), lead="No – ")[0] == DEFAULTS.parts[0]


@pytest.mark.parametrize(
    ("first", "other"), [("Travel 2026", "Travel 2024"), ("VPN", "VPN (old)")], ids=["year", "obsolete"]
)
def test_the_newer_version_of_a_page_stays_first(first: str, other: str) -> None:
    newer = evidence("You get 40 euros.", page_id="n", title=first)
    older = evidence("You get 30 euros.", page_id="o", title=other)
    assert _put((newer, 0.7, 2.0), (older, 0.8, 4.0)) == [newer.parts[0], older.parts[0]]


def test_the_page_that_replaces_another_stays_first() -> None:
    newer = evidence("Replaces “Rules 2023”.", "Interns may borrow.", page_id="n", title="Bike policy")
    older = evidence("Interns may not borrow.", page_id="o", title="Rules 2023")
    assert _put((newer, 0.7, 2.0), (older, 0.8, 4.0))[0] == newer.parts[0]


def test_a_row_whose_key_is_asked_for_stays_first() -> None:
    rook, rookery = row(("Step", "rook"), ("Builds", "towers")), row(("Step", "rookery"), ("Builds", "rook"), number=2)
    assert "towers" in _put((rook, 0.7, 2.0), (rookery, 0.8, 4.0), question="What does the step rook build?")[0]
    assert "towers" not in _put((rook, 0.7, 2.0), (rookery, 0.8, 4.0), question="What does the step build?")[0]
