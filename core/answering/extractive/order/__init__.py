"""Which unit comes first, of those that match the question nearly as well.

The one with what is asked for: a kind of value (:mod:`.asked_values`), a person (:mod:`.persons`, :mod:`.contacts`), a
reason (:mod:`.reasons`), a definition (:mod:`.definitions`), a default (:mod:`.defaults`), all own words of a follow-up
(:mod:`.own_words`), the page with the answer (:mod:`.references`), a note beside a table (:mod:`.table_notes`).
"""
