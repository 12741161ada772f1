"""PDFs, read with pdfplumber: lines by character positions, tables by ruled lines, headings by font size.

The text of a page is below a heading with its number. Headings of previous pages still apply.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pdfplumber
from pdfminer.pdfdocument import PDFPasswordIncorrect
from pdfplumber.table import edges_to_intersections, merge_edges
from pdfplumber.utils.exceptions import PdfminerException

from adapters.files.markup import FileUnreadable, Full, Markup

_SIGNATURE_WITHIN = 1024  # bytes, as in other PDF readers
_HEADING_RATIO = 1.15  # minimum font size of a heading relative to most text
_MAIN_HEADING_RATIO = 1.5
_HEADING_CHARACTERS = 120
_TOLERANCE = {"x_tolerance_ratio": 0.15}  # gap between words relative to font size; justified text has narrow gaps
_PARAGRAPH_GAP = 0.7  # relative to a line's height
_SNAP = 3  # points within which pdfplumber takes lines and their ends for the same
_MOST_LINES = 2_000  # of a page, lines in one another's continuation counting as one
_MOST_CROSSINGS = 5_000  # a table of 100 rows and 40 columns has 4,141, and its search takes half a second
_BULLET = re.compile(r"^[•◦▪‣●○■–*-]\s+")
_DIGITS = re.compile(r"\d+")
_BOLD = re.compile("bold|black|heavy", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    top: float
    bottom: float
    size: float
    bold: bool = False


@dataclass(frozen=True, slots=True)
class _Table:
    rows: list[list[str]]
    top: float


@dataclass(frozen=True, slots=True)
class _Page:
    number: int
    lines: list[_Line]
    tables: list[_Table]


def read(content: bytes, markup: Markup) -> str:
    """Read a PDF, and return its defect, or ""."""
    if b"%PDF-" not in content[:_SIGNATURE_WITHIN]:
        raise FileUnreadable("cannot be read: it is broken, or of another kind than its name says.")
    pages: list[_Page] = []
    try:
        with markup.limit_time(), pdfplumber.open(io.BytesIO(content)) as pdf:
            for page in pdf.pages:
                pages.append(_read_page(page))
                page.close()  # frees its caches
    except PdfminerException as error:
        if error.args and isinstance(error.args[0], PDFPasswordIncorrect):
            raise FileUnreadable("cannot be read: it is encrypted. Attach it without a password.") from error
        raise
    has_text = any(page.lines or page.tables for page in pages)
    if markup.incomplete and not has_text:
        raise FileUnreadable("cannot be read: that takes too long.")
    if not pages:
        raise FileUnreadable("cannot be read: it has no pages.")
    if not has_text:
        raise FileUnreadable(
            "has no text: its pages are pictures, perhaps from a scanner. Attach a version with recognised text."
        )
    _Writer(pages, markup).write()
    if markup.incomplete:
        raise Full
    return ""


def _read_page(page: Any) -> _Page:
    found = [table for table in _find_tables(page) if len(table.rows) > 1 and len(table.rows[0].cells) > 1]
    boxes = [table.bbox for table in found]
    tables = [
        _Table([[_tidy(cell) for cell in row] for row in table.extract(**_TOLERANCE)], table.bbox[1]) for table in found
    ]
    rest = page.filter(lambda item: not _is_within(item, boxes)) if boxes else page
    lines = [_make_line(line) for line in rest.extract_text_lines(return_chars=True, **_TOLERANCE)]
    return _Page(page.page_number, [line for line in lines if line.text], [each for each in tables if _is_filled(each)])


def _find_tables(page: Any) -> list[Any]:
    """Return the ruled tables; none of a drawing with so many lines that the search would take long.

    The search compares each crossing of two lines with all others.
    """
    edges = [edge for edge in page.edges if edge["orientation"] in {"h", "v"}]
    lines = merge_edges(edges, *[_SNAP] * 4)
    if len(lines) > _MOST_LINES or len(edges_to_intersections(lines, _SNAP, _SNAP)) > _MOST_CROSSINGS:
        return []
    tables: list[Any] = page.find_tables()
    return tables


def _is_within(item: dict[str, Any], boxes: list[tuple[float, float, float, float]]) -> bool:
    if item["object_type"] != "char":
        return False
    x, y = (item["x0"] + item["x1"]) / 2, (item["top"] + item["bottom"]) / 2
    return any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in boxes)


def _make_line(found: dict[str, Any]) -> _Line:
    chars = found["chars"]
    sizes = Counter(round(char["size"], 1) for char in chars)
    bold = bool(chars) and all(_BOLD.search(str(char["fontname"])) for char in chars)
    size = sizes.most_common(1)[0][0] if sizes else 0.0
    return _Line(_tidy(found["text"]), found["top"], found["bottom"], size, bold)


def _tidy(text: str | None) -> str:
    return " ".join((text or "").split())


def _is_filled(table: _Table) -> bool:
    """Whether this is a table. Boxes around text and lines of drawings are detected as tables too."""
    return len(table.rows) > 1 and sum(1 for row in table.rows if sum(map(bool, row)) > 1) > 1


@dataclass
class _Writer:
    """Writes pages as markup."""

    pages: list[_Page]
    markup: Markup
    headings: list[tuple[int, str]] = field(default_factory=list)  # level and text of the headings that still apply

    def write(self) -> None:
        repeated, size = _find_repeated(self.pages), _find_text_size(self.pages)
        for page in self.pages:
            lines = [line for line in page.lines if _identify(line) not in repeated]
            if not lines and not page.tables:
                continue
            self.markup.add_heading(1, f"Page {page.number}")
            self._write_page(sorted([*lines, *page.tables], key=lambda block: block.top), size)

    def _write_page(self, blocks: list[_Line | _Table], size: float) -> None:
        if not isinstance(blocks[0], _Line) or not _find_level(blocks[0], size):
            for level, text in self.headings:
                self.markup.add_heading(level, text)
        paragraph: list[_Line] = []
        for block in blocks:
            level = _find_level(block, size) if isinstance(block, _Line) else 0
            if isinstance(block, _Line) and not level:
                if paragraph and _begins_paragraph(paragraph[-1], block):
                    self._write_paragraph(paragraph)
                    paragraph = []
                paragraph.append(block)
                continue
            self._write_paragraph(paragraph)
            paragraph = []
            if isinstance(block, _Table):
                self.markup.add_table(block.rows, has_header=_names_columns(block.rows))
            else:
                self.headings = [each for each in self.headings if each[0] < level] + [(level, block.text)]
                self.markup.add_heading(level, block.text)
        self._write_paragraph(paragraph)

    def _write_paragraph(self, lines: list[_Line]) -> None:
        text = ""
        for line in lines:
            if text.endswith("-") and text[-2:-1].isalpha() and line.text[:1].islower():
                text = text[:-1] + line.text
            else:
                text = f"{text} {line.text}".strip()
        self.markup.add_paragraph(text)


def _find_level(line: _Line, size: float) -> int:
    """Return the level of a heading, or 0 for other lines."""
    if len(line.text) > _HEADING_CHARACTERS or not any(sign.isalpha() for sign in line.text):
        return 0
    if line.size >= size * _MAIN_HEADING_RATIO:
        return 2
    return 3 if line.size >= size * _HEADING_RATIO else 0


def _begins_paragraph(before: _Line, line: _Line) -> bool:
    if _BULLET.match(line.text) or line.bold != before.bold:
        return True
    height = max(line.bottom - line.top, 1.0)
    return line.top - before.bottom > _PARAGRAPH_GAP * height or line.top < before.top


def _find_text_size(pages: list[_Page]) -> float:
    """Return the font size of most text."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _find_repeated(pages: list[_Page]) -> set[str]:
    """Return headers and footers: the first or last line of at least half of the pages, ignoring numbers."""
    if len(pages) < 3:
        return set()
    edges = Counter(edge for page in pages for edge in {_identify(line) for line in _find_edges(page)})
    return {edge for edge, count in edges.items() if count >= 3 and count * 2 >= len(pages)}


def _find_edges(page: _Page) -> list[_Line]:
    lines = sorted(page.lines, key=lambda line: line.top)
    return lines[:1] + lines[-1:]


def _identify(line: _Line) -> str:
    return _DIGITS.sub("#", line.text)


def _names_columns(rows: list[list[str]]) -> bool:
    """Whether the first row names the columns: all cells are filled, distinct, and do not begin with a number."""
    first = rows[0]
    if not all(first) or len(set(first)) < len(first):
        return False
    return not any(cell[:1].isdigit() for cell in first)
