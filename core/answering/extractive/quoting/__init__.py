"""What is quoted for the units that come first, and how it is written.

:mod:`.selection` selects: whole lists and sections (:mod:`.whole_sections`), enumerations (:mod:`.enumerations`), steps
(:mod:`.asked_steps`), the page that replaces another (:mod:`.replaced_pages`), rows (:mod:`.rows`) with their other
parts (:mod:`.split_rows`) and the rows named as well (:mod:`.equally_named_rows`). :mod:`.compose` makes the quotations
with the text that they need, and the answer: the one that most likely answers comes first (:mod:`.likelier`), and in a
list the item that the question names (:mod:`.named_items`). :mod:`.lines` keeps paragraphs and lines apart.
:mod:`.remarks` adds what the quoted text lacks. For messages, :mod:`.quoted_rows` finds the rows in an answer's text,
and :mod:`.closest_pages` what comes closest if there is no answer.
"""
