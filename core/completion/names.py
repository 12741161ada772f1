"""Names in questions, and the forms by which one replaces another: numbers, days, months, codes and other names."""

from __future__ import annotations

import re
from itertools import zip_longest

from core.dates import MONTH_NAMES, MONTHS
from core.languages import detect_language
from core.reading.words import Word
from core.text import has_digit, is_stopword, list_words
from core.wording.numbered_names import NUMBERED_NAME, list_numbers_of_names

PREPOSITIONS = frozenset(
    """in at on for with from to by of im ins am ans bei beim für mit von vom aus nach zu zum zur auf an über à au aux
    en chez em para""".split()
)
ARTICLES = "the|a|an|der|die|das|den|dem|des|ein|eine|einen|einem|einer|le|la|les|el|los|las"
_CONTRACTED = {"im": "in", "ins": "in", "am": "an", "ans": "an", "beim": "bei", "vom": "von", "zum": "zu", "zur": "zu"}
_ADJECTIVES = re.compile(
    r"(?:(?!(?:welch|dies|jed|all|beid|erst|zweit|dritt|letzt|nächst|vorig|vergangen|kommend|folgend)e)"
    r"[a-zäöüß]{2,}e[nrms]?\s+){1,2}(?=[A-ZÄÖÜ])"
)
"""German adjectives and possessives before a noun, but for those that select a time, or ask for something."""
WORD = re.compile(r"\d+(?:[.:/-]\d+)+|[^\W_]+")
_VERSION_FORM = re.compile(r"0(?:\.0){2,}")
_SET_OR_OTHER = "".join(
    rf"(?<!\b{word} )" for word in "all any because both each half instead many most none one out some which".split()
)
"""Before "of": what follows is a set or an alternative ("which of the doors", "instead of a key"), and no subject."""
_CAPITALS = re.compile(r"[A-ZÄÖÜ][^\W_]*(?: [A-ZÄÖÜ][^\W_]*)*")
JOINTS = frozenset([" ", "-", "_", "."])
YEAR = re.compile(r"(?:19|20)\d\d")
NUMBER = re.compile(r"\d[\d.,]*")
_DAY = re.compile(
    rf"(?i)(?<![\w.])(?:\d\d?(?:\.|st|nd|rd|th)? (?:of )?(?:{MONTH_NAMES})\b"
    rf"|(?:{MONTH_NAMES}) \d\d?(?:st|nd|rd|th)?(?![\w.]*\d)|\d\d?\.\d\d?\.(?!\d)|\d{{4}}-\d\d-\d\d\b)"
    r"(?P<year>,? ?\d{4}\b)?"
)
"""A day: "9 December", "9. Dezember 2026", "December 9th, 2026", "9.12.", "2026-12-09"."""
_BEFORE_DAY = re.compile(
    r"(?i)(?:\b(?:to|until|till|after|before|since|between|and|from|through|starting|as of|by|bis(?: zum)?|und|vom"
    r"|spätestens(?: am)?|(?:ab|seit|nach|vor|zwischen)(?: dem)?)|[/–—-]) ?$"
)
_ON_DAY = re.compile(r"(?i)\b(?:on|am|for|für|of) ?(?:(?:the|den|dem) )?$")
_AFTER_DAY = re.compile(r"(?i) ?(?:(?:to|until|bis|and|und)\b|[/–—-])")
Span = tuple[int, int]
"""Begin and end of a part of a text."""


def complete_names(words: frozenset[str], before: str) -> frozenset[str]:
    """Return the words, and all words of the names that have one of them: "rook" and "4" for "rook"."""
    names = map(list_name_words, list_names(before))
    return words.union(*(name for name in names if name & words))


def has_other_name(question: str, before: str) -> bool:
    """Whether a question has a name, and the earlier question another one of the same form."""
    forms = set(map(find_form, list_names(before)))
    return any(find_form(name) in forms and name not in before for name in list_names(question))


def find_other_numbers(question: str, title: str) -> frozenset[str]:
    """Return the title's words with a number for which the question has another one.

    "rc2" if it asks about the rc1, "4" of "Rook 4" if it asks about the Rook 5. A question with both replaces neither.
    """
    asked, found = list_numbers_of_names(question), list_numbers_of_names(title)
    others = [found[name] for name in found.keys() & asked.keys() if not found[name] & asked[name]]
    return frozenset(word for numbers in others for number in numbers for word in list_words(number))


def find_spans_of_other_day(phrase: str, before: str) -> list[Span]:
    """Return the places of days, if a phrase is one: "9 December" for "16 December"; [] if one begins or ends a period.

    A year stays if the phrase has none. A day within a name ("the 3 May report") is none.
    """
    lacks_dot = not _DAY.fullmatch(phrase)  # "16.12", which lost its dot as a full stop
    asked = _DAY.fullmatch(f"{phrase}." if lacks_dot else phrase)
    found = list(_DAY.finditer(before)) if asked else []
    if any(_BEFORE_DAY.search(before[: each.start()]) or _AFTER_DAY.match(before, each.end()) for each in found):
        return []
    found = [each for each in found if _ON_DAY.search(before[: each.start()])]
    has_year = bool(asked and asked["year"])
    days = [(each.start(), each.end() if has_year or not each["year"] else each.start("year")) for each in found]
    return [(start, end - (lacks_dot and before[end - 1] == ".")) for start, end in days]


