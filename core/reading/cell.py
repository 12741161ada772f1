"""Answers that are one cell: the value in a row and column that the question names ("the actual of IT"), or a person.

A value: the question has to name the row by a whole cell, which no other row has, and the column by all words of its
header. If it names only one of them, its row is quoted instead.

A person: the cell has to consist of names of people that the page mentions (:attr:`core.model.Evidence.people`). That a
word looks like a name is not enough, except in a column whose header says that its cells are the ones asked for:
"Owner" for "Who owns …?", "Verantwortlich" for "Wer ist … zuständig?". There a typed name or a team counts, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from functools import lru_cache

from core.answering.focus import DEGREES, leave_out_light_words
from core.i18n import message, plural
from core.languages import CATALOGUES, choose_catalogue, detect_language
from core.reading.conditions import Condition, is_blank
from core.reading.measure import score_name
from core.reading.page_question import IN_CHARGE
from core.reading.plan import Plan, Result, name_conditions
from core.reading.question import MOST_WORDS, Operation, RowQuestion, asks_price, find_measured, read_question
from core.reading.relation import Relation
from core.reading.rows import ITEM, OWN_COLUMNS, SECTION, Row
from core.reading.safety import has_unbound_name, names_record
from core.reading.words import DENIALS, DEPUTIES, VERBS_OF_PRESENCE, Word, fold_words, has_same_noun, split_words
from core.reading.yes_no import is_yes_no_question
from core.text import split_subject

_ASKS_FOR_MORE = re.compile(
    r"(?i)\b(?:why|how (?:to|do|does|did|can|could|should|is|are|was|were)|who(?:m|se)?|no|never"
    rf"|{DENIALS}|except|and|or|all|each|every|any|more|less|than|between|warum|wieso|weshalb|wer|wem|wen|wessen"
    r"|außer|und|oder|alle\w?|jede\w?|mehr|weniger|als|zwischen"
    rf"|wie (?!viele?|heißt|{'|'.join(DEGREES)})\w)\b"
)
_BEGINS_WITH_AND = re.compile(r"(?i)^\W*(?:and|und)\b")
"""Of a follow-up, which goes on: "And how long does it take?"."""
_FIT = 0.6
_MOST_LEFT = 1  # ordinary word that the table need not have: "when does it close"
_MOST_CELL_WORDS = 12
_MOST_LEFT_FOR_CHILDREN = 3  # the item is in the question word for word
_LEAST_CHILDREN = 2
_LEAST_NAME_WORDS = 2  # content words of an item that is named; one may be any word of the question


_QUOTED = re.compile(r"[“„\"«‚‘']([^“”„\"«»‚‘’']+)[“”\"»‘’']")
_TITLES = frozenset("dr prof professor mr mrs ms miss herr frau".split())  # noqa: SIM905


@lru_cache(maxsize=64)
def read_cell_question(question: str) -> RowQuestion | None:
    """Return the question for one value; None if it asks for several, for an operation on rows, or for a reason."""
    row_question = read_question(question)
    is_value = row_question is None or row_question.operation is Operation.LIST or row_question.asks_value
    if not (is_value or asks_price(question)) or is_yes_no_question(question) or asks_for_more(question):
        return None
    language, words = detect_language(question), split_words(leave_out_light_words(question))
    if language not in CATALOGUES or len(words) > MOST_WORDS:
        return None
    return RowQuestion(Operation.CELL, choose_catalogue(language), words, (), text=question)


def asks_for_more(question: str) -> bool:
    """Whether a question asks for several things, for what is denied, or for a reason: no single cell answers it.

    The title in brackets that completion added asks for nothing: "Travel and expenses policy".
    """
    own, _ = split_subject(question)
    return bool(_ASKS_FOR_MORE.search(_BEGINS_WITH_AND.sub("", own)))


def find_cell(plan: Plan) -> tuple[Plan, Result] | None:
    """Return the cell with its row; None if the plan does not name exactly one."""
    if plan.relation.kind != "table" or has_unbound_name(plan) or plan.contradicts or plan.lists_values:
        return None
    measured = find_measured(plan.question.text)
    if sum(word.folded not in measured for word in plan.unbound) > _MOST_LEFT or plan.fit < _FIT:
        return None
    rows, column = plan.find_rows(), _find_column(plan)
    if len(rows) != 1 or not column or not names_row(plan, rows[0]):
        return None
    cell = " ".join(rows[0].cells.get(column, "").split())
    if is_blank(cell) or len(cell.split()) > _MOST_CELL_WORDS:
        return None
    if column == plan.relation.columns[0]:  # the row is asked for, by what its cells have
        headline = message("{result} ({conditions})", result=f"{column}: {cell}", conditions=name_conditions(plan))
        return replace(plan, target=column, columns=(column,)), Result(headline, (rows[0],))
    names = dict.fromkeys(each.column for each in plan.conditions)
    row = ", ".join(" ".join(rows[0].cells[each].split()) for each in names)
    headline = message("{row}, {column}: {value}", row=row, column=column.replace(" > ", ", "), value=cell)
    return replace(plan, target=column, columns=(column,)), Result(headline, (rows[0],))


def names_row(plan: Plan, row: Row) -> bool:
    """Whether a condition is a whole cell of the row, or all words are bound, and a part of its name stands for it."""
    first = plan.relation.columns[0]
    of_name = (each for each in plan.conditions if each.column == first and not each.limit and not each.is_negated)
    by_part = not plan.unbound and any(_stands_for_name(each.value, row, plan.relation) for each in of_name)
    return by_part or any(is_whole_cell(row, each) for each in plan.conditions)


def _stands_for_name(part: str, row: Row, relation: Relation) -> bool:
    """Whether a part of a row's name is enough: "a Lapwing" of “Class 231 "Lapwing"”, but not "Pro" of "Pro Max".

    It is in quotation marks, or the last word, or the others are in quotation marks, numbers, titles or a noun for the
    rows. A person is named by any word of the name.
    """
    first = relation.columns[0]
    name = row.cells.get(first, "")
    words, said = split_words(name), set(fold_words(part))
    if not said or not said <= set(fold_words(name)):
        return False
    nouns = fold_words(" ".join((first, relation.title, *relation.heading_path)))
    others = (word for word in split_words(_QUOTED.sub(" ", name)) if word.folded not in said and word.is_content)
    is_last = words[-1].folded in said or said <= set(fold_words(" ".join(_QUOTED.findall(name))))
    is_rest = all(
        _has_digit(word.text) or word.folded in _TITLES or has_same_noun(word.folded, nouns) for word in others
    )
    return is_last or is_rest or is_person(row, first)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def is_whole_cell(row: Row, condition: Condition) -> bool:
    """Whether the value of a condition is the whole cell of a row."""
    cell = [word.folded for word in split_words(row.cells.get(condition.column, ""))]
    return condition.limit is None and cell == [word.folded for word in split_words(condition.value)]


def _find_column(plan: Plan) -> str:
    """Return the column whose header the question has in full, of several the longest; "" if that is not one.

    A follow-up names it by its own words, or asks for the same column of another row ("and of Berlin?").
    """
    of_title = _find_words_of_title(plan)
    asked_words = [word for word in plan.question.words if word.is_content and word.folded not in of_title]
    own, subject = split_subject(plan.question.text)
    said = set(fold_words(own)) if subject else {word.folded for word in asked_words}
    if column := _find_named_column(plan, [word for word in asked_words if word.folded in said]):
        return column
    of_rows = {name for each in plan.conditions for name in fold_words(each.value)}
    is_same = subject and all(word.folded in of_rows for word in split_words(own) if word.is_content)
    return _find_named_column(plan, asked_words) if is_same else ""


def _find_named_column(plan: Plan, asked_words: Sequence[Word]) -> str:
    taken = {each.column for each in plan.conditions}
    said = {word.folded for word in asked_words}
    scores = {
        column: score_name(column, asked_words)
        for column in plan.relation.columns
        if column not in taken
        and column not in OWN_COLUMNS
        and all(word.folded in said for word in split_words(column) if word.is_name)
    }
    best = max(scores.values(), default=0.0)
    named = [column for column, score in scores.items() if score == best]
    if best < 1:  # "how long does it take" of a column "Duration"
        measured = find_measured(plan.question.text)
        if _asks_for_other_measure(plan, measured):
            return ""
        named = [column for column in scores if not measured.isdisjoint(fold_words(column))]
    return named[0] if len(named) == 1 else ""


def _asks_for_other_measure(plan: Plan, measured: Set[str]) -> bool:
    """Whether a word may change what is measured: "how much is the course discounted", "how much was it used".

    Not one that completion took from the question before.
    """
    own = set(fold_words(split_subject(plan.question.text)[0]))
    bound = {name for each in plan.conditions for name in fold_words(each.value)}
    known = measured | bound | set(fold_words(plan.relation.context))
    left = {word.folded for word in plan.question.words if word in plan.unbound or word.folded in VERBS_OF_PRESENCE}
    return not left & own <= known


def _find_words_of_title(plan: Plan) -> set[str]:
    """Return the words that only the title in brackets has, which completion added: it names no column."""
    own, subject = split_subject(plan.question.text)
    return set(fold_words(subject)).intersection(fold_words(plan.relation.title)).difference(fold_words(own))


def find_children(plan: Plan) -> tuple[Plan, Result] | None:
    """Return the items that are nested in the item of a list that the question has in full; None if it has none."""
    rows = plan.find_rows()
    if plan.relation.kind != "list" or has_unbound_name(plan) or plan.fit < _FIT:
        return None
    if len(plan.unbound) > _MOST_LEFT_FOR_CHILDREN:
        return None
    if len(plan.conditions) != 1 or plan.conditions[0].column != SECTION or len(rows) < _LEAST_CHILDREN:
        return None
    [above, *others] = {row.cells[SECTION] for row in rows}
    item = above.rpartition(" > ")[2]
    said = [word.folded for word in split_words(plan.conditions[0].value)]
    is_whole = [word.folded for word in split_words(item)] == said
    if others or not is_whole or sum(word.is_content for word in split_words(item)) < _LEAST_NAME_WORDS:
        return None
    name = item.rstrip(" .:;,")
    headline = plural("{count} entry in “{place}”:", "{count} entries in “{place}”:", len(rows), place=name)
    return plan, Result(headline, tuple(replace(row, cells={ITEM: row.cells[ITEM]}) for row in rows))


# ------------------------------------------------------------------------------------------- people


_WHO = re.compile(r"(?i)^\W*(?:(?:to|from|by|with|for|an|von|bei|mit|für) )?(?:who(?:m|se)?|wer|wem|wen|wessen)\b")
_NOT_ONE = re.compile(rf"(?i)\b(?:{DENIALS}|no|never|most|least|than|meisten|als)\b")
_BETWEEN = re.compile(r"[\s,;/&+·]+|\b(?:and|und)\b")
_BETWEEN_NAMES = re.compile(r"[,;/&\n+·]|\b(?:and|und)\b")
_MOST_NAME_WORDS = 4
_WHO_FIT = 0.6
_WHOLE_CELL = 0.8  # strength of a condition
_STEM_LETTERS = 3  # at least, that a verb and a noun share
_DOER_ENDINGS = ("er", "r", "or", "erin", "ung")
_VERB_ENDINGS = ("", "s", "es", "d", "ed", "ing", "t", "et", "en")
_WHO_MOST_LEFT = 1  # ordinary word that the table need not have: "who manages the account of"


@lru_cache(maxsize=64)
def read_person_question(question: str) -> RowQuestion | None:
    """Return the question for a person; None for any other, and for "who is not …"."""
    who = _WHO.search(question)
    language = detect_language(question)
    own, _ = split_subject(question)
    if who is None or language not in CATALOGUES or _NOT_ONE.search(own):
        return None
    words = split_words(leave_out_light_words(question[who.end() :]))
    return RowQuestion(Operation.PERSON, choose_catalogue(language), words, ()) if len(words) <= MOST_WORDS else None


def find_person(plan: Plan) -> tuple[Plan, Result] | None:
    """Return the row and column of the person; None if the plan does not name exactly one cell."""
    if has_unbound_name(plan) or plan.contradicts or plan.lists_values:
        return None
    finds = (_find_doers, _find_owners, _find_deputies)
    left = [word for word in plan.unbound if not any(find(word, plan.relation) for find in finds)]
    names_doer = len(left) < len(plan.unbound)
    if len(left) > _WHO_MOST_LEFT or (plan.fit < _WHO_FIT and (left or not names_doer)):
        return None
    rows = plan.find_rows()
    if len(rows) != 1 or not (plan.conditions or plan.relation.total == 1):
        return None
    if plan.relation.is_record and not names_record(plan):
        return None
    if left and all(condition.strength < _WHOLE_CELL for condition in plan.conditions):
        return None  # the word may be the rest of a name: "Project Heron" is not "Project Lark"
    column = _find_column_of_people(plan)
    names = find_names(rows[0], column) if column else []
    if not names:
        return None
    headline = message("{name}", name=", ".join(names))
    return replace(plan, target=column), Result(headline, tuple(rows))


def _find_column_of_people(plan: Plan) -> str:
    """Return the column of people that the question names, or the only one; "" if there is not exactly one."""
    taken = {condition.column for condition in plan.conditions}
    others = [column for column in plan.relation.columns if column not in taken]
    free = [column for column in others if holds_people(plan.relation, column)]
    doers = {column for word in plan.question.words for column in _find_doers(word, plan.relation)}
    owners = {column for word in plan.question.words for column in _find_owners(word, plan.relation)}
    if deputies := {column for word in plan.question.words for column in _find_deputies(word, plan.relation)}:
        return deputies.pop() if len(deputies) == 1 and deputies <= set(others) else ""
    named = [column for column in free if column in plan.columns or column in doers]
    named = named or [column for column in free if column in owners]
    if len(named) == 1:
        return named[0]
    if len(free) == 1 and plan.conditions and not plan.relation.is_record:
        return free[0]
    typed = [column for column in others if column in doers or _is_asked_first(column, plan)] or [
        column for column in others if column in owners
    ]
    return typed[0] if not free and len(typed) == 1 else ""


def _is_asked_first(column: str, plan: Plan) -> bool:
    """Whether a question begins with the header: "who is the caretaker of the villa"."""
    header, asked_words = fold_words(column), [word.folded for word in plan.question.words if word.is_content]
    return bool(header) and tuple(asked_words[: len(header)]) == header


def _find_doers(word: Word, relation: Relation) -> list[str]:
    """Return the columns that name who does what a verb says: "owns" and "owned" name "Owner"."""
    stems = _find_stems(word.folded, _VERB_ENDINGS)
    return [column for column in relation.columns if stems & _find_stems(column.casefold(), _DOER_ENDINGS)]


def _find_deputies(word: Word, relation: Relation) -> list[str]:
    """Return the columns of those who stand in for others, if the word asks for them: "vertritt" names "Vertretung"."""
    columns = relation.columns if word.folded in DEPUTIES else ()
    return [column for column in columns if not DEPUTIES.isdisjoint(fold_words(column))]


def _find_owners(word: Word, relation: Relation) -> list[str]:
    """Return the columns of those who are in charge, if the word asks for them: "responsible" names "Owner"."""
    columns = relation.columns if word.folded in IN_CHARGE else ()
    return [column for column in columns if any(each.folded in IN_CHARGE for each in split_words(column))]


def _find_stems(word: str, endings: Sequence[str]) -> set[str]:
    found = {word.removesuffix(ending) for ending in endings if word.endswith(ending)}
    return {stem for stem in found if len(stem) >= _STEM_LETTERS}


def holds_people(relation: Relation, column: str) -> bool:
    """Whether most filled cells of a column are people."""
    filled = [row for row in relation.rows if row.cells.get(column, "").strip()]
    return bool(filled) and sum(is_person(row, column) for row in filled) * 2 > len(filled)


def is_person(row: Row, column: str) -> bool:
    """Whether a cell consists of names of people that the page mentions."""
    left = row.cells.get(column, "")
    named = _find_people(row, column)
    for name in sorted(named, key=len, reverse=True):
        left = left.replace(name, " ")
    return bool(named) and not _BETWEEN.sub("", left)


def find_names(row: Row, column: str) -> list[str]:
    """Return the people in a cell; of a cell without mentions, what is written like names. [] if it has more."""
    if is_person(row, column):
        return _find_people(row, column)
    cell = row.cells.get(column, "")
    parts = [part.strip() for part in _BETWEEN_NAMES.split(cell)] if not is_blank(cell) else []
    return parts if parts and all(map(_is_written_as_name, parts)) and not _find_people(row, column) else []


def is_name_of_people(row: Row, column: str) -> bool:
    """Whether a cell has only people, mentioned or typed."""
    return bool(find_names(row, column))


def _is_written_as_name(text: str) -> bool:
    words = text.split()
    return 0 < len(words) <= _MOST_NAME_WORDS and text[0].isupper() and not _has_digit(text)


def _find_people(row: Row, column: str) -> list[str]:
    """Return the names of people in a cell, in their order. Two mentions may have nothing between them."""
    names = sorted({person.name for person in row.ranked.evidence.people if person.name}, key=len, reverse=True)
    found = re.findall("|".join(map(re.escape, names)), row.cells.get(column, "")) if names else []
    return list(dict.fromkeys(found))
