"""Begins the answer to a yes-or-no question with yes or no, where one sentence settles it.

A sentence settles a question if one of its clauses states what is asked in the question's words and order, as it is or
denied. So does a cell of a table, if the other cells of its row have the rest. A sentence with a condition, a limit or
a doubt settles nothing: a wrong verdict is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.answering.extractive.compose import Statement
from core.answering.extractive.states import affirm_states, unify_states
from core.answering.extractive.units import TABLES, ScoredUnit, find_needed_parts, strip_marker
from core.answering.extractive.whole_sections import PROSE
from core.answering.focus import Focus
from core.evidence.tree import ISSUE_QUERY
from core.i18n import message
from core.languages import choose_catalogue
from core.reading.words import EMPTY_WORDS, Word, has_same_noun, split_words
from core.reading.yes_no import find_first_verb, is_yes_no_question
from core.text import STOPWORDS, split_subject

_NEAR = 0.85  # of the best unit's score: as good an answer
_MOST_WORDS = 25  # of a question; longer ones ask more than one thing
_LEAST_WORDS = 2  # words of the question in the clause
_SHORTEST_NOUN = 3  # letters of a noun with a plural in "s"
_COMMON_START = 4  # letters of two forms of one word
_ENDINGS = frozenset("s es e d ed ing en n t st te ten er em es ly".split()) | {""}  # noqa: SIM905
_EMPTY = frozenset(
    """do does did done have has had may must can could will would should man gibt hat haben darf dürfen muss müssen
    kann können soll sollte sollen wird werden wurde wurden not never cannot nicht kein keine keinen keiner nie niemals
    also auch therefore""".split()  # noqa: SIM905
)
CLAUSES = re.compile(
    r"[,:](?!\d)|[;()–—]|\s-\s|\b(?:which|who|because|but|although|so that|weil|aber|sondern|obwohl|damit)\b"
)
NEGATIONS = frozenset(
    """not no never cannot without neither nor none nobody nothing longer nicht kein keine keinen keiner keines keinem
    nie niemals ohne weder niemand nichts""".split()  # noqa: SIM905
)
SIMPLE_NEGATIONS = frozenset(["not", "cannot", "never", "nicht", "kein", "keine", "keinen", "keiner", "nie", "niemals"])
CONTRACTED = re.compile(r"(?i)n['’]t\b")
CONDITIONS = frozenset(
    """if unless except when whenever while until depending whether only wenn falls sofern solange außer sobald bis nur
    ob je""".split()  # noqa: SIM905
)
"""Words of a sentence that limit what it says, unless the question has them too."""
DOUBTS = frozenset(
    """before after just even once as than or either some most many several few partly partially mostly almost nearly
    hardly rarely usually generally sometimes often may might could should would probably possibly perhaps maybe planned
    plan plans future former formerly previously deprecated obsolete instead rather yet still todo tbd otherwise too
    enough believe believed expect expected claim claimed that dass
    bevor nachdem erst sogar als oder einige manche meisten viele mehrere wenige teilweise fast beinahe kaum selten
    meistens normalerweise manchmal oft könnte könnten sollte sollten würde würden wahrscheinlich vielleicht eventuell
    geplant künftig zukünftig früher ehemals veraltet stattdessen noch sonst zu genug""".split()  # noqa: SIM905
)
"""Words of a clause that leave a question open, unless the question has them too."""
DUTIES = frozenset("must should shall muss müssen soll sollen sollte sollten".split())  # noqa: SIM905
_UNREAD = frozenset(
    """any all every each both always only or than more less else still yet already again really actually
    not no without never how why which jede jeder jedes alle immer nur oder als mehr weniger sonst noch
    schon bereits wieder wirklich nicht kein keine keinen ohne nie wie warum welche""".split()  # noqa: SIM905
)
"""Words of a question that a clause with its other words does not answer."""


PREPOSITIONS = frozenset(
    """in on at for of within during from under im in am an auf bei beim für von vom während aus unter""".split()  # noqa: SIM905
)
_OTHER_PREPOSITIONS = frozenset("against to with by through mit zu nach gegen durch".split())  # noqa: SIM905
_RELATIVE, _INTERVAL = frozenset(["which", "welche"]), frozenset(["every", "each", "jede", "alle"])
_IMPERSONAL = re.compile(r"(?i)^\W*(?:is|was|ist|war) (?:it|es) (?P<state>[^\W\d_]{3,}),? (?P<rest>[^?]+)")
_CASE = r"(?:for|on|in|with|at|bei|beim|für|auf|im|mit) [^,]{1,60}"
_SAYS_STATE = re.compile(
    rf"(?i)^\W*(?:(?P<case>{_CASE}?) )?(?:(?:it|this|es|das|dies) (?:is|was|ist|war)"
    rf"|(?:is|was|ist|war) (?:es|das|dies)) (?P<denied>(?:not|nicht) )?(?P<state>[^\W_]+)(?: (?P<after>{_CASE}))?$"
)
_PARTS_BEFORE = 2  # of a passage, that may say what "it" is
_WORDS_FOR_ONE_MISSING = 5


@dataclass(frozen=True, slots=True)
class Question:
    """A yes-or-no question. ``words``: without its auxiliary and what stands before; ``place``: what stands before.

    ``is_opposite``: it asks for the opposite of the state in ``text``, see :mod:`core.answering.extractive.states`.
    """

    words: tuple[Word, ...]
    place: tuple[Word, ...]
    text: str
    start: int = 0  # of the auxiliary in ``text``
    is_opposite: bool = False

    @property
    def folded(self) -> set[str]:
        return {word.folded for word in (*self.place, *self.words)}


@dataclass(frozen=True, slots=True)
class _Source:
    """What a clause need not say. ``place``: words of title and headings; ``before``: of what it refers back to.

    ``is_cell``: whether the clause is a cell; ``before`` is then what the other cells and the headers say.
    ``ends``: whether the clause may not go on with other words, since the question was shortened.
    """

    place: tuple[Word, ...]
    before: tuple[Word, ...] = ()
    is_cell: bool = False
    ends: bool = False


def add_verdict(focus: Focus, units: Sequence[ScoredUnit], statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements, first the one whose sentence settles the question, with yes or no before it."""
    asked = read_question(focus)
    if not asked:
        return list(statements)
    verdicts: list[tuple[bool, str, ScoredUnit, Statement]] = []
    for unit in units:
        if unit.score < _NEAR * units[0].score:
            break
        shown = next((each for each in statements if _shows(each, unit)), None)
        found = _find_verdict(asked, unit, units) if shown else None
        if shown and found:
            verdicts.append((*found, unit, shown))
    if not verdicts or len({says for says, *_ in verdicts}) > 1:
        return list(statements)
    affirmed, sentence, unit, shown = verdicts[0]
    says = affirmed != asked.is_opposite
    rest = shown.text.strip().removeprefix(unit.text.strip()).lstrip()  # a sentence that comes first is not repeated
    first = replace(shown, text=f"{sentence}\n{rest}" if rest else sentence, lead=write_lead(says, focus))
    return [first, *(each for each in statements if each is not shown)]


