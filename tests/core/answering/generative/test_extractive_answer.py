"""What is computed for a model is what is computed without one."""

from __future__ import annotations

from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.generative.extractive_answer import find_extractive_answer
from core.ports.models import WordMatcher
from core.reading.compute import compute_by_meaning
from tests.core.reading.pages import evidences
from tests.core.reading.test_binding import write_table

GUESTS = write_table(
    ("Test cases",), tuple((case,) for case in ("Install", "Start", "Stop", "Update", "UIVM and NDVM run")), "Guests"
)
PARTS = GUESTS + write_table(("Test cases",), (("Make one",), ("Save it",), ("Start it",)), "NDVM through upgrade")


async def test_a_model_reads_what_would_be_answered_without_it(matcher: WordMatcher) -> None:
    question, found = "How many test cases are in the NDVM part of the regression suite?", evidences(PARTS, "Upgrade")
    computed, read = (
        await compute_by_meaning(question, found, matcher),
        await find_extractive_answer(question, found, ExtractiveAnswerer(matcher)),
    )
    assert computed is not None
    assert read is not None
    line = "3 entries in “NDVM through upgrade”:"
    assert computed.answer.text.splitlines()[0] == read.text.splitlines()[0] == line


async def test_a_model_reads_which_sections_a_page_has(matcher: WordMatcher) -> None:
    found = evidences("<h2>Ropes</h2><p>Of hemp.</p><h2>Doors</h2><p>Of oak.</p>", "Bell tower")
    question = "Which sections does the page Bell tower have?"
    read = await find_extractive_answer(question, found, ExtractiveAnswerer(matcher))
    assert read is not None
    assert read.place == "Bell tower"
    assert read.text.splitlines() == ["“Bell tower” has 2 sections:", "- Ropes", "- Doors"]
