"""What a model reads: sections in their pages' order, whole where they fit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering.generative.answerer import render_answer_prompt
from core.answering.generative.prompt_sections import Reading, fit_reading
from core.errors import ContextTooLong
from core.model import Evidence, Prompt, RankedEvidence, Ranking
from core.prompts import count_prompt_tokens
from tests.core.answering.examples import evidence, ranked, read, row, table
from tests.core.reading.tables import MACHINES, of_kind
from tests.core.reading.tables import evidences as page_evidences
from tests.core.scripted import ScriptedModel

QUESTION = "What is the limit in country 7?"
FIRST = evidence("Limits hold per night.", title="Hotels", heading="Limits")
NOTE = evidence("Breakfast counts.", title="Hotels", heading="Limits", ordinal=1)
OTHER = evidence("Ask Ann.", title="Trains", page_id="2")


def texts(reading: Reading) -> list[tuple[str, list[tuple[int, str, str]]]]:
    return [
        (page.title, [(section.number, section.path, section.text) for section in page.sections])
        for page in reading.pages
    ]


def render_prompt(reading: Reading) -> Prompt:
    return render_answer_prompt(QUESTION, reading, "en")


def fit(evidences: list[RankedEvidence], room: int) -> tuple[Prompt, Reading]:
    return fit_reading(QUESTION, evidences, None, render_prompt, ScriptedModel(""), room)


def test_evidences_stand_in_their_section_in_the_order_of_the_page() -> None:
    assert texts(read(NOTE, OTHER, FIRST)) == [
        ("Hotels", [(1, "Limits", "Limits hold per night.\nBreakfast counts.")]),
        ("Trains", [(2, "", "Ask Ann.")]),
    ]


def test_the_order_of_what_is_read_decides_before_the_rank() -> None:
    first, second = ranked(FIRST, OTHER)
    reading = fit([replace(first, for_reading=Ranking(2, 0.0)), replace(second, for_reading=Ranking(1, 0.0))], 5_000)[1]
    assert [page.title for page in reading.pages] == ["Trains", "Hotels"]


def test_a_table_has_its_header_once_and_the_number_of_its_rows() -> None:
    rows = [(("Country", f"country {at}"), ("Limit", f"{at} euros")) for at in range(3)]
    [(_, [(_, _, text)])] = texts(read(table(*rows, title="Hotels")))
    assert text.splitlines() == [
        "(3 rows)",
        "| Country | Limit |",
        "| country 0 | 0 euros |",
        "| country 1 | 1 euros |",
        "| country 2 | 2 euros |",
    ]


def test_a_row_is_read_in_its_table_and_alone_where_the_table_is_not_there() -> None:
    limits = table((("Country", "Malta"), ("Limit", "90")), (("Country", "Italy"), ("Limit", "140")), title="Hotels")
    italy = row(("Country", "Italy"), ("Limit", "140"), number=2, title="Hotels")
    both = read(italy, limits)
    assert texts(both) == texts(read(limits))
    assert [each.evidence for each in both.evidences] == [italy, limits]
    alone = replace(italy, structure=replace(italy.structure, total=2) if italy.structure else None)
    [(_, [(_, _, text)])] = texts(read(alone))
    assert text.splitlines() == ["(showing 1 of 2 rows)", "- Country: Italy; Limit: 140"]


@given(st.integers(300, 2_500))
def test_of_a_table_that_does_not_fit_the_rows_are_shown_that_fit_the_question(room: int) -> None:
    rows = [(("Country", f"country {at}"), ("Limit", f"{at} euros a night, breakfast included")) for at in range(1, 61)]
    try:
        made, reading = fit(ranked(table(*rows, title="Hotels")), room)
    except ContextTooLong:
        assert room < 600
        return
    assert count_prompt_tokens(made, ScriptedModel("")) <= room
    shown = made.messages[1].text.count("breakfast included")
    assert f"(showing {shown} of 60 rows)" in made.messages[1].text or shown == 60
    assert "| country 7 |" in made.messages[1].text or "Country: country 7;" in made.messages[1].text
    assert [each.evidence.kind for each in reading.evidences] == ["table"]


PASSAGES = [evidence(f"Bell {number} rings. " * 20, page_id=str(number), ordinal=number) for number in range(8)]


@given(st.integers(500, 3900))
def test_passages_are_read_whole_or_not_at_all_and_the_first_ones_first(room: int) -> None:
    try:
        made, reading = fit(ranked(*PASSAGES), room)
    except ContextTooLong:
        assert room < 900
        return
    assert count_prompt_tokens(made, ScriptedModel("")) <= room
    read_ones = [each.evidence for each in reading.evidences]
    assert read_ones == PASSAGES[: len(read_ones)]
    assert all(each.text in made.messages[1].text for each in read_ones)


def test_a_window_too_small_for_one_source_says_which_setting_to_look_at() -> None:
    with pytest.raises(ContextTooLong, match="WIKIWHY_LLM_CONTEXT_TOKENS"):
        fit(ranked(*PASSAGES), 200)


def test_what_is_taken_away_is_not_read_any_more() -> None:
    evidences: list[Evidence] = [FIRST, NOTE, OTHER]
    for gone in evidences:
        left = [each for each in evidences if each is not gone]
        assert gone.text not in str(texts(read(*left)))


def test_what_was_computed_is_the_last_source() -> None:
    machines = [each.evidence for each in of_kind(page_evidences(MACHINES), "table")]
    reading = read(*machines, question="How many machines have an F for S3?")
    assert reading.extractive_answer_section is not None
    assert reading.extractive_answer_section.number == 2
    assert reading.extractive_answer_section.text.startswith("2 of 5 entries in “Machines” match S3 P/F: F:")
