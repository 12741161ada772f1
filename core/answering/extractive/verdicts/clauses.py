"""Begins the answer to a yes-or-no question with yes or no, where one sentence settles it.

A sentence settles a question if one of its clauses states what is asked in the question's words and order, as it is or
denied. So does a cell of a table, if the other cells of its row have the rest. A sentence with a condition, a limit or
a doubt settles nothing: a wrong verdict is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.answering.extractive.quoting.compose import quotes_unit
from core.answering.extractive.units import ScoredUnit, begins_with_reference, find_needed_parts
from core.answering.extractive.verdicts.own_answer import says_yes_or_no
from core.answering.extractive.verdicts.states import unify_states
from core.answering.extractive.verdicts.yes_no_question import (
    CLAUSES,
    CONDITIONS,
    CONTRACTED,
    NEGATIONS,
    PREPOSITIONS,
    SIMPLE_NEGATIONS,
    YesNoQuestion,
    has_doubt,
    is_name,
    is_stated,
    read_yes_no_question,
    write_lead,
)
from core.evidence.tree import ISSUE_QUERY
from core.model import TABLE_KINDS, TEXT_KINDS
from core.reading.questions.yes_no import is_yes_no_question
from core.reading.words import EMPTY_WORDS, Word, has_same_noun, split_words
from core.text import split_subject
from core.wording.focus import Focus
from core.wording.list_markers import strip_marker
from core.wording.quotations import Quotation

_NEAR = 0.85  # of the best unit's score: as good an answer
_LEAST_WORDS = 2  # words of the question in the clause
_IMPERSONAL = re.compile(r"(?i)^\W*(?:is|was|ist|war) (?:it|es) (?P<state>[^\W\d_]{3,}),? (?P<rest>[^?]+)")
_CASE = r"(?:for|on|in|with|at|bei|beim|für|auf|im|mit) [^,]{1,60}"
_SAYS_STATE = re.compile(
    rf"(?i)^\W*(?:(?P<case>{_CASE}?) )?(?:(?:it|this|es|das|dies) (?:is|was|ist|war)"
    rf"|(?:is|was|ist|war) (?:es|das|dies)) (?P<denied>(?:not|nicht) )?(?P<state>[^\W_]+)(?: (?P<after>{_CASE}))?$"
)
_PARTS_BEFORE = 2  # of a passage, that may say what "it" is
_WORDS_FOR_ONE_MISSING = 5


@dataclass(frozen=True, slots=True)
class _ClauseContext:
    """What a clause need not say. ``context``: words of title and headings; ``before``: of what it refers back to.

    ``is_cell``: whether the clause is a cell; ``before`` is then what the other cells and the headers say.
    ``ends``: whether the clause may not go on with other words, since the question was shortened.
    """

    context: tuple[Word, ...]
    before: tuple[Word, ...] = ()
    is_cell: bool = False
    ends: bool = False


def add_verdict(focus: Focus, units: Sequence[ScoredUnit], quotations: Sequence[Quotation]) -> list[Quotation] | None:
    """Move the quotation whose sentence settles the question to the front, with yes or no; return None if none does."""
    yes_no_question = read_yes_no_question(focus, with_exact=True)
    if not yes_no_question:
        return None
    verdicts: list[tuple[bool, str, ScoredUnit, Quotation]] = []
    for unit in units:
        if unit.score < _NEAR * units[0].score:
            break
        shown = next((each for each in quotations if quotes_unit(each, unit)), None)
        found = _find_verdict(yes_no_question, unit, units) if shown else None
        if shown and found:
            verdicts.append((*found, unit, shown))
    if not verdicts or len({says for says, *_ in verdicts}) > 1:
        return None
    affirmed, sentence, unit, shown = verdicts[0]
    says = affirmed != yes_no_question.is_opposite
    rest = _remove_unit(shown.text.strip(), unit.text.strip())
    first = replace(shown, text=f"{sentence}\n{rest}" if rest else sentence, lead=write_lead(says, focus))
    return [first, *(each for each in quotations if each is not shown)]


def _remove_unit(text: str, unit: str) -> str:
    """Return a text without a sentence that it begins with, or a line of it: the verdict repeats it."""
    lines = text.removeprefix(unit).lstrip().split("\n")
    return "\n".join(line for line in lines if line.strip() != unit)


def is_left_open(focus: Focus, quotations: Sequence[Quotation]) -> bool:
    """Whether quotations without a verdict leave a yes-or-no question open.

    A text that begins with "yes" or "no" itself does not. A query of issues does not either: the answer says that they
    are shown on the page only.
    """
    has_query = any(ISSUE_QUERY.search(quotation.text) for quotation in quotations)
    says_itself = any(map(says_yes_or_no, quotations[:1]))
    return not has_query and not says_itself and is_yes_no_question(split_subject(focus.question)[0])


def _select_stated(question: YesNoQuestion, context: Sequence[Word]) -> tuple[list[Word], bool]:
    """Return the words that a clause has to have, and whether phrases that only name the context were left out.

    "In the 2.6 test, was the door of Bell OK?", "Does Bell work well in the 2.6 test?": such a phrase stands before the
    auxiliary, or after the last preposition.
    """
    names = {word.folded for word in context}
    kept = list(question.words)
    is_short = not question.qualifier or _names_context(question.qualifier, names)
    all_words = [word for word in (*question.qualifier, *question.words) if is_stated(word)]
    while (at := _find_last_preposition(kept)) and _names_context(kept[at + 1 :], names):
        kept = kept[:at]
    stated = [word for word in kept if is_stated(word)]
    if not is_short or len(stated) == len(all_words) or len(stated) < _LEAST_WORDS:
        return all_words, False
    return stated, True


def _find_last_preposition(words: Sequence[Word]) -> int:
    return max((at for at, word in enumerate(words) if word.folded in PREPOSITIONS), default=0)


def _names_context(words: Sequence[Word], names: set[str]) -> bool:
    return all(has_same_noun(word.folded, names) or word.folded in EMPTY_WORDS for word in words if is_stated(word))


def _find_verdict(
    yes_no_question: YesNoQuestion, unit: ScoredUnit, units: Sequence[ScoredUnit]
) -> tuple[bool, str] | None:
    """Return what a sentence or row answers, and the sentence or cell that says so; None if it leaves that open."""
    if "?" in unit.text or "```" in unit.text:
        return None
    context = unit.evidence.context
    around = split_words(" ".join((context.title, *context.heading_path)))
    if unit.evidence.kind in TABLE_KINDS:
        return _read_row(yes_no_question, unit, units, around)
    if unit.evidence.kind not in TEXT_KINDS:
        return None
    needed = [unit.evidence.parts[index] for index in find_needed_parts(unit.evidence.parts, unit.index)]
    title = split_words(context.title)
    before = (*title, *split_words(" ".join(needed))) if needed else ()
    if unit.evidence.kind == "list" and begins_with_reference(strip_marker(unit.text)):
        before = (*around, *split_words(" ".join(context.lines_before[-1:])))  # "It" is what the list is about
    stated, is_short = _select_stated(yes_no_question, around)
    text = unify_states(unit.text)
    says = _read_sentence(
        yes_no_question, stated, text, _ClauseContext(around if is_short else title, before, ends=is_short)
    )
    if says is None and _IMPERSONAL.match(yes_no_question.text):
        says = _read_state(yes_no_question, text, (*around, *_list_words_before(unit)))
    return None if says is None else (says, strip_marker(unit.text).strip())


def _list_words_before(unit: ScoredUnit) -> tuple[Word, ...]:
    """Return the words of what stands right before a sentence on its page."""
    context, parts = unit.evidence.context, unit.evidence.parts
    before = parts[max(unit.index - _PARTS_BEFORE, 0) : unit.index] or context.lines_before[-1:]
    return split_words(" ".join(before))


def _read_sentence(
    yes_no_question: YesNoQuestion, stated: Sequence[Word], sentence: str, around: _ClauseContext
) -> bool | None:
    """Return what the clauses of a sentence or cell answer; None if they leave it open or differ."""
    if {word.folded for word in split_words(sentence)} - yes_no_question.folded & CONDITIONS:
        return None
    answers: set[bool | None] = set()
    said: tuple[Word, ...] = ()
    for clause in CLAUSES.split(sentence):
        words = split_words(clause)
        if not has_doubt(clause, yes_no_question.folded) and yes_no_question.exact <= {word.folded for word in words}:
            own = replace(around, before=(*around.before, *said)) if said and begins_with_reference(clause) else around
            answers.add(_read_clause(stated, clause, own))
        said += words
    answers.discard(None)
    return answers.pop() if len(answers) == 1 else None


def _read_clause(asked_words: Sequence[Word], clause: str, around: _ClauseContext) -> bool | None:
    """Return what a clause answers. It may leave out names that the title has, and if it refers back, what is before.

    Between the words of the question there are no others than stop words, and none before them: these would be the
    subject ("Access to archives is encrypted").
    """
    words = split_words(CONTRACTED.sub(" not", clause))
    positions = _find_positions(asked_words, words)
    found = [at for at in positions if at is not None]
    missing = [one for one, at in zip(asked_words, positions, strict=True) if at is None]
    if len(found) < _LEAST_WORDS or found != sorted(found):
        return None
    if any(is_stated(word) and at not in found for at, word in enumerate(words[: found[-1]])):
        return None
    if around.ends and not _names_context(
        words[found[-1] + 1 :], {word.folded for word in (*around.context, *around.before)}
    ):
        return None
    stated = asked_words if around.is_cell else [one for one in asked_words if not is_name(one)] or asked_words
    if stated[-1] in missing or (not around.before and any(one in missing for one in stated)):
        return None
    if any(not any(word.is_form_of(one) for word in around.before or around.context) for one in missing):
        return None
    return _read_denial(words, found)


def _find_positions(asked_words: Sequence[Word], words: Sequence[Word]) -> list[int | None]:
    """Return where each word of the question is in a clause, if it is there after the one before, else anywhere."""
    positions: list[int | None] = []
    after = -1
    for one in asked_words:
        found = [at for at, word in enumerate(words) if word.is_form_of(one)]
        at = next((at for at in found if at > after), found[0] if found else None)
        after = after if at is None else at
        positions.append(at)
    return positions


def _read_denial(words: Sequence[Word], found: Sequence[int]) -> bool | None:
    """Return whether a clause affirms what it says between its first and last word of the question."""
    denied = [at for at, word in enumerate(words) if word.folded in NEGATIONS]
    if not denied:
        return True
    is_simple = len(denied) == 1 and words[denied[0]].folded in SIMPLE_NEGATIONS
    return False if is_simple and found[0] - 1 <= denied[0] <= found[-1] + 1 else None


def _read_state(yes_no_question: YesNoQuestion, sentence: str, before: Sequence[Word]) -> bool | None:
    """Return what "It is mandatory" answers to "Is it mandatory to keep a log?" after a sentence about the log."""
    question = _IMPERSONAL.match(yes_no_question.text)
    if question is None or {word.folded for word in split_words(sentence)} & CONDITIONS:
        return None
    said = [found for clause in CLAUSES.split(sentence) if (found := _SAYS_STATE.match(clause.strip(" .!")))]
    same = [found for found in said if found["state"].lower() == question["state"].lower()]
    if len(same) != 1:
        return None
    case = split_words(" ".join(filter(None, (same[0]["case"], same[0]["after"]))))
    rest = [word for word in split_words(question["rest"]) if is_stated(word) and word.folded not in EMPTY_WORDS]
    missing = [word for word in rest if not any(word.is_form_of(one) for one in (*before, *case))]
    if not rest or len(missing) > len(rest) // _WORDS_FOR_ONE_MISSING or any(is_name(word) for word in missing):
        return None
    return not same[0]["denied"] if _is_asked_case(yes_no_question, case) else None


def _is_asked_case(yes_no_question: YesNoQuestion, case: Sequence[Word]) -> bool:
    """Whether the case for which a sentence holds is the question's: all its names, or without names all its words."""
    words = [word for word in case if is_stated(word)]
    needed = [word for word in words if word.is_name] or words
    return all(any(word.is_form_of(one) for one in yes_no_question.words) for word in needed)


