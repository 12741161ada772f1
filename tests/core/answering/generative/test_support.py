from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.embedding.e5 import E5Embedder
from core.answering.generative.extractive_answer import ExtractiveAnswer
from core.answering.generative.statements import split_statements
from core.answering.generative.support import (
    Cited,
    Support,
    choose_citations,
    cite_statements,
    compose_answer,
    measure_lexical_support,
    measure_similarities,
)
from core.model import Evidence
from tests.core.answering.examples import evidence, read, row, table
from tests.core.attribution.examples import HashEmbedder
from tests.core.reading.tables import MACHINES, of_kind
from tests.core.reading.tables import evidences as page_evidences

OFFICE = evidence(
    "The office in Utrecht opens at 08:00.", "The reception closes at 18:30.", page_id="9", title="Office handbook"
)
TOWER = evidence(
    "Two people climb the tower together.", "The key is in the red box.", page_id="2", title="Tower safety"
)


def source(*parts: str) -> str:
    return read(evidence(*parts)).evidences[0].text_with_headings


def holds(statement: str, question: str, *parts: str) -> bool:
    return measure_lexical_support(statement, question, source(*parts)).is_enough


def test_a_source_supports_what_it_says() -> None:
    assert holds("The reception closes at 18:30.", "When does the reception close?", *OFFICE.parts)
    assert holds("It closes at 18:30.", "When does the reception close?", *OFFICE.parts)


@pytest.mark.parametrize("statement", ["The reception closes at 19:45.", "The office opened in 2023 at 08:00."])
def test_a_number_that_a_source_lacks_is_not_supported_by_it(statement: str) -> None:
    assert not holds(statement, "When does the reception close?", *OFFICE.parts)


def test_a_number_of_the_question_need_not_be_in_the_source() -> None:
    assert holds("In 2026 the reception closes at 18:30.", "When does the reception close in 2026?", *OFFICE.parts)


def test_other_words_than_the_source_has_are_not_supported() -> None:
    assert not holds("The canteen serves soup on Fridays.", "What is for lunch?", *OFFICE.parts)


def test_saying_yes_contradicts_no_source() -> None:
    assert holds("Yes.", "Does the reception close?", *OFFICE.parts)


async def test_vectors_tell_what_a_translation_says(embedder: E5Embedder) -> None:
    evidences = read(OFFICE, TOWER).evidences
    near = await measure_similarities(["Zwei Personen steigen gemeinsam auf den Turm."], evidences, embedder)
    assert near.shape == (1, 2)
    assert near[0, 1] > near[0, 0]
    assert Support(0.0, True, is_other_language=True, cosine=float(near[0, 1])).is_enough


async def test_nothing_is_compared_with_nothing(embedder: E5Embedder) -> None:
    assert (await measure_similarities([], read(OFFICE).evidences, embedder)).shape == (0, 1)
    assert (await measure_similarities(["x"], [], embedder)).shape == (1, 0)


YES, NO = Support(0.9, True), Support(0.1, True)


def test_the_sources_that_the_model_cites_are_cited_where_they_hold() -> None:
    assert choose_citations([YES, YES, NO], [1]) == [1]
    assert choose_citations([YES, NO, NO], [2, 0]) == [0]


def test_an_uncited_statement_gets_the_best_source_and_of_equals_the_first() -> None:
    assert choose_citations([NO, YES, YES], []) == [1]


def test_a_clearly_better_source_replaces_the_models() -> None:
    assert choose_citations([Support(0.61, True), Support(1.0, True)], [0]) == [1]


def test_clearly_weaker_ones_of_several_are_left_out() -> None:
    assert choose_citations([Support(1.0, True), Support(0.7, True), Support(1.0, True)], [0, 1, 2]) == [0, 2]


def test_without_support_nothing_is_cited() -> None:
    assert choose_citations([NO, Support(1.0, False)], [0, 1]) == []


def test_similarity_supports_nothing_where_all_that_a_statement_adds_is_missing() -> None:
    question, part = "Who approves travel?", "Ann Keller approves travel."
    alike = replace(measure_lexical_support("Mallory approves travel.", question, source(part)), cosine=0.95)
    assert not alike.is_enough
    assert replace(measure_lexical_support("Keller signs off travel.", question, source(part)), cosine=0.95).is_enough


@pytest.mark.parametrize("number", ["²", "9" * 5_000, "٣", "1.5"])
def test_whatever_counts_as_a_digit_is_read(number: str) -> None:
    assert measure_lexical_support(f"It rings {number} times a day", "How often?", source("The bell rings.")).words < 1


