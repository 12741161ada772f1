"""Verdicts of what no single clause says: list items with their introduction, yes-or-no cells, and what exists.

Each unit has to account for all words of the question, most by letters. Words of another form or language are
compared by meaning, names never. Units that contradict each other give no verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from core.answering.extractive.quoting.compose import quote_units, quotes_unit
from core.answering.extractive.units import ScoredUnit
from core.answering.extractive.verdicts.comparison import read_comparison
from core.answering.extractive.verdicts.end_of_use import read_end_of_use
from core.answering.extractive.verdicts.meaning import read_clauses_by_meaning
from core.answering.extractive.verdicts.needed_words import (
    TextWords,
    UnitVerdict,
    find_missing_words,
    is_same_word,
    list_stated,
    read_polarity,
)
from core.answering.extractive.verdicts.sets import read_set_verdict, read_universal_denial
from core.answering.extractive.verdicts.states import STATES, unify_states
from core.answering.extractive.verdicts.value_verdicts import has_values, read_value_verdict
from core.answering.extractive.verdicts.yes_no_question import (
    CLAUSES,
    CONDITIONS,
    DUTIES,
    NEGATIONS,
    PREPOSITIONS,
    YesNoQuestion,
    is_stated,
    read_yes_no_question,
    write_lead,
)
from core.languages import detect_language
from core.model import TABLE_KINDS
from core.ports.models import WordMatcher
from core.reading.plans.tasks import DONE_WORDS
from core.reading.relations.marks import is_blank, read_verdict
from core.reading.words import FAILURE_WORDS, SUCCESS_WORDS, Word, fold_words, split_words
from core.text import list_words
from core.wording.focus import Focus
from core.wording.list_markers import strip_marker
from core.wording.quotations import Quotation

_NEAR = 0.8  # of the best unit's score
_MOST_COMPARED = 3  # texts
_SAME_LANGUAGE, _OTHER_LANGUAGE = 0.65, 0.56  # match of a word by meaning; words without a counterpart reach .55, .5
_ITEM_WORDS = 25  # of an item that names one thing
_PARENT_WORDS = 8  # of an item that introduces nested ones without a colon
_HEAD = 0.5  # share of an item's first phrase that the question has to have
_EXCEPT = CONDITIONS | frozenset("except but besides excluding außer aber bis ausgenommen".split())
_PREPOSITIONS = PREPOSITIONS | frozenset(
    """above about against after before below between by into over through to until with without above behind bis durch
    gegen hinter mit nach ohne über unter vor zu zum zur zwischen""".split()
)
_AND = re.compile(r"(?i)\b(?:and|or|und|oder|sowie)\b")
_EXISTS = re.compile(r"(?i)^\W{0,3}(?:is there|are there|gibt es|was there|were there|existiert|existieren)\b")
_NEUTRAL_HEADERS = frozenset(["", "y n", "yes no", "j n", "ja nein", "status", "value", "wert"])  # words, in lower case
_NEGATIVE = re.compile(r"(?i)\b(?:not?|non|without|nicht|kein[er]?|ohne|missing|fehlt|fault|bugs?|issues?|problems?)\b")


async def add_unit_verdict(
    focus: Focus, units: Sequence[ScoredUnit], quotations: Sequence[Quotation], matcher: WordMatcher
) -> list[Quotation] | None:
    """Put the verdict of a unit, with its reason, before the quotations; return None if no unit gives one.

    Raises :class:`core.errors.EmbedderUnavailable`.
    """
    if not quotations:
        return None
    yes_no_question = read_yes_no_question(focus)
    pages = {quotation.evidence.page_id for quotation in quotations}
    near = [unit for unit in units if unit.score >= _NEAR * units[0].score and unit.evidence.page_id in pages]
    ended = next((verdict for unit in near if (verdict := read_end_of_use(focus, unit))), None)
    if yes_no_question is None:
        stated = ended or read_comparison(focus, units)
        return _put_first(focus, stated, stated.says, quotations) if stated else None
    found = [verdict for unit in near for read in _READERS if (verdict := read(yes_no_question, unit))]
    found += [verdict for unit in near if (verdict := read_set_verdict(yes_no_question, unit, _join_page(unit, units)))]
    settled = [verdict for verdict in found if not verdict.unknown and not verdict.extra]
    settled += [ended] if ended else []
    settled = settled or await _confirm(focus, [each for each in found if each.unknown or each.extra], matcher)
    if not settled or len({verdict.says for verdict in settled}) > 1:
        return None
    return _put_first(focus, settled[0], settled[0].says != yes_no_question.is_opposite, quotations)


def _put_first(focus: Focus, verdict: UnitVerdict, says: bool, quotations: Sequence[Quotation]) -> list[Quotation]:
    """Put the verdict before the quotations, with its reason and what else the quotation of its unit says."""
    lead = write_lead(says, focus)
    shown = next((each for each in quotations if quotes_unit(each, verdict.unit)), None)
    added = [unit for unit in verdict.also if not any(quotes_unit(each, unit) for each in quotations)]
    others = [*(quote_units(focus, [unit]) for unit in added), *(each for each in quotations if each is not shown)]
    if shown is None:
        return [replace(quote_units(focus, [verdict.unit]), text=verdict.reason, lead=lead), *others]
    return [
        replace(shown, text="\n".join(filter(None, (verdict.reason, _find_rest(shown, verdict)))), lead=lead),
        *others,
    ]


def _join_page(unit: ScoredUnit, units: Sequence[ScoredUnit]) -> str:
    """Return what was found of the page of a unit, with its title and headings."""
    texts = [other.text for other in units if other.evidence.page_id == unit.evidence.page_id]
    context = unit.evidence.context
    return "\n".join((context.title, *context.heading_path, unit.evidence.text, *texts))


def _find_rest(shown: Quotation, verdict: UnitVerdict) -> str:
    """Return what a quotation says besides the reason of the verdict."""
    text = shown.text.strip()
    if verdict.unit.evidence.kind == "passage":
        return text.removeprefix(verdict.unit.text.strip()).lstrip()
    is_same = [word.folded for word in split_words(text)] == [word.folded for word in split_words(verdict.reason)]
    return "" if is_same else text


async def _confirm(focus: Focus, verdicts: Sequence[UnitVerdict], matcher: WordMatcher) -> list[UnitVerdict]:
    """Return the verdicts whose texts have the unknown words by meaning."""
    chosen = sorted(verdicts, key=lambda verdict: len(verdict.unknown) + len(verdict.extra))[:_MOST_COMPARED]
    if not chosen:
        return []
    matches = await matcher.match_words(focus.question, [verdict.text for verdict in chosen])
    confirmed: list[UnitVerdict] = []
    for verdict, scores in zip(chosen, matches.scores, strict=True):
        least = _SAME_LANGUAGE if detect_language(verdict.text) == focus.language else _OTHER_LANGUAGE
        is_confirmed = _has_all(verdict.unknown, matches.words, scores, least)
        if is_confirmed and verdict.extra:
            back = await matcher.match_words(verdict.text, [focus.question])
            is_confirmed = _has_all(verdict.extra, back.words, back.scores[0], least)
        if is_confirmed:
            confirmed.append(verdict)
    return confirmed


def _has_all(needed: Sequence[Word], words: Sequence[str], scores: Iterable[float], least: float) -> bool:
    of_word = {word.folded: score for text, score in zip(words, scores, strict=True) for word in split_words(text)}
    return all(of_word.get(word.folded, 0.0) >= least for word in needed)


# -------------------------------------------------------------------------------------------- items


def _read_item(yes_no_question: YesNoQuestion, unit: ScoredUnit) -> UnitVerdict | None:
    """Return what an item answers together with the line or heading that introduces its list."""
    evidence = unit.evidence
    if evidence.kind != "list" or "?" in unit.text or "```" in unit.text:
        return None
    item, said = strip_marker(unit.text).strip(), _find_introduction(unit)
    own, introduction = TextWords.of(item), TextWords.of(said)
    stated = list_stated(yes_no_question)
    if not said or len(own.words) > _ITEM_WORDS or not stated or _EXISTS.match(yes_no_question.text):
        return None
    if (own.folded | introduction.folded) & _EXCEPT - yes_no_question.folded or own.folded & NEGATIONS:
        return None
    around = TextWords.of(" ".join((evidence.context.title, *evidence.context.heading_path)))
    of_item = [word for word in stated if own.has(word)]
    of_introduction = [word for word in stated if introduction.has(word) and word not in of_item]
    unknown = find_missing_words(yes_no_question, stated, own, introduction, around)
    says = read_polarity(introduction)
    if unknown is None or says is None or not of_item or not (of_introduction or unknown):
        return None
    if (
        not has_values(yes_no_question, f"{said}\n{item}")
        or not _names_item(item, stated)
        or (yes_no_question.folded & DUTIES and not introduction.folded & DUTIES)
    ):
        return None
    reason = f"{said} {item}" if said.endswith(":") else f"{said}: {item}"
    return UnitVerdict(says, reason, unit, unknown, f"{said}\n{item}")


def _find_introduction(unit: ScoredUnit) -> str:
    """Return the item above a nested one, else the line with a colon before the list, else the heading."""
    evidence, at = unit.evidence, unit.index
    depths = evidence.structure.depths if evidence.structure else ()
    if at < len(depths) and depths[at]:
        above = next((index for index in reversed(range(at)) if depths[index] < depths[at]), None)
        parent = strip_marker(evidence.parts[above].strip()).strip() if above is not None else ""
        return parent if parent.endswith(":") or len(split_words(parent)) <= _PARENT_WORDS else ""
    lines = evidence.context.lines_before
    if lines and lines[-1].rstrip().endswith(":"):
        return lines[-1].strip()
    return evidence.context.heading_path[-1] if evidence.context.heading_path else ""


def _names_item(item: str, stated: Sequence[Word]) -> bool:
    """Whether the question has what an item, or what stands in its brackets, is about: the words before a preposition.

    "Command line of the kernel" is not about the kernel.
    """
    for phrase in (part for clause in CLAUSES.split(item) for part in _AND.split(clause)):
        words = split_words(phrase)
        end = next((at for at, word in enumerate(words) if at and word.folded in _PREPOSITIONS), len(words))
        head = [word for word in words[:end] if is_stated(word)]
        known = [any(is_same_word(word, one) for one in stated) for word in head]
        if head and known[0] and sum(known) > _HEAD * len(known):
            return True
    return False


# ---------------------------------------------------------------------------------- existing things


def _read_existence(yes_no_question: YesNoQuestion, unit: ScoredUnit) -> UnitVerdict | None:
    """Return yes if a question asks whether there is something that is a heading, an item or a cell of a row."""
    context, stated = unit.evidence.context, list_stated(yes_no_question)
    if not _EXISTS.match(yes_no_question.text[yes_no_question.start :]) or yes_no_question.is_opposite or not stated:
        return None
    heading = context.heading_path[-1] if context.heading_path else ""
    path, title = (context.title, *context.heading_path), TextWords.of(context.title)
    is_other = detect_language(unit.text) != detect_language(yes_no_question.text)
    for thing in (*_list_things(unit), heading):
        own, around = TextWords.of(thing), TextWords.of(" ".join(path))
        unknown = find_missing_words(yes_no_question, stated, own, around)
        is_named = any(own.has(word) and not title.has(word) for word in stated)  # any part of the page has its title
        if unknown is None or not is_named or (unknown and not is_other):
            continue
        if (own.folded | TextWords.of(heading).folded) & (NEGATIONS | _EXCEPT):
            continue
        if thing == heading and not all(_names_heading(word, stated) for word in split_words(heading)):
            continue
        return UnitVerdict(True, thing, unit, unknown, "\n".join((*path, thing)))
    return None


def _names_heading(word: Word, stated: Sequence[Word]) -> bool:
    return not is_stated(word) or any(is_same_word(word, one) for one in stated)


def _list_things(unit: ScoredUnit) -> Iterator[str]:
    """Yield the item of a list, or the cells of a row with their headers, unless a cell of it is a no or blank."""
    evidence = unit.evidence
    if evidence.kind == "list" and len(split_words(unit.text)) <= _ITEM_WORDS:
        yield strip_marker(unit.text).strip()
    elif evidence.kind in TABLE_KINDS:
        if any(read_verdict(value) is False or is_blank(value) for _, value in unit.cells):
            return
        for header, value in unit.cells:
            if len(split_words(value)) <= _ITEM_WORDS:
                yield f"{header}: {value}" if header else value


# -------------------------------------------------------------------------------------------- cells


def _read_cells(yes_no_question: YesNoQuestion, unit: ScoredUnit) -> UnitVerdict | None:
    """Return what the only cell with yes or no answers whose row, or pair of columns, has the question's words."""
    evidence, stated = unit.evidence, list_stated(yes_no_question)
    if evidence.kind not in TABLE_KINDS or not unit.cells or not stated:
        return None
    context = evidence.context
    around = TextWords.of(" ".join((context.title, *context.heading_path)))
    found: list[UnitVerdict] = []
    for before, header, value in _list_verdicts(unit.cells):
        label = ", ".join(f"{name}: {cell}" if name else cell for name, cell in before)
        own, head = TextWords.of(label), TextWords.of(header)
        named = TextWords.of(", ".join(cell for _, cell in before))
        is_neutral = " ".join(list_words(header)) in _NEUTRAL_HEADERS
        needed = [word for word in stated if word.folded not in STATES] if is_neutral else stated
        unknown = find_missing_words(yes_no_question, needed, own, head, around)
        is_denied = _NEGATIVE.search(f"{label} {header}") or not read_polarity(head)
        is_denied = is_denied or bool(
            own.folded & STATES & yes_no_question.folded
        )  # "Optional parts": "Are they required?"
        # The title may have the word that is asked about, which this column is then not about.
        is_of_column = is_neutral or bool(unknown) or bool(_EXISTS.match(yes_no_question.text))
        is_of_column = is_of_column or any(head.has(word) for word in needed)
        if unknown is None or is_denied or not is_of_column or not any(named.has(word) for word in needed):
            continue
        if not _asks_for_state(yes_no_question, value):
            continue
        name = f"{label}, {header}" if header else label
        says = bool(read_verdict(value))
        found.append(UnitVerdict(says, f"{name}: {value}", unit, unknown, f"{label}\n{header}"))
    return found[0] if len(found) == 1 else None


