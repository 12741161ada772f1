"""Selects what an extractive answer quotes: sentences with those around them, whole lists or sections, or rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from core.answering.extractive.exclusions.dated_titles import (
    asks_for_newest,
    asks_for_version,
    find_current_title,
    split_title,
)
from core.answering.extractive.order.reasons import find_cause, has_reason, has_reason_heading, says_why
from core.answering.extractive.order.table_notes import put_legend_last, put_notes_first
from core.answering.extractive.quoting.asked_steps import put_steps_first, quote_asked_step
from core.answering.extractive.quoting.compose import quote_items, quote_list, quote_passage, quote_units
from core.answering.extractive.quoting.enumerations import quote_enumeration, quote_enumeration_of
from core.answering.extractive.quoting.lines import find_named_lines, find_record
from core.answering.extractive.quoting.named_items import find_numbered_item, has_naming_number
from core.answering.extractive.quoting.replaced_pages import order_by_replacement, quote_replacement
from core.answering.extractive.quoting.rows import prefer_named_row, quote_rows
from core.answering.extractive.quoting.whole_sections import (
    SAME_EVIDENCE,
    SURELY,
    asks_for_step,
    find_named_section,
    put_named_lists_first,
    quote_section,
    wants_whole_list,
)
from core.answering.extractive.units import (
    AS_GOOD,
    ScoredUnit,
    Unit,
    describe_context,
    is_code,
    put_first,
)
from core.evidence.groups import ExtractionSettings
from core.model import TABLE_KINDS, TEXT_KINDS, Evidence, RankedEvidence
from core.reading.lists import find_whole_list
from core.reading.words import has_outdated_word, is_marked_outdated
from core.text import count_words, is_stopword, list_words, split_subject
from core.wording.content_words import select_content_words
from core.wording.focus import Focus, find_carried_words, find_words_with_digits
from core.wording.identifiers import IdentifierForm, SearchedText, find_identifiers
from core.wording.instructions import LEFT_OUT
from core.wording.list_markers import begins_list, strip_marker
from core.wording.quotations import Quotation
from core.wording.word_matches import match_text, match_texts, split_terms

_CLOSE = 0.9  # of the best unit's score: as good an answer
_SAME_BUT_NUMBER = 0.95  # of the best unit's score, for a unit with more numbers of the question
_NEWEST = 0.75  # of the best unit's score: for a unit of a newer page, if the newest is asked for
_SHORT_ANSWER_WORDS = 45  # of a text below a question
_LIKELY, _CLEARLY = 1.0, 2.0  # in log-odds
_MAX_SENTENCES = 3
_SPLIT_CHARS = ExtractionSettings().max_chars  # two passages that were one text are longer together
_PASSAGE_WORDS = 100  # of a quoted passage, with the sentences that follow the best one
_ALSO_WORDS = 30  # of another passage, with the sentences that follow the best one
_MOST_OTHER_WORDS = 150  # of the same, with the text between two sentences that fit
_OTHER_EVIDENCES = 2
_ALSO_NAMED = 0.6  # of the best unit's score: for a unit with an identifier that the best one lacks
_SMALL_WORDS = 120  # of a list after a text of another evidence
_FOLLOWING = re.compile(
    r"(?i)\b(?:the following|as follows|folgende[mnrs]?)\b(?! (?:day|week|month|year|Tag|Woche|Monat|Jahr))"
)
"""Words that announce a list without a colon."""
_TITLED_QUESTION = re.compile(r"[^.!?\n]{1,200}\?: ")
"""The title of an expandable text, before its first sentence, if it is a question."""
_EXAMPLE = re.compile(r"(?i)(?:e\.g\.|(?:for )?example|(?:zum )?beispiel|z\. ?b\.)")
_NUMBER = re.compile(r"[0-9]{1,9}")
_FILLERS = frozenset(["every", "each", "jede", "jeder", "jedes", "alle"])


def select_quotations(
    focus: Focus, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]
) -> list[Quotation]:
    """Return the quotations of the answer, best first; none if no unit says more than the question does.

    ``evidences``: those of the units, and others that may have the remaining rows of a table.
    """
    shown = quote_asked_step(focus, units, evidences) or _keep_numbered_items(
        focus, _select_by_score(focus, units, evidences)
    )
    shown = drop_repeated([*shown, *_select_for_identifiers(focus, shown, units)]) if shown else []
    return [*put_legend_last(focus, shown), *quote_replacement(shown, evidences)]


def _keep_numbered_items(focus: Focus, quotations: Sequence[Quotation]) -> list[Quotation]:
    """Return the quotations, of a list only the item that alone has a number of the question: "error 0x31".

    Lists without one are left out then, unless their title or heading has it.
    """
    items = [find_numbered_item(focus, each.evidence) for each in quotations]
    beside = next((each.evidence for each, item in zip(quotations, items, strict=True) if item is not None), None)
    if beside is None:
        return list(quotations)
    return [
        each if item is None else quote_items(each.evidence, find_record(focus, each.evidence, item) or [item])
        for each, item in zip(quotations, items, strict=True)
        if item is not None or each.evidence.kind != "list" or has_naming_number(focus, each.evidence, beside)
    ]


def drop_repeated(quotations: Sequence[Quotation]) -> list[Quotation]:
    """Return the quotations without those that only repeat lines of a page's earlier ones.

    A sentence that announces a list is quoted with it, and the list is an evidence of its own.
    """
    kept: list[Quotation] = []
    for quotation in quotations:
        said = [each.text for each in kept if each.evidence.page_id == quotation.evidence.page_id]
        if not all(any(line in text for text in said) for line in quotation.text.splitlines()):
            kept.append(quotation)
    return kept


def _select_by_score(focus: Focus, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]) -> list[Quotation]:
    """Quote the section that the question names; else the best unit as what it is: a list, a row or a text."""
    units = [unit for unit in units if not _is_unanswered_question(unit)]
    if focus.answer_type != "yes_no":
        units = [unit for unit in units if _adds_to_question(focus, unit)]
    if not units:
        return []
    units = put_steps_first(focus, put_notes_first(focus, put_named_lists_first(focus, _prefer_numbers(focus, units))))
    if section := find_named_section(focus, units, evidences):
        return quote_enumeration_of(section[0].evidence, evidences) or section
    best = _move_to_section_start(focus, prefer_named_row(focus, units), units)
    best, *older = _order_versions(focus, best, units, evidences)
    if best.evidence.kind == "list" and wants_whole_list(focus, best, units):
        return quote_list(find_whole_list(best.evidence, evidences))
    if best.evidence.kind in TABLE_KINDS:
        prose = [unit for unit in units if unit.evidence.kind in TEXT_KINDS]
        beside = _select_other_evidences(focus, best, prose)[:1]
        rows = quote_rows(focus, best, older, units, evidences)
        return [*rows, *(_quote_beside(focus, unit, best, units) for unit in beside)]
    return (
        quote_enumeration(focus, best, units, evidences)
        or quote_section(focus, best, units, evidences)
        or _quote_text(focus, best, older, units, evidences)
    )


def _quote_text(
    focus: Focus,
    best: ScoredUnit,
    older: Sequence[ScoredUnit],
    units: Sequence[ScoredUnit],
    evidences: Sequence[RankedEvidence],
) -> list[Quotation]:
    shown = [_quote_around(focus, best, units, _PASSAGE_WORDS, with_list=True)]
    if best.index not in find_named_lines(focus, best.evidence):
        shown += _continue_passage(shown[0], evidences)
    return _add_other_evidences(focus, best, units, older, shown)


def _add_other_evidences(
    focus: Focus,
    best: ScoredUnit,
    units: Sequence[ScoredUnit],
    older: Sequence[ScoredUnit],
    shown: Sequence[Quotation],
) -> list[Quotation]:
    """Return the quotations of a text with those of the cause and of other evidences that say something else."""
    added = list(shown)
    if cause := find_cause(focus, best, units):
        added.append(_quote_around(focus, cause, units, _PASSAGE_WORDS, with_list=False))
    for unit in _select_other_evidences(focus, best, [*older, *units]):
        also = _quote_other(focus, unit, units)
        if not all(any(line in other.text for other in added) for line in also.quote.splitlines()):
            added.append(also)
    return added


def _order_versions(
    focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]
) -> list[ScoredUnit]:
    """Return the best unit; of pages whose titles differ in a date or numbers only, the newest and the next one.

    "Travel policy 2026" comes before "Travel policy 2024" where the question does not say which, and "VPN" before "VPN
    (old)". So does a page before the one that it replaces, and one that says as much before one that no longer holds.
    """
    if ordered := order_by_replacement(focus, best, units, evidences):
        return ordered
    own = best.evidence.context.title
    if (current := find_current_title(own)) and not asks_for_version(focus.question, own):
        of_current = (unit for unit in units if tuple(list_words(unit.evidence.context.title)) == current)
        newer = next(of_current, None) or next((unit for unit in units if _holds_instead(focus, unit, best)), best)
        return [newer, best] if newer is not best and newer.score >= _NEWEST * best.score else [best]
    title, numbers = split_title(own)
    if not numbers or set(_NUMBER.findall(focus.question)) & set(_NUMBER.findall(own)):
        return [best]
    least = (_NEWEST if asks_for_newest(focus.question) else _CLOSE) * best.score
    versions: dict[tuple[int, ...], ScoredUnit] = {numbers: best}
    for unit in units:
        other, version = split_title(unit.evidence.context.title)
        if other == title and unit.evidence.kind == best.evidence.kind and unit.score >= least:
            versions.setdefault(version, unit)
    return [versions[version] for version in sorted(versions, reverse=True)[:2]]


def _holds_instead(focus: Focus, unit: ScoredUnit, best: ScoredUnit) -> bool:
    """Whether a unit is on a page that holds and says as much as the best one, on a page that no longer does.

    "Travel (from May 2026)" may hold instead of "Travel 2022 – outdated".
    """
    if not is_marked_outdated(best.evidence.context.title) or has_outdated_word(unit.evidence.context.title):
        return False
    own = select_content_words(split_subject(focus.question)[0])
    in_unit, in_best = map(sum, match_texts(own, (unit.text, best.text)))
    return in_unit >= in_best and unit.missing_weight <= best.missing_weight


def _quote_around(
    focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit], max_words: int, with_list: bool
) -> Quotation:
    """Quote a unit with others of its evidence that fit nearly as well; of a passage also the text between and after.

    ``with_list``: also the list after a passage, and the other items of a small list. A line "name: value" whose name
    is asked for needs no other text; such lines are quoted together.
    """
    if best.index in (named := find_named_lines(focus, best.evidence)):
        return quote_passage(best.evidence, named)
    chosen = _choose_alike(focus, best, units)
    if best.evidence.kind == "passage":
        return _quote_sentences(focus, best, chosen, max_words, with_list)
    return _quote_items_or_rows(focus, best, chosen, units, with_list)


def _choose_alike(focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the best unit and the next of its evidence that fit nearly as well and are not rated clearly lower."""
    if _is_announcement(focus, best):
        return [best]  # what it announces answers, not the sentences before it
    # A colon announces other text, and a question another answer, unless it is the best unit itself.
    others = (unit for unit in units if unit.ranked is best.ranked and unit is not best)
    same = [unit for unit in others if not unit.text.endswith((":", "?")) and not _answers_other_question(unit, best)]
    alike = [unit for unit in same if unit.score >= SAME_EVIDENCE * best.score][: _MAX_SENTENCES - 1]
    return [best, *(unit for unit in alike if not _is_rated_lower(unit, best))]


