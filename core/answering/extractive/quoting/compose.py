"""Composes the answer of the selected units: verbatim, with the text that they need, and with citations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.answering.extractive.quoting.lines import join_parts
from core.answering.extractive.quoting.named_items import is_named_alone
from core.answering.extractive.units import (
    ScoredUnit,
    begins_with_connection,
    begins_with_reference,
    begins_with_reply,
    find_needed_parts,
    is_code,
)
from core.model import TABLE_KINDS, TEXT_KINDS, Answer, Citation, Context, Evidence
from core.text import count_words
from core.wording.focus import Focus
from core.wording.list_markers import (
    LIST_MARKERS,
    begins_list,
    find_ancestor_items,
    find_item_depth,
    find_nested_items,
    strip_marker,
)
from core.wording.quotations import BETWEEN_CELLS, OMITTED, Quotation, make_citation, replace_brackets, write_header
from core.wording.word_matches import match_text

_CELLS = 10  # of a row
_CELL_WORDS = 60
_SHORT_CELL = 4  # words: such cells of a long row are shown too, since they identify it or give a verdict
_LIST_WORDS = 400  # a longer list is cut here
_SMALL_LIST = 8  # items: such a list is shown whole around the best item, or if several of them fit
_SMALL_LIST_WORDS = 120

_ROW_POSITION = re.compile(r"^Row \d+ in Table \d+(?: \((?P<section>.*?)\))?: ", re.DOTALL)
_GENERAL = re.compile(
    r"(?i)[\d.\s]*(?:background|contents|description|details|examples?|general|information|introduction|notes?|options"
    r"|overview|summary|synopsis|usage|allgemeines|beispiele?|beschreibung|einleitung|hinweise?|hintergrund|inhalt"
    r"|überblick|übersicht|zusammenfassung)[:\s]*"
)
"""Headings that any page may have."""

_ENTRY = re.compile(
    r"(?:(?:class|exception|function|method|property|classmethod|staticmethod|async) )*"
    r"(?P<name>[a-z_]\w*(?:\.\w+)+(?=\(|$)|[A-Z]\w*\.[a-z_]\w*(?=\()|[a-z_]\w*(?=\((?![a-zäöü]{1,5}\)))|[a-z](?=\w*_\w)\w+$)"
    r"(?:\(.*\))?|--?[a-z][\w-]*(?:[ =,].*)?"
)
"""The heading over the entry of a function, class, setting or option: "decimal.ROUND_HALF_UP", "--depth=<n>"."""
_OPTION = re.compile(r"--?[a-z][\w-]*")

_REFERS_ELSEWHERE = re.compile(r"(?i)(?:see|siehe)\b")
"""The beginning of a sentence that says only where to read on, so its heading says about what."""

_REST = re.compile(
    r"(?i)(?:otherwise|else|(?:in |for )?all other|any other|sonst|ansonsten|(?:in |für )?alle[nr]? anderen)\b"
)
"""The beginning of an item for what the items before it leave."""

_GOES_ON = re.compile(r"(?i)(?:[,;]|\b(?:and|or|then|und|oder|dann))\s*$")
"""The end of an item that the next one continues: "- close the windows," "- lock the door."."""

_ONE_VALUE = frozenset(["number", "person", "place", "time"])
"""Kinds of answers of which one item of a list has the value."""


def compose(quotations: Sequence[Quotation]) -> Answer:
    """Return the answer: the quotations in order, each with where it is from and the number of its source."""
    numbers: dict[str, int] = {}
    citations: list[Citation] = []
    blocks: list[str] = []
    for quotation, label in zip(quotations, _choose_labels(quotations), strict=True):
        evidence = quotation.evidence
        if evidence.evidence_id not in numbers:
            numbers[evidence.evidence_id] = len(numbers) + 1
            citations.append(make_citation(len(numbers), evidence, quotation.quote))
        text = quotation.text if quotation.text.startswith(label) else f"{label} {quotation.text}"
        separator = "\n" if text.endswith("```") else " "
        blocks.append(f"{quotation.lead}{replace_brackets(text)}{separator}[{numbers[evidence.evidence_id]}]")
    return Answer("\n".join(blocks), answered=True, citations=tuple(citations))


def _choose_labels(quotations: Sequence[Quotation]) -> list[str]:
    """Return what each quotation begins with: where it is from, unless it follows one that said so; "" for nothing.

    That is the page's title if there are several pages, and the heading if there are several sections. What is defined
    by an entry is always named, unless the quotation has the name.
    """
    has_pages = len({quotation.evidence.page_id for quotation in quotations}) > 1
    has_sections = len({quotation.evidence.context.heading_path for quotation in quotations}) > 1
    labels: list[str] = []
    page, section = "", None  # what was named last
    for quotation in quotations:
        evidence = quotation.evidence
        path, title = evidence.context.heading_path, evidence.context.title
        is_telling = _has_telling_heading(evidence) and (bool(evidence.rows) or not quotation.lead)
        label = ""
        if path != section and _is_unnamed_entry(quotation):
            label = f"{title} › {label_heading(evidence.context)}" if has_pages else label_heading(evidence.context)
        elif has_pages and (evidence.page_id != page or (path != section and not is_telling)):
            label = f"{title}:"
        elif has_sections and path != section and is_telling:
            heading = label_heading(evidence.context)
            label = f"{title} › {heading}" if has_pages else heading
        if label or path != section:
            page, section = evidence.page_id, path if label else None
        labels.append(label)
    return labels


def _is_unnamed_entry(quotation: Quotation) -> bool:
    """Whether a quotation is from the entry of what its heading names, and does not name it itself."""
    heading = "".join(quotation.evidence.context.heading_path[-1:])
    entry = _ENTRY.fullmatch(heading) if quotation.evidence.kind in TEXT_KINDS else None
    if entry is None:
        return False
    names = [entry["name"].rpartition(".")[2]] if entry["name"] else _OPTION.findall(heading)
    text = quotation.text.casefold()
    return not any(name.casefold() in text for name in names)


def quote_units(focus: Focus, chosen: Sequence[ScoredUnit], with_all_items: bool = False) -> Quotation:
    """Quote units of one evidence, the best one first, as one quotation.

    ``with_all_items``: quote a small list whole, also if one item is chosen: a few items would look like all.
    """
    evidence = chosen[0].evidence
    indexes = sorted({scored.index for scored in chosen})
    match evidence.kind:
        case "passage":
            return quote_passage(evidence, indexes, with_heading=True)
        case "list" if (with_all_items or len(indexes) > 1) and _is_small_list(evidence):
            best = chosen[0].index
            is_one_asked = focus.answer_type in _ONE_VALUE or is_named_alone(focus, evidence.parts, best)
            first = best if is_one_asked and not focus.wants_list else 0
            return quote_items(evidence, range(len(evidence.parts)), first=first)
        case "list":
            return quote_items(evidence, indexes, mark_omitted=len(indexes) > 1)
        case _:
            return _quote_rows(focus, evidence, indexes)


def quotes_unit(quotation: Quotation, unit: ScoredUnit) -> bool:
    """Whether a quotation has the text of a unit; of a row all cells, since some are not shown."""
    text = quotation.quote if unit.evidence.kind in TABLE_KINDS else quotation.text
    return quotation.evidence.evidence_id == unit.evidence.evidence_id and unit.text in text


# ---------------------------------------------------------------------------------------- passages


def quote_passage(
    evidence: Evidence, indexes: Sequence[int], with_list: bool = False, with_heading: bool = False
) -> Quotation:
    """Quote sentences and code of a passage, with the parts without which they are not understood.

    ``with_list``: also the list that stands right after the passage, if there is one. ``with_heading``: also the
    heading, if the first sentence refers to it.
    """
    parts, context = evidence.parts, evidence.context
    wanted = set(indexes)
    for index in indexes:
        wanted.update(find_needed_parts(parts, index))
        if parts[index].endswith(":") and index + 1 < len(parts):
            wanted.add(index + 1)
    first = min(wanted)
    if first and begins_with_connection(parts[first]) and not is_code(parts[first - 1]):
        wanted.add(first - 1)
    shown = sorted(wanted)
    text = join_parts(evidence, shown)
    if is_code(parts[shown[0]]) and context.heading_path:
        text = f"{label_heading(context)}\n{text}"  # no text before the code says what it does
    elif with_heading and shown[0] == 0 and context.heading_path and _needs_heading(parts[0]):
        text = f"{label_heading(context)} {text}"  # "SIGINT: This is the fast shutdown.", "Is it free? Yes, it is."
    quote = join_parts(evidence, shown, omission="")
    is_led_in = parts[shown[-1]].endswith((":", "?")) or (with_list and begins_list(context.after))
    if not is_led_in or shown[-1] < len(parts) - 1 or not context.after:
        return Quotation(text, evidence, quote)
    # The sentence announces the list that follows, or is a question.
    items = split_items(context).split("\n")
    lines = _cut_list(items)
    cut = (len(lines), len(items)) if len(lines) < len(items) else (0, 0)
    return Quotation("\n".join([text, *lines]), evidence, quote, *cut)


def _needs_heading(part: str) -> bool:
    return begins_with_reference(part) or begins_with_reply(part) or bool(_REFERS_ELSEWHERE.match(part))


def _begin_row(position: re.Match[str]) -> str:
    return f"- {position['section']} – " if position["section"] else "- "


def split_items(context: Context) -> str:
    """Return the text after a passage, one item, row or paragraph per line; a shortened text has no line breaks."""
    after = context.after
    if context.after_breaks and "```" not in after:  # shortened code may lack its end
        lines = context.lines_after
    else:
        marker = next((marker for marker in LIST_MARKERS if marker.match(after)), None)
        split = marker.sub(r"\n\1", after).strip() if marker and "\n" not in after else after.rstrip()
        lines = split.split("\n")
    return "\n".join(_ROW_POSITION.sub(_begin_row, line) for line in lines)


# ------------------------------------------------------------------------------------------- lists


def quote_list(pieces: Sequence[Evidence]) -> list[Quotation]:
    """Quote a whole list, each evidence of it as a quotation, the first with the line that introduces the list."""
    quoted: list[Quotation] = []
    shown = words = 0
    for piece in pieces:
        lines = _cut_list(piece.parts, words)
        if not lines:
            break
        words += sum(map(count_words, lines))
        shown += _count_items(piece, len(lines))
        introduction = [] if quoted else filter(None, [list_introduction(piece)])
        quoted.append(Quotation("\n".join([*introduction, *lines]), piece, "\n".join(lines)))
    total = pieces[0].structure.total if pieces[0].structure else len(pieces[0].parts)
    if shown < total:
        quoted[-1] = replace(quoted[-1], shown=shown, total=total)
    return quoted


def _count_items(evidence: Evidence, parts: int) -> int:
    """Return the number of items in the first parts of a list. A long item is several parts."""
    return len(set(evidence.structure.numbers[:parts])) if evidence.structure else parts


def _is_small_list(evidence: Evidence) -> bool:
    """Whether an evidence is a whole list that is short enough to be shown."""
    total = evidence.structure.total if evidence.structure else 0
    is_whole = total == _count_items(evidence, len(evidence.parts))
    return is_whole and total <= _SMALL_LIST and sum(map(count_words, evidence.parts)) <= _SMALL_LIST_WORDS


def quote_items(evidence: Evidence, indexes: Sequence[int], mark_omitted: bool = False, first: int = 0) -> Quotation:
    """Quote items of a list, with the items that they are nested in and the line that introduces the list.

    ``mark_omitted``: "- …" stands where items were left out. ``first``: index of the item that comes first, if the list
    has no numbers and no nested items, and its items are not parts of one sentence.
    """
    parts = evidence.parts
    wanted = sorted(
        {
            each
            for index in indexes
            for each in (index, *find_ancestor_items(parts, index), *find_nested_items(parts, index))
        }
    )
    can_move = all(parts[index].startswith("- ") and not _GOES_ON.search(parts[index]) for index in wanted)
    if first in wanted and can_move and not _needs_others(parts[first]):
        wanted = [first, *[index for index in wanted if index != first]]
    lines = _cut_list([parts[index] for index in wanted])
    introduction = list_introduction(evidence)
    shown = _mark_omissions(evidence, lines, wanted) if mark_omitted else lines
    cut = (len(lines), len(wanted)) if len(lines) < len(wanted) else (0, 0)
    text = "\n".join([introduction, *shown] if introduction else shown)
    return Quotation(text, evidence, "\n".join(parts[index] for index in sorted(wanted)), *cut)


def _needs_others(item: str) -> bool:
    """Whether an item is understood only after those before it: "- It has 4 digits.", "- In all other cases: …"."""
    text = strip_marker(item)
    return begins_with_reference(text) or bool(_REST.match(text))


def _mark_omissions(evidence: Evidence, lines: Sequence[str], indexes: Sequence[int]) -> list[str]:
    """Return the lines, which are the parts of these indexes, with "- …" where items of the list were left out."""
    structure, parts = evidence.structure, evidence.parts
    items = structure.numbers if structure else tuple(range(1, len(parts) + 1))
    total = structure.total if structure else len(parts)
    shown = {items[index] for index in indexes}
    marked: list[str] = [OMITTED] if items[0] > 1 and items[0] in shown else []
    begin = 0
    for line, index in zip(lines, indexes, strict=False):  # a long list is cut
        marked += [*_mark_omitted(parts, [at for at in range(begin, index) if items[at] not in shown]), line]
        begin = index + 1
    if len(lines) < len(indexes):
        return marked
    left = _mark_omitted(parts, [at for at in range(begin, len(parts)) if items[at] not in shown])
    return [*marked, *(left or ([OMITTED] if items[-1] < total else []))]


def _mark_omitted(parts: Sequence[str], omitted: Sequence[int]) -> list[str]:
    return ["  " * min(find_item_depth(parts[index]) for index in omitted) + OMITTED] if omitted else []


def _cut_list(lines: Sequence[str], words: int = 0) -> list[str]:
    """Return the lines of a list that are shown after ``words`` words of it; at least the first line of the list."""
    shown: list[str] = []
    for line in lines:
        words += count_words(line)
        if words > _LIST_WORDS and (shown or words > count_words(line)):
            break
        shown.append(line)
    return shown


def list_introduction(evidence: Evidence) -> str:
    """Return the line before a list if it introduces it, else its heading."""
    before = evidence.context.lines_before[-1].strip()
    if before.endswith(":"):
        return re.split(r"(?<=[.!?]) ", before)[-1].removeprefix("… ")
    return label_heading(evidence.context) if evidence.context.heading_path else ""


def label_heading(context: Context) -> str:
    """Return the last heading with one colon, which many headings of pages have themselves; a question has none."""
    heading = context.heading_path[-1].rstrip(": ")
    return heading if heading.endswith("?") else f"{heading}:"


def _has_telling_heading(evidence: Evidence) -> bool:
    """Whether the last heading says what its section is about; above a row any heading does."""
    headings = evidence.context.heading_path[-1:]
    return any(evidence.rows or not _GENERAL.fullmatch(heading) for heading in headings)


# -------------------------------------------------------------------------------------------- rows


def _quote_rows(focus: Focus, evidence: Evidence, indexes: list[int]) -> Quotation:
    lines = [write_row(focus, evidence, index) for index in indexes]
    text = lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines)
    return Quotation(text, evidence, "\n".join(evidence.parts[index] for index in indexes))


def write_row(focus: Focus, evidence: Evidence, index: int) -> str:
    """Return a row as its cells with their headers; what is no row as it is."""
    part = evidence.parts[index]
    position = _ROW_POSITION.match(part)
    if index >= len(evidence.rows) or not position:
        return part
    cells = _select_cells(focus, evidence.rows[index])
    shown = BETWEEN_CELLS.join(f"{write_header(header)}: {value}" if header else value for header, value in cells)
    return f"{position['section']} – {shown}" if position["section"] else shown


def _select_cells(focus: Focus, cells: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return all cells of a short row; of a long one the first, those that match the question, and short ones."""
    if len(cells) <= _CELLS and sum(count_words(value) for _, value in cells) <= _CELL_WORDS:
        return list(cells)
    fits = [_score_cell(focus, header, value) for header, value in cells]
    ranked = sorted(range(1, len(cells)), key=lambda index: (-fits[index], count_words(cells[index][1]), index))
    wanted = [index for index in ranked if fits[index] > 0 or count_words(cells[index][1]) <= _SHORT_CELL]
    kept = [0, *(wanted or ranked)[: _CELLS - 1]]
    return [cells[index] for index in sorted(kept)]


def _score_cell(focus: Focus, header: str, value: str) -> float:
    return sum(match_text(focus.words, header)) + 0.5 * sum(match_text(focus.words, value))