def _asks_for_state(yes_no_question: YesNoQuestion, value: str) -> bool:
    """Whether a question asks for the state in which a cell says yes or no; "yes" and "no" themselves say none."""
    state = {word.folded for word in split_words(unify_states(value))[:2]} & STATES
    if state:
        return yes_no_question.folded & STATES == state
    said = next(iter(fold_words(value)), "")
    if said in SUCCESS_WORDS | FAILURE_WORDS:
        return not yes_no_question.folded.isdisjoint(SUCCESS_WORDS) and yes_no_question.folded.isdisjoint(FAILURE_WORDS)
    return said not in DONE_WORDS or not yes_no_question.folded.isdisjoint(DONE_WORDS)


def _read_yes_no_cell(value: str) -> bool | None:
    """Return what a cell says; None if it says nothing, or first that it is blank: "– (open)"."""
    first = value.split(maxsplit=1)[0] if value.strip() else ""
    return None if is_blank(first.rstrip(",;:.")) else read_verdict(value)


def _list_verdicts(row: Sequence[tuple[str, str]]) -> Iterator[tuple[list[tuple[str, str]], str, str]]:
    """Yield what each cell with yes or no is about, as headers with cells, and its own header and text.

    If several columns have the same header, each is about the cells since the one before.
    """
    headers = [header for header, value in row if _read_yes_no_cell(value) is not None]
    is_paired = len(headers) > 1 and len(set(headers)) == 1
    before: list[tuple[str, str]] = []
    for header, value in row:
        says = _read_yes_no_cell(value)
        if says is None:
            before.append((header, value))
        elif before:
            yield before, header, value
        if says is not None and is_paired:
            before = []


_READERS: tuple[Callable[[YesNoQuestion, ScoredUnit], UnitVerdict | None], ...] = (
    _read_item,
    _read_existence,
    _read_cells,
    read_value_verdict,
    read_universal_denial,
    read_clauses_by_meaning,
)
