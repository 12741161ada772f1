"""Completion: make a follow-up question intent-explicit, so that it can be understood without the conversation.

RAGonite, section 4; the guard follows EXPLAIGNN (SIGIR 2023, section 3.1). In: a question as asked, the conversation's
messages, and a scope. Two completers:

- :mod:`heuristic` adds the title of the page that the conversation is about, and for an :mod:`ellipsis` words of the
  question before, unless the question changes the subject (:mod:`subject_change`, :mod:`back_references`). What an
  ellipsis replaces is found by :mod:`labels` of a table, or by :mod:`names` of one form. It needs no language model.
- :mod:`generative` lets a language model rewrite the question, rejects proposals that invent or drop words, and else
  takes the heuristic's completion.

Out: a :class:`core.model.Question` with both forms.
"""
