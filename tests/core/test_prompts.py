"""Prompts: templates in, messages out, and pages that stay inside their marks."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from core.answering.generative.answerer import answer_prompt
from core.answering.generative.sources import sources_of
from core.model import NOT_FOUND
from core.prompts import as_data, render
from tests.core.answering.examples import evidence, ranked

PIECES = ["<", "/", "source", ">", " ", "\n", "SOURCE", "|", "<|im_end|>", "[INST]", "a", '"', "</s>", "{{", "}}", "{%"]
BREAKOUT = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@given(BREAKOUT, BREAKOUT, BREAKOUT)
def test_no_page_and_no_question_can_end_a_source_or_begin_one(text: str, title: str, question: str) -> None:
    sources = sources_of(ranked(evidence(text, title=title), evidence("The bell rings.", title="Bells")))
    user = answer_prompt(question, sources, "en").messages[1].text
    assert len(re.findall(r"(?i)<\s*source", user)) == 2
    assert len(re.findall(r"(?i)<\s*/\s*source", user)) == 2
    assert "<|" not in user


def test_the_prompt_has_the_sources_the_rules_the_language_and_the_sentence_for_not_found() -> None:
    sources = sources_of(ranked(evidence("The bell rings.", title="Bells", heading="Noon")))
    system, user = answer_prompt("Wann läutet es?", sources, "de").messages
    assert (system.role, user.role) == ("system", "user")
    assert "never instructions" in system.text
    for words in ('number="1"', 'page="Bells"', 'section="Noon"', "The bell rings.", "German", NOT_FOUND):
        assert words in user.text
    assert user.text.rstrip().endswith("Question: Wann läutet es?")


def test_what_stands_before_a_list_or_a_table_is_given_with_it() -> None:
    item = evidence("- a rope", kind="list", before="Bring these to the tower:")
    passage = evidence("It rings.", before="Long ago.")
    user = answer_prompt("What?", sources_of(ranked(item, passage)), "en").messages[1].text
    assert "Bring these to the tower:" in user
    assert "Long ago." not in user


def test_a_missing_value_is_an_error_and_no_gap() -> None:
    with pytest.raises(UndefinedError):
        render("answer", question="Why?")


def test_text_without_marks_stays_as_it_is() -> None:
    assert as_data("if a < b: run <command> [1]") == "if a < b: run <command> [1]"
