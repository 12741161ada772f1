"""Evidences as the indexes contain them."""

from __future__ import annotations

from dataclasses import dataclass

from core.model.evidences import Evidence


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """The indexed fields of one evidence. Entries never change: changed content gets another key.

    ``access``: the id of the page's read restrictions, see :class:`core.ports.indexes.AccessFilter`; "" for all readers
    of the space. Fields that the context mode excludes are "".
    """

    key: str
    space: str
    access: str
    title: str
    heading: str
    text: str
    surroundings: str  # the text before and after


@dataclass(frozen=True, slots=True)
class IndexedEvidence:
    """An evidence with its index entry, and the hash of the contextualised text that was embedded."""

    evidence: Evidence
    entry: IndexEntry
    text_hash: str
