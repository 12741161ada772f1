"""Parse the text of an answer, a model's Markdown or the wiki's own words, into blocks with citations as links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from core.model import Citation
from core.model.views import AnswerView, RowView
from core.reading.words import Word, is_same_noun, split_words
from core.text import clean, collapse_spaces, is_visible
from core.views.document import (
    Block,
    Code,
    Look,
    Paragraph,
    Run,
    Runs,
    Style,
    Table,
    add_style,
    join_text,
    link,
    make_label,
    make_mark,
)
from core.wording.quotations import CITATION_MARK, ITEM, split_mark

MOST_CHARS = 12_000
"""Maximum characters of Markdown that are parsed. No message shows more."""
_BULLETS = "•◦▪"
_DEEPEST_SPAN = 8  # nested spans: bold, italic, strikethrough, links
_STYLES: dict[str, Style] = {"strong": "bold", "em": "italic", "s": "strike"}
_MARK = re.compile(CITATION_MARK)
_FENCED = re.compile(r"^```[^\n`]*\n(.*?)(?:\n```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")
# HTML stays text. Reference definitions are disabled, so that "[1]" is always a citation.
_PARSER = (
    MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["reference", "autolink"])
)


def parse_markdown(text: str, citations: Sequence[Citation]) -> list[Block]:
    """Parse a model's text as CommonMark. Only cited addresses become links."""
    text = clean(text)
    tokens = _PARSER.parse(text)
    for token in tokens:
        token.children = _remove_deep_spans(token.children) if token.children else token.children
    return list(_Reader(CitationLinks(citations), text.split("\n")).read_blocks(SyntaxTreeNode(tokens).children))


def parse_plain(text: str, citations: Sequence[Citation]) -> list[Block]:
    """Parse words of the wiki, one block per line. Only code and list items are markup."""
    citing = CitationLinks(citations)
    blocks: list[Block] = []
    for at, part in enumerate(_FENCED.split(clean(text))):
        if at % 2 == 0:
            blocks += _read_plain_lines(part, citing)
        elif part.strip():
            blocks.append(Code(tuple(part.split("\n"))))
    return blocks


def _read_plain_lines(text: str, citing: CitationLinks) -> Iterator[Paragraph]:
    tight = False
    for line in text.split("\n"):
        words = line.strip()
        if is_visible(words):
            level = (len(line) - len(line.lstrip())) // 2
            item = words.startswith("- ")
            pieces = enumerate(_CODE.split(words[2:] if item else words))
            runs = tuple(
                run for at, piece in pieces for run in ([Run(piece, code=True)] if at % 2 else citing.mark_text(piece))
            )
            yield Paragraph(runs, tight=tight, level=level, marker=(_BULLETS[bool(level)] if item else None))
        tight = bool(words)


class CitationLinks:
    """The citations of one answer, by number and by address."""

    def __init__(self, citations: Sequence[Citation]) -> None:
        self._by_number = {citation.number: citation for citation in reversed(citations)}
        self._urls = {citation.url for citation in citations}

    def mark_text(self, text: str, styles: tuple[Style, ...] = ()) -> Iterator[Run]:
        """Convert citation marks to links; a number without a citation stays text."""
        for at, piece in enumerate(_MARK.split(text)):
            if at % 2:
                yield self.mark(piece, styles)
            elif piece:
                yield Run(piece, styles)

    def mark(self, number: str, styles: tuple[Style, ...]) -> Run:
        """Return ``[1]`` as the mark of the citation with this number, as text if there is none."""
        citation = self._by_number.get(int(number))
        return replace(make_mark(citation) if citation else Run(f"[{number}]"), styles=styles)

    def link(self, url: str, words: str, inside: Iterable[Run], styles: tuple[Style, ...]) -> Iterator[Run]:
        """Return the runs of a link. Only cited addresses are linked, since models invent addresses."""
        number = words.strip("[]")
        if number.isdecimal() and len(number) <= 3 and int(number) in self._by_number:
            yield self.mark(number, styles)
        elif url in self._urls:
            yield replace(link(url, words), styles=styles)
        else:
            yield from inside


