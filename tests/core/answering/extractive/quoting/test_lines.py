"""Paragraphs and lines of a page stay apart in answers, also where they do not end with a full stop."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.extractive.quoting.compose import compose, quote_units
from core.answering.extractive.quoting.lines import find_record, join_parts
from core.answering.extractive.units import list_units
from core.model import Evidence
from core.ports.models import WordMatcher
from core.trace import Tracer
from core.wording.focus import find_focus
from tests.core.answering.examples import chosen, evidence, ranked
from tests.core.evidence.pages import evidences

TRACER = Tracer(lambda: 0.0)
FIELDS = ("Furnace state: COLD", "Next inspection: 3 May", "Owner: Mara", "Room 4.12")
NAMED = re.compile(r"w(\d+)x")
"""A word of a generated paragraph, with the paragraph's number."""


@pytest.fixture(scope="module")
def answerer(matcher: WordMatcher) -> ExtractiveAnswerer:
    return ExtractiveAnswerer(matcher)


def passages(content: str) -> list[Evidence]:
    return [found for found in evidences(content) if found.kind == "passage"]


def test_a_part_on_several_lines_that_is_left_out_separates_the_lines_around_it() -> None:
    [found] = passages("<p>It opens at nine. Code:</p><p>4711. Ring twice.</p>")
    assert found.parts == ("It opens at nine.", "Code:\n4711.", "Ring twice.")
    assert join_parts(found, [0, 2]) == "It opens at nine.\n… Ring twice."
    assert join_parts(found, [1, 2]) == "Code:\n4711. Ring twice."


# ------------------------------------------------------------------------------------------ any page


