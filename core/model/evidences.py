"""Evidences with their context, the scope of a question, and the positions of evidences in rankings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest
from typing import Literal, NamedTuple

from core.model.pages import NamedPerson, PageFacts, ReadRestrictions

EvidenceKind = Literal["passage", "list", "table", "table_row", "facts"]
INDEXED_KINDS: tuple[EvidenceKind, ...] = ("passage", "list", "table", "table_row")
EVIDENCE_KINDS: tuple[EvidenceKind, ...] = (*INDEXED_KINDS, "facts")
"""Facts are not indexed: they are alike on every page, so they would crowd out each other and the text of pages."""
TEXT_KINDS: frozenset[EvidenceKind] = frozenset(["passage", "list"])
TABLE_KINDS: frozenset[EvidenceKind] = frozenset(["table", "table_row"])
"""Kinds of evidences that consist of rows."""

SectionKey = tuple[str, tuple[str, ...]]
"""Identifies a section: the id of its page, and its headings."""


@dataclass(frozen=True, slots=True)
class Context:
    """The text around an evidence on its page, which is indexed with it (RAGonite, section 3).

    A shortened ``before`` or ``after`` has no line breaks. ``before_breaks`` and ``after_breaks`` are the positions in
    it where lines begin, except the first; () for evidences stored by early versions.
    """

    title: str = ""
    heading_path: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    before_breaks: tuple[int, ...] = ()
    after_breaks: tuple[int, ...] = ()

    @property
    def lines_before(self) -> list[str]:
        """Return the lines of ``before``."""
        return _split_lines(self.before, self.before_breaks)

    @property
    def lines_after(self) -> list[str]:
        """Return the lines of ``after``."""
        return _split_lines(self.after, self.after_breaks)


def _split_lines(text: str, breaks: tuple[int, ...]) -> list[str]:
    if not breaks:
        return text.strip().split("\n")
    lines = (text[start:end].strip() for start, end in pairwise((0, *breaks, len(text))))
    return [line for line in lines if line]


@dataclass(frozen=True, slots=True)
class Structure:
    """The position of an evidence in its table or list, from which the whole can be reassembled.

    ``numbers``, ``depths`` and ``labels`` have one entry per part of the evidence.
    """

    block: int  # the number of the table (or list) among the tables (or lists) of the page, from 1
    total: int  # rows or items of the whole table or list
    numbers: tuple[int, ...]  # row or item numbers, from 1; all parts of one long row have the same number
    depths: tuple[int, ...]  # nesting of list items, from 0; 0 for rows
    labels: tuple[str, ...]  # the section of a row, or the marker of an item: ``-``, ``1.``, ``[x]``
    caption: str = ""


class PagePart(NamedTuple):
    """The own text of a page; or, with ``thread``, a thread of comments or an attached file of it.

    ``thread``: like that of :class:`Evidence`. A tuple, because sets of them are sent as JSON (bot/operations).
    """

    page_id: str
    thread: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of a page that can answer a question, with its context.

    ``origin`` and ``via`` describe evidences that this page shows of another one: ``origin`` is the id of the page that
    the text is from ("" for this page), ``via`` the ids of the pages in between if an included page includes another.
    Only readers of all these pages may read the evidence.
    """

    evidence_id: str
    page_id: str
    space: str
    kind: EvidenceKind
    ordinal: int  # position on the page, from 0, in document order
    text: str  # linearised, without context
    context: Context
    url: str  # of the page, with the heading's anchor if there is one
    parts: tuple[str, ...] = ()  # the smallest quotable pieces, verbatim, in order: sentences, list items or table rows
    rows: tuple[tuple[tuple[str, str], ...], ...] = ()  # of a table or table row: (header, value) pairs per row
    structure: Structure | None = None  # of tables, rows and lists; None for evidences stored by early versions
    facts: PageFacts | None = None  # of evidences of kind "facts"
    people: tuple[NamedPerson, ...] = ()  # the people mentioned in ``text``, with the names used there
    thread: str = ""  # of a comment: the id of its thread's first comment; of an attached file: the file's id
    origin: str = ""
    via: tuple[str, ...] = ()

    @property
    def page_ids(self) -> frozenset[str]:
        """The ids of all pages that a reader of this evidence must be able to read."""
        return frozenset({self.page_id, self.origin or self.page_id, *self.via})

    @property
    def page_parts(self) -> frozenset[PagePart]:
        """Where the text comes from, and the other pages that a reader of this evidence must be able to read."""
        others = self.page_ids - {self.page_id}
        return frozenset({PagePart(self.page_id, self.thread), *map(PagePart, others)})

    @property
    def inclusion_path(self) -> tuple[str, ...]:
        """The ids of the included pages that lead to the text, its origin last; () for the page's own text."""
        return (*self.via, self.origin) if self.origin else ()

    @property
    def section_key(self) -> SectionKey:
        """The key that all evidences of its section have."""
        return self.page_id, self.context.heading_path

    @property
    def table_key(self) -> tuple[str, int]:
        """The id of its page and the number of its table there; 0 for an evidence that is no table and no row."""
        structure = self.structure if self.kind in {"table", "table_row"} else None
        return self.page_id, structure.block if structure else 0

    @property
    def heading(self) -> str:
        """The heading that a citation names; for a comment or file, its name and the heading inside it."""
        path = self.context.heading_path
        return " › ".join(path[:2] if self.thread else path[-1:])


