"""Extracts the evidences of a page: the first half of the method (RAGonite, section 3)."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from core.errors import PageOverBudget
from core.evidence.anchors import HeadingAnchors, with_anchor
from core.evidence.blocks import Block, Heading, ItemLine, List, ListItem, Table, Text, fence_code, list_lines
from core.evidence.budget import Budget
from core.evidence.comments import Thread, describe_post, find_threads
from core.evidence.contextualise import first_words, last_words
from core.evidence.facts import read_facts
from core.evidence.linearise import LINEARISERS, Lineariser, LineariserName
from core.evidence.people import Names, PeopleOnPage, accounts_of
from core.evidence.reader import read_blocks
from core.evidence.split import group_lengths, sentences, split_part
from core.evidence.storage_format import clean, parse
from core.evidence.tables import DataTable, Row, data_table
from core.evidence.tasks import complete_tasks
from core.model import Comment, Context, Evidence, EvidenceKind, Page, PageFacts, Structure
from core.text import unescape_html

# The first line of an exported page is metadata: it says facts of the page.
_BYLINE = re.compile(r"^Owned by .{1,100}?\s*Last updated:?.{0,100}$", re.DOTALL)
_FILE_NAME = re.compile(r'ri:filename="([^"]*)"')
_SEARCHED_NAMES = 200
# Texts that are repeated in every evidence are limited: the output would grow with the square of the page.
_TITLE_CHARACTERS = 500
_HEADING_CHARACTERS = 500
_REPEATED_CAPTION_CHARACTERS = 300  # in the second and later pieces of a table
_HEADING_WORDS = 4  # a heading without content that has at least so many words is a text

EXTRACTION_VERSION = 5
"""Increases when the same page gives other evidences or facts: every page is then extracted again at its next sync."""

Rows = tuple[tuple[tuple[str, str], ...], ...]


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """The parameters of extraction. After a change the next sync extracts every page again."""

    lineariser: LineariserName = "verbalised"
    passages: bool = True  # index passages
    lists: bool = True  # index lists
    tables: bool = True  # index tables as a whole
    rows: bool = True  # index each row of a table
    max_chars: int = 1200  # of one evidence's text; longer ones are split
    context_words: int = 50  # of the neighbour before, and of the one after


@dataclass(frozen=True, slots=True)
class Extraction:
    """A page's evidences in document order, its facts, and the defect of its markup, "" if it has none.

    ``names``: of every account that the page names, the name that was given; None if it was not.
    ``comments_over_budget``: how many of its comments are left out, because they are too complex.
    """

    evidences: tuple[Evidence, ...]
    facts: PageFacts
    defect: str = ""
    names: Mapping[str, str | None] = field(default_factory=dict)
    comments_over_budget: int = 0


@dataclass(frozen=True, slots=True)
class _Section:
    """Where blocks stand. Of a comment: with its address, and with what stands above its text as ``heading_path``."""

    heading_path: tuple[str, ...] = ()
    anchor: str = ""
    thread: str = ""
    url: str = ""


_TOP = _Section()


@dataclass(frozen=True, slots=True)
class _Piece:
    """An evidence without its context and its identity."""

    kind: EvidenceKind
    text: str
    parts: tuple[str, ...]
    rows: Rows = ()
    structure: Structure | None = None


@dataclass(frozen=True, slots=True)
class _Group:
    """The pieces of adjacent texts, of a list or of a table; ``whole``: their text, for the context of neighbours."""

    section: _Section
    whole: str
    pieces: tuple[_Piece, ...]


def extract(
    page: Page,
    settings: ExtractionSettings | None = None,
    budget: Budget | None = None,
    names: Names | None = None,
) -> Extraction:
    """All evidences of a page: passages, lists, tables and table rows, with their context.

    ``budget``: by default that of a page of this size. ``names``: of the people that the page mentions.
    Raises :class:`core.errors.PageOverBudget` and nothing else.
    """
    settings = settings or ExtractionSettings()
    budget = budget or Budget.for_page(page)
    page = replace(page, title=tidy_title(page.title))
    parsed = parse(page.content, budget)
    names = names or {}
    people = PeopleOnPage(names, page.title, parsed.root)
    people.mark_mentions(parsed.root)
    complete_tasks(parsed.root, lambda: people.language)
    read = read_blocks(parsed.root, budget)
    blocks = list(_add_heading_texts(_without_byline(read)))
    anchors = HeadingAnchors(page.title, page.url)
    top = _Section(describe_post(page))
    groups = list(_groups(blocks, lambda heading: anchors.anchor(people.show(heading)), settings, budget, top))
    placed = list(_make_evidences(groups, page, settings, budget))
    # Attached files have no place on the page, so they are not neighbours of anything.
    placed += _make_evidences(_attached_files(page, settings, budget), page, settings, budget, len(placed))
    comments = tuple(people.mark_author(comment) for comment in page.comments)
    reader = _CommentReader(page, people, settings, budget, _Numbers.after(blocks), len(placed))
    placed += (evidence for thread in find_threads(comments) for evidence in reader.read(thread))
    evidences = tuple(_with_names(_add_ids(placed, people), people, budget))
    named = {account: names.get(account) for account in accounts_of(page)}
    page = replace(page, facts=people.name_facts(page.facts, comments))
    facts = read_facts(page, people.show_in_texts(read))
    return Extraction(evidences, facts, parsed.defect, named, reader.over_budget)


def tidy_title(title: str) -> str:
    """A page's title as its evidences have it: on one line, of limited length."""
    return _shorten(" ".join(clean(title).split()), _TITLE_CHARACTERS)