@st.composite
def _pages(draw: st.DrawFn) -> str:
    """A page of paragraphs without final stops, in all forms that lines of a page have."""
    number = 0

    def line() -> str:
        nonlocal number
        number += 1
        words = [f"w{number}x{at}" for at in range(draw(st.integers(1, 40)))]  # neighbours are shortened to 50 words
        if draw(st.booleans()):
            words[0] += ":"
        if draw(st.booleans()):  # sentences before the last one have a stop
            words[len(words) // 2] += "."
            words[len(words) // 2 + 1 :] = map(str.capitalize, words[len(words) // 2 + 1 :])
        return " ".join(words).rstrip(".:") + draw(st.sampled_from(["", "", ":"]))

    def block(form: str) -> str:
        lines = [line() for _ in range(draw(st.integers(1, 3)))]
        paragraphs = "".join(f"<p>{each}</p>" for each in lines)
        macro = f'<ac:structured-macro ac:name="{draw(st.sampled_from(["info", "panel", "expand"]))}">'
        return {
            "p": paragraphs,
            "br": f"<p>{'<br/>'.join(lines)}</p>",
            "div": "".join(f"<div>{each}</div>" for each in lines),
            "panel": f"{macro}<ac:rich-text-body>{paragraphs}</ac:rich-text-body></ac:structured-macro>",
            "cell": f"<table><tbody><tr><td>{paragraphs}</td></tr></tbody></table>",
            "list": f"<ul>{''.join(f'<li>{each}</li>' for each in lines)}</ul>",
            "item": f"<ul><li>{paragraphs}</li></ul>",
            "heading": f"<h2>{lines[0]}</h2>{paragraphs.replace(f'<p>{lines[0]}</p>', '', 1)}",
        }[form]

    forms = st.sampled_from(["p", "br", "div", "panel", "cell", "list", "item", "heading"])
    return "".join(map(block, draw(st.lists(forms, min_size=1, max_size=8))))


def count_paragraphs(text: str) -> int:
    return len(set(NAMED.findall(text.lower())))


@given(_pages(), st.data())
def test_no_unit_and_no_line_of_an_answer_has_words_of_two_paragraphs(content: str, data: st.DataObject) -> None:
    found = ranked(*evidences(content))
    for unit in list_units(found):
        for line in unit.text.split("\n"):
            assert count_paragraphs(line) <= 1, unit.text
    for item in found:
        indexes = st.sets(st.integers(0, len(item.evidence.parts) - 1), min_size=1)
        answer = compose([quote_units(find_focus("w1x0?"), chosen(item, *data.draw(indexes)))])
        for line in (*answer.text.split("\n"), *answer.citations[0].quote.split("\n")):
            assert count_paragraphs(line) <= 1 or "; " in line, answer.text  # cells of a row


# --------------------------------------------------------------------------------- lines "name: value"


async def answer(answerer: ExtractiveAnswerer, question: str, lines: Sequence[str]) -> str:
    content = "".join(f"<p>{line}</p>" for line in lines)
    return (await answerer.answer(question, ranked(*passages(content)), TRACER)).text


async def test_a_line_that_the_question_names_answers_alone(answerer: ExtractiveAnswerer) -> None:
    assert await answer(answerer, "What is the furnace state?", FIELDS) == "Furnace state: COLD [1]"
    assert await answer(answerer, "Who is the owner?", FIELDS) == "Owner: Mara [1]"


async def test_several_lines_that_the_question_names_answer_it_together(answerer: ExtractiveAnswerer) -> None:
    lines = ("Kiln lead: Jonas", "Kiln colour: grey", "Kiln deputy: Petra")
    found = await answer(answerer, "Who are kiln lead and kiln deputy?", lines)
    assert found == "Kiln lead: Jonas\n… Kiln deputy: Petra [1]"


async def test_lines_under_one_that_the_question_does_not_name_stay_with_it_each_by_itself(
    answerer: ExtractiveAnswerer,
) -> None:
    lines = ("Q: Where is the spare key", "A: At the caretaker's", "Ask before noon")
    found = await answer(answerer, "Where is the spare key?", lines)
    assert found.removesuffix(" [1]").split("\n")[-2:] == list(lines[1:])


async def test_what_explains_a_sentence_stays_with_it(answerer: ExtractiveAnswerer) -> None:
    lines = ("The furnace state is shown on the door.", "Red means hot")
    found = await answer(answerer, "Where is the furnace state shown?", lines)
    assert found == "The furnace state is shown on the door.\nRed means hot [1]"


async def test_an_evidence_without_line_breaks_is_quoted_as_running_text() -> None:
    [found] = passages("<p>The bell rings at noon.</p><p>The gate opens then.</p>")
    old = replace(found, text=found.text.replace("\n", " "))
    quoted = compose([quote_units(find_focus("noon?"), chosen(ranked(old)[0], 0, 1))])
    assert quoted.text == "The bell rings at noon. The gate opens then. [1]"


async def test_a_line_stays_with_the_code_that_it_introduces(answerer: ExtractiveAnswerer) -> None:
    content = "<p>Furnace command: as root</p><pre>furnace on\nfurnace: off</pre><p>Wait</p>"
    found = (await answerer.answer("What is the furnace command?", ranked(*passages(content)), TRACER)).text
    assert found.startswith("Furnace command: as root\n```\nfurnace on\nfurnace: off\n```")


LONG = "".join(f"<p>Field {number}: value of it</p>" for number in range(20))


def test_the_line_that_introduces_a_list_comes_without_the_lines_before_it() -> None:
    [item] = [found for found in evidences(f"{LONG}<p>The tools:</p><ul><li>Saw</li></ul>") if found.kind == "list"]
    assert compose([quote_units(find_focus("tools?"), chosen(ranked(item)[0], 0))]).text == "The tools:\n- Saw [1]"


def test_the_lines_after_a_passage_that_announces_them_stay_apart() -> None:
    items = "".join(f"<li><p>Tool {number} - new</p><p>Its place is hall {number}</p></li>" for number in range(9))
    [item] = passages(f"<p>The tools:</p><ul>{items}</ul>")
    lines = compose([quote_units(find_focus("tools?"), chosen(ranked(item)[0], 0))]).text.split("\n")
    assert lines[:4] == ["The tools:", "- Tool 0 - new", "Its place is hall 0", "- Tool 1 - new"]


INSTANCES = evidence(
    "- Instance 1", "  - Name: vm1", "  - Function: Firewall", "- Instance 2", "  - Name: vm2", "  - Function: Router",
    kind="list",
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "index", "record"),
    [
        ("what job does vm2 do?", 4, (4, 5)),
        ("which function has vm2?", 5, ()),  # asks for the item itself
        ("what job does instance 2 do?", 3, ()),
        ("what belongs to instance 2?", 4, ()),  # by none of the values
    ],
)
def test_a_thing_named_by_one_of_its_values_has_the_items_beside_it(
    question: str, index: int, record: tuple[int, ...]
) -> None:
    assert find_record(find_focus(question), INSTANCES, index) == record


def test_items_that_are_not_all_fields_are_no_record() -> None:
    mixed = evidence("- Instance 1", "  - Name: vm1", "  - Start it first", kind="list")
    assert find_record(find_focus("what job does vm1 do?"), mixed, 1) == ()


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=8), st.data())
def test_the_fields_of_any_item_are_beside_it(shape: list[tuple[int, bool]], data: st.DataObject) -> None:
    """Also of a piece of a list that begins within it."""
    items = [f"{'  ' * depth}- {'Name: vm1' if is_field else 'vm1'}" for depth, is_field in shape]
    index = data.draw(st.integers(0, len(items) - 1))
    record = find_record(find_focus("what does it do?"), evidence(*items, kind="list"), index)
    assert all(shape[at][1] for at in record)
    assert not record or index in record
