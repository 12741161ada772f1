"""Whether a question refers to what was said before it in the conversation, as far as its own words tell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.completion.ellipsis import CONTINUATIONS
from core.completion.names import find_form, find_names
from core.languages import LanguageCode, detect_language
from core.text import is_stopword, list_words
from core.wording.content_words import select_content_words

_OWN_WORDS = 2  # minimum of content words of a question with a subject of its own, also beside a pronoun

_REFERENCES = frozenset(
    """it its they them their theirs he she him his her this that these those there one ones same such else other others
    er sie es ihn ihm ihr ihre ihren ihrer ihrem sein seine seinen dies diese dieser dieses diesen diesem jene dort
    davon dafür damit dazu darin daran dabei darüber deren dessen solche andere anderen selbe beide beiden
    both""".split()
)
_THIS_TIME = re.compile(
    r"(?i)\b(?:this|diese[rnms]?) (?:week|weekend|month|quarter|year|morning|afternoon|evening|summer|winter|woche"
    r"|wochenende|monats?|quartals?|jahr(?:es)?|sommers?|winters?)\b"
)
"""A time counted from now, and not what was said before."""
_PRONOUN = re.compile(r"(?i)\b(?:das|der|die|den|dem|denen)(?=\W*$|\s+(?P<next>[^\W\d_]+))")
"""A German article without a noun after it is a pronoun: "wo finde ich den?", "wie alt darf der sein?"."""
_CONTINUES = re.compile(rf"(?i)^\W*(?:{CONTINUATIONS})\b")
_CONTINUES_IN: Mapping[LanguageCode, re.Pattern[str]] = {
    language: re.compile(pattern, re.IGNORECASE)
    for language, pattern in {
        "fr": r"^\W*(et|ou|alors|puis|idem)\b",
        "es": r"^\W*(y|o|entonces|qué tal)\b",
        "it": r"^\W*(e|ed|o|allora)\b",
        "pt": r"^\W*(e|ou|então)\b",
        "nl": r"^\W*(en|of|dan)\b",
        "ja": r"^\W*(では|じゃあ|それでは|あと|それは)|^[^\s、。]{1,12}(は|の場合は)[？?]?$",
        "zh": r"^\W*(那|那么|还有)|^[^\s，。]{1,8}呢[？?]?$",
    }.items()
}
_BARE = re.compile(r"(?i)^\W*(why|when|where|who|how|which|what|warum|wieso|wann|wo|wer|wie|welche[rsn]?|was)\W*$")

_ALONE = (
    r"(?=\W*$|\W+(?:am|and|are|be|can|cost|could|did|do|does|for|had|has|have|in|is|may|must|need|needs|of|on|or|should"
    r"|support|supports|target|targets|than|to|use|uses|was|were|will|with|work|works|would)\b)"
)
"""After "the latter", which stands before no noun: not "the former manager"."""
_FORMER = re.compile(rf"(?:(?i:\bthe former\b){_ALONE}|(?i:\b(?:das |den |der |die )?erstere[nmrs]?\b)(?! [A-ZÄÖÜ]))")
_LATTER = re.compile(rf"(?:(?i:\bthe latter\b){_ALONE}|(?i:\b(?:das |den |der |die )?letztere[nmrs]?\b)(?! [A-ZÄÖÜ]))")


@dataclass(frozen=True, slots=True)
class ResolvedQuestion:
    """A question with a name in place of "the latter", and the words of the other name, lower-cased."""

    question: str
    left_out: frozenset[str]


def resolve_former_or_latter(question: str, before: str) -> ResolvedQuestion:
    """Return the question with the name that "the former" or "the latter" is for, if the one before has two alike.

    "Which hardware does the latter target?" after "What changed between 4.0.0 and 5.0.0?" is about 5.0.0.
    """
    for pattern, at in ((_FORMER, 0), (_LATTER, -1)):
        names = [before[slice(*span)] for span in find_names(before)] if pattern.search(question) else []
        if len(names) == 2 and find_form(names[0]) == find_form(names[1]):
            meant, other = set(list_words(names[at])), set(list_words(names[-1 - at]))
            name = names[at].replace("\\", r"\\")
            return ResolvedQuestion(pattern.sub(name, question), frozenset(other - meant))
    return ResolvedQuestion(question, frozenset())


_WEEK_AFTER = re.compile(
    r"(?i)^\W*(?:(?:and|und)\b\W*)?(?:(?:in|for|during|the|der|die|für)\s+)*(?:"
    r"(?P<after>week after(?:wards?| that)?|following week|folgende[nr]? woche|woche (?:drauf|darauf|danach|später))"
    r"|week before(?: that)?|woche (?:davor|vorher|zuvor))\W*$"
)
_WEEK = re.compile(r"(?i)\b(?P<name>(?:cw|kw|week|woche|wk)[ .]?)(?P<number>\d{1,2})\b")
_LAST_WEEK = 52


def resolve_week(question: str, before: str) -> str:
    """Return the question before about the next or previous week, if "and the week after?" follows one of a week."""
    found, weeks = _WEEK_AFTER.match(question), list(_WEEK.finditer(before))
    if found is None or len(weeks) != 1:
        return question
    [week] = weeks
    number = int(week["number"]) + (1 if found["after"] else -1)
    if not 0 < number <= _LAST_WEEK:  # the year before or after, which has another rota
        return question
    written = str(number).zfill(len(week["number"]))
    return f"{before[: week.start()]}{week['name']}{written}{before[week.end() :]}"


def refers_back(question: str) -> bool:
    """Whether a question refers to something said before, or continues a sentence."""
    return has_pronoun(question) or continues(question) or bool(_BARE.search(question))


def has_pronoun(question: str) -> bool:
    """Whether a question has a word for something said before."""
    text = _THIS_TIME.sub(" ", question)
    if any(word in _REFERENCES for word in list_words(text)):
        return True
    found = [match["next"] or "" for match in _PRONOUN.finditer(text)]
    return any(not word or is_stopword(word.lower()) for word in found) and detect_language(question) == "de"


def has_only_pronoun(question: str) -> bool:
    """Whether a question names what it is about by a pronoun alone: "where is it?"."""
    return has_pronoun(question) and len(select_content_words(question)) < _OWN_WORDS


def continues(question: str) -> bool:
    """Whether a question begins with a word that continues the conversation: "And", "What about"."""
    of_language = _CONTINUES_IN.get(detect_language(question))
    return bool(_CONTINUES.search(question) or (of_language and of_language.search(question)))