# --------------------------------------------------------------------------------------------- rows


def _read_row(
    yes_no_question: YesNoQuestion, unit: ScoredUnit, units: Sequence[ScoredUnit], around: tuple[Word, ...]
) -> tuple[bool, str] | None:
    """Return what the only cell of a row answers that states what is asked, and the cell with its header.

    The other cells have to have the rest of the question's words, and no other row may have them.
    """
    found: list[tuple[bool, str]] = []
    for at, (header, value) in enumerate(unit.cells):
        rest = (cell for number, (_, cell) in enumerate(unit.cells) if number != at)
        others = split_words(" ".join((header, *rest)))
        stated, _ = _select_stated(yes_no_question, around)
        says = _read_sentence(
            yes_no_question, stated, unify_states(value), _ClauseContext((), (*around, *others), True, True)
        )
        if says is not None and not _is_of_several_rows(stated, split_words(value), others, unit, units):
            found.append((says, f"{header}: {value}" if header else value))
    return found[0] if len(found) == 1 else None


def _is_of_several_rows(
    stated: Sequence[Word], cell: Sequence[Word], others: Sequence[Word], unit: ScoredUnit, units: Sequence[ScoredUnit]
) -> bool:
    """Whether the words of the question that a cell lacks name no row, or another row too."""
    naming = [one for one in stated if not any(word.is_form_of(one) for word in cell)]
    naming = [one for one in naming if any(word.is_form_of(one) for word in others)]
    rivals = (
        split_words(each.text)
        for each in units
        if each.evidence.kind in TABLE_KINDS
        and each.evidence.page_id == unit.evidence.page_id
        and each.text != unit.text
    )
    return not naming or any(all(any(word.is_form_of(one) for word in row) for one in naming) for row in rivals)
