"""What a prompt has of what a question needs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchmarks.exam import read_questions
from benchmarks.peer import spread
from benchmarks.reading import ReadQuestion, summarise
from core.answering.generative.answerer import render_answer_prompt
from tests.core.answering.examples import read, table

QUESTIONS = read_questions(Path("benchmarks/questions/samples.json"))
LIMITS = table((("City", "Oslo"), ("Limit", "190 euros")), title="Hotels")


def asked(must: str, *quotes: str) -> ReadQuestion:
    question = replace(QUESTIONS[0], must=(must,), quotes=quotes, question="What about 250?")
    return ReadQuestion(question, render_answer_prompt(question.question, read(LIMITS), "en"))


def test_the_answer_and_the_quotes_are_looked_for_in_the_sources_and_not_in_the_question() -> None:
    assert asked("190", "Oslo | 190 euros").has_answer
    assert asked("190", "Oslo | 190 euros").has_quotes
    assert not asked("250", "Bergen | 190 euros").has_answer
    assert not asked("250", "Bergen | 190 euros").has_quotes
    assert not asked("250").has_quotes


def test_shares_are_of_all_questions_of_a_kind() -> None:
    lines = summarise([asked("190"), asked("250", "Oslo")])
    assert lines[-2].split()[:8] == ["all", "answer", "0.500", "quotes", "0.500", "either", "1.000", "of"]


def test_questions_are_spread_over_the_whole_set() -> None:
    some = spread(QUESTIONS, 10)
    assert len(some) == 10
    assert [QUESTIONS.index(each) for each in some] == sorted(QUESTIONS.index(each) for each in some)
    assert spread(QUESTIONS, 10_000) == QUESTIONS
