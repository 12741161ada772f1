"""The extractive answerer: quotes the evidences verbatim, without a language model.

In: a question and its ranked evidences. Out: an answer of verbatim quotations. Steps, by module:

1. :mod:`.answerer` tries answers from the facts of pages and computed ones first (:mod:`core.reading`).
2. :mod:`.units` splits the evidences into sentences, list items and rows; :mod:`.exclusions` leaves out those that
   cannot be the answer; :mod:`.units` scores the others for the question.
3. :mod:`.order` puts first what is asked for, such as a person, of the units that match nearly as well.
4. :mod:`.confidence` estimates whether the best unit answers the question at all; if not, the answer is "not found".
5. :mod:`.quoting` selects what to show of the best units, and composes it.
6. :mod:`.verdicts` begins the answer with yes or no where the quoted text settles that.
"""