def _shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 2].rstrip()} …"


def _attached_files(page: Page, settings: ExtractionSettings, budget: Budget) -> list[_Group]:
    """The attached files that the page's text does not name, as a list."""
    if not page.attachments:
        return []
    content = unescape_html(page.content)
    named = set(_FILE_NAME.findall(content))
    unnamed = [name for name in page.attachments if name not in named]
    # Each name is searched for in the whole text, so only the first ones are.
    searched = unnamed[:_SEARCHED_NAMES]
    budget.operate(len(page.attachments))
    names = [name for name in searched if name not in content] + unnamed[_SEARCHED_NAMES:]
    names = [" ".join(clean(name).split()) for name in names]
    items = tuple(ListItem("-", f"[file: {name}]") for name in names if name)
    return [_list(_Section(), items, 0, settings, budget)] if items else []


def _without_byline(blocks: list[Block]) -> list[Block]:
    first = blocks[0] if blocks else None
    return blocks[1:] if isinstance(first, Text) and _BYLINE.match(first.text) else blocks


def _add_heading_texts(blocks: list[Block]) -> Iterator[Block]:
    """Adds the words of a heading without content as a text, if it is more than a label: an agenda made of headings."""
    for block, following in zip(blocks, [*blocks[1:], Heading(1, "")], strict=False):
        yield block
        if isinstance(block, Heading) and isinstance(following, Heading):
            over_nothing = following.level <= block.level
            if over_nothing and len(block.text.split()) >= _HEADING_WORDS and not _is_long(block):
                yield Text(block.text)


# ------------------------------------------------------------------------------- blocks to groups


@dataclass(frozen=True, slots=True)
class _Numbers:
    """How many tables and lists of a page stand before a place on it."""

    tables: int = 0
    lists: int = 0

    @classmethod
    def after(cls, blocks: Iterable[Block]) -> _Numbers:
        kinds = Counter(type(block) for block in blocks)
        return cls(kinds[Table], kinds[List])

    def __add__(self, other: _Numbers) -> _Numbers:
        return _Numbers(self.tables + other.tables, self.lists + other.lists)


_NOTHING = _Numbers()