def _is_rated_lower(unit: ScoredUnit, best: ScoredUnit) -> bool:
    """Whether the best unit is likely to answer, and another one clearly less."""
    return best.rating >= _LIKELY and unit.rating != 0 and unit.rating <= best.rating - _CLEARLY


def _quote_items_or_rows(
    focus: Focus, best: ScoredUnit, chosen: Sequence[ScoredUnit], units: Sequence[ScoredUnit], with_all_items: bool
) -> Quotation:
    if focus.answer_type == "reason" and has_reason(best):
        return quote_units(focus, [best])
    if record := find_record(focus, best.evidence, best.index):
        return quote_items(best.evidence, record)
    is_one_asked = not focus.wants_list or asks_for_step(focus, best, units)
    is_alone = len(chosen) == 1 and is_one_asked and _stands_out(best, units)
    return quote_units(focus, chosen, with_all_items=with_all_items and focus.answer_type != "yes_no" and not is_alone)


def _stands_out(best: ScoredUnit, units: Sequence[ScoredUnit]) -> bool:
    """Whether an item answers almost certainly, and no other item of its list is rated nearly as high."""
    others = (unit for unit in units if unit.ranked is best.ranked and unit is not best)
    return best.rating >= SURELY and all(unit.rating <= best.rating - _CLEARLY for unit in others)