@dataclass(frozen=True, slots=True)
class Scope:
    """The pages that a question may use."""

    spaces: frozenset[str] | None = None  # None for all spaces
    principals: frozenset[str] = frozenset()  # ``user:…`` and ``group:…``

    def admits(self, space: str, read_restrictions: ReadRestrictions) -> bool:
        """Whether the scope includes a page of this space with these read restrictions."""
        if self.spaces is not None and space not in self.spaces:
            return False
        return all(allowed & self.principals for allowed in read_restrictions)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The rank and score of an evidence in one ranking."""

    rank: int  # from 1
    score: float


@dataclass(frozen=True, slots=True)
class RankedEvidence:
    """An evidence with its final rank, and its rank in each contributing ranking, None if it is not in it."""

    evidence: Evidence
    rank: int
    score: float
    lexical: Ranking | None = None
    dense: Ranking | None = None
    fused: Ranking | None = None
    reranked: Ranking | None = None
    for_reading: Ranking | None = None  # among what a language model may read, which includes whole sections

    @classmethod
    def of(cls, evidence: Evidence) -> RankedEvidence:
        """Return an evidence that is read by itself, so that its rank does not matter."""
        return cls(evidence, rank=1, score=0.0)

    @property
    def is_retrieved(self) -> bool:
        """Whether retrieval found it. If not, it was added to what was found (:mod:`core.gathering`)."""
        return bool(self.lexical or self.dense or self.fused)


def merge_evidences(lists: Sequence[Sequence[RankedEvidence]]) -> list[RankedEvidence]:
    """Return the evidences of several retrievals by their ranks, each one once, with new ranks."""
    found: dict[str, RankedEvidence] = {}
    for some in zip_longest(*lists):
        for each in filter(None, some):
            found.setdefault(each.evidence.evidence_id, each)
    return [replace(each, rank=rank) for rank, each in enumerate(found.values(), 1)]


def append_evidences(
    evidences: Sequence[RankedEvidence], added: Iterable[Evidence], score: float = 0.0
) -> list[RankedEvidence]:
    """Return the evidences, followed by the added ones that are new, with the next ranks and all with this score."""
    known = {ranked.evidence.evidence_id for ranked in evidences}
    new = (each for each in added if each.evidence_id not in known)
    return [*evidences, *(RankedEvidence(each, rank, score) for rank, each in enumerate(new, len(evidences) + 1))]
