"""How much a question names a page by its title: people do, in words, word forms and half-translated compounds."""

from __future__ import annotations

from functools import lru_cache

from core.text import content_words, grams


@lru_cache(maxsize=20_000)
def _grams(text: str) -> frozenset[str]:
    return frozenset(grams(" ".join(content_words(text))))


def title_similarity(question: str, title: str) -> float:
    """Dice coefficient of the character 4-grams of their content words, 0 to 1.

    A ranking by words drowns this: a title's words also stand in its page's text, and in that of its neighbours.
    """
    asked, named = _grams(question), _grams(title)
    return 2 * len(asked & named) / (len(asked) + len(named)) if asked and named else 0.0