def _quote_sentences(
    focus: Focus, best: ScoredUnit, chosen: Sequence[ScoredUnit], max_words: int, with_list: bool
) -> Quotation:
    """Quote sentences of a passage with the text between them, since what would be left out may be the answer.

    The text after them is quoted too, up to ``max_words``: a condition, restriction or explanation of a sentence
    usually stands right after it.
    """
    evidence, parts, last = best.evidence, best.evidence.parts, len(best.evidence.parts) - 1
    begin, end = min(unit.index for unit in chosen), max(unit.index for unit in chosen)
    if focus.answer_type == "reason" and says_why(best):
        begin = best.index  # the reason is the answer
        chosen = [unit for unit in chosen if unit.index >= begin]
    elif focus.answer_type == "reason" and has_reason_heading(evidence):
        begin = 0 if sum(map(count_words, parts[: end + 1])) <= max_words else begin  # all of the section is the reason
    elif (
        focus.answer_type != "yes_no"
        and _answers_heading(evidence)
        and sum(map(count_words, parts)) <= _SHORT_ANSWER_WORDS
    ):
        begin, end = 0, last  # all of it is the answer
    words = sum(map(count_words, parts[begin : end + 1]))
    if words > _MOST_OTHER_WORDS and not with_list:
        return quote_units(focus, chosen)
    while end < last and not _begins_other(focus, best, end + 1):
        words += count_words(parts[end + 1])
        if words > max_words:
            break
        end += 1
    is_short = count_words(evidence.context.after) <= _SMALL_WORDS
    is_announced = bool(_FOLLOWING.search(best.text)) and (with_list or is_short)
    shows_list = is_announced or (with_list and best.index == last)
    return quote_passage(evidence, range(begin, end + 1), with_list=shows_list, with_heading=True)


