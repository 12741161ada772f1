"""Begins the answer to a yes-or-no question with yes or no, where one sentence settles it.

A sentence settles a question if one of its clauses states what is asked in the question's words and order, as it is or
denied. A sentence with a condition, a limit or a doubt settles nothing: a wrong verdict is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.answering.extractive.compose import Statement
from core.answering.extractive.units import ScoredUnit, find_needed_parts, strip_marker
from core.answering.extractive.whole_sections import PROSE
from core.answering.focus import Focus
from core.i18n import message
from core.languages import choose_catalogue
from core.reading.question import is_yes_no_question
from core.reading.words import Word, split_words
from core.text import STOPWORDS, split_subject

_NEAR = 0.85  # of the best unit's score: as good an answer
_MOST_WORDS = 25  # of a question; longer ones ask more than one thing
_LEAST_WORDS = 2  # words of the question in the clause
_COMMON_START = 4  # letters of two forms of one word
_ENDINGS = frozenset("s es e d ed ing en n t st te ten er em es ly".split()) | {""}  # noqa: SIM905
_EMPTY = frozenset(
    """do does did done have has had may must can could will would should man gibt hat haben darf dürfen muss müssen
    kann können soll sollte sollen wird werden wurde wurden not never cannot nicht kein keine keinen keiner nie niemals
    also auch therefore""".split()  # noqa: SIM905
)
_CLAUSES = re.compile(r"[,;:()–—]|\s-\s|\b(?:which|who|because|but|although|so that|weil|aber|sondern|obwohl|damit)\b")
_NEGATIONS = frozenset(
    """not no never cannot without neither nor none nobody nothing longer nicht kein keine keinen keiner keines keinem
    nie niemals ohne weder niemand nichts""".split()  # noqa: SIM905
)
_SIMPLE_NEGATIONS = frozenset(
    ["not", "cannot", "never", "nicht", "kein", "keine", "keinen", "keiner", "nie", "niemals"]
)
_CONTRACTED = re.compile(r"(?i)n['’]t\b")
_CONDITIONS = frozenset(
    """if unless except when whenever while until depending whether only wenn falls sofern solange außer sobald bis nur
    ob je""".split()  # noqa: SIM905
)
"""Words of a sentence that limit what it says, unless the question has them too."""
_DOUBTS = frozenset(
    """before after just even once as than or either some most many several few partly partially mostly almost nearly
    hardly rarely usually generally sometimes often may might could should would probably possibly perhaps maybe planned
    plan plans future former formerly previously deprecated obsolete instead rather yet still todo tbd otherwise too
    enough believe believed expect expected claim claimed that dass
    bevor nachdem erst sogar als oder einige manche meisten viele mehrere wenige teilweise fast beinahe kaum selten
    meistens normalerweise manchmal oft könnte könnten sollte sollten würde würden wahrscheinlich vielleicht eventuell
    geplant künftig zukünftig früher ehemals veraltet stattdessen noch sonst zu genug""".split()  # noqa: SIM905
)
"""Words of a clause that leave a question open, unless the question has them too."""
_DUTIES = frozenset("must should shall muss müssen soll sollen sollte sollten".split())  # noqa: SIM905
_UNREAD = frozenset(
    """any all every each both always only or than more less else still yet already again really actually
    not no without never how why which jede jeder jedes alle immer nur oder als mehr weniger sonst noch
    schon bereits wieder wirklich nicht kein keine keinen ohne nie wie warum welche""".split()  # noqa: SIM905
)
"""Words of a question that a clause with its other words does not answer."""


def add_verdict(focus: Focus, units: Sequence[ScoredUnit], statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements, first the one whose sentence settles the question, with yes or no before it."""
    asked = _read_question(focus)
    if not asked:
        return list(statements)
    verdicts: list[tuple[bool, ScoredUnit, Statement]] = []
    for unit in units:
        if unit.score < _NEAR * units[0].score:
            break
        shown = next((each for each in statements if _shows(each, unit)), None)
        says = _find_verdict(asked, focus, unit) if shown else None
        if shown and says is not None:
            verdicts.append((says, unit, shown))
    if not verdicts or len({says for says, *_ in verdicts}) > 1:
        return list(statements)
    says, unit, shown = verdicts[0]
    sentence = strip_marker(unit.text).strip()
    said = message("Yes – {reason}", reason=sentence) if says else message("No – {reason}", reason=sentence)
    line = said.render(choose_catalogue(focus.language))
    rest = shown.text.strip().removeprefix(unit.text.strip()).lstrip()  # a sentence that comes first is not repeated
    text = f"{line}\n{rest}" if rest else line
    return [replace(shown, text=text), *(each for each in statements if each is not shown)]


