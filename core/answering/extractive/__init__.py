"""The extractive answerer: quotes the evidences verbatim, without a language model.

In: a question and its ranked evidences. Steps, by module:

1. :mod:`answerer` tries answers from the facts of pages and computed ones first (:mod:`core.reading`).
2. :mod:`units` splits the evidences into sentences, list items and rows; :mod:`exclusion` leaves out those that cannot
   be the answer; :mod:`units` scores the others for the question.
3. :mod:`answerer` estimates whether the best unit answers the question at all; if not, the answer is "not found". It
   follows sentences that refer to another page.
4. :mod:`selection` selects the units to show; :mod:`whole_sections` whole lists and sections that a question names,
   :mod:`split_rows` the parts of long rows.
5. :mod:`verdicts` begins the answer with yes or no where the quoted text settles that; :mod:`remarks` adds what
   the quoted text lacks.
6. :mod:`compose` makes the answer: quotations with the text that they need, and citations. :mod:`lines` keeps the
   paragraphs and lines of a page apart.

Out: an answer of verbatim quotations.
"""