def _groups(
    blocks: list[Block],
    anchor: Callable[[str], str],
    settings: ExtractionSettings,
    budget: Budget,
    top: _Section = _TOP,
    before: _Numbers = _NOTHING,
) -> Iterator[_Group]:
    """``top``: the section of what stands above the first heading. ``before``: tables and lists above the blocks."""
    section, levels = top, list[tuple[int, str]]()
    texts: list[Text] = []
    tables, lists = before.tables, before.lists
    for block in [*blocks, Heading(1, "")]:  # the last one ends open texts
        budget.operate()
        if isinstance(block, Text):
            texts.extend([block] if block.text else [])
            continue
        if texts:
            yield _passage(section, texts, settings, budget)
            texts = []
        match block:
            case Heading(level, text):
                name = _shorten(text, _HEADING_CHARACTERS)
                levels = [(above, name) for above, name in levels if above < level] + [(level, name)]
                path = (*top.heading_path, *(name for _, name in levels))
                section = replace(top, heading_path=path, anchor="" if _is_long(block) else anchor(text))
                texts = [Text(text)] if _is_long(block) else []
            case List(items):
                lists += 1
                yield _list(section, items, lists, settings, budget)
            case Table():
                tables += 1
                yield _table(section, data_table(block, tables, budget), settings, budget)


def _is_long(heading: Heading) -> bool:
    """Whether a heading is too long to be repeated in every evidence below it: it becomes a text instead."""
    return len(heading.text) > _HEADING_CHARACTERS


def _passage(section: _Section, texts: list[Text], settings: ExtractionSettings, budget: Budget) -> _Group:
    """The pieces of adjacent texts: a space between sentences of a line, a line break between lines and code."""
    budget.handle(sum(len(text.text) for text in texts))
    lines = [[fence_code(text)] if text.code else sentences(line) for text in texts for line in _lines_of(text)]
    parts, separators = list[str](), list[str]()
    for line in lines:
        budget.operate(len(line))
        pieces = [piece for sentence in line for piece in split_part(sentence, settings.max_chars)]
        parts.extend(pieces)
        separators.extend("\n" if index == 0 or piece.startswith("```") else " " for index, piece in enumerate(pieces))
    pieces_of_group = [
        _Piece(
            "passage",
            parts[group[0]] + "".join(separators[index] + parts[index] for index in group[1:]),
            tuple(parts[index] for index in group),
        )
        for group in group_lengths([len(part) for part in parts], settings.max_chars)
    ]
    whole = "\n".join(fence_code(text) for text in texts)
    return _Group(section, whole, tuple(pieces_of_group) if settings.passages else ())


def _lines_of(text: Text) -> list[str]:
    return [text.text] if text.code else text.text.split("\n")


def _list(
    section: _Section, items: tuple[ListItem, ...], number: int, settings: ExtractionSettings, budget: Budget
) -> _Group:
    """``number``: of the list on its page, from 1."""
    lines = list(list_lines(items))
    budget.operate(len(lines))
    budget.handle(sum(len(line.text) for line in lines))
    whole = "\n".join(line.text for line in lines)
    return _Group(section, whole, tuple(_list_pieces(lines, number, settings)) if settings.lists else ())


def _list_pieces(lines: list[ItemLine], number: int, settings: ExtractionSettings) -> Iterator[_Piece]:
    parts = [
        (index, line, piece)
        for index, line in enumerate(lines, start=1)
        for piece in split_part(line.text, settings.max_chars)
    ]
    for group in group_lengths([len(piece) for _, _, piece in parts], settings.max_chars):
        indexes, own, texts = zip(*(parts[at] for at in group), strict=True)
        depths, markers = tuple(line.depth for line in own), tuple(line.marker for line in own)
        yield _Piece("list", "\n".join(texts), texts, structure=Structure(number, len(lines), indexes, depths, markers))


