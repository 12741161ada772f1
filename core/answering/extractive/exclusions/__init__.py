"""What cannot be the answer: rows, items and sentences about something else than the question.

:mod:`.exclusion` leaves out rows and items, :mod:`.other_periods` sentences of another month, :mod:`.dated_titles`
pages of another date, :mod:`.rows_of_person` the rows of other people.
"""
