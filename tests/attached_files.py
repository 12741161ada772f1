"""Small real files of each kind, made here."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import openpyxl
import pptx

Table = Sequence[Sequence[str]]

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_WORD_NAMES = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_ENCRYPTION = f"<< /Filter /Standard /V 1 /R 2 /O <{'5a' * 32}> /U <{'a5' * 32}> /P -44 >>"
_LEFT, _TOP, _ROW, _COLUMN = 60, 780, 22, 130


def make_workbook(sheets: Mapping[str, Sequence[Sequence[Any]]]) -> bytes:
    """An Excel workbook with the rows of its sheets."""
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for title, rows in sheets.items():
        sheet = workbook.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
    return _saved(workbook.save)


def make_document(blocks: Sequence[str | Table]) -> bytes:
    """A Word document. A line that begins with ``# `` is a heading."""
    body = "".join(_paragraph(block) if isinstance(block, str) else _word_table(block) for block in blocks)
    parts = {
        "[Content_Types].xml": (
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{_WORD}.document.main+xml"/>'
            f'<Override PartName="/word/styles.xml" ContentType="{_WORD}.styles+xml"/></Types>'
        ),
        "_rels/.rels": _relation("officeDocument", "word/document.xml"),
        "word/_rels/document.xml.rels": _relation("styles", "styles.xml"),
        "word/document.xml": f'<w:document xmlns:w="{_WORD_NAMES}"><w:body>{body}</w:body></w:document>',
        "word/styles.xml": (
            f'<w:styles xmlns:w="{_WORD_NAMES}"><w:style w:type="paragraph" w:styleId="H1">'
            '<w:name w:val="heading 1"/></w:style></w:styles>'
        ),
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{content}')
    return target.getvalue()


def _relation(kind: str, target: str) -> str:
    return (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
        f'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}" Target="{target}"/>'
        "</Relationships>"
    )


def _paragraph(line: str) -> str:
    style = '<w:pPr><w:pStyle w:val="H1"/></w:pPr>' if line.startswith("# ") else ""
    return f"<w:p>{style}<w:r><w:t>{escape(line.removeprefix('# '))}</w:t></w:r></w:p>"


def _word_table(table: Table) -> str:
    rows = ("".join(f"<w:tc>{_paragraph(cell)}</w:tc>" for cell in row) for row in table)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


def make_presentation(slides: Sequence[tuple[str, Sequence[str], Table]], notes: str = "") -> bytes:
    """A PowerPoint presentation. A slide is a title, lines, and a table or none; ``notes``: of the last one."""
    presentation = pptx.Presentation()
    for title, lines, table in slides:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = "\n".join(lines)
        if table:
            shape = slide.shapes.add_table(len(table), len(table[0]), 0, 0, 1_000_000, 1_000_000)
            for at, row in enumerate(table):
                for column, cell in enumerate(row):
                    shape.table.cell(at, column).text = cell
        if notes and title == slides[-1][0]:
            slide.notes_slide.notes_text_frame.text = notes
    return _saved(presentation.save)


def make_pdf(
    pages: Sequence[Sequence[str | Table]],
    is_scanned: bool = False,
    is_encrypted: bool = False,
    contents: bytes | None = None,
) -> bytes:
    """A PDF. A page is lines, of which one that begins with ``# `` is a heading, and tables with ruled lines.

    ``is_scanned``: its pages have lines and no text. ``is_encrypted``: with a password that nobody knows.
    ``contents``: an object in place of what the pages show.
    """
    streams = [_draw(page, is_scanned) for page in pages]
    numbers = [4 + 2 * at for at in range(len(pages))]
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    }
    for number, stream in zip(numbers, streams, strict=True):
        objects[number] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {number + 1} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        ).encode()
        objects[number + 1] = contents or b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream)
    encrypted = f"/Encrypt {_ENCRYPTION} /ID [<{'00' * 16}> <{'00' * 16}>]" if is_encrypted else ""
    return _write_pdf(objects, encrypted)


def _draw(page: Sequence[str | Table], is_scanned: bool) -> bytes:
    drawn, y = ["0.5 w"], _TOP
    for block in page:
        if isinstance(block, str):
            heading = block.startswith("# ")
            drawn += [] if is_scanned else [_show(block.removeprefix("# "), _LEFT, y, 18 if heading else 11)]
            y -= 34 if heading else 15
            continue
        top, width = y + 14, _COLUMN * len(block[0])
        for row in block:
            texts = [_show(cell, _LEFT + 4 + _COLUMN * at, y, 10) for at, cell in enumerate(row)]
            drawn += [] if is_scanned else texts
            y -= _ROW
        rows = [top - _ROW * at for at in range(len(block) + 1)]
        drawn += [f"{_LEFT} {at} m {_LEFT + width} {at} l S" for at in rows]
        columns = [_LEFT + _COLUMN * at for at in range(len(block[0]) + 1)]
        drawn += [f"{at} {top} m {at} {rows[-1]} l S" for at in columns]
        y -= 16
    return "\n".join(drawn).encode("cp1252")


def _show(text: str, x: int, y: int, size: int) -> str:
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /F1 {size} Tf {x} {y} Td ({escaped}) Tj ET"


def _write_pdf(objects: Mapping[int, bytes], also: str) -> bytes:
    written, places = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), {}
    for number, content in sorted(objects.items()):
        places[number] = len(written)
        written += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for number in sorted(objects):
        written += b"%010d 00000 n \n" % places[number]
    written += b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        also.encode(),
        start,
    )
    return bytes(written)


def _saved(save: Any) -> bytes:
    target = io.BytesIO()
    save(target)
    return target.getvalue()
