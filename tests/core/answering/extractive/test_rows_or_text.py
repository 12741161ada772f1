"""Whether rows that are counted or listed answer, or a text."""

from collections.abc import Sequence

import pytest

from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.extractive.rows_or_text import is_text_better
from core.answering.extractive.units import ScoredUnit
from core.model import RankedEvidence
from core.ports.models import WordMatcher
from core.reading.relations.rows import ITEM, Row
from core.trace import Tracer
from tests.core.answering.examples import evidence, ranked, row, table

TRACER = Tracer(lambda: 0.0)
HELPER = "Display helper"
DEPENDENCIES = evidence(
    *("- v4v (libv4v)", "- libpci", "- surfman"),
    kind="list", title=HELPER, heading="Dependencies", ordinal=1, numbers=(1, 2, 3),
)  # fmt: skip
ACCESS = evidence(
    "The display helper will open a listening socket over v4v on port 5559 and wait for incoming connections.",
    title=HELPER,
    heading="Access",
)
KINDS = evidence(
    *("- Rollback journals", "- Statement journals"),
    kind="list", title="Files", heading="Kinds of temporary files", ordinal=1, numbers=(1, 2), block=2,
)  # fmt: skip


@pytest.mark.parametrize(
    "question", ["Which v4v port does the display helper listen on?", "Auf welchem v4v Port wartet der Display helper?"]
)
async def test_a_value_is_no_item_of_a_list_that_shares_a_word(matcher: WordMatcher, question: str) -> None:
    found = ranked(DEPENDENCIES, ACCESS)
    answer = await ExtractiveAnswerer(matcher).answer(question, found, TRACER)
    assert answer.text.startswith("The display helper will open a listening socket over v4v on port 5559")


async def test_a_list_that_is_asked_for_stays_a_list(matcher: WordMatcher) -> None:
    found = ranked(DEPENDENCIES, ACCESS)
    question = "How many dependencies does the display helper have?"
    answer = await ExtractiveAnswerer(matcher).answer(question, found, TRACER)
    assert answer.text.startswith("3 entries in “Dependencies”")


def unit(ranked_evidence: RankedEvidence, rating: float, index: int = 0) -> ScoredUnit:
    return ScoredUnit(ranked_evidence, index, ranked_evidence.evidence.parts[index], 0.9, 0.5, 0.0, rating)


def rows(ranked_evidence: RankedEvidence) -> Sequence[Row]:
    return [Row({ITEM: part}, ranked_evidence, at) for at, part in enumerate(ranked_evidence.evidence.parts)]


def test_a_text_has_to_be_rated_clearly_higher_than_every_row_of_the_list() -> None:
    text, items, others = ranked(ACCESS, DEPENDENCIES, KINDS)
    assert is_text_better([unit(text, 3.0), unit(items, 0.5)], rows(items))
    assert not is_text_better([unit(text, 2.0), unit(items, 0.5)], rows(items))
    assert not is_text_better([unit(text, 3.0), unit(items, -2.0), unit(items, 1.0, 1)], rows(items))
    assert is_text_better([unit(others, 3.0), unit(items, 0.5)], rows(items))  # the items of another list
    assert is_text_better([unit(text, 1.0)], rows(items))  # none of the rows was compared


def test_a_text_that_is_unlikely_itself_is_not_better() -> None:
    text, items = ranked(ACCESS, DEPENDENCIES)
    assert not is_text_better([unit(text, -0.5), unit(items, -4.0)], rows(items))


def test_a_list_and_a_table_with_the_same_number_are_two() -> None:
    items, line = ranked(DEPENDENCIES, row(("Name", "v4v"), title=HELPER))
    assert is_text_better([unit(items, 3.0), unit(line, -3.0)], [Row({"Name": "v4v"}, line, 0)])


async def test_all_rows_that_are_asked_for_stay_rows(matcher: WordMatcher) -> None:
    tasks = table(
        *((("Task", name), ("Who", who)) for name, who in (("Paint", "Ann"), ("Oil", "Bo"), ("Wind", "Ann"))),
        title="Tasks",
    )
    note = evidence("Ann has many open tasks.", title="Tasks", ordinal=1)
    answer = await ExtractiveAnswerer(matcher).answer("Which tasks does Ann have?", ranked(note, tasks), TRACER)
    assert answer.text.startswith("2 of 3 entries")


def test_what_is_not_rated_is_not_better() -> None:
    text, items = ranked(ACCESS, DEPENDENCIES)
    assert not is_text_better([unit(text, 0.0), unit(items, -4.0)], rows(items))
    assert not is_text_better([], rows(items))
    assert not is_text_better([unit(text, 3.0)], [])
