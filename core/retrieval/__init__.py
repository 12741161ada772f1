"""Retrieval: find and rank the evidences for an intent-explicit question (RAGonite, section 3).

In: a question and a scope. Steps, by module:

1. :mod:`retriever` searches words, character 4-grams and vectors, each within the access filter of the scope.
2. :mod:`fusion` joins these rankings into one; :mod:`retriever` adds the similarity of titles and the match word by
   word.
3. :mod:`retriever` reranks the first candidates by a cross-encoder where one is configured, and caps them per page.

Out: ranked evidences, best first, each with its rank and score in every ranking. They already have their contexts
(RAGonite, section 3.1), which :mod:`core.evidence.contextualise` joins with their texts for the indexes.
"""
