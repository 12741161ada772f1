"""Citations of evidences."""

from __future__ import annotations

from core.model import Citation, Evidence

UNSUPPORTED = "[?]"
"""Follows a statement that no source supports."""

_QUOTE_CHARS = 400


def citation(number: int, evidence: Evidence, quote: str = "") -> Citation:
    """The citation of an evidence; ``quote``: the words that the answer rests on, verbatim (default: all of them)."""
    words = quote or evidence.text
    return Citation(
        number=number,
        evidence_id=evidence.evidence_id,
        page_id=evidence.page_id,
        title=evidence.context.title,
        heading=evidence.context.heading_path[-1] if evidence.context.heading_path else "",
        url=evidence.url,
        kind=evidence.kind,
        quote=words if len(words) <= _QUOTE_CHARS else words[:_QUOTE_CHARS].rsplit(" ", 1)[0] + " …",
    )