def test_a_table_stays_a_table_with_its_citations_in_the_rows() -> None:
    statements = split_statements("| Country | Limit |\n|---|---|\n| Germany | 150 |\n| Italy | 140 |\n| Malta | 90 |")
    germany = Cited(evidence("Hotels in Germany cost 150 euros at most."))
    italy = Cited(evidence("In Italy 140 euros.", ordinal=1))
    answer = compose_answer(statements, [[], [], [germany], [italy], []])
    assert answer.text.splitlines() == [
        "| Country | Limit |",
        "|---|---|",
        "| Germany | 150 [1] |",
        "| Italy | 140 [2] |",
        "| Malta | 90 [?] |",
    ]
    assert [citation.number for citation in answer.citations] == [1, 2]


LIMITS = table(
    (("Country", "Germany"), ("Limit", "150 euros")),
    (("Country", "Italy"), ("Limit", "140 euros")),
    title="Hotels",
)


async def cited(text: str, question: str, *evidences: Evidence) -> list[list[Cited]]:
    reading = read(*evidences, question=question)
    return await cite_statements(question, split_statements(text), reading, HashEmbedder(), False)


async def test_a_citation_of_a_section_leads_to_the_one_evidence_that_says_it() -> None:
    red = evidence("The door is red.", title="Doors", heading="Colours")
    blue = evidence("The gate is blue.", title="Doors", heading="Colours", ordinal=1)
    assert await cited("The gate is blue. [1]", "Which colour is the gate?", red, blue) == [[Cited(blue)]]


async def test_what_a_section_only_says_as_a_whole_is_cited_by_the_part_that_says_most() -> None:
    who = evidence("Ann Keller approves travel by train.", title="Travel", heading="Rules")
    when = evidence("Requests need two weeks.", title="Travel", heading="Rules", ordinal=1)
    said = "Ann Keller approves train travel; requests need weeks. [1]"
    assert await cited(said, "How do I travel?", who, when) == [[Cited(who)]]


async def test_a_row_is_cited_as_itself_where_it_is_there() -> None:
    italy = row(("Country", "Italy"), ("Limit", "140 euros"), number=2, title="Hotels")
    said = await cited("In Italy the limit is 140 euros. [1]", "What is the limit in Italy?", LIMITS, italy)
    assert said == [[Cited(italy)]]


async def test_a_computed_result_is_cited_by_the_rows_it_comes_from_and_its_number_is_checked() -> None:
    [machines] = [each.evidence for each in of_kind(page_evidences(MACHINES), "table")]
    right, wrong = await cited(
        "2 machines have an F for S3. [2]\n3 machines have an F for S3. [2]",
        "How many machines have an F for S3?",
        machines,
    )
    assert [each.evidence for each in right] == [machines]
    assert "Z820" in right[0].quote
    assert wrong == []


@pytest.mark.parametrize(
    ("statement", "is_supported"),
    [
        ("Yes, the Z820 has an F for S3. [2]", True),
        ("No, the Z820 has no F for S3. [2]", False),
        ("No. [2]", False),
        ("Nein: Z820, S3. [2]", False),
        ("No HP but the Z820 has an F for S3. [2]", True),  # no verdict
    ],
)
async def test_a_verdict_that_contradicts_the_computed_one_is_not_supported(statement: str, is_supported: bool) -> None:
    [machines] = [each.evidence for each in of_kind(page_evidences(MACHINES), "table")]
    [said] = await cited(statement, "Does the Z820 have an F for S3?", machines)
    assert bool(said) == is_supported


@pytest.mark.parametrize(
    ("source", "statement", "is_supported"),
    [
        ("Rook 4 comes in November 2018.", "Rook 5 comes in November 2018.", False),
        ("Rook 4 comes in November 2018.", "Rook 4 comes in November 2018.", True),
        ("Rook 5.1 comes in June 2020.", "Rook 5.1 comes in June 2020.", True),
        ("Rook 50 comes in June 2020.", "Rook 50 comes in June 2020.", True),
    ],
)
async def test_nothing_supports_what_is_said_of_a_version_that_no_source_has(
    source: str, statement: str, is_supported: bool
) -> None:
    reading = read(evidence(source, title="Roadmap"), question="When does Rook 5 come?")
    statements = split_statements(f"{statement} [1]")
    cited = await cite_statements("When does Rook 5 come?", statements, reading, HashEmbedder(), needs_every_word=False)
    assert bool(cited[0]) == is_supported


async def test_a_computed_answer_may_name_what_no_row_has() -> None:
    laptops = table((("Model", "T450"), ("Owner", "Ada")), (("Model", "T440"), ("Owner", "Ben")), title="Laptops")
    said = "No row of Laptops matches T460."
    computed = ExtractiveAnswer("Laptops", said, ((laptops, ""),))
    reading = replace(read(laptops), extractive_answer=computed)
    statements = split_statements(f"{said} [2]")
    cited = await cite_statements("Who has the T460?", statements, reading, HashEmbedder(), needs_every_word=False)
    assert [each.evidence for each in cited[0]] == [laptops]
