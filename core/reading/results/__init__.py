"""Applies a plan: what the rows say, in a sentence, and the rows that it comes from.

| asked | module |
|---|---|
| rows, or their number | :mod:`.listing` |
| largest, difference, sum, mean | :mod:`.arithmetic` |
| yes or no | :mod:`.checking`, from several rows :mod:`.quantified_verdicts`, from a state :mod:`.state_verdicts` |
| one cell, a number that a cell states | :mod:`.cell`, :mod:`.amount` |
| a person, who does a task, the tasks of a person | :mod:`.person`, :mod:`.doers`, :mod:`.assigned_tasks` |
| the values of a column | :mod:`.distinct_values` |
| what two tables share, what only one of two lists has | :mod:`.common_items`, :mod:`.list_comparison` |
| which of two things has most | :mod:`.frequency` |
| how long from one row to another | :mod:`.elapsed_time` |
| what is at a time | :mod:`.schedule`, with :mod:`.spans` for the time of the rows |

A :mod:`.result` has a first line and rows, and :mod:`.result_text` writes it.
"""
