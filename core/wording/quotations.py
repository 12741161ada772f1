"""Quotations of the wiki in an answer, and how their text is written: its separators, omissions and brackets."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.model import Citation, Evidence

OMITTED = "- …"
"""Stands where an answer leaves out items of a list."""
ITEM = "- "
"""Begins a line of a list in the wiki's own words."""
BETWEEN_CELLS = " · "
"""Separates the cells of a row that an answer quotes."""
ELLIPSIS = "…"
"""Stands for what is left out of a row."""

CITATION_MARK = r"\[(\d{1,3})\]"
"""A citation mark as a pattern, with its number as a group."""

_MARK, _LAST_MARK = re.compile(CITATION_MARK), re.compile(rf" {CITATION_MARK}$")
_MARKS_TO_STRIP = re.compile(rf"(?<!\s)\s*+(?:{CITATION_MARK}|\[\?\])")


@dataclass(frozen=True, slots=True)
class Quotation:
    """A piece of an extractive answer: its lines as shown, its evidence, and the words of the evidence verbatim.

    ``shown`` and ``total``: the numbers of items of a list that was cut. ``lead``: what stands before the page's title.
    """

    text: str
    evidence: Evidence
    quote: str
    shown: int = 0
    total: int = 0
    lead: str = ""


def write_header(path: str) -> str:
    """Return the path of headers above a column as it is shown: "Term, 36 months" for "Term > 36 months"."""
    return path.replace(" > ", ", ")


def split_mark(line: str) -> tuple[str, str]:
    """Split the citation mark off the end of a line; return the line and the citation's number, "" for none."""
    found = _LAST_MARK.search(line)
    return (line[: found.start()], found[1]) if found else (line, "")


def strip_citations(text: str) -> str:
    """Return the text without its citation marks, whose numbers change with the evidences. Line breaks stay."""
    return _MARKS_TO_STRIP.sub("", text).strip()


def replace_brackets(text: str) -> str:
    """Return the text with "[1]" replaced by "(1)", which would look like a citation; code is unchanged."""
    return _replace_numbers(text, lambda found: f"({found[1]})")


def number_citations(text: str, numbers: Mapping[int, int]) -> str:
    """Return the text of an answer with other numbers of its citations."""
    return _replace_numbers(text, lambda found: f"[{numbers.get(int(found[1]), found[1])}]")


def _replace_numbers(text: str, replace: Callable[[re.Match[str]], str]) -> str:
    """Return the text with each number in square brackets replaced, except in code."""
    pieces: list[str] = []
    at = 0
    while (start := text.find("```", at)) >= 0 and (end := text.find("\n```", start + 3)) >= 0:
        pieces += [_MARK.sub(replace, text[at:start]), text[start : end + 4]]
        at = end + 4
    return "".join([*pieces, _MARK.sub(replace, text[at:])])


def shorten_at_word(text: str, limit: int) -> str:
    """Return at most the first ``limit`` characters of a text, up to the end of a word, and " …" if it was cut."""
    return text if len(text) <= limit else text[:limit].rsplit(" ", 1)[0] + " …"


_QUOTE_CHARS = 400


def make_citation(number: int, evidence: Evidence, quote: str = "") -> Citation:
    """Return the citation of an evidence; ``quote``: the words that support the answer, verbatim (default: all)."""
    words = quote or evidence.text
    return Citation(
        number=number,
        evidence_id=evidence.evidence_id,
        page_id=evidence.page_id,
        title=evidence.context.title,
        heading=evidence.heading,
        url=evidence.url,
        kind=evidence.kind,
        quote=shorten_at_word(words, _QUOTE_CHARS),
    )
