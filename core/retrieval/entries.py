"""Index entries: which words of an evidence the indexes hold, and under which key."""

from __future__ import annotations

import hashlib
from dataclasses import astuple

from core.evidence.contextualise import ContextMode, contextualise, select_context
from core.model import Evidence
from core.ports.indexes import IndexEntry
from core.ports.store import IndexedEvidence


def make_entry(evidence: Evidence, access: str, mode: ContextMode = "ALL") -> IndexedEvidence:
    """The evidence with its entry. The key is a hash of all that the indexes hold: an entry never changes."""
    context = select_context(evidence.context, mode)
    fields = IndexEntry(
        key="",
        space=evidence.space,
        access=access,
        title=context.title,
        heading=" > ".join(context.heading_path),
        text=evidence.text,
        surroundings="\n".join(part for part in (context.before, context.after) if part),
    )
    key = f"{evidence.evidence_id}-{_digest(*astuple(fields))[:12]}"
    entry = IndexEntry(key, *astuple(fields)[1:])
    return IndexedEvidence(evidence, entry, text_hash(contextualise(evidence, mode)))


def text_hash(text: str) -> str:
    """Identifies an embedded text: equal texts share a vector."""
    return _digest(text)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