def write_lead(says: bool, focus: Focus) -> str:
    """Return what stands before the reason of a verdict: "Yes – "."""
    said = message("Yes – {reason}", reason="") if says else message("No – {reason}", reason="")
    return said.render(choose_catalogue(focus.language)).rstrip() + " "


def is_left_open(focus: Focus, statements: Sequence[Statement]) -> bool:
    """Whether statements without a verdict leave a yes-or-no question open.

    A query of issues does not: the answer says that they are shown on the page only.
    """
    has_query = any(ISSUE_QUERY.search(statement.text) for statement in statements)
    return not has_query and is_yes_no_question(split_subject(focus.question)[0])


def _shows(statement: Statement, unit: ScoredUnit) -> bool:
    text = statement.quote if unit.evidence.kind in TABLES else statement.text
    return statement.evidence.evidence_id == unit.evidence.evidence_id and unit.text in text


def read_question(focus: Focus) -> Question | None:
    """Return a yes-or-no question that a sentence can settle; None for others."""
    text, opposites = affirm_states(split_subject(focus.question)[0])
    words = split_words(text)
    auxiliary = find_first_verb(text, focus.language)
    if auxiliary is None or len(words) > _MOST_WORDS or opposites > 1 or CONTRACTED.search(text):
        return None
    if any(word.folded in _UNREAD and not _is_read(words, at) for at, word in enumerate(words)):
        return None
    start = auxiliary.start("verb")
    return Question(split_words(text[start:]), split_words(auxiliary["place"]), text, start, opposites == 1)


def _is_read(words: Sequence[Word], at: int) -> bool:
    """Whether a word begins a relative clause ("the chips against which it is sealed"), or an interval ("every 6")."""
    word, after = words[at].folded, words[at + 1].folded if at + 1 < len(words) else ""
    if word in _INTERVAL:
        return after[:1].isdigit()
    return at > 1 and word in _RELATIVE and words[at - 1].folded in PREPOSITIONS | _OTHER_PREPOSITIONS


def is_stated(word: Word) -> bool:
    """Whether a sentence has to have a word of the question: also light verbs, since "needs" is not "uses"."""
    return word.is_name or not (word.folded in STOPWORDS or word.folded in _EMPTY or len(word.folded) == 1)