def _answers_heading(evidence: Evidence) -> bool:
    """Whether a text stands below a question as its heading."""
    return any(heading.rstrip().endswith("?") for heading in evidence.context.heading_path[-1:])


def _begins_other(focus: Focus, best: ScoredUnit, index: int) -> bool:
    """Whether a sentence after the best one asks another question, or announces something else than the best one.

    The first code may belong to the best one.
    """
    part, announces = best.evidence.parts[index], best.text.endswith(":")
    announces_other = part.endswith(":") and not announces and index > best.index + 1
    return (announces_other and not _has_first_code_after(focus, best, index)) or _asks(part)


def _has_first_code_after(focus: Focus, best: ScoredUnit, index: int) -> bool:
    """Whether a sentence with a word of the question, or "for example", announces the first code after the best one.

    "This is what the default would look like:". No code answers who, when, where, how long or how many.
    """
    parts = best.evidence.parts
    is_announced = index + 1 < len(parts) and is_code(parts[index + 1])
    if not is_announced or focus.answer_type not in {"other", "reason"} or any(map(is_code, parts[best.index : index])):
        return False
    return bool(_EXAMPLE.match(parts[index])) or any(match_text(focus.words, parts[index]))


def _answers_other_question(unit: ScoredUnit, best: ScoredUnit) -> bool:
    """Whether a question stands between two sentences of a text, so that they answer different ones."""
    first, last = sorted((unit.index, best.index))
    return best.evidence.kind == "passage" and any(map(_asks, best.evidence.parts[first + 1 : last + 1]))


