"""Completion: make a follow-up question intent-explicit, so that it can be understood without the conversation.

RAGonite, section 4; the guard follows EXPLAIGNN (SIGIR 2023, section 3.1). In: a question as asked, the conversation's
messages, and a scope. Two completers:

- :mod:`heuristic` decides whether the question changes the subject; if not, it adds the title of the page that the
  conversation is about, and for an ellipsis words of the question before. It needs no language model.
- :mod:`generative` lets a language model rewrite the question, rejects proposals that invent or drop words, and else
  takes the heuristic's completion.

Out: a :class:`core.model.Question` with both forms.
"""
