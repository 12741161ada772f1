"""Pronouns in a message with several questions: "What is the hotel limit and who approves it?".

The second question asks about what the first one names, so its name takes the pronoun's place: "who approves the hotel
limit?". Without a parser, a name is only read where its ends are clear, and a pronoun where it can stand for nothing
else. Other parts are completed like a follow-up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.languages import detect_language

_MOST_WORDS = 8  # of a name: a longer text is a clause
_READ_CHARS = 200  # of a question: no time is lost with long texts
_DETERMINER = r"(?:the|our|your|this|an?)"  # not "my": "where can I park my car and what does it cost?"
_PROPER = r"(?!I\b)(?-i:[A-Z])[\w-]*"
_PREPOSITIONS = r"(?:at|by|during|for|from|in|near|of|on|over|to|under|with|without)"
_PREPOSITION = re.compile(rf"(?i)\b{_PREPOSITIONS}\b")
_LAST_PREPOSITION = re.compile(rf"(?i) {_PREPOSITIONS}$")
_AFTER_BE = re.compile(
    rf"(?i)^\W*(?:what|when|where|which \w+|how (?:big|current|far|high|large|long|many|much|often|old|tall))"
    rf"(?: (?:is|are|was|were)|['’]s) (?P<name>{_DETERMINER} .{{1,150}}|{_PROPER}(?: (?-i:[A-Z0-9])[\w-]*)*)$"
)
_OBJECT = re.compile(
    r"(?i)(?:\b(?:does|did|do|can|could|may|must|should|would) (?:i|we|you|they|one|people) \w+|^\W*who \w+)"
    rf"(?: (?:up|out|off|for|to|in|on))? (?P<name>{_DETERMINER} .{{1,150}})$"
)
_MORE = r"(?: (?-i:[A-Z0-9])[\w-]{0,60}){0,6}"  # bounded, so that many beginnings take linear time
_SUBJECT = re.compile(
    rf"(?i)\b(?:does|did|do) "
    rf"(?P<name>{_DETERMINER} \w{{1,60}}{_MORE}(?: {_PREPOSITIONS} [\w-]{{1,60}})?|{_PROPER}{_MORE}) "
    rf"(?!need|want|expect|require)\w{{1,60}}(?: {_PREPOSITIONS}\b.{{0,150}})?$"
)
_STATE = re.compile(r"(?i) (?:\w+(?:ed|ing)|available|broken|built|closed|due|free|kept|made|open|paid|sent|stored)$")
_IS_WHO = re.compile(r"(?i)^\W*who(?: (?:is|are|was|were)|['’]s)\b")
_PLURAL = re.compile(r"(?i)[^usi]s$")
_PRONOUN = re.compile(
    r"\b(?P<singular>[Ii]ts?)\b(?!-| (?:department|desk|help|helpdesk|manager|policy|security|service|support|team)\b)"
    r"|\b(?P<plural>[Tt]hey|[Tt]hem|[Tt]heir)\b"
)
_EXPLETIVE = re.compile(
    r"(?i)\bit (?:\w+ )?(?:a problem|compulsory|depends?|enough|forbidden|late|likely|mandatory|matters?|means?|normal"
    r"|ok(?:ay)?|rain\w*|safe|sense|snow\w*|takes?|that|to|took|true|usual|worth)\b"
)
"""Where "it" stands for no thing: "is it possible to", "how long does it take", "does it make sense"."""
_NEARER = re.compile(r"(?i)\b(?:an?|any|my|our|some|the|this|your) \w")
"""Another thing that is named in the same question, before the pronoun."""
_GERMAN_NAME = re.compile(
    r"(?<![A-ZÄÖÜ] )(?:(?P<before>\b[\w-]+) )?\b(?P<article>[Dd](?:er|en|ie|as)|(?:[Ee]in|[Uu]nser|[Ee]uer)(?:en?)?) "
    r"(?P<words>(?:[a-zäöüß-]+ ){0,2}[A-ZÄÖÜ][\w-]*\w"
    r"(?: (?:für|in|im|am|an|auf|aus|bei|mit|nach|von|vom|zu|zum|zur)(?: d\w\w)? [A-ZÄÖÜ][\w-]*\w)*)\W*$"
)
_BEFORE_OTHER_CASE = re.compile(r"[A-ZÄÖÜ]|(?:an|auf|aus|bei|für|gegen|in|mit|nach|trotz|von|vor|wegen|zu|über|unter)$")
"""A noun or preposition before an article, whose noun is then not what the question asks about."""
_GERMAN_PRONOUN = re.compile(r"\b(?P<masculine>er|ihn)\b|\b(?P<feminine>sie)\b|\b(?P<neuter>es)\b")
_GERMAN_EXPLETIVE = re.compile(
    r"(?i)\b(?:bedeutet|dauert|geht|gibt|handelt|ist|kommt|war) es\b|\bes (?:dauert|geht|gibt|kommt|sein)\b|\bdass\b"
    r"|\b(?:dürfen|haben|können|müssen|sind|sollen|werden) sie\b"
)
_GERMAN_NEARER = re.compile(
    r"\b(?:[Dd](?:er|en|ie|as|em)|(?:[Ee]|[Mm]e|[Kk]e)in\w{0,2}|Frau|Herrn?) (?:[a-zäöüß]+ )?[A-ZÄÖÜ]"
)
_ABOUT_PERSON = re.compile(r"^\W*[Ww](?:er|en|em)\b|\b(?:Frau|Herrn?)\b")
_ARTICLES = {
    "masculine": ("der", "den", "ein", "einen", "unser", "unseren"),
    "feminine": ("die", "eine", "unsere"),
    "neuter": ("das", "ein", "unser"),
}
_ACCUSATIVE = {"der": "den", "ein": "einen", "unser": "unseren"}
_NOMINATIVE = {accusative: nominative for nominative, accusative in _ACCUSATIVE.items()}


def write_subjects(parts: Sequence[str]) -> tuple[str, ...]:
    """Return the questions of a message with the name that an earlier one has in place of the pronoun for it."""
    written: list[str] = []
    name = ""
    for part in parts:
        written.append(_replace_pronoun(part, name))
        refers_before = _PRONOUN.search(written[-1]) or _GERMAN_PRONOUN.search(written[-1])
        name = "" if refers_before else _find_name(written[-1]) or name
    return tuple(written)


def _find_name(question: str) -> str:
    text = question[:_READ_CHARS].rstrip("?？!. ")
    if detect_language(question) == "de":
        return _find_german_name(text)
    found = None if _IS_WHO.match(text) else _AFTER_BE.search(text) or _OBJECT.search(text) or _SUBJECT.search(text)
    if not found:
        return ""
    name = _LAST_PREPOSITION.sub("", found["name"])
    if _STATE.search(name) and not _PREPOSITION.search(name):
        name = _STATE.sub("", name)
    return name if len(name.split()) <= _MOST_WORDS and not _STATE.search(name) else ""


def _find_german_name(text: str) -> str:
    found = None if _ABOUT_PERSON.search(text) else _GERMAN_NAME.search(text)
    if not found or (found["before"] and _BEFORE_OTHER_CASE.match(found["before"])):
        return ""
    return f"{found['article']} {found['words']}"


def _replace_pronoun(question: str, name: str) -> str:
    if not name:
        return question
    if detect_language(name) == "de" or detect_language(question) == "de":
        return _replace_german_pronoun(question, name)
    found = _PRONOUN.search(question)
    if not found or _EXPLETIVE.search(question) or _NEARER.search(question, 0, found.start()):
        return question
    head = _PREPOSITION.split(name, maxsplit=1)[0].strip()
    is_plural = bool(_PLURAL.search(head))
    if is_plural == bool(found["singular"]):
        return question
    owner = ("’" if is_plural else "’s") if found[0].lower() in {"its", "their"} else ""
    return f"{question[: found.start()]}{name}{owner}{question[found.end() :]}"


def _replace_german_pronoun(question: str, name: str) -> str:
    found = _GERMAN_PRONOUN.search(question)
    if not found or found.lastgroup is None or _GERMAN_EXPLETIVE.search(question):
        return question
    article, _, words = name.partition(" ")
    article = article.lower()
    if article not in _ARTICLES[found.lastgroup] or _GERMAN_NEARER.search(question, 0, found.start()):
        return question
    if found["masculine"]:
        article = (_ACCUSATIVE if found[0] == "ihn" else _NOMINATIVE).get(article, article)
    return f"{question[: found.start()]}{article} {words}{question[found.end() :]}"
