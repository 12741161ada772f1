"""Contextualisation: adds context to the text of an evidence before it is indexed (RAGonite, section 3)."""

from __future__ import annotations

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


def last_words(text: str, limit: int) -> str:
    """Return the last ``limit`` words of a text at most."""
    words = text[-limit * _WORD_CHARS :].split()
    if len(words) <= limit and len(text) <= limit * _WORD_CHARS:
        return text
    return "… " + " ".join(words[-limit:])


def first_words(text: str, limit: int) -> str:
    """Return the first ``limit`` words of a text at most."""
    words = text[: limit * _WORD_CHARS].split()
    if len(words) <= limit and len(text) <= limit * _WORD_CHARS:
        return text
    return " ".join(words[:limit]) + " …"
