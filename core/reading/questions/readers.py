"""Which questions are read, and which of them need all rows of a table.

A person, a cell or an amount is in one row, which retrieval finds by itself. Questions for what is at a time are not
among these, because they are read with the day (:mod:`.schedule_question`).
"""

from __future__ import annotations

from core.reading.questions.cell_question import read_amount_question, read_cell_question
from core.reading.questions.choice import read_choice
from core.reading.questions.event_question import read_elapsed_time
from core.reading.questions.person_question import read_person_question
from core.reading.questions.phrases import read_attendance, read_listing, read_occurrences
from core.reading.questions.question import read_question
from core.reading.questions.row_question import RowQuestion
from core.reading.questions.task_question import read_assigned_tasks

_OF_ALL_ROWS = (
    *(read_question, read_choice, read_listing, read_attendance, read_occurrences),
    *(read_elapsed_time, read_assigned_tasks),
)
_OF_SINGLE_ROWS = (read_person_question, read_cell_question, read_amount_question)


def read_question_for_all_rows(question: str) -> RowQuestion | None:
    """Return a question that is answered from all rows of a table or list; None for any other."""
    return next((asked for read in _OF_ALL_ROWS if (asked := read(question))), None)


def may_be_computed(question: str) -> bool:
    """Whether something is asked of all rows, or of one."""
    return any(read(question) for read in (*_OF_ALL_ROWS, *_OF_SINGLE_ROWS))
