"""PowerPoint presentations (.pptx, .pptm), read with python-pptx: titles, texts, tables and notes of each slide."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

import pptx

from adapters.files.archive import check_archive
from adapters.files.markup import FileUnreadable, Full, Markup

_DEEPEST = 20  # groups within groups


def read(content: bytes, markup: Markup) -> str:
    """Read a presentation, and return its defect, or ""."""
    check_archive(content)
    presentation = pptx.Presentation(io.BytesIO(content))
    has_text = False
    for number, slide in enumerate(presentation.slides, start=1):
        if not markup.has_time():
            raise Full
        if slide.element.get("show") == "0":
            continue
        blocks = list(_read_blocks(slide))
        if blocks:
            has_text = True
            markup.add_heading(1, f"Slide {number}")
            _write(blocks, slide, markup)
    if not has_text:
        raise FileUnreadable("has no text.")
    return ""


def _write(blocks: list[list[str] | list[list[str]]], slide: Any, markup: Markup) -> None:
    title = _read_title(slide)
    if title:
        markup.add_heading(2, title)
    for block in blocks:
        if isinstance(block[0], list):
            markup.add_table([list(row) for row in block], has_header=len(block) > 1)
        elif len(block) > 1:
            markup.list(str(line) for line in block)
        elif str(block[0]) != title:
            markup.add_paragraph(str(block[0]))


def _read_title(slide: Any) -> str:
    title = slide.shapes.title
    return " ".join(title.text_frame.text.split()) if title is not None and title.has_text_frame else ""


def _read_blocks(slide: Any) -> Iterator[list[str] | list[list[str]]]:
    """Yield the lines of each text and the rows of each table in the order of the slide's shapes, then the notes."""
    for shape in _iterate_shapes(slide.shapes):
        if shape.has_text_frame:
            if lines := [line for line in map(_read_line, shape.text_frame.paragraphs) if line]:
                yield lines
        elif getattr(shape, "has_table", False):
            yield [[" ".join(cell.text.split()) for cell in row.cells] for row in shape.table.rows]
    if notes := _read_notes(slide):
        yield [notes]


def _read_notes(slide: Any) -> str:
    frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    return " ".join(frame.text.split()) if frame is not None else ""


def _iterate_shapes(shapes: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    for shape in shapes:
        if hasattr(shape, "shapes"):  # a group
            if depth < _DEEPEST:
                yield from _iterate_shapes(shape.shapes, depth + 1)
        else:
            yield shape


def _read_line(paragraph: Any) -> str:
    return " ".join(paragraph.text.split())
