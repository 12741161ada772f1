"""What a question asks of rows, before any table is looked at.

| asked | module |
|---|---|
| rows or their number, the largest, a sum, a mean, a comparison, yes or no | :mod:`.question` |
| the larger of two things | :mod:`.choice` |
| one cell, a number that a cell states | :mod:`.cell_question` |
| a person, the tasks of a person | :mod:`.person_question`, :mod:`.task_question` |
| how long from one event to another, what is at a time | :mod:`.event_question`, :mod:`.schedule_question` |
| rows, by a phrase or by "when" and "how often" | :mod:`.phrases` |

Each ``read_…`` returns a :class:`.row_question.RowQuestion`, or None for any other question. :mod:`.readers` tries
them. Parts of questions: :mod:`.superlatives`, :mod:`.comparison`, :mod:`.limits`, :mod:`.ranges` with
:mod:`.counted_things`, :mod:`.periods` and :mod:`.moments`, and of :mod:`yes or no <.yes_no>` the :mod:`.quantifier`.
"""
