"""Contextualisation: adds context to the text of an evidence before it is indexed (RAGonite, section 3)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Literal

from core.model import Context, Evidence

ContextMode = Literal["NONE", "TTL", "HDR", "BEF", "AFT", "ALL"]
CONTEXT_MODES: tuple[ContextMode, ...] = ("NONE", "TTL", "HDR", "BEF", "AFT", "ALL")

_WORD_CHARS = 20  # limits the length of n words: text without spaces and encoded data have very long words


def select_context(context: Context, mode: ContextMode) -> Context:
    """Return the context with only the fields that a mode uses."""
    return Context(
        title=context.title if mode in {"TTL", "ALL"} else "",
        heading_path=context.heading_path if mode in {"HDR", "ALL"} else (),
        before=context.before if mode in {"BEF", "ALL"} else "",
        after=context.after if mode in {"AFT", "ALL"} else "",
    )


def contextualise(evidence: Evidence, mode: ContextMode = "ALL") -> str:
    """Return the text to embed: title, heading path, before, text and after, one per line."""
    context = select_context(evidence.context, mode)
    lines = (context.title, " > ".join(context.heading_path), context.before, evidence.text, context.after)
    return "\n".join(line for line in lines if line)


def hash_text(text: str) -> str:
    """Return the key of an embedded text. Equal texts share a vector."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def add_before(context: Context, text: str, limit: int) -> Context:
    """Return the context with the last ``limit`` words of the text before, at most."""
    words = _list_words(text[-limit * _WORD_CHARS :])
    if len(words) <= limit and len(text) <= limit * _WORD_CHARS:
        return replace(context, before=text, before_breaks=())
    (first, _), *others = words[-limit:] or [("", False)]
    before, breaks = _join_words([(f"… {first}", False), *others])
    return replace(context, before=before, before_breaks=breaks)


def add_after(context: Context, text: str, limit: int) -> Context:
    """Return the context with the first ``limit`` words of the text after, at most."""
    words = _list_words(text[: limit * _WORD_CHARS])
    if len(words) <= limit and len(text) <= limit * _WORD_CHARS:
        return replace(context, after=text, after_breaks=())
    after, breaks = _join_words(words[:limit])
    return replace(context, after=f"{after} …", after_breaks=breaks)


def _list_words(text: str) -> list[tuple[str, bool]]:
    """Return the words of a text, each with whether it begins a line."""
    return [(word, at == 0) for line in text.split("\n") for at, word in enumerate(line.split())]


def _join_words(words: Sequence[tuple[str, bool]]) -> tuple[str, tuple[int, ...]]:
    """Return the words as one line, and the positions of those that begin a line, except the first word."""
    ends = [0, *accumulate(len(word) + 1 for word, _ in words)]
    breaks = tuple(ends[at] for at, (_, begins_line) in enumerate(words) if begins_line and at)
    return " ".join(word for word, _ in words), breaks
