"""Finds the words that say what a text is about."""

from __future__ import annotations

import re

from core.text import is_stopword
from core.text_caches import cache_texts
from core.wording.word_matches import split_terms

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
    """.split()
)
"""Light words: words of questions that do not say what they are about, so that a page need not have them."""

DEGREES = """long often far big large old high low deep wide broad tall heavy thick fast quick late early expensive
    lange? oft hoch groß alt teuer schwer weit breit tief dick schnell spät früh häufig""".split()
"""Adjectives and adverbs that ask for an amount after "how" or "wie"; each a regular expression."""

_DEGREE = re.compile(rf"(?i)\b(how|wie) (?P<degree>{'|'.join(DEGREES)})\b")
_TITLE = re.compile(
    r"\b(?<![Ww]elche )(?<![Ww]elcher )(?:[Ff]rau|[Hh]errn?|M(?:r|rs|s)\.?|mrs\.?) (?P<next>[^\W\d_]{2,})\b"
)
"""In lower case, "mr" and "ms" are abbreviations of other words too."""
_NOW = re.compile(r"(?i)(?<=\w) (?:right now|at (?:the moment|present)|im moment)(?=\W{0,3}$)")
NEGATED_AUXILIARY = (
    r"(?:(?:ca|wo|is|are|was|were|do|does|did|has|have|had|could|would|should|must|need)nt|[a-z]{2,6}n['’]t)"
)
"""An auxiliary with "n't", also without the apostrophe, as a regular expression."""
_CONTRACTED = re.compile(
    rf"(?i)\b(?:{NEGATED_AUXILIARY}\b|(?<=\w)['’](?:s|re|ve|ll|d|m)\b"
    r"|(?:what|who|where|when|why|how|that|there|here)s\b|(?:i|we|you|they)ve\b|(?:what|who|that)ll\b|(?:you|they)re\b)"
)
"""Auxiliaries with "n't", and the "s" of "what's" and of possessives; also "whats", as people type it."""


@cache_texts(256)
def select_content_words(text: str) -> tuple[str, ...]:
    """Return the distinct words of a text without stop words and light words, lower-cased, in order."""
    terms = split_terms(_CONTRACTED.sub(" ", _TITLE.sub(_leave_out_title, text)))
    return tuple(dict.fromkeys(term for term in terms if term not in LIGHT_WORDS and not is_stopword(term)))


def leave_out_light_words(text: str) -> str:
    """Return a question without the words that tables need not have because of the words beside them.

    These are the adjective of "how high", the title of "Ms Wolter" and the end of "which are in use right now".
    """
    return _NOW.sub("", _TITLE.sub(_leave_out_title, _DEGREE.sub(r"\1", text)))


def _leave_out_title(found: re.Match[str]) -> str:
    return found[0] if is_stopword(found["next"].lower()) else found["next"]  # "Gibt es eine Frau im Team?"


def find_degrees(question: str) -> frozenset[str]:
    """Return the adjectives of "how high", which texts need not have beside the amount."""
    return frozenset(match["degree"].lower() for match in _DEGREE.finditer(question))
