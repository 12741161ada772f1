"""Statements that were checked, put together to an answer."""

from __future__ import annotations

from core.answering.generative.composing import compose_answer
from core.answering.generative.sources import sources_of
from core.answering.generative.statements import statements_of
from tests.core.answering.examples import evidence, ranked

SOURCES = sources_of(ranked(evidence("Hotels in Germany cost 150 euros at most."), evidence("In Italy 140 euros.")))


def test_a_table_stays_a_table_with_its_citations_in_the_rows() -> None:
    statements = statements_of("| Country | Limit |\n|---|---|\n| Germany | 150 |\n| Italy | 140 |\n| Malta | 90 |")
    germany, italy = SOURCES
    answer = compose_answer(statements, [[], [], [germany], [italy], []], SOURCES)
    assert answer.text.splitlines() == [
        "| Country | Limit |",
        "|---|---|",
        "| Germany | 150 [1] |",
        "| Italy | 140 [2] |",
        "| Malta | 90 [?] |",
    ]
    assert [citation.number for citation in answer.citations] == [1, 2]
