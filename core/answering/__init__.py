"""Answers from the retrieved evidences only, with citations, or "not found" (RAGonite, section 4).

:mod:`answerer` has the protocol, :mod:`focus` what a question asks for, :mod:`instructions` what is removed from the
evidences first. :mod:`extractive` answers with the wiki's own words, :mod:`generative` with a language model.
"""
