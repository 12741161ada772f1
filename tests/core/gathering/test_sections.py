"""What is added to retrieved evidences for a model: what stands around them."""

from __future__ import annotations

import time

import pytest

from bot.wiring import Application
from core.gathering.sections import add_sections
from core.model import RankedEvidence, Scope
from core.trace import Stopwatch

SPARE_PARTS = "Which spare parts are on a B shelf in the Hamburg workshop?"


async def added(
    application: Application, question: str, scope: Scope, first: int
) -> tuple[list[RankedEvidence], list[RankedEvidence]]:
    """The ``first`` retrieved evidences, and these with what the reader adds."""
    found = (await application.retriever.retrieve(question, scope, Stopwatch(time.perf_counter)))[:first]
    return found, await add_sections(question, found, scope, application.evidences, application.matcher, "ALL")


async def test_a_row_brings_its_table_and_its_page_the_facts(sample_wiki: Application) -> None:
    found, read = await added(sample_wiki, SPARE_PARTS, Scope(), 1)
    kinds = {ranked.evidence.kind for ranked in read if ranked.evidence.page_id == found[0].evidence.page_id}
    assert {"table", "facts"} <= kinds


@pytest.mark.parametrize("question", [SPARE_PARTS, "Wann wird die Nachtruhe geläutet?", "What must I bring?", "?"])
async def test_the_retrieved_stay_first_and_each_evidence_has_one_position(
    sample_wiki: Application, question: str
) -> None:
    found, read = await added(sample_wiki, question, Scope(), 4)
    assert [each.evidence for each in read[: len(found)]] == [each.evidence for each in found]
    assert [each.rank for each in read] == list(range(1, len(read) + 1))
    assert sorted(each.for_reading.rank for each in read if each.for_reading) == list(range(1, len(read) + 1))
    assert len({each.evidence.evidence_id for each in read}) == len(read)
    assert {each.evidence.page_id for each in read} == {each.evidence.page_id for each in found}


async def test_nothing_is_added_to_nothing(sample_wiki: Application) -> None:
    assert (await added(sample_wiki, SPARE_PARTS, Scope(frozenset({"NONE"})), 4))[1] == []


async def test_what_introduces_a_list_is_read_with_it(sample_wiki: Application) -> None:
    _, read = await added(sample_wiki, "What do I have to wear in a tower?", Scope(), 10)
    by_position = {
        (each.evidence.page_id, each.evidence.ordinal): each for each in read if each.evidence.kind != "facts"
    }
    for each in read:
        before = by_position.get((each.evidence.page_id, each.evidence.ordinal - 1))
        if (
            each.evidence.kind == "list"
            and before
            and before.evidence.text.endswith(":")
            and before.for_reading
            and each.for_reading
        ):
            assert before.for_reading.rank < each.for_reading.rank
