"""The focus of a question: its content words, the type of answer it expects, and whether it asks for a whole list."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.languages import LanguageCode, detect_language
from core.text import is_stopword, list_grams, separate_words, split_subject, write_scripts_plainly
from core.text_caches import cache_texts

AnswerType = Literal["person", "time", "number", "place", "reason", "yes_no", "other"]


def _compile_phrases(*phrases: str, start: str = r"\b") -> re.Pattern[str]:
    """Return a pattern that matches any of these phrases, each a regular expression, as whole words."""
    return re.compile(rf"(?i){start}(?:{'|'.join(phrases)})\b")


_AUXILIARIES = """is are was were do does did can could should must may has have had will would ist sind war waren
    kann können darf dürfen muss müssen soll sollte hat haben wird wurde wurden werden""".split()  # noqa: SIM905

DEGREES = """long often far big large old high low deep wide broad tall heavy thick fast quick late early expensive
    lange? oft hoch groß alt teuer schwer weit breit tief dick schnell spät früh häufig""".split()  # noqa: SIM905
"""Adjectives and adverbs that ask for an amount after "how" or "wie"; each a regular expression."""

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

LIGHT_WORDS = frozenset(
    """ask called come comes company describe describes different do does done exist exists explain find found
    get gets give given gives go goes going happen happened happens have kind know known least let list long
    look looks make makes many may mean means meant mention mentioned might much must name named need needed
    needs new often one page people place possible say says see set show since shows sort state stated take takes
    team tell thing things try type types use used uses using want way ways within work works
    aktuell aktuelle aktuellen allen arten bald bedeuten bedeutet bekomme bekommen bekommt benutzt bereits
    beschreibt bitte brauche brauchen braucht danach dauern dauert davon derzeit dient dinge dürfen eben eigene
    eigenen eigener eigenes eigentlich einmal erklären erklärt erstmal erwähnt etwas existieren existiert finden
    findet frag frage fragen funktioniert ganz ganze ganzen ganzes geben gehen geht gehts gehört gelten gemacht
    genannt genau genug genutzt gerade gibts gilt habt hast heißen heißt hinter höchstens immer
    insgesamt irgendein irgendeine irgendwas irgendwer irgendwie irgendwo jemand jemandem jemanden jeweils kennen
    kennt komm komme kommen kommt krieg kriege kriegen kriegt lang lange lass lasse lassen leute liegt lässt mach
    mache machen macht mal man mindestens momentan möchte möchten möglich müsste nachher neben nehme nehmen nenne
    nennt neu neue neuen neuer neues niemand nimmt nutzt oft passiert sachen sag sage sagen sagt schon seite
    selber selbst setze setzen setzt sieht sollen sollten steht stelle stellen stellt tun tut verfügbar
    verschiedene verschiedenen versuchen versucht verwendet viel viele vorher weiter weitere weiteres weiß werden
    weshalb weswegen wieder wieso wieviel wieviele wird wissen wobei wodurch wohl wollen wonach woran worauf woraus
    worin worum worüber wovon wovor wozu wäre wären würde würden zeig zeigen zeigt zuerst zurzeit zwischen überhaupt
    """.split()  # noqa: SIM905
)
"""Words of questions that do not say what they are about, so that a page need not have them."""


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
    # LIGHT_WORDS are English and German: in other languages such words ("faire") count as missing ones.
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


@cache_texts(256)
def select_content_words(text: str) -> tuple[str, ...]:
    """Return the distinct words of a text without stop words and light words, lower-cased, in order."""
    terms = split_terms(_CONTRACTED.sub(" ", _TITLE.sub(_leave_out_title, text)))
    return tuple(dict.fromkeys(term for term in terms if term not in LIGHT_WORDS and not is_stopword(term)))


def leave_out_light_words(text: str) -> str:
    """Return a question without the words that tables need not have because of the words beside them.

    These are the adjective of "how high" and the title of "Ms Wolter".
    """
    return _TITLE.sub(_leave_out_title, _DEGREE.sub(r"\1", text))


def _leave_out_title(found: re.Match[str]) -> str:
    return found[0] if is_stopword(found["next"].lower()) else found["next"]  # "Gibt es eine Frau im Team?"


_DEGREE = re.compile(rf"(?i)\b(how|wie) (?P<degree>{'|'.join(DEGREES)})\b")
_TITLE = re.compile(
    r"\b(?<![Ww]elche )(?<![Ww]elcher )(?:[Ff]rau|[Hh]errn?|M(?:r|rs|s)\.?|mrs\.?) (?P<next>[^\W\d_]{2,})\b"
)
"""In lower case, "mr" and "ms" are abbreviations of other words too."""
NEGATED_AUXILIARY = (
    r"(?:(?:ca|wo|is|are|was|were|do|does|did|has|have|had|could|would|should|must|need)nt|[a-z]{2,6}n['’]t)"
)
"""An auxiliary with "n't", also without the apostrophe, as a regular expression."""
_CONTRACTED = re.compile(
    rf"(?i)\b(?:{NEGATED_AUXILIARY}\b|(?<=\w)['’](?:s|re|ve|ll|d|m)\b"
    r"|(?:what|who|where|when|why|how|that|there|here)s\b|(?:i|we|you|they)ve\b|(?:what|who|that)ll\b|(?:you|they)re\b)"
)
"""Auxiliaries with "n't", and the "s" of "what's" and of possessives; also "whats", as people type it."""


def find_names(focus: Focus) -> frozenset[str]:
    """Return the content words that name one thing.

    With digits, or capitalised within a question that is not German.
    """
    _, *others = focus.question.split() or [""]
    capital = {term for word in others if word[:1].isupper() for term in split_terms(word)}
    names = capital if focus.language != "de" else set()
    return frozenset(word for word in focus.words if word in names or any(sign.isdigit() for sign in word))


def find_degrees(focus: Focus) -> frozenset[str]:
    """Return the adjectives of "how high", which texts need not have beside the amount."""
    return frozenset(match["degree"].lower() for match in _DEGREE.finditer(focus.question))


def find_words_with_digits(focus: Focus) -> tuple[str, ...]:
    """Return the content words with digits: numbers, versions, models."""
    return tuple(word for word in focus.words if any(character.isdigit() for character in word))


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


_MAIL = re.compile(r"\be-(?=mail)")  # one word, in spite of its hyphen
_TERM = re.compile(r"\d+(?:[.:]\d+)+|[^\W_]+")


def split_terms(text: str) -> list[str]:
    """Return the words, lower-cased; versions, dates and times are one word ("8.0.1")."""
    return _TERM.findall(separate_words(_MAIL.sub("e", write_scripts_plainly(text.lower()))))


def match_text(words: tuple[str, ...], text: str) -> list[float]:
    """Return for each word how much of it the text has, 0 to 1.

    That is the highest share of its 4-grams in one word of the text. Word forms and compounds match in part
    ("Hardwaretests", "hardware testing"), and "7.4.2" has "7.4"; unrelated words do not.
    """
    return list(_match_text(words, text))


def match_texts(words: tuple[str, ...], texts: Sequence[str]) -> list[list[float]]:
    """Return :func:`match_text` of each text. A word that several texts have is compared once."""
    of_texts = [_list_vocabulary(text) for text in texts]
    # A word that all texts have is compared with none. Few words of texts share a gram with any other asked word.
    everywhere = frozenset.intersection(*of_texts) if of_texts else frozenset()
    asked = {word: _list_grams(word) for word in words if word not in everywhere}
    any_asked = frozenset().union(*asked.values())
    others = frozenset().union(*of_texts) if asked else ()
    near = {known: grams for known in others if not any_asked.isdisjoint(grams := _list_grams_of_text(known))}
    alike = {word: _find_similar_words(word, grams, near) for word, grams in asked.items()}
    return [
        [
            1.0
            if word in vocabulary
            else max((share for known, share in alike[word].items() if known in vocabulary), default=0.0)
            for word in words
        ]
        for vocabulary in of_texts
    ]


@cache_texts(4096)  # the titles and headings of an answer's tables and units, each several times
def _match_text(words: tuple[str, ...], text: str) -> tuple[float, ...]:
    return tuple(match_texts(words, [text])[0])


@cache_texts(4096)  # the units of an answer, twice for a completed question, and the sources of its statements
def _list_vocabulary(text: str) -> frozenset[str]:
    return frozenset(split_terms(text))


def _find_similar_words(word: str, grams: frozenset[str], grams_of: Mapping[str, frozenset[str]]) -> dict[str, float]:
    """Return the words that have enough of a word's grams, with the share of them; 1 for a form of the same verb."""
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


_PARTIAL = 0.5
