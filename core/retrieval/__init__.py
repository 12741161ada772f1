"""Finds the evidences for an intent-explicit question (RAGonite, section 3).

:mod:`entries` says what the indexes hold of an evidence, and who may find it; :mod:`retriever` searches words,
character 4-grams and vectors, and joins the results.
"""
