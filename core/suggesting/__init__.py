"""Suggesting: up to three follow-up questions after an answer.

In: a turn with its evidences, and the earlier questions. Steps, by module:

1. :mod:`suggester` has the protocol. Its HeadingSuggester takes headings and rows of evidences that the answer did not
   cite; :mod:`phrasing` phrases them as questions.
2. :mod:`generative` lets a language model propose questions, and falls back to headings.
3. :mod:`suggester` checks each question: it has to retrieve its evidence, must not repeat an earlier question, and must
   not contain addresses, requests to click or instructions to a model.

Out: the turn with :class:`core.model.Suggestion` objects.
"""
