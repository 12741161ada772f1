"""The extractive answerer: quotes the evidences verbatim, without a language model.

In: a question and its ranked evidences. Out: an answer of verbatim quotations. :mod:`.answerer` runs these steps:

1. Answers from the facts of pages and computed ones are tried first (:mod:`core.reading`). Rows that were counted or
   listed give way to a text that is rated clearly higher (:mod:`.rows_or_text`).
2. :mod:`.units` splits the evidences into sentences, list items and rows; :mod:`.exclusions` leaves out those that
   cannot be the answer; :mod:`.units` scores the others for the question. Of units that match nearly as well,
   :mod:`.order` moves to the front a definition, a reference to another page, or a text with the question's own words.
3. :mod:`.confidence` estimates whether the best unit answers the question. If the confidence is too low, nothing is
   quoted; for a yes-or-no question the limit is lower.
4. :mod:`.order` moves to the front a unit with the asked value, reason or person. :mod:`.quoting` selects what to show
   of the best units.
5. :mod:`.verdicts` begins the answer with yes or no where the quoted text settles that. Without a verdict the answer is
   "not found" if the confidence is only high enough for one.
6. :mod:`.quoting` composes the answer.
"""