@dataclass(frozen=True, slots=True)
class _Reader:
    """Converts the syntax tree of a Markdown text to blocks. ``lines``: of the source text."""

    citing: CitationLinks
    lines: Sequence[str]

    def read_blocks(self, nodes: Sequence[SyntaxTreeNode], level: int = 0, quoted: int = 0) -> Iterator[Block]:
        """Convert nodes. ``level``: depth of the enclosing list; ``quoted``: depth of quotation."""
        for node in nodes:
            match node.type:
                case "bullet_list" | "ordered_list":
                    yield from self._list(node, level, quoted)
                case "fence" | "code_block":
                    if node.content.strip():
                        yield Code(tuple(node.content.rstrip("\n").split("\n")))
                case "blockquote":
                    yield from _tighten(self.read_blocks(node.children, 0, level + quoted + 1), after=1)
                case "table":
                    head, *rows = (
                        tuple(_join(self._read_inline(cell)) for cell in row.children)
                        for part in node.children
                        for row in part.children
                    )
                    yield Table(head, tuple((*row, *[()] * (len(head) - len(row)))[: len(head)] for row in rows))
                case "heading" | "paragraph":
                    look: Look = "heading" if node.type == "heading" else "body"
                    yield from self._read_lines(node, Paragraph((), look, level=level, quoted=quoted))

    def _list(self, node: SyntaxTreeNode, level: int, quoted: int) -> Iterator[Block]:
        start = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
        tight = level > 0 or self._follows(node)
        for at, item in enumerate(node.children):
            marker = _BULLETS[min(level, 2)] if start is None else f"{start + at}."
            for child in item.children:
                shape = Paragraph((), tight=tight, level=level, marker=marker, quoted=quoted)
                if child.type == "paragraph":
                    yield from self._read_lines(child, shape)
                else:
                    if marker:
                        yield shape
                    yield from _tighten(self.read_blocks([child], level + 1, quoted))
                marker, tight = "", True
            tight = True

    def _follows(self, node: SyntaxTreeNode) -> bool:
        """Whether a block directly follows a non-empty line."""
        first = node.map[0] if node.map else 0
        return first > 0 and bool(self.lines[first - 1].strip())

    def _read_lines(self, node: SyntaxTreeNode, shape: Paragraph) -> Iterator[Paragraph]:
        """Return one paragraph per line, with the attributes of ``shape``."""
        line: list[Run] = []
        for run in [*self._read_inline(node), Run("\n")]:
            if run.text != "\n":
                line.append(run)
                continue
            if is_visible(join_text(line)):
                yield replace(shape, runs=_join(line))
                shape = replace(shape, tight=True, marker=None if shape.marker is None else "")
            line = []

    def _read_inline(self, node: SyntaxTreeNode, styles: tuple[Style, ...] = ()) -> Iterator[Run]:
        for child in node.children:
            match child.type:
                case "text":
                    yield from self.citing.mark_text(child.content, styles)
                case "softbreak" | "hardbreak":
                    yield Run("\n")
                case "code_inline":
                    yield Run(collapse_spaces(child.content), styles, code=True)
                case "strong" | "em" | "s":
                    style = _STYLES[child.type]
                    yield from self._read_inline(child, styles if style in styles else (*styles, style))
                case "link":
                    url = str(child.attrs.get("href", ""))
                    yield from self.citing.link(url, _join_words(child), self._read_inline(child, styles), styles)
                case "image":
                    yield Run(_join_words(child), styles)
                case _:
                    yield from self._read_inline(child, styles)


def _tighten(blocks: Iterable[Block], after: int = 0) -> Iterator[Block]:
    """Remove the space above all blocks except the first ``after``."""
    for at, block in enumerate(blocks):
        yield replace(block, tight=at >= after) if isinstance(block, Paragraph) else block


def _join(runs: Iterable[Run]) -> Runs:
    """Join adjacent runs of the same style."""
    joined: list[Run] = []
    for style, group in groupby(runs, lambda run: replace(run, text="")):
        texts = [run.text for run in group]
        joined += [replace(style, text=text) for text in (texts if style.url else ["".join(texts)])]
    return tuple(joined)


def _join_words(node: SyntaxTreeNode) -> str:
    """Return the text of a node without markup, on one line."""
    if node.type in ("text", "code_inline"):
        return node.content
    if node.type in ("softbreak", "hardbreak"):
        return " "
    return collapse_spaces("".join(_join_words(child) for child in node.children))