def _asks(part: str) -> bool:
    """Whether a part is a question, or begins with one as its title."""
    return part.endswith("?") or bool(_TITLED_QUESTION.match(part))


def _continue_passage(shown: Quotation, evidences: Sequence[RankedEvidence]) -> list[Quotation]:
    """Return the next sentences of a text that was split for its length where the quote ends; [] elsewhere."""
    before = shown.evidence
    words = count_words(shown.text)
    if before.kind != "passage" or not shown.quote.endswith(before.parts[-1]) or before.parts[-1].endswith(":"):
        return []
    for each in (ranked.evidence for ranked in evidences):
        follows = each.kind == "passage" and each.ordinal == before.ordinal + 1
        is_split = len(before.text) + len(each.text) > _SPLIT_CHARS
        if follows and is_split and each.section_key == before.section_key:
            ends = [words + total for total in accumulate(map(count_words, each.parts))]
            taken = [index for index, end in enumerate(ends) if end <= _PASSAGE_WORDS]
            return [quote_passage(each, taken)] if taken else []
    return []


def _select_other_evidences(focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the best units of other evidences that fit nearly as well."""
    found = {best.evidence.evidence_id: best}
    for unit in units:
        if unit.score >= _CLOSE * best.score and not _lacks_number(focus, unit, best):
            found.setdefault(unit.evidence.evidence_id, unit)
    return list(found.values())[1 : 1 + _OTHER_EVIDENCES]


def _select_for_identifiers(focus: Focus, shown: Sequence[Quotation], units: Sequence[ScoredUnit]) -> list[Quotation]:
    """Quote, for each identifier of the question that no quotation has, the best unit that has it; not for acronyms,
    which a page may write out.

    "What changed from 4.0.0 to 5.0.0?" is about two evidences, of which one fits better.
    """
    added: list[Quotation] = []
    tables = {each.evidence.table_key for each in shown if each.evidence.kind in TABLE_KINDS}
    named = (each for each in find_identifiers(focus.question) if each.form is not IdentifierForm.ACRONYM)
    for identifier in named:
        if any(SearchedText.of(each.evidence, each.text).has(identifier) for each in (*shown, *added)):
            continue
        having = [unit for unit in units if SearchedText.of(unit.evidence, unit.text).has(identifier)]
        having.sort(key=lambda unit: unit.evidence.table_key not in tables)  # a row beside one that is shown
        best = next((unit for unit in having if unit.score >= _ALSO_NAMED * units[0].score), None)
        if best and len(added) < _OTHER_EVIDENCES:
            added.append(_quote_other(focus, best, units))
    return added


def _quote_other(focus: Focus, unit: ScoredUnit, units: Sequence[ScoredUnit]) -> Quotation:
    if unit.evidence.kind in TEXT_KINDS:
        is_whole = focus.wants_list and unit.evidence.kind == "list"  # one item would look like all
        return _quote_around(focus, unit, units, _ALSO_WORDS, with_list=is_whole)
    return quote_units(focus, [unit])


def _quote_beside(focus: Focus, unit: ScoredUnit, row: ScoredUnit, units: Sequence[ScoredUnit]) -> Quotation:
    """Quote a text beside a row; with the sentences after it if it is the one that likely answers."""
    return _quote_other(focus, unit, units) if unit.rating > max(row.rating, 0.0) else quote_units(focus, [unit])


def _is_unanswered_question(unit: Unit) -> bool:
    """Whether a unit is a question without a following text: where a page answers a question, the answer follows it."""
    evidence = unit.evidence
    following = evidence.parts[unit.index + 1] if unit.index + 1 < len(evidence.parts) else evidence.context.after
    return unit.text.endswith("?") and following in {"", LEFT_OUT}


def _is_announcement(focus: Focus, unit: Unit) -> bool:
    """Whether a sentence with a word of the question announces the list after its passage: "The note should include:".

    "Example:" or "Owner:" before other lines of the passage is none.
    """
    evidence = unit.evidence
    is_last = evidence.kind == "passage" and unit.index == len(evidence.parts) - 1
    announces = is_last and unit.text.endswith(":") and begins_list(evidence.context.after)
    return announces and any(match_text(focus.words, unit.text))


def _adds_to_question(focus: Focus, unit: Unit) -> bool:
    """Whether a unit says more than the question: an item "Christmas party" does not tell when it is.

    A question of the page is answered by the text after it.
    """
    if _is_announcement(focus, unit) or unit.text.endswith("?"):
        return True
    content = " ".join(value for _, value in unit.cells) if unit.cells else strip_marker(unit.text)
    rest = (term for term in split_terms(content) if term not in _FILLERS and not is_stopword(term))
    return not all(match_text((term,), focus.question)[0] for term in rest)  # most units have such a term first


def _lacks_number(focus: Focus, unit: ScoredUnit, best: ScoredUnit) -> bool:
    """Whether a unit lacks a year or version that the question names and the best unit has, so is about another one."""
    numbers = find_words_with_digits(focus)
    has, lacks = (match_text(numbers, f"{describe_context(item)} {item.text}") for item in (best, unit))
    return any(there and not missing for there, missing in zip(has, lacks, strict=True))


# ------------------------------------------------------------------------------------------ the best unit


def _prefer_numbers(focus: Focus, units: Sequence[ScoredUnit]) -> Sequence[ScoredUnit]:
    """Move to the front the unit with the most numbers of the question, of those that match nearly as well.

    Numbers, versions and models match by letters in every language: "Dell 9010" is not "Dell 7490".
    """
    carried = find_carried_words(focus.question)
    numbers = tuple(word for word in find_words_with_digits(focus) if word not in carried)
    if not numbers:
        return units
    near = [unit for unit in units if unit.score >= _SAME_BUT_NUMBER * units[0].score]
    found = match_texts(numbers, [f"{describe_context(unit)} {unit.text}" for unit in near])
    counts = [sum(map(bool, each)) for each in found]
    return put_first(near[counts.index(max(counts))], units)


def _move_to_section_start(focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit]) -> ScoredUnit:
    """Return the first sentence or item of the best unit's section that fits as well.

    Where title and heading account for the question, it asks for the section, and does not tell its sentences apart.
    If another rule chose a unit that matches less well, the section's start is not meant.
    """
    is_reason = focus.answer_type == "reason" and has_reason(best)
    if best.evidence.kind not in TEXT_KINDS or is_reason or _is_announcement(focus, best):
        return best
    alike = [
        unit
        for unit in units
        if unit.evidence.kind in TEXT_KINDS
        and min(unit.score, best.score) >= AS_GOOD * max(unit.score, best.score)
        and unit.evidence.section_key == best.evidence.section_key
        and not _is_rated_lower(unit, best)
    ]
    return min(alike, key=lambda unit: (unit.evidence.ordinal, unit.index))
