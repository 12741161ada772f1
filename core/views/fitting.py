"""Fit documents into a platform's limits: cut blocks, shorten a document, split it into parts.

Blocks are cut before they are serialised, so a cut never splits a link, an entity or a code fence.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from core.i18n import Message, message
from core.languages import Language
from core.text import clean, collapse_spaces, count_units, is_visible, shorten
from core.views.document import (
    ActionsKind,
    Block,
    Chart,
    Code,
    Details,
    Document,
    Look,
    Paragraph,
    Run,
    Runs,
    Table,
    get_plain_text,
    join_text,
    list_table_lines,
    make_label,
)

Fits = Callable[[Block], bool]
T = TypeVar("T")

_LINES, _FEW_LINES = 30, 10  # of a table or of code: with enough room, and without
_LINE = 300  # characters of a line of code if room is short
_LEAST = 100  # minimum characters of a split row's cells below the table's head
_SENTENCE_END = re.compile(r"[.!?:;…] ")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits and capabilities of a platform. ``room``: of a message, in the units of ``size``, which measures a block.

    ``measure``: length of running text. ``table``: converts a table to the block that is shown, None if it is too wide.
    ``most_blocks``: the platform rejects more, or clients become slow; ``count``: number of platform blocks that blocks
    become. ``command``: prefix of commands. ``mention``: format of a mention. ``shows_everything``: however long it is.
    ``quotes_tables``: show quoted table rows as tables. ``most_rows``: of a table with enough room. ``lists_sources``:
    False if the client itself shows the citations. ``draws_charts``: whether the client draws bars. ``has_details``:
    whether readers can open a part of a message that is closed at first. ``shows_titles``: whether a message begins
    with its document's title. ``hides``: kinds of actions that are left out; "buttons" also leaves out ``more``.
    """

    room: int
    size: Callable[[Block], int]
    table: Callable[[Table], Block | None]
    measure: Callable[[str], int] = count_units
    most_blocks: int = 1_000
    count: Callable[[Sequence[Block]], int] = len
    command: str = ""
    mention: str = "{user}"
    shows_everything: bool = False
    quotes_tables: bool = False
    most_rows: int = _LINES
    lists_sources: bool = True
    draws_charts: bool = False
    has_details: bool = False
    shows_titles: bool = False
    hides: frozenset[ActionsKind] = frozenset()

    def take(self, items: Sequence[T], most: int) -> Sequence[T]:
        """Return the first ``most`` items, or all if ``shows_everything``."""
        return items if self.shows_everything else items[:most]

    def name_commands(self, text: str) -> str:
        """Return one of our own texts with the platform's prefix of commands."""
        return text.replace("/wiki ", self.command)

    def measure_blocks(self, blocks: Iterable[Block]) -> int:
        """Return the total size of blocks."""
        return sum(map(self.size, blocks))

    def make_excerpt(self, text: str, limit: int) -> str:
        """Clean and strip a text that we did not write, and cut it to ``limit``, with " …" if it was cut."""
        shown = clean(text).strip()
        if self.measure(shown) <= limit:
            return shown
        end = _find_longest(len(shown), lambda length: self.measure(shown[:length]) <= limit - 2)
        return shown[: _find_last_break(shown, end)].rstrip() + " …"

    def make_line(
        self, text: str, limit: int, look: Look = "subtle", *, tight: bool = False, marker: str | None = None
    ) -> tuple[Paragraph, ...]:
        """Make a paragraph of at most ``limit`` from a text that we did not write; none if nothing is visible."""
        if not is_visible(text):
            return ()
        return (Paragraph((Run(self.make_excerpt(text, limit)),), look, tight=tight, marker=marker),)

    def make_lines(self, texts: Iterable[str], limit: int) -> tuple[Paragraph, ...]:
        """Make the lines of one paragraph from texts that we did not write, leaving out invisible ones."""
        visible = filter(is_visible, texts)
        return tuple(line for at, text in enumerate(visible) for line in self.make_line(text, limit, tight=at > 0))

    def fill(self, lines: Sequence[Paragraph], room: int, count: int, language: Language) -> tuple[Paragraph, ...]:
        """Return the lines that fit, and at least the first (without its link if it is too long).

        Then a line with the number of items left out; ``count``: the number of all.
        """
        shown: list[Paragraph] = []
        for line in lines:
            room -= self.size(line)
            if room < 0:
                break
            shown.append(line)
        if lines and not shown:
            shown = [_remove_links(lines[0])]
        return (*shown, *count_more(count - len(shown), language))

    def show_tables(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """Convert tables to what the platform shows; a table that is too wide becomes one line per row."""
        for block in blocks:
            if isinstance(block, Table):
                shown = self.table(block)
                yield from [shown] if shown else list_table_lines(block)
            else:
                yield block


def fit(document: Document, limits: Limits) -> Document:
    """Fit a document into the platform's limits: shorten tables and code first, then cut the end."""
    more = (document.more,) if document.more else ()
    room = limits.room - limits.measure_blocks((*document.before, *document.after, *more))
    shown: list[Block] = []
    for rows, lines, width in ((limits.most_rows, _LINES, 0), (_FEW_LINES, _FEW_LINES, _LINE)):
        short = tuple(
            shorter
            for block in document.body
            for shorter in _shorten_lines(block, rows if isinstance(block, Table) else lines, width, document)
        )
        shown = list(limits.show_tables(short))
        if limits.measure_blocks(shown) <= room and limits.count(shown) <= limits.most_blocks:
            return replace(document, body=(*shown, *(more if short != document.body else ())))
    most = _find_longest(len(shown), lambda length: limits.count(shown[:length]) <= limits.most_blocks)
    ending = document.ending if limits.size(document.ending) <= room else _remove_links(document.ending)
    beginning = _take_beginning(shown[:most], room - limits.size(ending), limits)
    return replace(document, body=(*beginning, ending, *more))


def _remove_links(line: Paragraph) -> Paragraph:
    """Return a line without its links, whose addresses may be longer than a message."""
    return replace(line, runs=(Run(join_text(line.runs)),))


def count_more(count: int, language: Language, *, tight: bool = True) -> tuple[Paragraph, ...]:
    """Return a line "and N more", or nothing for 0."""
    return (make_label(message("and {count} more", count=count).render(language), tight=tight),) if count > 0 else ()


def pack(blocks: Iterable[Block], room: int, size: Callable[[Block], int]) -> list[list[Block]]:
    """Group the blocks, in order, into lists of at most this size. A split table repeats its head."""

    def is_within(block: Block) -> bool:
        # A cheap check first: measuring a far too long block is slow.
        return len(get_plain_text([block])) <= room and size(block) <= room

    packs: list[list[Block]] = []
    left = -1
    for block in blocks:
        rest: Block | None = block
        while rest:
            begun, rest = cut(rest, is_within)
            if begun is None:  # not even its smallest part fits
                break
            needed = size(begun)
            if rest or needed > left:
                packs.append([])
                left = room
            packs[-1].append(begun)
            left = 0 if rest else left - needed
    return packs


def cut(block: Block, fits: Fits) -> tuple[Block | None, Block | None]:
    """Cut a block into the longest beginning that fits and the rest; None for an empty part.

    Text is cut after a line, else a sentence, else a word, if at least half of what fits remains. Other blocks are cut
    after whole lines, rows or bars, or within the first line or row. A table's head that is too wide becomes a row.
    """
    if fits(block):
        return block, None
    if isinstance(block, Paragraph):
        return _cut_paragraph(block, fits)
    for way in _list_ways_to_cut(block):
        at = _find_longest(way.most, lambda length: fits(way.divide(length)[0]))  # noqa: B023 - used at once
        begun, rest = way.divide(at)
        if at >= way.least and rest != block:
            return begun, rest
    return cut(Table((), (block.head, *block.rows)), fits) if isinstance(block, Table) and block.head else (None, block)


@dataclass(frozen=True, slots=True)
class _WayToCut:
    """``divide``: divides a block at a position from 0 to ``most``, of which those below ``least`` are no use."""

    most: int
    divide: Callable[[int], tuple[Block, Block]]
    least: int = 1


def _list_ways_to_cut(block: Block) -> Iterator[_WayToCut]:
    """Yield the ways to cut a block that is no paragraph, the best first."""
    match block:
        case Code(lines):
            yield _WayToCut(len(lines), lambda at: (Code(lines[:at]), Code(lines[at:])))
            first = lines[0]
            yield _WayToCut(len(first), lambda at: (Code((first[:at],)), Code((first[at:], *lines[1:]))))
        case Table(head, rows):
            yield _WayToCut(len(rows), lambda at: (Table(head, rows[:at]), Table(head, rows[at:])))
            if rows:
                longest = max((len(join_text(cell)) for cell in rows[0]), default=0)
                yield _WayToCut(longest, lambda at: _split_first_row(block, at), min(longest, _LEAST) if head else 1)
        case Chart(bars=bars):
            yield _WayToCut(len(bars), lambda at: (replace(block, bars=bars[:at]), replace(block, bars=bars[at:])))
        case Details(lines=inside):
            yield _WayToCut(
                len(inside), lambda at: (replace(block, lines=inside[:at]), replace(block, lines=inside[at:]))
            )


def split_runs(runs: Runs, at: int) -> tuple[Runs, Runs]:
    """Split runs after ``at`` characters. A link or citation mark is never split: it moves to the second part."""
    for position, run in enumerate(runs):
        if at < len(run.text):
            if run.url or run.citation is not None or at <= 0:
                return runs[:position], runs[position:]
            begun, rest = replace(run, text=run.text[:at]), replace(run, text=run.text[at:])
            return (*runs[:position], begun), (rest, *runs[position + 1 :])
        at -= len(run.text)
    return runs, ()


def _cut_paragraph(block: Paragraph, fits: Fits) -> tuple[Block | None, Block | None]:
    text = join_text(block.runs)
    end = _find_longest(len(text), lambda length: fits(replace(block, runs=split_runs(block.runs, length)[0])))
    at = len(join_text(split_runs(block.runs, _find_last_break(text, end))[0]))
    if not at:
        return None, block
    begun, _ = split_runs(block.runs, len(text[:at].rstrip()))
    _, rest = split_runs(block.runs, len(text) - len(text[at:].lstrip(" \n")))
    marker = None if block.marker is None else ""
    return replace(block, runs=begun), replace(block, runs=rest, marker=marker, ruled=False) if rest else None


def _split_first_row(table: Table, at: int) -> tuple[Table, Table]:
    first, *others = table.rows
    parts = [split_runs(cell, at) for cell in first]
    begun, rest = tuple(begun for begun, _ in parts), tuple(rest for _, rest in parts)
    return replace(table, rows=(begun,)), replace(table, rows=(rest, *others))


def _find_longest(most: int, fits: Callable[[int], bool]) -> int:
    """Return the greatest length up to ``most`` that fits. ``fits`` must hold for all shorter lengths."""
    return bisect_left(range(1, most + 1), True, key=lambda length: not fits(length))


def _find_last_break(text: str, end: int) -> int:
    """Return the best position to cut a text, at most ``end``."""
    least = end // 2
    if (line := text.rfind("\n", least, end)) >= 0:
        return line + 1
    if sentences := [found.end() for found in _SENTENCE_END.finditer(text, least, end)]:
        return sentences[-1]
    space = text.rfind(" ", least, end)
    return space + 1 if space >= 0 else end


def _shorten_lines(block: Block, lines: int, width: int, document: Document) -> Iterator[Block]:
    """Shorten a table or code to ``lines`` lines, followed by the number of lines left out if there are several."""
    left: Message | None = None
    match block:
        case Table(rows=rows) if len(rows) > lines + 1:
            block, left = replace(block, rows=rows[:lines]), message("… {count} more rows", count=len(rows) - lines)
        case Code(lines=whole):
            shown = tuple(shorten(line, width) if width else line for line in whole)
            block = Code(shown)
            if len(shown) > lines + 1:
                block, left = Code(shown[:lines]), message("… {count} more lines", count=len(shown) - lines)
    yield block
    if left:
        yield Paragraph((Run(f"{left.render(document.language)} "), *filter(None, [document.source])), tight=True)


def _take_beginning(blocks: Sequence[Block], room: int, limits: Limits) -> Iterator[Block]:
    for block in blocks:
        left = room
        begun, rest = cut(block, lambda part: limits.size(part) <= left)  # noqa: B023 - used at once
        if begun:
            yield begun
            room -= limits.size(begun)
        if rest:
            return


def align(table: Table, widest: int) -> Code | None:
    """Format a table as fixed-width lines: header, rule, rows. None if it is wider than ``widest`` columns."""
    cells = [[collapse_spaces(join_text(cell)) for cell in row] for row in (table.head, *table.rows)]
    widths = [max(map(_measure_width, column)) for column in zip(*cells, strict=True)]
    if sum(widths) + 3 * (len(widths) - 1) > widest:
        return None
    lines = [" │ ".join(map(_pad, row, widths)).rstrip() for row in cells]
    return Code((lines[0], "─┼─".join("─" * wide for wide in widths), *lines[1:]))


def _measure_width(text: str) -> int:
    """Return the width of a text in a fixed-width font: 2 for wide letters and emoji, 0 for combining marks."""
    columns = 0
    for character in text:
        if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
            continue
        columns += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return columns


def _pad(text: str, wide: int) -> str:
    return text + " " * (wide - _measure_width(text))
