"""Word documents (.docx, .docm), read with mammoth: headings by style, paragraphs, lists, tables, footnotes."""

from __future__ import annotations

import io
import xml.dom.expatbuilder  # noqa: F401  the parser imports it at first use, when no module can be loaded any more
from typing import Any

import mammoth

from adapters.files.archive import check_archive
from adapters.files.markup import FileUnreadable, Markup
from adapters.files.web import write_html

_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"


def read(content: bytes, markup: Markup) -> str:
    """Read a document, and return its defect, or ""."""
    archive = check_archive(content)
    if "word/document.xml" not in archive.namelist():
        raise FileUnreadable("cannot be read: it is broken, or of another kind than its name says.")
    converted = mammoth.convert_to_html(
        io.BytesIO(content),
        style_map=_STYLES,
        convert_image=_leave_out_image,
        include_embedded_style_map=False,
        external_file_access=False,
    )
    if not converted.value.strip():
        raise FileUnreadable("has no text.")
    write_html(converted.value, markup)
    return ""


def _leave_out_image(image: Any) -> list[Any]:
    return []
