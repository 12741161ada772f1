"""The focus of a question: its content words, the type of answer it expects, and whether it asks for a whole list."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from core.languages import LanguageCode, detect_language
from core.text import has_digit, split_subject
from core.text_caches import cache_texts
from core.wording.content_words import DEGREES, select_content_words
from core.wording.word_matches import split_terms

AnswerType = Literal["person", "time", "number", "place", "reason", "yes_no", "other"]


def _compile_phrases(*phrases: str, start: str = r"\b") -> re.Pattern[str]:
    """Return a pattern that matches any of these phrases, each a regular expression, as whole words."""
    return re.compile(rf"(?i){start}(?:{'|'.join(phrases)})\b")


_AUXILIARIES = """is are was were do does did can could should must may has have had will would ist sind war waren
    kann können darf dürfen muss müssen soll sollte hat haben wird wurde wurden werden""".split()

QUESTION_TYPES: tuple[tuple[AnswerType, re.Pattern[str]], ...] = (
    ("number", _compile_phrases(
        "how (?:many|much)", "what percentage", "wie ?viele?", rf"(?:how|wie) (?:{'|'.join(DEGREES)})",
    )),
    ("person", _compile_phrases(
        "who", "whom", "whose", "wer", "wem", "wen", "wessen", "which (?:person|people|team|company)",
    )),
    ("time", _compile_phrases(
        "when", "what (?:time|date|day|year|month)", "wann", "welche[ms]? (?:datum|tag|jahr|monat|uhrzeit)",
    )),
    ("place", _compile_phrases("where", "wo", "woher", "wohin", "which (?:folder|directory|path|room|url)")),
    ("reason", _compile_phrases(
        "why", "how come", "warum", "weshalb", "wieso", "weswegen", "what caused",
        "what (?:is|was|were) the (?:reasons?|(?:root )?causes?)",
        "woran (?:lag|liegt|lags|liegts)", "wie (?:kam|kommt) (?:es|das)", "aus welchem grund",
        "was (?:ist|war|waren) (?:der grund|die (?:gründe|ursachen?))",
    )),
    ("yes_no", _compile_phrases(*_AUXILIARIES, "gibt es", start=r"^\W*")),
)  # fmt: skip
"""The type of a question is the first that matches."""

_GERMAN_WHAT = re.compile(r"(?i)^\W*was\b")  # in English, a verb

LIST_QUESTION = _compile_phrases(
    "lists?", "steps?", "checklist", "requirements?", "prerequisites", "agenda",
    "what are", "what were", "which are", "name (?:all|the)", "all (?:the|of)",
    "what (?:has|have|needs?) to", "what do (?:i|we|you) (?:need|have|do)", r"which \w{3,}s", "what must",
    r"(?:which|what) (?:[\w-]{1,30} ){0,2}[\w-]{2,30}(?<!s)(?:s|people|children) (?:are|were)(?! (?:you|we|they)\b)",
    "how (?:do|can|should) (?:i|we|you|one)", "how to",
    "schritte?", "checkliste", "liste", "aufzählung", "voraussetzungen", "anforderungen", "welche",
    "was (?:sind|waren|muss|müssen|brauche|braucht|ist zu)", "nenne", "alle",
    r"wie (?:kann|muss|soll|geht|mache|installiere)\w*", r"wie \w+ (?:ich|man|wir)", r"was tun",
)  # fmt: skip
"""Questions that ask for a whole list; "welche" also asks for one thing, see :func:`asks_for_one`."""

_WELCHE = re.compile(
    r"[Ww]elche (?P<adjectives>(?:[a-zäöüß]+e[nr]? ){0,3}?)"
    r"(?P<noun>(?:[\w.]*[A-ZÄÖÜ0-9][\w.&/-]* ?)+)(?P<next>\w*)"
)
_SINGULAR_ENDING = re.compile(
    r"(?:ung|heit|keit|schaft|ion|tät|ie|ei|ik|ur|enz|anz|plattform|zahl|nummer|person|firma|stadt|frist|zeit|pflicht"
    r"|regel|(?:adress|eben|farb|frag|gab|grupp|größ|höh|klass|(?<!k)läng|list|meng|method|nahm|phas|quell|roll|sach|seit|spalt"
    r"|sprach|(?<!ge)stell|stuf|tabell|tast|variabl|woch|zeil)e)$"
)
"""Endings of feminine nouns in the singular, whose plurals have an "n" after them."""

_COLLECTIVE_ENDING = re.compile(
    r"(?:ware|rüstung|kleidung|stützung|stattung|leistung|pflegung|sammlung|dokumentation|information|literatur)$"
)
"""Endings of nouns for several things in the singular."""

_SHORTEST_NOUN = 3  # letters before an ending
_SINGULAR_VERBS = frozenset(["ist", "war", "wird", "wurde", "gilt", "wäre"])


@dataclass(frozen=True, slots=True)
class Focus:
    """What a question asks for. ``words``: its distinct content words, lower-cased."""

    question: str
    words: tuple[str, ...]
    answer_type: AnswerType
    wants_list: bool
    language: LanguageCode


def find_focus(question: str) -> Focus:
    """Return the focus of an intent-explicit question."""
    # The light words are English and German: in other languages such words ("faire") count as missing ones.
    words = select_content_words(question)
    language = detect_language(question)
    asked = _leave_out_title_of_subject(question)
    kind: AnswerType = next((name for name, pattern in QUESTION_TYPES if pattern.search(asked)), "other")
    if kind == "yes_no" and language == "de" and _GERMAN_WHAT.match(asked):
        kind = "other"
    return Focus(question, words, kind, _asks_for_list(asked), language)


def _leave_out_title_of_subject(question: str) -> str:
    """Return a completed question without the title, which asks for nothing: "Who pays? (Onboarding checklist)"."""
    own, subject = split_subject(question)
    carried = subject.rpartition(": ")[2] if list_carried_words(question) else ""
    return f"{own} {carried}".strip()


def _asks_for_list(question: str) -> bool:
    found = LIST_QUESTION.finditer(question)
    return any(match[0].lower() != "welche" or not asks_for_one(question, match.start()) for match in found)


def asks_for_one(question: str, start: int) -> bool:
    """Whether the "welche" that starts there asks for one thing: "Welche Version …?", not "Welche Geräte …?".

    It is feminine singular and plural. An adjective before the noun, the noun's ending or the verb tells which.
    """
    found = _WELCHE.match(question, start)
    if found is None:
        return False
    adjectives, noun = found["adjectives"].split(), found["noun"].split()[-1].lower()
    if _COLLECTIVE_ENDING.search(noun) or (adjectives and adjectives[-1].endswith("n")) or found["next"] == "gibt":
        return False
    if " " in found["noun"].strip() and not question[found.end() :].lstrip(" ?!."):
        return False  # "…, welche Geräte Wartung brauchen?": the second noun is what the first ones need
    ends = any(map(_SINGULAR_ENDING.search, (noun, found["next"][_SHORTEST_NOUN:])))  # "Welche TPM version …"
    before = question[:start].rstrip()
    is_subject = not before or not before[-1].isalnum()  # not in "Für welche Geräte ist …"
    return ends or (is_subject and found["next"] in _SINGULAR_VERBS)


def find_names(focus: Focus) -> frozenset[str]:
    """Return the content words that name one thing.

    They have digits, or are capitalised within a question that is not German.
    """
    _, *others = focus.question.split() or [""]
    capital = {term for word in others if word[:1].isupper() for term in split_terms(word)}
    names = capital if focus.language != "de" else set()
    return frozenset(word for word in focus.words if word in names or has_digit(word))


def find_words_with_digits(focus: Focus) -> tuple[str, ...]:
    """Return the content words with digits: numbers, versions, models."""
    return tuple(word for word in focus.words if has_digit(word))


_OWN_WORDS = 2  # minimum of content words of a completed question with a subject of its own


@cache_texts(256)
def find_carried_words(question: str) -> frozenset[str]:
    """Return the words that completion took from the question before, lower-cased; none for an ellipsis.

    They say what an ellipsis is about. A question with words of its own is not about what was asked before it.
    """
    is_whole = len(select_content_words(split_subject(question)[0])) >= _OWN_WORDS
    return list_carried_words(question) if is_whole else frozenset()


@cache_texts(256)
def list_carried_words(question: str) -> frozenset[str]:
    """Return the words that completion took from the question before, also those of an ellipsis."""
    own, subject = split_subject(question)
    carried = subject.rpartition(": ")[2] if ": " in subject else ""
    return frozenset(split_terms(carried)) - frozenset(split_terms(own))
