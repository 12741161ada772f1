"""What a question asks of rows, before any table is looked at.

:mod:`.question` finds the operation (count, list, largest, sum, mean, compare, check) and the words that describe the
rows, :mod:`.cell_question` the question for one value. Parts of it: :mod:`.limits`, :mod:`.ranges` with
:mod:`.counted_things`, :mod:`.comparison`, and of :mod:`yes or no <.yes_no>` the :mod:`.quantifier`.
"""
