"""Fusion: join the scores of several searches into one ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from core.languages import find_stopwords
from core.ports.indexes import Hit
from core.text import list_content_words, list_grams
from core.text_caches import cache_texts


@cache_texts(20_000)
def _list_grams(text: str, stopwords: frozenset[str]) -> frozenset[str]:
    return frozenset(list_grams(" ".join(list_content_words(text, stopwords))))


def compute_title_similarity(question: str, title: str) -> float:
    """Return the Dice coefficient of the character 4-grams of the content words of both texts, 0 to 1.

    The lexical ranking does not show this, since the words of a title are also in its page's text and in other pages.
    """
    stopwords = find_stopwords(question)
    asked, named = _list_grams(question, stopwords), _list_grams(title, stopwords)
    return 2 * len(asked & named) / (len(asked) + len(named)) if asked and named else 0.0


def scale_min_max(hits: Sequence[Hit]) -> dict[str, float]:
    """Return the scores scaled to [0, 1] over these hits; 1 for all if they are equal."""
    if not hits:
        return {}
    scores = [hit.score for hit in hits]
    low, span = min(scores), max(scores) - min(scores)
    return {hit.key: (hit.score - low) / span if span > 0 else 1.0 for hit in hits}


def fuse_by_weighted_sum(rankings: Mapping[str, Sequence[Hit]], weights: Mapping[str, float]) -> list[Hit]:
    """Return the weighted sum of min-max normalised scores; a key that a ranking lacks gets 0 there. Best first."""
    total: dict[str, float] = {}
    for name, hits in rankings.items():
        for key, score in scale_min_max(hits).items():
            total[key] = total.get(key, 0.0) + weights[name] * score
    return sort_best_first(total)


_DAMPING = 60  # of reciprocal ranks, as in the paper


def fuse_by_reciprocal_rank(rankings: Sequence[Sequence[Hit]]) -> list[Hit]:
    """Reciprocal rank fusion (Cormack et al., SIGIR 2009): the sum of 1 / (60 + rank), ranks from 1. Best first."""
    total: dict[str, float] = {}
    for hits in rankings:
        for rank, hit in enumerate(hits, start=1):
            total[hit.key] = total.get(hit.key, 0.0) + 1.0 / (_DAMPING + rank)
    return sort_best_first(total)


def scale_best_to_one(hits: list[Hit]) -> list[Hit]:
    """Scale the best score to 1. Reciprocal ranks are so small that anything added to them would dominate."""
    return [Hit(hit.key, hit.score / hits[0].score) for hit in hits]


def sort_best_first(scores: Mapping[str, float]) -> list[Hit]:
    """Return hits by falling score; equal scores in the order of their keys, so that results are reproducible."""
    keys = sorted(scores)
    keys.sort(key=scores.__getitem__, reverse=True)  # a stable sort
    return list(map(Hit, keys, map(scores.__getitem__, keys)))


def add_matches(hits: Sequence[Hit], totals: Mapping[str, float], compared: int) -> list[Hit]:
    """Add to the fused scores how well evidences match the question word by word; both count the same. Best first.

    ``totals``: the matches of the first ``compared`` hits, by key. They are scaled to mean 0 and to the standard
    deviation of the fused scores of these hits. A compared hit without a total gets the mean, later hits get the least.
    """
    known = [hit for hit in hits[:compared] if hit.key in totals]
    if len(known) < 2:
        return list(hits)
    matched = [totals[hit.key] for hit in known]
    mean, spread = float(np.mean(matched)), float(np.std(matched))
    scale = float(np.std([hit.score for hit in known])) / spread if spread > 0 else 0.0
    added = {hit.key: scale * (totals[hit.key] - mean) for hit in known}
    least = min(added.values())
    scores = {hit.key: hit.score + added.get(hit.key, 0.0) for hit in hits[:compared]}
    return sort_best_first({**scores, **{hit.key: hit.score + least for hit in hits[compared:]}})


def compare_within_languages(lexical: Sequence[Hit], dense: Sequence[Hit], languages: Mapping[str, str]) -> list[Hit]:
    """Return lexical scores that are comparable across evidences in several languages. Best first.

    A question shares few words with texts in another language, however well they answer it. So scores are compared
    within a language: the best lexical score of each language becomes the best of all, times the highest scaled vector
    similarity in that language. No score falls, so a name that only one text has is found in any language.
    ``languages``: by key; "" where unknown, and such a score stays. With one language nothing changes.
    """
    similar: dict[str, float] = {}
    for key, score in scale_min_max(dense).items():
        if language := languages.get(key):
            similar[language] = max(score, similar.get(language, 0.0))
    if len(similar) < 2:
        return list(lexical)
    best: dict[str, float] = {}
    for hit in lexical:
        best.setdefault(languages.get(hit.key, ""), hit.score)
    scores = {}
    for hit in lexical:
        language = languages.get(hit.key, "")
        is_scaled = language in similar and best[language] > 0
        factor = similar[language] * lexical[0].score / best[language] if is_scaled else 1.0
        scores[hit.key] = hit.score * max(factor, 1.0)
    return sort_best_first(scores)
