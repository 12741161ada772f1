"""What a question asks for: its telling words, the kind of answer it expects, and whether it wants a whole list."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from core.text import STOPWORDS, grams, language

AnswerType = Literal["person", "time", "number", "place", "reason", "yes_no", "other"]

_TYPES: tuple[tuple[AnswerType, re.Pattern[str]], ...] = (
    ("number", re.compile(r"(?i)\b(how (many|much|long|often|far|big|large|old|high)|what percentage|wie ?viele?|wie (lange|oft|hoch|groß|alt)|wieviel)\b")),
    ("person", re.compile(r"(?i)\b(who|whom|whose|wer|wem|wen|wessen|which (person|people|team|company)|von wem|an wen)\b")),
    ("time", re.compile(r"(?i)\b(when|what (time|date|day|year|month)|wann|welche[ms]? (datum|tag|jahr|monat|uhrzeit)|bis wann|seit wann|since when)\b")),
    ("place", re.compile(r"(?i)\b(where|wo|woher|wohin|which (folder|directory|path|room|url))\b")),
    ("reason", re.compile(r"(?i)\b(why|warum|weshalb|wieso|weswegen|what (is|was) the reason)\b")),
    ("yes_no", re.compile(r"(?i)^\W*(is|are|was|were|do|does|did|can|could|should|must|may|has|have|had|will|would|ist|sind|war|waren|kann|können|darf|dürfen|muss|müssen|soll|sollte|hat|haben|gibt es|wird|wurden?|werden)\b")),
)  # fmt: skip

_LIST = re.compile(
    r"(?i)\b(list|lists|steps?|checklist|requirements?|prerequisites|agenda|what are|what were|which are|name (all|the)|all (the|of)"
    r"|what (has|have|needs?) to|what do (i|we|you) (need|have|do)|which \w{3,}s|what must|how (do|can|should) (i|we|you|one)|how to"
    r"|schritte?|checkliste|liste|aufzählung|voraussetzungen|anforderungen|welche|was sind|was (muss|müssen|brauche|braucht|ist zu)"
    r"|nenne|alle|wie (kann|muss|soll|geht|mache|installiere)\w*)\b"
)  # fmt: skip


# Words that shape a question without saying what it is about: the wiki need not have them.
_LIGHT = frozenset(
    """ask call called come comes company describe describes different do does done exist exists explain find found get gets
    give given gives go goes going happen happened happens have kind know known least let list long look looks make makes
    many may mean means meant mention mentioned might much must name named need needed needs new often one page people
    possible say says see set show shows sort state stated take takes team tell thing things try type types use used uses
    using want way ways within work works
    allen bedeutet bekomme bekommen bekommt benutzt beschreibt bitte braucht brauche brauchen dient erwähnt findet finden
    funktioniert geben gehen geht genannt gehört genau genutzt gemacht gilt gelten heißt kommt lange lang lassen liegt
    macht machen man müsste möglich nennt nenne nutzt passiert sagt seite sieht steht tun tut verfügbar verwendet viel
    viele wird""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Focus:
    """A question, taken apart. ``words``: its distinct content words, lower-cased."""

    question: str
    words: tuple[str, ...]
    answer_type: AnswerType
    wants_list: bool
    language: Literal["en", "de"]


def focus_of(question: str) -> Focus:
    """Takes an intent-explicit question apart."""
    words = telling_words(question)
    kind: AnswerType = next((name for name, pattern in _TYPES if pattern.search(question)), "other")
    return Focus(question, words, kind, bool(_LIST.search(question)), language(question))


def telling_words(text: str) -> tuple[str, ...]:
    """The distinct words of a text that say what it is about, lower-cased, in order."""
    return tuple(dict.fromkeys(term for term in terms(text) if term not in STOPWORDS | _LIGHT))


_TERM = re.compile(r"\d+(?:[.:]\d+)+|[^\W_]+")


def terms(text: str) -> list[str]:
    """Words, lower-cased; versions, dates and times stay in one piece ("8.0.1")."""
    return _TERM.findall(text.lower())


def word_matches(words: tuple[str, ...], text: str) -> list[float]:
    """For each word how far the text has it, 0 to 1: the best share of its 4-grams in one word of the text.

    Word forms and compounds then match in part ("Hardwaretests", "hardware testing"), unrelated words do not.
    """
    there = set(terms(text))
    candidates = [_grams(word) for word in there]
    return [1.0 if word in there else _best(_grams(word), candidates) for word in words]


def _best(word: frozenset[str], candidates: list[frozenset[str]]) -> float:
    best = max((len(word & other) / len(word) for other in candidates if word & other), default=0.0) if word else 0.0
    return best if best >= _PARTIAL else 0.0


@lru_cache(maxsize=50_000)
def _grams(word: str) -> frozenset[str]:
    return frozenset([word] if word[0].isdigit() else grams(word))


_PARTIAL = 0.5


_NUMBER = re.compile(r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|zero|none|both|ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn)\b", re.IGNORECASE)  # fmt: skip
_TIME = re.compile(
    r"(?i)\b(\d{4}|\d{1,2}[:.]\d{2}|\d{1,2}\.\s?(\d{1,2}\.|[a-zä]+)|(jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)\w*|"
    r"(mon|tues|wednes|thurs|fri|satur|sun)days?|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|daily|weekly|monthly|"
    r"yearly|täglich|wöchentlich|monatlich|jährlich|before|after|until|vor|nach|bis|hours?|days?|weeks?|stunden?|tagen?|wochen?)\b"
)
_PERSON = re.compile(
    r"@\w|\b[A-ZÄÖÜ][\w'’-]+ [A-ZÄÖÜ][\w'’-]+|(?i:\b\w+(er|or|lead|team|manager|owner|board|committee|group|admin)s?\b)"
)
_PLACE = re.compile(r"https?://|[\w.~-]*/[\w./-]+|\b[A-Z][\w-]+|(?i:\b(in|on|at|under|im|am|auf|unter|bei) \w+)")
_REASON = re.compile(
    r"(?i)\b(because|since|due|so that|in order|to|as|therefore|weil|da|damit|um|wegen|denn|deshalb|aufgrund)\b"
)

_SHAPES = {"number": _NUMBER, "time": _TIME, "person": _PERSON, "place": _PLACE, "reason": _REASON}


def has_type(answer_type: AnswerType, text: str) -> bool:
    """Whether a text has something of the kind that is asked for (a date for "when", a name for "who")."""
    shape = _SHAPES.get(answer_type)
    return shape is None or bool(shape.search(text))
