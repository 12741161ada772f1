"""Pronouns in a message with several questions: "What is the hotel limit and who approves it?".

The second question asks about what the first one names, so its name takes the pronoun's place: "who approves the hotel
limit?". Without a parser, a name is only read where its ends are clear. Else the part is completed like a follow-up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.languages import detect_language

_MOST_WORDS = 8  # of a name: a longer text is a clause
_DETERMINER = r"(?:the|our|my|your|this|an?)"
_NAME = rf"(?P<name>{_DETERMINER} .+|(?-i:[A-Z])[\w-]*(?: (?-i:[A-Z0-9])[\w-]*)*)"
_AUXILIARY = r"(?:does|did|do|has|have|can|could|may|must|should|will|would)"
_AFTER_BE = re.compile(rf"(?i)^(?:\W*\w+(?: \w+){{0,2}} )?(?:is|are|was|were) {_NAME}$")
_SUBJECT = re.compile(rf"(?i)\b{_AUXILIARY} (?P<subject>{_DETERMINER} .+|(?-i:[A-Z])[\w-]* .+)$")
_OBJECT = re.compile(
    rf"(?i)(?:\b{_AUXILIARY} (?:i|we|you|they|one|people) \w+|^\W*who \w+)(?: (?:up|out|off|for|to|in|on))? "
    rf"(?P<name>{_DETERMINER} .+)$"
)
_PREPOSITION = re.compile(r"(?i)\b(?:at|by|during|for|from|in|near|of|on|over|to|under|with|without)\b")
_LAST_PREPOSITION = re.compile(rf"(?: {_PREPOSITION.pattern[4:]})+$", re.IGNORECASE)
_SINGULAR_END = re.compile(r"(?i)(?:[^s]|[sui]s)$")
_PRONOUN = re.compile(r"\b(?P<singular>[Ii]ts?)\b(?!-)|\b(?P<plural>[Tt]hey|[Tt]hem|[Tt]heir)\b")
_EXPLETIVE = re.compile(
    r"(?i)\bit (?:is |was |be )?(?:allowed|better|compulsory|enough|forbidden|late|likely|mandatory|necessary|normal"
    r"|ok(?:ay)?|permitted|possible|required|safe|true|usual|worth|take|takes|took|depend|depends|matter|matters|mean|means)\b"
)
"""Where "it" stands for no thing: "is it possible to", "how long does it take"."""
_GERMAN_NAME = re.compile(
    r"\b(?P<article>[Dd](?:er|en|ie|as)|(?:[Ee]in|[Mm]ein|[Uu]nser|[Ee]uer)(?:en?)?) "
    r"(?P<words>(?:[a-zäöüß-]+ ){0,2}[A-ZÄÖÜ][\w-]+"
    r"(?: (?:für|in|im|am|an|auf|aus|bei|mit|nach|von|vom|zu|zum|zur)(?: d\w\w)? [A-ZÄÖÜ][\w-]+)*)\W*$"
)
_GERMAN_PRONOUN = re.compile(r"\b(?P<masculine>er|ihn)\b|\b(?P<feminine>sie)\b|\b(?P<neuter>es)\b")
_GERMAN_EXPLETIVE = re.compile(
    r"(?i)\b(?:gibt|geht|kommt|handelt|dauert|ist|war) es\b|\bes (?:gibt|geht|kommt|dauert)\b"
)
_ARTICLES = {
    "masculine": ("der", "den", "ein", "einen", "mein", "meinen", "unser", "unseren"),
    "feminine": ("die", "eine", "meine", "unsere"),
    "neuter": ("das", "ein", "mein", "unser"),
}
_ACCUSATIVE = {"der": "den", "ein": "einen", "mein": "meinen", "unser": "unseren"}
_NOMINATIVE = {accusative: nominative for nominative, accusative in _ACCUSATIVE.items()}
_ASKS_PERSON = re.compile(r"(?i)^\W*(?:wer|wen|wem)\b")


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
    text = question.rstrip("?？!. ")
    if detect_language(question) == "de":
        found = _GERMAN_NAME.search(text)
        return f"{found['article']} {found['words']}" if found and not _ASKS_PERSON.match(text) else ""
    if found := _AFTER_BE.search(text) or _OBJECT.search(text):
        name = found["name"]
    else:
        found = _SUBJECT.search(text)
        name = _leave_out_verb(found["subject"]) if found else ""
    name = _LAST_PREPOSITION.sub("", name)
    return name if len(name.split()) <= _MOST_WORDS else ""


def _leave_out_verb(clause: str) -> str:
    """Return the subject with which a clause begins: "the canteen" of "the canteen open on Fridays".

    The verb is the last word before a preposition or the end, except after a single noun: "the canteen in Berlin open".
    """
    before = _PREPOSITION.split(clause, maxsplit=1)[0].split()
    determined = 1 if re.match(rf"(?i){_DETERMINER}$", before[0]) else 0
    return " ".join(before if len(before) == determined + 1 else before[:-1])


def _replace_pronoun(question: str, name: str) -> str:
    if not name:
        return question
    if detect_language(name) == "de" or detect_language(question) == "de":
        return _replace_german_pronoun(question, name)
    found = _PRONOUN.search(question)
    if not found or _EXPLETIVE.search(question):
        return question
    head = _PREPOSITION.split(name, maxsplit=1)[0].strip()
    if bool(_SINGULAR_END.search(head)) != bool(found["singular"]):
        return question
    owner = found[0].lower() in {"its", "their"}
    return f"{question[: found.start()]}{name}{'’s' if owner else ''}{question[found.end() :]}"


def _replace_german_pronoun(question: str, name: str) -> str:
    found = _GERMAN_PRONOUN.search(question)
    if not found or found.lastgroup is None or _GERMAN_EXPLETIVE.search(question):
        return question
    article, _, words = name.partition(" ")
    article = article.lower()
    if article not in _ARTICLES[found.lastgroup]:
        return question
    if found["masculine"]:
        article = (_ACCUSATIVE if found[0] == "ihn" else _NOMINATIVE).get(article, article)
    return f"{question[: found.start()]}{article} {words}{question[found.end() :]}"