def _table(section: _Section, table: DataTable, settings: ExtractionSettings, budget: Budget) -> _Group:
    lineariser = _BudgetedLineariser(LINEARISERS[settings.lineariser], table, budget)
    rows = [part for row in table.rows for part in _split_row(row, lineariser, settings.max_chars)]
    pieces: list[_Piece] = []
    if settings.tables:
        pieces.extend(_table_pieces(table, rows, lineariser, settings))
    if settings.rows:
        texts = [lineariser.row(row) for row in rows]
        pieces.extend(
            _Piece("table_row", text, (text,), (row.cells,), _structure(table, [row]))
            for text, row in zip(texts, rows, strict=True)
        )
    whole = "\n".join(part for part in (table.caption, *(lineariser.line(row) for row in table.rows)) if part)
    return _Group(section, whole, tuple(pieces))


@dataclass(frozen=True, slots=True)
class _BudgetedLineariser:
    """A lineariser of one table that counts its texts in the budget."""

    lineariser: Lineariser
    table: DataTable
    budget: Budget

    def row(self, row: Row) -> str:
        return self._count(self.lineariser.row(self.table, row), row)

    def line(self, row: Row) -> str:
        return self._count(self.lineariser.line(self.table, row), row)

    def _count(self, text: str, row: Row) -> str:
        self.budget.operate(1 + len(row.cells))
        self.budget.handle(len(text))
        return text


def _table_pieces(
    table: DataTable, rows: list[Row], lineariser: _BudgetedLineariser, settings: ExtractionSettings
) -> Iterator[_Piece]:
    before, after = lineariser.lineariser.frame(table)
    lines = [lineariser.line(row) for row in rows]
    caption = table.caption
    for group in group_lengths([len(line) for line in lines], settings.max_chars):
        framed = [part for part in (caption, before, *(lines[index] for index in group), after) if part]
        lineariser.budget.handle(sum(map(len, framed)))
        own = [rows[index] for index in group]
        parts, cells = tuple(lines[index] for index in group), tuple(row.cells for row in own)
        yield _Piece("table", "\n".join(framed), parts, cells, replace(_structure(table, own), caption=caption))
        caption = _shorten(table.caption, _REPEATED_CAPTION_CHARACTERS)


def _structure(table: DataTable, rows: list[Row]) -> Structure:
    numbers, sections = tuple(row.number for row in rows), tuple(row.section for row in rows)
    return Structure(table.number, len(table.rows), numbers, (0,) * len(rows), sections)


