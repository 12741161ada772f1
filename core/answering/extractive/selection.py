"""Chooses what an extractive answer shows: sentences with those around them, whole lists or sections, or rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.answering.extractive.compose import Statement, passage, statement, whole_list
from core.answering.extractive.units import ScoredUnit, Unit, place_of, without_marker
from core.answering.extractive.whole_sections import (
    PROSE,
    SAME_EVIDENCE,
    find_named_section,
    quote_section,
    section_of,
    wants_whole_list,
)
from core.answering.focus import Focus, content_words, terms, word_matches
from core.answering.identifiers import SearchedText, find_identifiers
from core.answering.instructions import LEFT_OUT
from core.model import Evidence, RankedEvidence
from core.text import count_words, is_stopword

_AS_GOOD = 0.98  # of the best unit's score: nothing tells the two apart
_CLOSE = 0.9  # of the best unit's score: as good an answer
_NAMED_ROW = 0.85  # of the best unit's score: a row that has a cell that the question names in full
_MAX_SENTENCES = 3
_PASSAGE_WORDS = 100  # of a quoted passage, with the sentences that follow the best one
_ALSO_WORDS = 30  # of a passage of another place
_OTHER_PLACES = 2
_ALSO_NAMED = 0.6  # of the best unit's score: a unit that has what the question names and the best one lacks
_SIMILAR_ROWS = 0.85  # of the best row's scores: rows that answer the same question
_TIED = 0.98  # of the best row's share of words: the question does not tell these rows apart
_TIED_SCORE = 0.98  # of the best row's score
_MAX_TIED_ROWS = 3
_MAX_ROWS = 5
_SMALL_TABLE = 8  # rows: so many are shown with the asked one first
_SMALL_WORDS = 120  # of all its rows
_NUMBER = re.compile(r"[0-9]{1,9}")
_NAME_WORDS = 6  # a longer cell describes, it does not name
_FILLERS = frozenset(["every", "each", "jede", "jeder", "jedes", "alle"])


def select_statements(
    focus: Focus, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]
) -> list[Statement]:
    """The statements of the answer, best first; none if no unit says more than the question does.

    ``evidences``: those that the units are of, and others that may have the rest of a table.
    """
    shown = _select_by_score(focus, units, evidences)
    return [*shown, *_select_for_identifiers(focus, shown, units)] if shown else []


def _select_by_score(focus: Focus, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]) -> list[Statement]:
    units = [unit for unit in units if not _only_asks(unit.unit)]
    if focus.answer_type != "yes_no":
        units = [unit for unit in units if _says_more(focus, unit.unit)]
    if not units:
        return []
    if section := find_named_section(focus, units):
        return [section]
    best = _begin_of_section(_select_best(focus, units), units)
    best, *older = _order_versions(focus, best, units)
    evidence = best.unit.ranked.evidence
    if evidence.kind == "list" and wants_whole_list(focus, best, units):
        return [whole_list(best.unit.ranked)]
    if evidence.kind in {"table", "table_row"}:
        rows = _select_rows(focus, best, units)
        others = [] if older or _count_named_words(focus, best) else _other_rows(rows, evidences)
        prose = [unit for unit in units if unit.unit.ranked.evidence.kind in PROSE]
        beside = _other_places(focus, best, prose)[:1]
        return [statement(focus, [unit]) for unit in [*rows, *others, *older, *beside]]
    if quoted := quote_section(focus, best, units, evidences):
        return quoted
    shown = [_quote_around(focus, best, units, _PASSAGE_WORDS, with_list=True)]
    for unit in _other_places(focus, best, [*older, *units]):
        also = _quote_other(focus, unit, units)
        if not all(any(line in other.text for other in shown) for line in also.quote.splitlines()):
            shown.append(also)
    return shown


def _order_versions(focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """The best unit; or, of pages whose titles differ in numbers alone, the newest one's and then the next one's.

    "Travel policy 2026" comes before "Travel policy 2024" where the question does not say which.
    """
    title, numbers = _split_title(best)
    if not numbers or set(_NUMBER.findall(focus.question)) & set(
        _NUMBER.findall(best.unit.ranked.evidence.context.title)
    ):
        return [best]
    versions: dict[tuple[int, ...], ScoredUnit] = {numbers: best}
    for unit in units:
        other, version = _split_title(unit)
        is_alike = unit.unit.ranked.evidence.kind == best.unit.ranked.evidence.kind
        if other == title and is_alike and unit.score >= _CLOSE * best.score:
            versions.setdefault(version, unit)
    return [versions[version] for version in sorted(versions, reverse=True)[:2]]


def _split_title(scored: ScoredUnit) -> tuple[str, tuple[int, ...]]:
    """The title of a unit's page without its numbers, and these."""
    title = scored.unit.ranked.evidence.context.title
    return _NUMBER.sub("0", title).casefold(), tuple(int(number) for number in _NUMBER.findall(title))


