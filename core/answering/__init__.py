"""Answering: an answer from the retrieved evidences only, with citations, or "not found" (RAGonite, section 4).

In: an intent-explicit question and its ranked evidences. The parts that both answerers use:

1. :mod:`answerer` has the protocol that they implement.
2. :mod:`instructions` removes text from the evidences that addresses a language model.
3. :mod:`focus` finds the question's content words and the type of answer it expects.
4. :mod:`identifiers` finds models, versions and other names in a question that no evidence has.
5. :mod:`quotations` has the quotations of the wiki that answers are composed of, and :mod:`list_markers` the bullets,
   numbers and labels of their lines.
6. :mod:`core.reading` computes answers from tables and lists, and from the facts of pages.

:mod:`extractive` quotes the wiki and needs no model. :mod:`generative` lets a language model write the answer, checks
each statement against the evidences, and falls back to the extractive answerer.

Out: an :class:`core.model.Answer`.
"""