def find_spans_of_other_number(phrase: str, before: str) -> list[Span]:
    """Return the places of a name with another number, in any case: "klasse 1" for "klasse 3"."""
    asked = NUMBERED_NAME.fullmatch(phrase)
    if asked is None or is_stopword(asked["name"].lower()) or asked["name"].lower() in MONTHS:
        return []
    name = asked["name"].lower()
    return [found.span() for found in NUMBERED_NAME.finditer(before) if found["name"].lower() == name]


def find_form(text: str) -> str:
    """Return what the form of a text says it is: number, month, code (as "A0") or name; "" for ordinary words."""
    words = text.split()
    if NUMBER.fullmatch(text):
        return re.sub(r"\d+", "0", text) if "." in text else f"number of {len(text)} digits"
    if words and words[0].lower() in MONTHS:
        return "month"
    if len(words) == 1 and has_digit(text):
        return re.sub(r"[^\W\d_]+", "A", re.sub(r"\d+", "0", text))
    return "name" if words and _is_name(text) else ""


def is_branch(form: str) -> bool:
    """Whether a form is that of a branch or release with a name, such as "stable-7"."""
    return form == "A-0"


def is_version(form: str) -> bool:
    """Whether a form is that of a version with three numbers or more, such as "8.0.0": others may be days or times."""
    return bool(_VERSION_FORM.fullmatch(form))


def find_unit(text: str) -> str:
    """Return "month" or "number", which no other phrase replaces; "" for all others."""
    form = find_form(text)
    return "number" if form.startswith(("number", "0")) else form if form == "month" else ""


def _is_name(text: str) -> bool:
    return all(word[0].isupper() or word[0].isdigit() for word in WORD.findall(text))


def find_names(text: str) -> list[Span]:
    """Return the places of capitalised words with the numbers that follow, and of words with digits.

    The first word of a text is no name; in German, only words before a number are, because all nouns are capitalised.
    """
    is_german = detect_language(text) == "de"
    tokens = list(WORD.finditer(text))
    spans: list[Span] = []
    for token, following in zip_longest(tokens, tokens[1:]):
        word, joint = token[0], text[spans[-1][1] : token.start()] if spans else ""
        between = text[token.end() : following.start()] if following and following[0][0].isdigit() else ""
        has_number = between in JOINTS
        is_pronoun = word == "I"
        is_capital = word[0].isupper() and token is not tokens[0] and (has_number or not (is_german or is_pronoun))
        is_joined = between in {"-", "_"}  # "stable-7"
        if not (is_capital or is_joined or has_digit(word) or Word(word, word).is_name):
            continue
        if joint in JOINTS and not (word.lower() in MONTHS or YEAR.fullmatch(word)):
            spans[-1] = (spans[-1][0], token.end())
        else:
            spans.append(token.span())
    return spans


def list_names(text: str) -> list[str]:
    """Return the names at the places that :func:`find_names` finds."""
    return [text[slice(*span)] for span in find_names(text)]


def find_spans_after(preposition: str, text: str, words: int) -> list[Span]:
    """Return the places of the phrases after a preposition and an article: a whole name, else one word.

    In German, where all nouns are capitalised, at most as many capitalised ``words`` as the ellipsis has.
    """
    names = dict(find_names(text))
    same = [each for each in PREPOSITIONS if _expand(each) == _expand(preposition)]
    before = _SET_OR_OTHER if preposition == "of" else ""
    found = re.finditer(rf"(?i)\b{before}(?:{'|'.join(same)})\s+(?:(?:{ARTICLES})\s+)?(?P<first>[^\W_]+)", text)
    spans: list[Span] = []
    for match in found:
        start, end = match.span("first")
        capitals = _CAPITALS.match(text, start)
        if capitals and len(capitals[0].split()) <= words:
            end = capitals.end()
        spans.append((start, names.get(start, end)))
    return spans


def add_noun(span: Span, text: str) -> Span:
    """Return the span, with the noun after it if it is the first of its German adjectives: "eigenen Hochzeit"."""
    adjectives = _ADJECTIVES.match(text, span[0]) if detect_language(text) == "de" else None
    noun = WORD.match(text, adjectives.end()) if adjectives else None
    return (span[0], noun.end()) if noun else span


def _expand(preposition: str) -> str:
    return _CONTRACTED.get(preposition, preposition)


def list_name_words(text: str) -> frozenset[str]:
    """Return the words of a text in lower case, also numbers without their signs."""
    return frozenset(word.lower() for word in re.findall(r"[^\W_]+", text))
