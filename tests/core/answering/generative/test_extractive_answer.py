"""What is computed for a model is what is computed without one."""

from __future__ import annotations

from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.generative.extractive_answer import find_extractive_answer, make_extractive_answer
from core.model import Answer, Author
from core.ports.models import WordMatcher
from core.reading.compute import compute_clear_result
from core.wording.quotations import make_citation
from tests.core.answering.examples import evidence, ranked
from tests.core.reading.plans.test_binding import write_table
from tests.core.reading.tables import evidences

GUESTS = write_table(
    ("Test cases",), tuple((case,) for case in ("Install", "Start", "Stop", "Update", "UIVM and NDVM run")), "Guests"
)
PARTS = GUESTS + write_table(("Test cases",), (("Make one",), ("Save it",), ("Start it",)), "NDVM through upgrade")


async def test_a_model_reads_what_would_be_answered_without_it(matcher: WordMatcher) -> None:
    question, found = "How many test cases are in the NDVM part of the regression suite?", evidences(PARTS, "Upgrade")
    computed, read = (
        await compute_clear_result(question, found, matcher),
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
    assert read.name == "Bell tower"
    assert read.text.splitlines() == ["“Bell tower” has 2 sections:", "- Ropes", "- Doors"]


def test_a_model_reads_no_citations_but_code_as_it_is() -> None:
    page = evidence("Type this.", title="Manual")
    text = "Type this: [1][2]\n```\nsystemctl restart wiki [1]; ls\n```\n[1]\nDone. [2]"
    answer = Answer(text, True, citations=(make_citation(1, page, "Type this."),), author=Author.WIKI)
    made = make_extractive_answer(answer, "Manual", ranked(page))
    assert made.text == "Type this:\n```\nsystemctl restart wiki [1]; ls\n```\nDone."


async def test_a_long_quote_ends_with_a_whole_line() -> None:
    page = evidence("Type this.", title="Manual")
    lines = "\n".join(f"- The bell of tower {number} rings." for number in range(100))

    class Quoting(ExtractiveAnswerer):
        async def quote(self, *_: object) -> Answer:
            return Answer(lines, True, citations=(make_citation(1, page, "Type this."),), author=Author.WIKI)

    read = await find_extractive_answer("Which bells?", ranked(page), Quoting(None))  # type: ignore[arg-type]
    assert read is not None
    assert len(read.text) <= 1_202
    assert read.text.endswith("rings. …")
    assert lines.startswith(read.text.removesuffix(" …"))
