"""Explain: which sources an answer rests on, found by answering again without them (RAGonite, section 5, Algorithm 1).

Read in this order: :mod:`steps` has the data, and the four steps of the method as functions (cluster, ablate, compare,
normalise); :mod:`attributors` runs them over the clusters of an answer; :mod:`explainer` puts all of it together for a
stored turn, and says what the numbers mean.
"""
