"""Counterfactual attribution: the sources that an answer depends on (RAGonite, section 5, Algorithm 1).

In: a stored turn, with its question, answer and evidences. Nothing is retrieved again. Steps, by module:

1. :mod:`steps` clusters evidences of similar content, removes a cluster, compares the answer without it with the turn's
   answer, and normalises the contributions to shares.
2. :mod:`attributors` finds the contribution of each cluster: by answering again without it (counterfactual, frugal), by
   the likelihood of the answer, or by similarity only (naive, the paper's baseline).
3. :mod:`explainer` explains a stored turn with an attributor, reports progress, and derives the conclusions.

Out: an :class:`explainer.Explanation` with the share of each cluster and the conclusions.
"""
