"""Answering: an answer from the retrieved evidences only, with citations, or "not found" (RAGonite, section 4).

In: an intent-explicit question and its ranked evidences. What both answerers use:

- :mod:`.answerer` has the protocol that they implement.
- :mod:`.question_parts` splits a message with several questions, and joins their answers. :mod:`.part_subjects` writes
  what an earlier question names for the pronoun of a further one.
- :mod:`core.wording.instructions` removes text from the evidences that addresses a language model.
- :mod:`core.reading` computes answers from tables and lists, and from the facts of pages.

:mod:`.extractive` quotes the wiki and needs no model. :mod:`.generative` lets a language model write the answer, checks
each statement against the evidences, and falls back to the extractive answerer.

Out: an :class:`core.model.Answer`.
"""
