"""Compares words by their letters: how much of each word of a question a text has."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.text import is_stopword, list_grams, separate_words, write_scripts_plainly
from core.text_caches import cache_texts

_NAME_TERMS = 3  # of a row's key
_SAYS_NOTHING = frozenset("yes no ja nein none other all total".split())
_PARTIAL = 0.5  # minimum of the share of a word's 4-grams; less is an unrelated word

_MAIL = re.compile(r"\be-(?=mail)")  # one word, in spite of its hyphen
_TERM = re.compile(r"\d+(?:[.:]\d+)+|[^\W_]+")


def split_terms(text: str) -> list[str]:
    """Return the words, lower-cased; versions, dates and times are one word ("8.0.1")."""
    return _TERM.findall(separate_words(_MAIL.sub("e", write_scripts_plainly(text.lower()))))


def has_terms(text: str, terms: Sequence[str]) -> bool:
    """Whether a text has terms, as :func:`split_terms` returns them, one after the other; not for no terms."""
    said = split_terms(text) if terms else []
    return any(said[at : at + len(terms)] == [*terms] for at in range(len(said)))


def list_name_terms(key: str) -> list[str]:
    """Return the terms of a row's key by which a text may name the row; [] for a sentence, a number, "yes" or "in"."""
    terms = split_terms(key)
    is_name = any(len(term) > 1 and not term.isdigit() and not is_stopword(term) for term in terms)
    return terms if is_name and len(terms) <= _NAME_TERMS and not _SAYS_NOTHING.issuperset(terms) else []


def match_text(words: tuple[str, ...], text: str) -> list[float]:
    """Return for each word how much of it the text has, 0 to 1.

    That is the highest share of its 4-grams in one word of the text. Word forms and compounds match in part
    ("Hardwaretests", "hardware testing"), and "7.4.2" has "7.4"; unrelated words do not.
    """
    return list(_match_text(words, text))


def match_texts(words: tuple[str, ...], texts: Sequence[str]) -> list[list[float]]:
    """Return :func:`match_text` of each text. A word that several texts have is compared once."""
    of_texts = [list_vocabulary(text) for text in texts]
    # A word that all texts have is compared with none. Few words of texts share a gram with any other asked word.
    everywhere = frozenset.intersection(*of_texts) if of_texts else frozenset()
    asked = {word: _list_grams(word) for word in words if word not in everywhere}
    any_asked = frozenset().union(*asked.values())
    others = frozenset().union(*of_texts) if asked else ()
    near = {known: grams for known in others if not any_asked.isdisjoint(grams := _list_grams_of_text(known))}
    alike = {word: found for word, grams in asked.items() if (found := _find_similar_words(word, grams, near))}
    return [
        [
            1.0
            if word in vocabulary
            else max((share for known, share in alike[word].items() if known in vocabulary), default=0.0)
            if word in alike
            else 0.0
            for word in words
        ]
        for vocabulary in of_texts
    ]


@cache_texts(4096)  # the titles and headings of an answer's tables and units, each several times
def _match_text(words: tuple[str, ...], text: str) -> tuple[float, ...]:
    return tuple(match_texts(words, [text])[0])


@cache_texts(4096)  # the units of an answer, twice for a completed question, and the sources of its statements
def list_vocabulary(text: str) -> frozenset[str]:
    """Return the terms of a text, each once."""
    return frozenset(split_terms(text))


def _find_similar_words(word: str, grams: frozenset[str], grams_of: Mapping[str, frozenset[str]]) -> dict[str, float]:
    """Return the words that have enough of a word's grams, with the share of them; 1 for a form of the same verb."""
    if not grams_of:
        return {}
    stem = strip_verb(word)
    shares = {
        known: 1.0 if strip_verb(known) == stem else len(grams & others) / len(grams)
        for known, others in grams_of.items()
    }
    return {known: share for known, share in shares.items() if share >= _PARTIAL}


_PARTICIPLE = re.compile(
    r"(?P<before>(?:ab|an|auf|aus|bei|ein|fest|frei|her|hin|hoch|los|mit|nach|um|vor|weg|weiter|zu|zurück|zusammen)"
    r"(?:ge|zu)|ge(?=\w{5}))(?P<rest>\w{3,}(?:t|te|te[mnrs]|en|ene[mnrs]?))"
)
"""A German participle ("ausgeschaltet", "gezählt") or an infinitive with "zu" inside ("auszuschalten")."""

_VERB_ENDING = re.compile(r"(?<=\w{4})(?:te[nt]|tet|est|en|et|te|st|e|t|n)$")
_BEFORE_ENDING = re.compile(r"(?<=\w{4})(?:e|et|t)$")  # "arbeitet" and "arbeiten" as "arbeit"


@cache_texts(50_000)
def strip_verb(word: str) -> str:
    """Return a lower-cased word as the stem of a German verb: "auszuschalten", "ausgeschaltet" as "ausschal"."""
    if found := _PARTICIPLE.fullmatch(word):
        word = found["before"][:-2] + found["rest"]
    return _BEFORE_ENDING.sub("", _VERB_ENDING.sub("", word))


@cache_texts(50_000)
def list_shorter_numbers(word: str) -> frozenset[str]:
    """Return the shorter versions for which a version stands, "7.4" for "7.4.2"; none for "1.500.000"."""
    parts = word.split(".") if _LONG_NUMBER.fullmatch(word) else []
    return frozenset(".".join(parts[:count]) for count in range(2, len(parts)))


_LONG_NUMBER = re.compile(r"(?!\d+(?:\.\d{3})+$)\d+(?:\.\d+){2,}")


@cache_texts(50_000)
def _list_grams(word: str) -> frozenset[str]:
    return frozenset([word] if word[0].isdigit() else list_grams(word))


@cache_texts(50_000)
def _list_grams_of_text(word: str) -> frozenset[str]:
    return _list_grams(word) | list_shorter_numbers(word)