def _shows(statement: Statement, unit: ScoredUnit) -> bool:
    return statement.evidence.evidence_id == unit.evidence.evidence_id and unit.text in statement.text


def _read_question(focus: Focus) -> list[Word]:
    """Return the words of a yes-or-no question that a sentence has to have; [] for other questions."""
    text, _ = split_subject(focus.question)
    words = split_words(text)
    is_read = is_yes_no_question(text) and len(words) <= _MOST_WORDS and not _CONTRACTED.search(text)
    if not is_read or any(word.folded in _UNREAD for word in words):
        return []
    return [word for word in words if _is_stated(word)]


def _is_stated(word: Word) -> bool:
    """Whether a sentence has to have a word of the question: also light verbs, since "needs" is not "uses"."""
    return word.is_name or not (word.folded in STOPWORDS or word.folded in _EMPTY or len(word.folded) == 1)


def _find_verdict(asked: Sequence[Word], focus: Focus, unit: ScoredUnit) -> bool | None:
    """Return what a sentence answers; None if it leaves the question open."""
    sentence = unit.text
    if unit.evidence.kind not in PROSE or "?" in sentence or "```" in sentence:
        return None
    asked_words = {word.folded for word in split_words(focus.question)}
    said = {word.folded for word in split_words(sentence)} - asked_words
    if said & _CONDITIONS:
        return None
    needed = [unit.evidence.parts[index] for index in find_needed_parts(unit.evidence.parts, unit.index)]
    title = split_words(unit.evidence.context.title)
    before = (*title, *split_words(" ".join(needed))) if needed else ()
    clauses = [clause for clause in _CLAUSES.split(sentence) if not _has_doubt(clause, asked_words)]
    answers = {_read_clause(asked, clause, title, before) for clause in clauses} - {None}
    return answers.pop() if len(answers) == 1 else None


def _has_doubt(clause: str, asked: set[str]) -> bool:
    """Whether a clause leaves open what it says, or speaks of duty where the question does not, or the reverse."""
    said = {word.folded for word in split_words(clause)}
    return bool(said & _DOUBTS - asked) or bool(said & _DUTIES) != bool(asked & _DUTIES)


def _read_clause(asked: Sequence[Word], clause: str, title: Sequence[Word], before: Sequence[Word]) -> bool | None:
    """Return what a clause answers. It may leave out names that the title has, and if it refers back, what is before.

    Between the words of the question there are no others than stop words, and none before them: these would be the
    subject ("Access to archives is encrypted").
    """
    words = split_words(_CONTRACTED.sub(" not", clause))
    places = [next((at for at, word in enumerate(words) if _is_form(word, one)), None) for one in asked]
    found = [at for at in places if at is not None]
    missing = [one for one, at in zip(asked, places, strict=True) if at is None]
    if len(found) < _LEAST_WORDS or found != sorted(found):
        return None
    if any(_is_stated(word) and at not in found for at, word in enumerate(words[: found[-1]])):
        return None
    stated = [one for one in asked if not _is_name(one)] or asked
    if stated[-1] in missing or (not before and any(one in missing for one in stated)):
        return None
    if any(not any(_is_form(word, one) for word in before or title) for one in missing):
        return None
    denied = [at for at, word in enumerate(words) if word.folded in _NEGATIONS]
    if not denied:
        return True
    is_simple = len(denied) == 1 and words[denied[0]].folded in _SIMPLE_NEGATIONS
    return False if is_simple and found[0] - 1 <= denied[0] <= found[-1] + 1 else None


def _is_name(word: Word) -> bool:
    return word.is_name or word.text[:1].isupper()


def _is_form(word: Word, other: Word) -> bool:
    """Whether two words are forms of one word: "support", "supported", "supports"."""
    one, two = word.folded, other.folded
    if one == two or word.is_name or other.is_name:
        return one == two
    length = next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    return length >= _COMMON_START and one[length:] in _ENDINGS and two[length:] in _ENDINGS
