"""A turn's question and answer as people read them, also where their words were erased."""

from __future__ import annotations

from core.model import Question, Turn
from core.views.wording import WORDS


def question_text(question: Question) -> str:
    """The question as it was asked; of one that was erased, that it was."""
    return WORDS[question.language].question_erased if question.erased else question.as_asked


def format_stored_answer(turn: Turn) -> str:
    """The answer's text as it is stored, for programs; of one that was erased, that it was."""
    return WORDS[turn.question.language].answer_erased if turn.answer.erased else turn.answer.text


def answer_text(turn: Turn) -> str:
    """The answer's text; of one that was erased, or where there is none, that this is so."""
    words = WORDS[turn.question.language]
    if turn.answer.erased:
        return words.answer_erased
    return turn.answer.text if turn.answer.answered else words.not_found