def _split_row(row: Row, lineariser: _BudgetedLineariser, limit: int) -> Iterator[Row]:
    """The row, or its parts if its text is longer than the limit: cut between cells, or within a long one.

    Later parts repeat a short first cell, which names the row.
    """
    if len(lineariser.line(row)) <= limit:
        yield row
        return
    first = row.cells[:1] if sum(len(text) for text in row.cells[0]) <= limit // 8 else ()
    empty = lineariser.line(replace(row, cells=first))
    cells = [
        (header, piece)
        for header, value in row.cells
        for piece in split_part(value, max(limit - len(empty) - len(header) - 9, limit // 3))
    ]
    lengths = [len(header) + len(value) + 8 for header, value in cells]
    for number, group in enumerate(group_lengths(lengths, max(limit - len(empty), limit // 3))):
        part = tuple(cells[index] for index in group)
        yield replace(row, cells=part if number == 0 else (*first, *part))


# --------------------------------------------------------------------------- context and identity


def _make_evidences(
    groups: list[_Group],
    page: Page,
    settings: ExtractionSettings,
    budget: Budget,
    ordinal: int = 0,
    edges: tuple[str, str] = ("", ""),
) -> Iterator[Evidence]:
    """``edges``: the texts before the first group and after the last."""
    words = settings.context_words
    wholes = [edges[0], *(group.whole for group in groups), edges[1]]
    for index, group in enumerate(groups):
        before, after = last_words(wholes[index], words), first_words(wholes[index + 2], words)
        context = Context(page.title, group.section.heading_path, before, after)
        url = group.section.url or with_anchor(page.url, group.section.anchor)
        for at, piece in enumerate(group.pieces):
            around = _piece_context(group.pieces, at, context, words) if piece.kind == "passage" else context
            evidence = Evidence(
                *("", page.page_id, page.space, piece.kind, ordinal, piece.text, around, url, piece.parts, piece.rows),
                structure=piece.structure,
                thread=group.section.thread,
            )
            budget.emit(_characters(evidence))
            yield evidence
            ordinal += 1


def _characters(evidence: Evidence) -> int:
    """The characters of an evidence."""
    context = evidence.context
    cells = sum(len(header) + len(value) for row in evidence.rows for header, value in row)
    path = sum(map(len, context.heading_path))
    around = len(context.title) + path + len(context.before) + len(context.after)
    return len(evidence.text) + sum(map(len, evidence.parts)) + cells + around + len(evidence.url)


def _piece_context(pieces: tuple[_Piece, ...], at: int, context: Context, words: int) -> Context:
    """The context of a piece of a split passage: its neighbours are the other pieces."""
    before = last_words(pieces[at - 1].text, words) if at else context.before
    after = first_words(pieces[at + 1].text, words) if at + 1 < len(pieces) else context.after
    return replace(context, before=before, after=after)


def _add_ids(evidences: Iterable[Evidence], people: PeopleOnPage) -> Iterator[Evidence]:
    """Adds ids that depend on text and place only; equal texts under one heading are numbered in order.

    They are the same whatever the people in the text are called.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    for evidence in evidences:
        words = (*evidence.context.heading_path, evidence.text)
        place = (evidence.page_id, evidence.kind, *map(people.identify, words))
        digest = hashlib.sha256("\x1f".join((*place, str(seen[place]))).encode("utf-8", "surrogatepass")).hexdigest()
        seen[place] += 1
        yield replace(evidence, evidence_id=digest[:20])


def _with_names(evidences: Iterable[Evidence], people: PeopleOnPage, budget: Budget) -> Iterator[Evidence]:
    """The evidences with names in place of marks."""
    for evidence in evidences:
        shown = people.show_in(evidence)
        if not shown.thread:  # comments have budgets of their own
            budget.handle(_characters(shown))
        yield shown


# --------------------------------------------------------------------------------------- comments


@dataclass(slots=True)
class _CommentReader:
    """Makes the evidences of a page's comments, each within its own budget.

    ``numbers``, ``ordinal``: of tables, lists and evidences before the next comment.
    """

    page: Page
    people: PeopleOnPage
    settings: ExtractionSettings
    budget: Budget
    numbers: _Numbers
    ordinal: int
    over_budget: int = 0

    def read(self, thread: Thread) -> list[Evidence]:
        """The evidences of a thread. A comment has those before and after it in the thread as its context."""
        read = [(comment, self._read_groups(thread, comment)) for comment in thread.comments]
        wholes = ["", *("\n".join(group.whole for group in groups) for _, groups in read), ""]
        found: list[Evidence] = []
        for at, (comment, groups) in enumerate(read):
            budget, edges = self.budget.for_comment(comment), (wholes[at], wholes[at + 2])
            try:
                placed = list(_make_evidences(groups, self.page, self.settings, budget, self.ordinal, edges))
            except PageOverBudget:
                self.over_budget += 1
                continue
            self.ordinal += len(placed)
            found += placed
        return found

    def _read_groups(self, thread: Thread, comment: Comment) -> list[_Group]:
        section = _Section(thread.heading_path(comment), thread=thread.thread_id, url=comment.url or self.page.url)
        budget = self.budget.for_comment(comment)
        try:
            root = parse(comment.content, budget).root
            self.people.mark_mentions(root)
            complete_tasks(root, lambda: self.people.language)
            blocks = list(_add_heading_texts(read_blocks(root, budget)))
            groups = list(_groups(blocks, lambda _: "", self.settings, budget, section, self.numbers))
        except PageOverBudget:
            self.over_budget += 1
            return []
        self.numbers += _Numbers.after(blocks)
        return groups