def _select_stated(question: Question, place: Sequence[Word]) -> tuple[list[Word], bool]:
    """Return the words that a clause has to have, and whether phrases that only name the place were left out.

    "In the 2.6 test, was the door of Bell OK?", "Does Bell work well in the 2.6 test?": such a phrase stands before the
    auxiliary, or after the last preposition.
    """
    names = {word.folded for word in place}
    kept = list(question.words)
    is_short = not question.place or _is_place(question.place, names)
    all_words = [word for word in (*question.place, *question.words) if is_stated(word)]
    while (at := _find_last_preposition(kept)) and _is_place(kept[at + 1 :], names):
        kept = kept[:at]
    stated = [word for word in kept if is_stated(word)]
    if not is_short or len(stated) == len(all_words) or len(stated) < _LEAST_WORDS:
        return all_words, False
    return stated, True


def _find_last_preposition(words: Sequence[Word]) -> int:
    return max((at for at, word in enumerate(words) if word.folded in PREPOSITIONS), default=0)


def _is_place(words: Sequence[Word], names: set[str]) -> bool:
    return all(has_same_noun(word.folded, names) or word.folded in EMPTY_WORDS for word in words if is_stated(word))


def _find_verdict(asked: Question, unit: ScoredUnit, units: Sequence[ScoredUnit]) -> tuple[bool, str] | None:
    """Return what a sentence or row answers, and the sentence or cell that says so; None if it leaves that open."""
    if "?" in unit.text or "```" in unit.text:
        return None
    context = unit.evidence.context
    place = split_words(" ".join((context.title, *context.heading_path)))
    if unit.evidence.kind in TABLES:
        return _read_row(asked, unit, units, place)
    if unit.evidence.kind not in PROSE:
        return None
    needed = [unit.evidence.parts[index] for index in find_needed_parts(unit.evidence.parts, unit.index)]
    title = split_words(context.title)
    before = (*title, *split_words(" ".join(needed))) if needed else ()
    stated, is_short = _select_stated(asked, place)
    text = unify_states(unit.text)
    says = _read_sentence(asked, stated, text, _Source(place if is_short else title, before, ends=is_short))
    if says is None and _IMPERSONAL.match(asked.text):
        says = _read_state(asked, text, (*place, *_list_words_before(unit)))
    return None if says is None else (says, strip_marker(unit.text).strip())


def _list_words_before(unit: ScoredUnit) -> tuple[Word, ...]:
    """Return the words of what stands right before a sentence on its page."""
    context, parts = unit.evidence.context, unit.evidence.parts
    before = parts[max(unit.index - _PARTS_BEFORE, 0) : unit.index] or context.lines_before[-1:]
    return split_words(" ".join(before))


def _read_sentence(asked: Question, stated: Sequence[Word], sentence: str, source: _Source) -> bool | None:
    """Return what the clauses of a sentence or cell answer; None if they leave it open or differ."""
    if {word.folded for word in split_words(sentence)} - asked.folded & CONDITIONS:
        return None
    clauses = [clause for clause in CLAUSES.split(sentence) if not _has_doubt(clause, asked.folded)]
    answers = {_read_clause(stated, clause, source) for clause in clauses} - {None}
    return answers.pop() if len(answers) == 1 else None


def _has_doubt(clause: str, asked: set[str]) -> bool:
    """Whether a clause leaves open what it says, or speaks of duty where the question does not, or the reverse."""
    said = {word.folded for word in split_words(clause)}
    return bool(said & DOUBTS - asked) or bool(said & DUTIES) != bool(asked & DUTIES)


def _read_clause(asked: Sequence[Word], clause: str, source: _Source) -> bool | None:
    """Return what a clause answers. It may leave out names that the title has, and if it refers back, what is before.

    Between the words of the question there are no others than stop words, and none before them: these would be the
    subject ("Access to archives is encrypted").
    """
    words = split_words(CONTRACTED.sub(" not", clause))
    places = _find_places(asked, words)
    found = [at for at in places if at is not None]
    missing = [one for one, at in zip(asked, places, strict=True) if at is None]
    if len(found) < _LEAST_WORDS or found != sorted(found):
        return None
    if any(is_stated(word) and at not in found for at, word in enumerate(words[: found[-1]])):
        return None
    if source.ends and not _is_place(words[found[-1] + 1 :], {word.folded for word in (*source.place, *source.before)}):
        return None
    stated = asked if source.is_cell else [one for one in asked if not _is_name(one)] or asked
    if stated[-1] in missing or (not source.before and any(one in missing for one in stated)):
        return None
    if any(not any(is_form(word, one) for word in source.before or source.place) for one in missing):
        return None
    return _read_denial(words, found)