def _quote_around(
    focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit], max_words: int, with_list: bool
) -> Statement:
    """A unit and others of its evidence that fit nearly as well; of a passage also what is between and after.

    What a sentence announces, restricts or explains mostly stands right after it.
    """
    # A line with a colon at its end announces something else, unless it is the best one itself.
    same = [
        unit
        for unit in units
        if unit.unit.ranked is best.unit.ranked and unit is not best and not unit.unit.text.endswith(":")
    ]
    chosen = [best, *[unit for unit in same if unit.score >= SAME_EVIDENCE * best.score][: _MAX_SENTENCES - 1]]
    evidence = best.unit.ranked.evidence
    if evidence.kind != "passage":
        return statement(focus, chosen)
    indexes = {unit.unit.index for unit in chosen}
    words = sum(count_words(evidence.parts[index]) for index in indexes)
    between = [index for index in range(min(indexes), max(indexes)) if index not in indexes]
    last, announces = len(evidence.parts) - 1, best.unit.text.endswith(":")
    for index in [*between, *range(max(indexes) + 1, last + 1)]:
        words += count_words(evidence.parts[index])
        begins_other = evidence.parts[index].endswith(":") and not announces and index > best.unit.index + 1
        if words > max_words or begins_other:
            break
        indexes.add(index)
    return passage(best.unit.ranked, sorted(indexes), with_list=with_list and best.unit.index == last)


