"""Writes the names of rows and items for their initials in a question: "Single sign-on" for "sso".

People type initials that the wiki nowhere explains. They are read only if no text has the letters as a word, and if
exactly one first cell or item has as many words as there are letters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from core.model import RankedEvidence
from core.reading.plans.conditions import find_initials
from core.reading.relations.relation import make_relations
from core.reading.relations.rows import ITEM
from core.reading.words import fold_words, split_words
from core.text_caches import cache_texts

_LETTERS = re.compile(r"[^\W\d_]{3,5}")
_OPTION = re.compile(r"(?<!\S)--?[^\W\d_]\S*")
_NAME = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+){2,4}")


def expand_initials(question: str, evidences: Sequence[RankedEvidence]) -> str:
    """Return the question with names for the initials that no text of the evidences has."""
    words = {word.folded for word in split_words(question) if word.is_content and _LETTERS.fullmatch(word.text)}
    words -= _list_words(evidences) if words else frozenset()
    if not words:
        return question
    names: dict[str, set[str]] = {}
    for name in _list_names(evidences):
        names.setdefault(find_initials(name).lower(), set()).add(name)
    for word in words:
        if len(meant := names.get(word, ())) == 1:
            question = re.sub(rf"(?i)\b{word}\b", "".join(meant), question)
    return question


def _list_words(evidences: Sequence[RankedEvidence]) -> Set[str]:
    """Return the words of all texts with their titles and headings, folded, without options: "--sso"."""
    contexts = [ranked.evidence.context for ranked in evidences]
    texts = [ranked.evidence.text for ranked in evidences]
    texts += [part for each in contexts for part in (each.title, *each.heading_path, each.before, each.after)]
    return frozenset().union(*map(_list_words_of_text, texts))


@cache_texts(10_000)
def _list_words_of_text(text: str) -> frozenset[str]:
    return frozenset(fold_words(_OPTION.sub(" ", text)))


def _list_names(evidences: Sequence[RankedEvidence]) -> set[str]:
    """Return the first cells of rows, and the items, that are names of three to five words."""
    cells = (
        row.cells.get(ITEM if relation.kind == "list" else relation.columns[0], "").strip()
        for relation in make_relations(evidences)
        for row in relation.rows
    )
    return {cell for cell in cells if _NAME.fullmatch(cell)}
