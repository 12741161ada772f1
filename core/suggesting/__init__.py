"""Follow-up questions that are suggested after an answer.

:mod:`suggester` has the protocol and the checks, and suggests without a language model, in the words of
:mod:`phrasing`; :mod:`generative` asks a language model.
"""
