"""Begin the answer to a yes-or-no question with yes or no, where the quoted text settles it.

Read :mod:`yes_no_question` first, then :mod:`clauses` (one clause states what is asked) and :mod:`unit_verdicts` (what
several parts of a page say together: a list and its introduction, cells, values, sets, comparisons). A wrong verdict is
worse than none, so each of them has to account for every word of the question.
"""
