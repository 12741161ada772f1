"""Begin the answer to a yes-or-no question with yes or no, where the quoted text settles it.

Read :mod:`.yes_no_question` first, then :mod:`.clauses` (one clause states what is asked), :mod:`.own_answer` (the
page asks the same) and :mod:`.unit_verdicts` (what several parts of a page say together: a list and its introduction,
cells). It uses :mod:`.value_verdicts` with :mod:`.spoken_values`, :mod:`.sets`, :mod:`.comparison`,
:mod:`.end_of_use` and :mod:`.meaning` (other words). :mod:`.needed_words` and :mod:`.states` compare words. A wrong
verdict is worse than none, so each of them has to account for every word of the question.
"""
