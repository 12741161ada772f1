"""Markdown, read with markdown-it-py: CommonMark and tables. HTML in it is text."""

from __future__ import annotations

from markdown_it import MarkdownIt

from adapters.files.markup import Markup
from adapters.files.plain import read_text
from adapters.files.web import write_html

_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")


def read(content: bytes, markup: Markup) -> str:
    """Read a Markdown file, and return its defect, or ""."""
    write_html(_PARSER.render(read_text(content)), markup)
    return ""
