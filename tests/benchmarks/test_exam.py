"""The reading exam: its question sets are sound, and answers are graded by their expressions."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.exam import Graded, read_questions, summarise
from core.model import Answer
from tests.contracts.examples import indexed_page, turn

SETS = Path("benchmarks/questions")


@pytest.mark.parametrize("name", ["samples", "git", "apache", "python", "sqlite", "postgresql", "german"])
def test_each_gold_answer_is_right_by_its_own_expressions(name: str) -> None:
    entries = json.loads((SETS / f"{name}.json").read_text("utf-8"))
    assert len(entries) >= 45
    for entry in entries:
        gold = entry.get("gold") or entry["gold_en"]
        assert all(re.search(each, gold, re.IGNORECASE) for each in entry["must"]), entry["id"]
        assert not any(re.search(each, gold, re.IGNORECASE) for each in entry["must_not"]), entry["id"]


def test_an_answer_is_graded_without_its_citations_and_a_refusal_by_what_is_answerable() -> None:
    question = replace(read_questions(SETS / "samples.json")[0], must=(r"\b4\b",), must_not=("five",), page_ids=("1",))
    found = turn(used=(indexed_page("1"),))
    said = {text: replace(found, answer=Answer(text, True)) for text in ("4 of them. [1]", "Some. [4]", "4, or five.")}
    assert [question.is_right(each) for each in said.values()] == [True, False, False]
    refused = replace(found, answer=Answer("", False))
    assert not question.is_right(refused)
    assert replace(question, answerable=False).is_right(refused)
    assert not replace(question, answerable=False, must=()).is_right(said["Some. [4]"])
    rows = {
        (name, language): share for name, language, _, share in summarise([Graded(question, said["4 of them. [1]"])])
    }
    assert rows["P@1", "en"] == rows["right", "en"] == 1.0


def test_of_right_answers_those_are_counted_that_begin_with_the_whole_fact() -> None:
    question = replace(read_questions(SETS / "samples.json")[0], must=("4", "towers"), must_not=())
    texts = ("4 towers. [1]", "All are old. [1]\n4 towers. [2]", "4\ntowers", "None.")
    graded = [Graded(question, replace(turn(), answer=Answer(text, True))) for text in texts]
    found = {name: (count, share) for name, _, count, share in summarise(graded)}
    assert found["right: whole fact in the first line"] == (3, 1 / 3)
