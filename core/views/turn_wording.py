"""A turn's question and answer as people read them, also where their words were erased."""

from __future__ import annotations

from core.i18n import message
from core.model import Question, Turn

_ANSWER_ERASED = message("The source of this answer has been removed from the wiki.")
_QUESTION_ERASED = message("(a suggested question, removed with its page)")
NO_ANSWER = message("I could not find that in the wiki.")


def question_text(question: Question) -> str:
    """The question as it was asked; of one that was erased, that it was."""
    return _QUESTION_ERASED.render(question.language) if question.erased else question.as_asked


def format_stored_answer(turn: Turn) -> str:
    """The answer's text as it is stored, for programs; of one that was erased, that it was."""
    return _ANSWER_ERASED.render(turn.question.language) if turn.answer.erased else turn.answer.text


def answer_text(turn: Turn) -> str:
    """The answer's text; of one that was erased, or where there is none, that this is so."""
    if turn.answer.erased or turn.answer.answered:
        return format_stored_answer(turn)
    return NO_ANSWER.render(turn.question.language)
