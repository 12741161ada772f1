"""A yes-or-no question, and the words that decide whether a text answers it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.answering.extractive.verdicts.states import affirm_states
from core.i18n import message
from core.languages import LanguageCode, choose_catalogue
from core.reading.questions.yes_no import find_first_verb
from core.reading.words import Word, split_words
from core.text import STOPWORDS, split_subject
from core.wording.focus import Focus

_MOST_WORDS = 25  # of a question; longer ones ask more than one thing
_EMPTY = frozenset(
    """do does did done have has had may must can could will would should man gibt hat haben darf dürfen muss müssen
    kann können soll sollte sollen wird werden wurde wurden not never cannot nicht kein keine keinen keiner nie niemals
    also auch therefore""".split()
)
CLAUSES = re.compile(
    r"[,:](?!\d)|[;()–—]|\s-\s|\b(?:which|who|because|but|although|so that|weil|aber|sondern|obwohl|damit)\b"
)
NEGATIONS = frozenset(
    """not no never cannot without neither nor none nobody nothing longer nicht kein keine keinen keiner keines keinem
    nie niemals ohne weder niemand nichts""".split()
)
SIMPLE_NEGATIONS = frozenset(["not", "cannot", "never", "nicht", "kein", "keine", "keinen", "keiner", "nie", "niemals"])
CONTRACTED = re.compile(r"(?i)n['’]t\b")
CONDITIONS = frozenset(
    """if unless except when whenever while until depending whether only wenn falls sofern solange außer sobald bis nur
    ob je""".split()
)
"""Words of a sentence that limit what it says, unless the question has them too."""
DOUBTS = frozenset(
    """before after just even once as than or either some most many several few partly partially mostly almost nearly
    hardly rarely usually generally sometimes often may might could should would probably possibly perhaps maybe planned
    plan plans future former formerly previously deprecated obsolete instead rather yet still todo tbd otherwise too
    enough believe believed expect expected claim claimed that dass
    bevor nachdem erst sogar als oder einige manche meisten viele mehrere wenige teilweise fast beinahe kaum selten
    meistens normalerweise manchmal oft könnte könnten sollte sollten würde würden wahrscheinlich vielleicht eventuell
    geplant künftig zukünftig früher ehemals veraltet stattdessen noch sonst zu genug""".split()
)
"""Words of a clause that leave a question open, unless the question has them too."""
DUTIES = frozenset("must should shall muss müssen soll sollen sollte sollten".split())
_NEEDED = frozenset(
    """any all every each both always only or than more less else still yet already again really actually
    not no without never how why which jede jeder jedes alle immer nur oder als mehr weniger sonst noch
    schon bereits wieder wirklich nicht kein keine keinen ohne nie wie warum welche""".split()
)
"""Words of a question that a clause with its other words does not answer."""
_EXACT = frozenset(
    """all both always only still already again or alle jede jeder jedes immer nur noch schon bereits wieder
    oder""".split()
)
"""Those of them that a clause answers if it has them too."""


PREPOSITIONS = frozenset(
    """in on at for of within during from under im in am an auf bei beim für von vom während aus unter""".split()
)
_OTHER_PREPOSITIONS = frozenset("against to with by through mit zu nach gegen durch".split())
_RELATIVE, _INTERVAL = frozenset(["which", "welche"]), frozenset(["every", "each", "jede", "alle"])


@dataclass(frozen=True, slots=True)
class YesNoQuestion:
    """A yes-or-no question. ``words``: from its first verb on; ``qualifier``: the words before it.

    ``is_opposite``: it asks for the opposite of the state in ``text`` (``states.py``).
    """

    words: tuple[Word, ...]
    qualifier: tuple[Word, ...]
    text: str
    start: int = 0  # of the first verb in ``text``
    is_opposite: bool = False
    exact: frozenset[str] = frozenset()  # words that a clause has to have in this form
    language: LanguageCode = "en"

    @property
    def folded(self) -> set[str]:
        return {word.folded for word in (*self.qualifier, *self.words)}


def read_yes_no_question(focus: Focus, with_exact: bool = False) -> YesNoQuestion | None:
    """Return a yes-or-no question that a sentence can settle; None for others.

    ``with_exact``: also one with words such as "always", which only a clause with the same word settles.
    """
    text, opposites = affirm_states(split_subject(focus.question)[0])
    words = split_words(text)
    auxiliary = find_first_verb(text, focus.language)
    if auxiliary is None or len(words) > _MOST_WORDS or opposites > 1 or CONTRACTED.search(text):
        return None
    needed = (at for at, word in enumerate(words) if word.folded in _NEEDED)
    left = {words[at].folded for at in needed if not _begins_clause_or_interval(words, at)}
    if left - (_EXACT if with_exact else frozenset()):
        return None
    start = auxiliary.start("verb")
    asked, qualifier = split_words(text[start:]), split_words(auxiliary["qualifier"])
    return YesNoQuestion(asked, qualifier, text, start, opposites == 1, frozenset(left), focus.language)


def _begins_clause_or_interval(words: Sequence[Word], at: int) -> bool:
    """Whether a word begins a relative clause ("the chips against which it is sealed"), or an interval ("every 6")."""
    word, after = words[at].folded, words[at + 1].folded if at + 1 < len(words) else ""
    if word in _INTERVAL:
        return after[:1].isdigit()
    return at > 1 and word in _RELATIVE and words[at - 1].folded in PREPOSITIONS | _OTHER_PREPOSITIONS


def is_stated(word: Word) -> bool:
    """Whether a sentence has to have a word of the question: also light verbs, since "needs" is not "uses"."""
    return word.is_name or not (word.folded in STOPWORDS or word.folded in _EMPTY or len(word.folded) == 1)


def is_name(word: Word) -> bool:
    """Whether a word may be a name: it has a digit or begins with a capital."""
    return word.is_name or word.text[:1].isupper()


def has_doubt(clause: str, asked_words: set[str]) -> bool:
    """Whether a clause leaves open what it says, or speaks of duty where the question does not, or the reverse."""
    said = {word.folded for word in split_words(clause)}
    return bool(said & DOUBTS - asked_words) or bool(said & DUTIES) != bool(asked_words & DUTIES)


def write_lead(says: bool, focus: Focus) -> str:
    """Return what stands before the reason of a verdict: "Yes – "."""
    said = message("Yes – {reason}", reason="") if says else message("No – {reason}", reason="")
    return said.render(choose_catalogue(focus.language)).rstrip() + " "