def _other_places(focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """The best units of other evidences that answer nearly as well."""
    places = {best.unit.ranked.evidence.evidence_id: best}
    for unit in units:
        if unit.score >= _CLOSE * best.score and not _lacks_a_number(focus, unit, best):
            places.setdefault(unit.unit.ranked.evidence.evidence_id, unit)
    return list(places.values())[1 : 1 + _OTHER_PLACES]


def _select_for_identifiers(focus: Focus, shown: Sequence[Statement], units: Sequence[ScoredUnit]) -> list[Statement]:
    """For each identifier of the question that is in none of the statements, the best unit that has it.

    "What changed from 4.0.0 to 5.0.0?" is about two places, of which one fits better.
    """
    added: list[Statement] = []
    for identifier in find_identifiers(focus.question):
        if any(SearchedText.of(each.ranked.evidence, each.text).has(identifier) for each in (*shown, *added)):
            continue
        having = (unit for unit in units if SearchedText.of(unit.unit.ranked.evidence, unit.unit.text).has(identifier))
        best = next((unit for unit in having if unit.score >= _ALSO_NAMED * units[0].score), None)
        if best and len(added) < _OTHER_PLACES:
            added.append(_quote_other(focus, best, units))
    return added


def _quote_other(focus: Focus, unit: ScoredUnit, units: Sequence[ScoredUnit]) -> Statement:
    if unit.unit.ranked.evidence.kind in PROSE:
        return _quote_around(focus, unit, units, _ALSO_WORDS, with_list=False)
    return statement(focus, [unit])


def _only_asks(unit: Unit) -> bool:
    """Whether a unit is a question that nothing follows: pages quote questions, and their answers stand after them."""
    evidence = unit.ranked.evidence
    following = evidence.parts[unit.index + 1] if unit.index + 1 < len(evidence.parts) else evidence.context.after
    return unit.text.endswith("?") and following in {"", LEFT_OUT}


def _says_more(focus: Focus, unit: Unit) -> bool:
    """Whether a unit says more than the question: an item "Christmas party" does not tell when it is."""
    rows = unit.ranked.evidence.rows
    content = " ".join(value for _, value in rows[unit.index]) if unit.index < len(rows) else without_marker(unit.text)
    rest = tuple(term for term in terms(content) if term not in _FILLERS and not is_stopword(term))
    return not all(word_matches(rest, focus.question))


def _lacks_a_number(focus: Focus, unit: ScoredUnit, best: ScoredUnit) -> bool:
    """Whether a unit lacks a year or version that the question names and the best unit has: it is about another one."""
    numbers = tuple(word for word in focus.words if any(character.isdigit() for character in word))
    has, lacks = (word_matches(numbers, f"{place_of(item.unit)} {item.unit.text}") for item in (best, unit))
    return any(there and not missing for there, missing in zip(has, lacks, strict=True))


# -------------------------------------------------------------------------------------------- rows


def _select_best(focus: Focus, units: Sequence[ScoredUnit]) -> ScoredUnit:
    """The best unit, or a row that fits as well and has a cell that the question names in full.

    "sparrow" names the row of sparrow, not that of sparrow-classic, though both have the word.
    """
    best = units[0]
    rows = [
        unit
        for unit in units
        if unit.score >= _NAMED_ROW * best.score and 2 * _count_named_words(focus, unit) >= max(len(focus.words), 1)
    ]
    named = max(rows, key=lambda unit: (_count_named_words(focus, unit), unit.score), default=best)
    return named if _count_named_words(focus, named) > _count_named_words(focus, best) else best


def _begin_of_section(best: ScoredUnit, units: Sequence[ScoredUnit]) -> ScoredUnit:
    """The first sentence or item of the best one's section that fits as well: what is asked for is the section then.

    Where title and heading account for the question, nothing tells the section's sentences apart.
    """
    if best.unit.ranked.evidence.kind not in PROSE:
        return best
    alike = [
        unit
        for unit in units
        if unit.unit.ranked.evidence.kind in PROSE
        and unit.score >= _AS_GOOD * best.score
        and section_of(unit.unit.ranked.evidence) == section_of(best.unit.ranked.evidence)
    ]
    return min(alike, key=lambda unit: (unit.unit.ranked.evidence.ordinal, unit.unit.index))


def _count_named_words(focus: Focus, scored: ScoredUnit) -> int:
    """The number of content words of the longest cell that the question has to the letter; 0 if it has none."""
    rows = scored.unit.ranked.evidence.rows
    if scored.unit.index >= len(rows):
        return 0
    cells = (content_words(value) for _, value in rows[scored.unit.index])
    asked = set(focus.words)
    return max((len(cell) for cell in cells if 0 < len(cell) <= _NAME_WORDS and asked >= set(cell)), default=0)


def _select_rows(focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """The best row, and similar rows of its table if a list is wanted, else those that nothing tells apart from it."""
    table = [unit for unit in units if unit is not best and _table_of(unit) == _table_of(best)]
    if focus.wants_list:
        rows = [unit for unit in table if _is_similar(unit, best)]
        return [best, *rows][:_MAX_ROWS]
    page = [unit for unit in units if unit is not best and _table_of(unit)[0] == _table_of(best)[0]]
    tied = [unit for unit in page if _table_of(unit)[1] and best.own and _is_tied(focus, unit, best)]
    return [best, *tied][:_MAX_TIED_ROWS]


def _other_rows(shown: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]) -> list[ScoredUnit]:
    """The other rows of a small table, in its order, if all of them are among the evidences.

    What is asked may need more than the row that matches best: the rest, the largest, or how many there are.
    """
    structure = shown[0].unit.ranked.evidence.structure
    if structure is None or structure.total > _SMALL_TABLE:
        return []
    rows: dict[int, Unit] = {}
    for ranked in sorted(evidences, key=lambda ranked: ranked.evidence.kind == "table"):
        found = ranked.evidence.structure
        if found is not None and _block_of(ranked.evidence) == _block_of(shown[0].unit.ranked.evidence):
            for index, number in enumerate(found.numbers):
                rows.setdefault(number, Unit(ranked, index, ranked.evidence.parts[index]))
    if len(rows) != structure.total or sum(count_words(row.text) for row in rows.values()) > _SMALL_WORDS:
        return []
    known = {scored.unit.text for scored in shown}
    return [ScoredUnit(row, 0.0, 0.0, 0.0) for _, row in sorted(rows.items()) if row.text not in known]


def _table_of(unit: ScoredUnit) -> tuple[str, int]:
    """The table of a row: its page, and the table's number there; 0 for what is in no table."""
    return _block_of(unit.unit.ranked.evidence)


def _block_of(evidence: Evidence) -> tuple[str, int]:
    is_row = evidence.kind in {"table", "table_row"}
    return evidence.page_id, evidence.structure.block if is_row and evidence.structure else 0


def _is_similar(unit: ScoredUnit, best: ScoredUnit) -> bool:
    return unit.own >= _SIMILAR_ROWS * best.own and unit.score >= _SIMILAR_ROWS * best.score


def _is_tied(focus: Focus, unit: ScoredUnit, best: ScoredUnit) -> bool:
    return (
        unit.own >= _TIED * best.own
        and unit.score >= _TIED_SCORE * best.score
        and _count_named_words(focus, unit) == _count_named_words(focus, best)
    )
