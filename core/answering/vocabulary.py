"""The words that question types, answers of a type, and list questions are known by, in English and German."""

from __future__ import annotations

import re
from typing import Literal

AnswerType = Literal["person", "time", "number", "place", "reason", "yes_no", "other"]


def _any_of(*phrases: str, start: str = r"\b") -> re.Pattern[str]:
    """Matches any of these phrases, each a regular expression, as whole words."""
    return re.compile(rf"(?i){start}(?:{'|'.join(phrases)})\b")


_AUXILIARIES = """is are was were do does did can could should must may has have had will would ist sind war waren
    kann können darf dürfen muss müssen soll sollte hat haben wird wurde wurden werden""".split()  # noqa: SIM905

QUESTION_TYPES: tuple[tuple[AnswerType, re.Pattern[str]], ...] = (
    (
        "number",
        _any_of(
            "how (?:many|much|long|often|far|big|large|old|high)",
            "what percentage",
            "wie ?viele?",
            "wie (?:lange|oft|hoch|groß|alt)",
        ),
    ),
    ("person", _any_of("who", "whom", "whose", "wer", "wem", "wen", "wessen", "which (?:person|people|team|company)")),
    (
        "time",
        _any_of(
            "when",
            "what (?:time|date|day|year|month)",
            "wann",
            "welche[ms]? (?:datum|tag|jahr|monat|uhrzeit)",
        ),
    ),
    ("place", _any_of("where", "wo", "woher", "wohin", "which (?:folder|directory|path|room|url)")),
    ("reason", _any_of("why", "warum", "weshalb", "wieso", "weswegen", "what (?:is|was) the reason")),
    ("yes_no", _any_of(*_AUXILIARIES, "gibt es", start=r"^\W*")),
)
"""What is asked for, by the question's words; the first that matches."""

_MONTHS = "jan feb mar mär apr may mai jun jul aug sep oct okt nov dec dez".split()  # noqa: SIM905
_DAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?"
_SPANS = "hours?|days?|weeks?|stunden?|tagen?|wochen?|daily|weekly|monthly|yearly"
_NUMERALS = """one two three four five six seven eight nine ten zero none both ein zwei drei vier fünf sechs sieben acht
    neun zehn""".split()  # noqa: SIM905
_TITLES = "(?:er|or|lead|team|manager|owner|board|committee|group|admin)s?"

ANSWER_SHAPES: dict[AnswerType, re.Pattern[str]] = {
    "number": re.compile(rf"(?i)\d|\b(?:{'|'.join(_NUMERALS)})\b"),
    "time": _any_of(
        r"\d{4}",
        r"\d{1,2}[:.]\d{2}",
        r"\d{1,2}\.\s?(?:\d{1,2}\.|[a-zä]+)",
        rf"(?:{'|'.join(_MONTHS)})\w*",
        _DAYS,
        _SPANS,
        "täglich|wöchentlich|monatlich|jährlich",
        "before|after|until|vor|nach|bis",
    ),
    "person": re.compile(rf"@\w|(?<![\w'’-])[A-ZÄÖÜ][\w'’-]++ [A-ZÄÖÜ][\w'’-]|(?i:\b\w+{_TITLES}\b)"),
    "place": re.compile(
        r"https?://|/[\w./-]|\b[A-Z][\w-]|(?i:\b(?:in|on|at|under|im|am|auf|unter|bei) \w+)"
    ),
    "reason": _any_of(
        "because|since|due|to|as|therefore|so that|in order",
        "weil|da|damit|um|wegen|denn|deshalb|aufgrund",
    ),
}  # fmt: skip
"""What an answer of a type has in it."""

LIST_QUESTION = _any_of(
    "lists?", "steps?", "checklist", "requirements?", "prerequisites", "agenda",
    "what are", "what were", "which are", "name (?:all|the)", "all (?:the|of)",
    "what (?:has|have|needs?) to", "what do (?:i|we|you) (?:need|have|do)", r"which \w{3,}s", "what must",
    "how (?:do|can|should) (?:i|we|you|one)", "how to",
    "schritte?", "checkliste", "liste", "aufzählung", "voraussetzungen", "anforderungen", "welche", "was sind",
    "was (?:muss|müssen|brauche|braucht|ist zu)", "nenne", "alle", r"wie (?:kann|muss|soll|geht|mache|installiere)\w*",
)  # fmt: skip
"""Questions that want a list as a whole."""

LIGHT_WORDS = frozenset(
    """ask called come comes company describe describes different do does done exist exists explain find found get
    gets give given gives go goes going happen happened happens have kind know known least let list long look
    looks make makes many may mean means meant mention mentioned might much must name named need needed needs
    new often one page people place possible say says see set show shows sort state stated take takes team tell thing
    things try type types use used uses using want way ways within work works allen bedeutet bekomme bekommen
    bekommt benutzt beschreibt bitte braucht brauche brauchen dient erwähnt findet finden funktioniert geben
    gehen geht genannt gehört genau genutzt gemacht gilt gelten heißt kommt lange lang lassen liegt macht machen
    man müsste möglich nennt nenne nutzt passiert sagt seite sieht steht tun tut verfügbar verwendet viel viele
    wird""".split()  # noqa: SIM905
)
"""Words that shape a question without saying what it is about: the wiki need not have them."""