def _find_places(asked: Sequence[Word], words: Sequence[Word]) -> list[int | None]:
    """Return where each word of the question is in a clause, if it is there after the one before, else anywhere."""
    places: list[int | None] = []
    after = -1
    for one in asked:
        found = [at for at, word in enumerate(words) if is_form(word, one)]
        at = next((at for at in found if at > after), found[0] if found else None)
        after = after if at is None else at
        places.append(at)
    return places


def _read_denial(words: Sequence[Word], found: Sequence[int]) -> bool | None:
    """Return whether a clause affirms what it says between its first and last word of the question."""
    denied = [at for at, word in enumerate(words) if word.folded in NEGATIONS]
    if not denied:
        return True
    is_simple = len(denied) == 1 and words[denied[0]].folded in SIMPLE_NEGATIONS
    return False if is_simple and found[0] - 1 <= denied[0] <= found[-1] + 1 else None


def _read_state(asked: Question, sentence: str, before: Sequence[Word]) -> bool | None:
    """Return what "It is mandatory" answers to "Is it mandatory to keep a log?" after a sentence about the log."""
    question = _IMPERSONAL.match(asked.text)
    if question is None or {word.folded for word in split_words(sentence)} & CONDITIONS:
        return None
    said = [found for clause in CLAUSES.split(sentence) if (found := _SAYS_STATE.match(clause.strip(" .!")))]
    same = [found for found in said if found["state"].lower() == question["state"].lower()]
    if len(same) != 1:
        return None
    case = split_words(" ".join(filter(None, (same[0]["case"], same[0]["after"]))))
    rest = [word for word in split_words(question["rest"]) if is_stated(word) and word.folded not in EMPTY_WORDS]
    missing = [word for word in rest if not any(is_form(word, one) for one in (*before, *case))]
    if not rest or len(missing) > len(rest) // _WORDS_FOR_ONE_MISSING or any(_is_name(word) for word in missing):
        return None
    return not same[0]["denied"] if _is_asked_case(asked, case) else None


def _is_asked_case(asked: Question, case: Sequence[Word]) -> bool:
    """Whether the case for which a sentence holds is the question's: all its names, or without names all its words."""
    words = [word for word in case if is_stated(word)]
    needed = [word for word in words if word.is_name] or words
    return all(any(is_form(word, one) for one in asked.words) for word in needed)


# --------------------------------------------------------------------------------------------- rows


def _read_row(
    asked: Question, unit: ScoredUnit, units: Sequence[ScoredUnit], place: tuple[Word, ...]
) -> tuple[bool, str] | None:
    """Return what the only cell of a row answers that states what is asked, and the cell with its header.

    The other cells have to have the rest of the question's words, and no other row may have them.
    """
    if unit.index >= len(unit.evidence.rows):
        return None
    cells = unit.evidence.rows[unit.index]
    found: list[tuple[bool, str]] = []
    for at, (header, value) in enumerate(cells):
        others = split_words(" ".join((header, *(cell for number, (_, cell) in enumerate(cells) if number != at))))
        stated, _ = _select_stated(asked, place)
        says = _read_sentence(asked, stated, unify_states(value), _Source((), (*place, *others), True, True))
        if says is not None and not _is_of_several_rows(stated, split_words(value), others, unit, units):
            found.append((says, f"{header}: {value}" if header else value))
    return found[0] if len(found) == 1 else None


def _is_of_several_rows(
    stated: Sequence[Word], cell: Sequence[Word], others: Sequence[Word], unit: ScoredUnit, units: Sequence[ScoredUnit]
) -> bool:
    """Whether the words of the question that a cell lacks name no row, or another row too."""
    naming = [one for one in stated if not any(is_form(word, one) for word in cell)]
    naming = [one for one in naming if any(is_form(word, one) for word in others)]
    rivals = (
        split_words(each.text)
        for each in units
        if each.evidence.kind in TABLES and each.evidence.page_id == unit.evidence.page_id and each.text != unit.text
    )
    return not naming or any(all(any(is_form(word, one) for word in row) for one in naming) for row in rivals)


def _is_name(word: Word) -> bool:
    return word.is_name or word.text[:1].isupper()


def is_form(word: Word, other: Word) -> bool:
    """Whether two words are forms of one word: "support", "supported", "supports"."""
    one, two = word.folded, other.folded
    if one == two or word.is_name or other.is_name:
        return one == two
    if (len(one) >= _SHORTEST_NOUN and f"{one}s" == two) or (len(two) >= _SHORTEST_NOUN and f"{two}s" == one):
        return True
    length = next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    return length >= _COMMON_START and one[length:] in _ENDINGS and two[length:] in _ENDINGS
