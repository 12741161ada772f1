r"""Rendering of paragraphs, code and tables of one row as CommonMark, for clients that take a text in Markdown.

Text from pages, models and people is escaped. Addresses and mentions in it are broken up by a zero-width space, since
clients would link them. The text of the first blocks of a document begins the text of the whole document.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import chain

from core.text import ZERO_WIDTH, clean, collapse_spaces, is_visible, surround
from core.views.document import SIGNS, Block, Code, Paragraph, Run, Table, add_style, join_text, strip_colon
from core.views.inert import break_addresses, break_links, join_lines

_DEEPEST = 4
_INDENT = "    "
_STYLES = {"bold": "**", "italic": "*", "strike": "~~"}
_TICKS = re.compile("`+")
_TAG = re.compile(r"<(?=[A-Za-z/!?@#])")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_SPECIAL = re.compile(r"[\\`*\[\]~]|(?<![^\W_])_|_(?![^\W_])")  # an underscore within a word is not markup
_FIRST = re.compile(r"#|[-+=>]|\d{1,9}(?=[.)](?:\s|$))")  # start of a heading, a list item or a quote


def render_text(blocks: Iterable[Block], cited: Collection[int]) -> str:
    """Render paragraphs, code, and tables of one row as a list of their cells; other blocks are skipped.

    ``cited``: numbers whose mark ``[1]`` the client shows as a citation; other marks are links. An item with such a
    mark has a blank line around it: clients may draw citations in paragraphs only, and the items of a list without
    blank lines contain none.
    """
    text = ""
    depth = -1  # list level of the previous line
    had_mark = False  # whether the previous line had a citation
    for block in chain.from_iterable(map(_list_cells, blocks)):
        if isinstance(block, Code):
            line, depth, gap = _fence(block.lines), -1, "\n\n"
        elif isinstance(block, Paragraph) and is_visible(join_text(block.runs)):
            is_item = bool(block.marker) and not block.quoted
            has_mark = any(run.citation in cited for run in block.runs)
            gap = "\n" if is_item and depth >= 0 and not (has_mark or had_mark) else "\n\n"
            had_mark = has_mark
            depth = min(block.level, depth + 1, _DEEPEST) if is_item else depth if block.marker == "" else -1
            line = _render_paragraph(block, depth, cited)
        else:
            continue
        text += (gap if text else "") + line
    return text


def _list_cells(block: Block) -> Iterable[Block]:
    """Return a table of one row as a list of names with cells, and any other block itself."""
    if not isinstance(block, Table):
        return [block]
    return [
        Paragraph((*add_style(strip_colon(name), "bold"), Run(": " if name else ""), *cell), marker="•")
        for name, cell in block.named_cells
    ]


def find_citations(blocks: Iterable[Block]) -> set[int | None]:
    """Return the numbers of the citations whose marks are in the rendered text."""
    lines = chain.from_iterable(map(_list_cells, blocks))
    return {run.citation for line in lines if isinstance(line, Paragraph) for run in line.runs}


def _render_paragraph(block: Paragraph, depth: int, cited: Collection[int]) -> str:
    """Render a paragraph. ``depth``: its list level, -1 outside of lists."""
    is_subtle = block.look == "subtle"
    whole = "**" * block.is_bold + "*" * is_subtle
    without = {"bold"} if block.is_bold else {"italic"} if is_subtle else set()
    runs = [replace(run, styles=tuple(style for style in run.styles if style not in without)) for run in block.runs]
    line = surround(_render_runs(runs, cited).strip(), whole)
    line = SIGNS[block.sign] + (line if whole else _escape_first(line))
    if block.quoted:
        return "> " * min(block.quoted, _DEEPEST) + (f"{block.marker} " if block.marker else "") + line
    if depth < 0:
        return line
    if not block.marker:
        return _INDENT * (depth + 1) + line
    marker = block.marker if block.marker[0].isdigit() else "-"
    return f"{_INDENT * depth}{marker} {line}"


def _render_runs(runs: Sequence[Run], cited: Collection[int]) -> str:
    text, mark = "", ""  # the mark that the text ends with
    for run in runs:
        if run.citation in cited:
            mark = f"[{run.citation}]"
            text += mark
            continue
        piece = _run(run)
        if not piece:
            continue
        # After a mark this would be a link or a link definition.
        if mark and (piece[:1] == "(" or (piece[:1] == ":" and text.strip() == mark)):
            piece = "\\" + piece
        if text[-1:] == piece[:1] and piece[:1] in ("*", "~", "`"):
            piece = ZERO_WIDTH + piece
        text, mark = text + piece, ""
    return text


def _run(run: Run) -> str:
    if run.code:
        text = collapse_spaces(run.text)
        ticks = "`" * (_count_ticks([text]) + 1)
        pad = " " * (text.startswith("`") or text.endswith("`"))
        return f"{ticks}{pad}{text}{pad}{ticks}" if text else ""
    text = _escape(run.text)
    if run.url:
        return f"[{text}]({run.url.replace('(', '%28').replace(')', '%29')})"
    for style in reversed(run.styles):
        text = surround(text, _STYLES[style])
    return text


def _escape(text: str) -> str:
    """Escape text on one line: markup, tags and addresses."""
    text = _TAG.sub("<" + ZERO_WIDTH, break_addresses(break_links(join_lines(text))))
    return _ENTITY.sub(r"\\&", _SPECIAL.sub(r"\\\g<0>", text))


def _escape_first(line: str) -> str:
    found = _FIRST.match(line)
    if not found:
        return line
    digits = found[0] if found[0].isdigit() else ""
    return f"{digits}\\{line[len(digits) :]}"


def _fence(lines: Sequence[str]) -> str:
    fence = "`" * max(3, _count_ticks(lines) + 1)
    return "\n".join([fence, *(clean(line).replace("\n", " ") for line in lines), fence])


def _count_ticks(lines: Sequence[str]) -> int:
    """Return the length of the longest run of backticks."""
    return max((len(found) for line in lines for found in _TICKS.findall(line)), default=0)
