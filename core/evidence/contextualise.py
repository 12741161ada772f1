"""Contextualisation: the text around an evidence that is indexed with it (RAGonite, section 3)."""

from __future__ import annotations

from typing import Literal

from core.model import Context, Evidence

ContextMode = Literal["NONE", "TTL", "HDR", "BEF", "AFT", "ALL"]
CONTEXT_MODES: tuple[ContextMode, ...] = ("NONE", "TTL", "HDR", "BEF", "AFT", "ALL")

_WORD_CHARS = 20  # limits the length of n words: scripts without spaces and encoded data have endless ones


def select_context(context: Context, mode: ContextMode) -> Context:
    """The parts of the context that a mode uses; the others are empty."""
    return Context(
        title=context.title if mode in {"TTL", "ALL"} else "",
        heading_path=context.heading_path if mode in {"HDR", "ALL"} else (),
        before=context.before if mode in {"BEF", "ALL"} else "",
        after=context.after if mode in {"AFT", "ALL"} else "",
    )


def contextualise(evidence: Evidence, mode: ContextMode = "ALL") -> str:
    """The text that is embedded: title, heading path, before, text and after, one per line."""
    context = select_context(evidence.context, mode)
    lines = (context.title, " > ".join(context.heading_path), context.before, evidence.text, context.after)
    return "\n".join(line for line in lines if line)


def last_words(text: str, limit: int) -> str:
    """The end of a text, at most ``limit`` words, from a word's start."""
    words = text[-limit * _WORD_CHARS :].split()
    if len(words) <= limit and len(text) <= limit * _WORD_CHARS:
        return text
    return "… " + " ".join(words[-limit:])


def first_words(text: str, limit: int) -> str:
    """The beginning of a text, at most ``limit`` words."""
    words = text[: limit * _WORD_CHARS].split()
    if len(words) <= limit and len(text) <= limit * _WORD_CHARS:
        return text
    return " ".join(words[:limit]) + " …"