def _remove_deep_spans(tokens: Iterable[Token]) -> list[Token]:
    """Remove spans that are nested too deep, but keep their text.

    The tree is walked recursively, and a model's text may nest arbitrarily deep.
    """
    kept: list[Token] = []
    depth = 0
    for token in tokens:
        depth -= token.nesting < 0
        if not token.nesting or depth < _DEEPEST_SPAN:
            kept.append(token)
        depth += token.nesting > 0
    return kept


# ------------------------------------------------------------------------------------------ quoted rows as tables


def parse_with_rows(view: AnswerView) -> Iterator[Block]:
    """Parse an extractive answer: consecutive rows become a table, the rest is text."""
    rows = {row.line: row for row in view.rows}

    def find_row(line: str) -> tuple[RowView | None, str]:
        words, number = split_mark(line.strip().removeprefix(ITEM))
        return rows.get(words), number

    for lead, group in groupby(view.text.split("\n"), lambda line: row.lead if (row := find_row(line)[0]) else None):
        lines = list(group)
        if lead is None:
            yield from parse_plain("\n".join(lines), view.citations)
            continue
        if lead:
            yield make_label(f"{lead}:", "body")
        yield _make_table([(row, number) for row, number in map(find_row, lines) if row], CitationLinks(view.citations))


def _make_table(rows: Sequence[tuple[RowView, str]], citing: CitationLinks) -> Table:
    """Make a table with a column for each header. A row's citation stands in its first cell."""
    heads = list(dict.fromkeys(header for row, _ in rows for header in _number_headers(row.cells)))
    shown = []
    for row, number in rows:
        cells = dict(zip(_number_headers(row.cells), (value for _, value in row.cells), strict=True))
        line: list[Runs] = [(Run(cells[head]),) if cells.get(head) else () for head in heads]
        if number:
            line[0] = (*line[0], Run(" "), citing.mark(number, ()))
        shown.append(tuple(line))
    return Table(tuple((Run(name),) if name else () for name, _ in heads), tuple(shown))


def _number_headers(cells: Sequence[tuple[str, str]]) -> tuple[tuple[str, int], ...]:
    """Return the headers of cells, each with the number of equal headers before it."""
    names = [header for header, _ in cells]
    return tuple((name, names[:at].count(name)) for at, name in enumerate(names))


def emphasise_tables(blocks: Sequence[Block], question: str) -> tuple[Block, ...]:
    """Move the rows that a question names to the top of tables, and make the values it asks for bold."""
    asked = [word for word in split_words(question) if word.is_content]
    return tuple(_emphasise(block, asked) if isinstance(block, Table) else block for block in blocks)


def _emphasise(table: Table, asked: Sequence[Word]) -> Table:
    everything = list(range(len(table.rows)))
    named = _find_named_rows(table, asked) if len(everything) > 1 else everything
    column = _find_asked_column(table, asked)
    bold = [
        tuple(_embolden(cell) if at == column else cell for at, cell in enumerate(table.rows[row])) for row in named
    ]
    return replace(table, rows=(*bold, *(table.rows[at] for at in everything if at not in named)))


def _find_named_rows(table: Table, asked: Sequence[Word]) -> list[int]:
    """Return the indexes of rows that the question names, by the first column that names some but not all."""
    for column in range(len(table.head)):
        shares = [_measure_overlap(row[column], asked)[1] for row in table.rows]
        if 0 < shares.count(1) < len(shares):
            return [at for at, share in enumerate(shares) if share == 1]
    return []


def _find_asked_column(table: Table, asked: Sequence[Word]) -> int | None:
    """Return the column, except the first, whose header shares most words with the question; None if ambiguous."""
    overlaps = [(0, 0.0), *(_measure_overlap(cell, asked) for cell in table.head[1:])]
    best = max(overlaps)
    return overlaps.index(best) if best[0] and overlaps.count(best) == 1 else None


def _measure_overlap(cell: Runs, asked: Sequence[Word]) -> tuple[int, float]:
    """Return how many of a cell's words, without its citation marks, a question contains, and their share."""
    words = [word for word in split_words(join_text(run for run in cell if not run.url)) if word.is_content]
    found = sum(any(is_same_noun(word.folded, other.folded) for other in asked) for word in words)
    return found, found / max(len(words), 1)


def _embolden(cell: Runs) -> Runs:
    """Return a cell in bold, except its citation marks, which are links."""
    return tuple(run if run.url else add_style((run,), "bold")[0] for run in cell)
