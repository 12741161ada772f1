"""What a cell says by a mark or its first word: nothing, yes, no, pass or fail."""

from __future__ import annotations

import re

_YES = frozenset(
    """yes y true pass passed passes ok okay done open supported allowed enabled ja j wahr bestanden offen erledigt
    erlaubt unterstützt""".split()
)
_NONE = frozenset("no n none never nein nicht kein keine keiner keines keins nie".split())
_NO = _NONE | frozenset(
    "false fail failed fails closed unsupported forbidden disabled falsch geschlossen verboten".split()
)
_YES_MARKS, _NO_MARKS = "✓✔✅☑👍", "✗✘❌✕☒👎"
_TYPED_MARKS = {"(/)": True, "(y)": True, "(x)": False, "(n)": False}
"""Marks as people type them in Confluence's editor, where they remained text."""


def _squeeze(cell: str) -> str:
    """Return a cell in lower case, without spaces and the last full stop: "k.a" for "k. A."."""
    return "".join(cell.split()).lower().removesuffix(".")


_EMPTY = frozenset(map(_squeeze, ("", "-", "–", "—", "--", "./.", "n/a", "na", "n.a.", "k.a.", "entfällt")))
_BLANK = _EMPTY | frozenset(map(_squeeze, ("?", "tbd", "todo", "…", "...")))
_ABSENT = _EMPTY | frozenset("none no nothing kein keine keiner keines keins nein nichts ohne without".split())
_TESTED = re.compile(r"(?i)\W{0,3}(?:pass|fail)(?:ed|s)?\b")
_FIRST = re.compile(r"\W{0,3}([^\W_]+)")


def is_blank(cell: str) -> bool:
    """Whether a cell has no information: it is empty, "-", "n/a" and the like."""
    return _squeeze(cell) in _BLANK


def is_absent(cell: str) -> bool:
    """Whether a cell says that there is nothing: it is empty, "./.", "none", "keins" and the like."""
    return _squeeze(cell) in _ABSENT


def read_verdict(cell: str) -> bool | None:
    """Return True or False for a cell that begins with yes, no or a mark for them; else None."""
    text = cell.strip()
    if text[:1] and text[0] in _YES_MARKS + _NO_MARKS:
        return text[0] in _YES_MARKS
    if (typed := _TYPED_MARKS.get(text[:3].lower())) is not None:
        return typed
    first = _find_first(text)
    return True if first in _YES else False if first in _NO else None


def says_none(cell: str) -> bool:
    """Whether a cell begins with a negation or a mark for it, and not with a state: "closed in May" is a remark."""
    text = cell.strip()
    return text[:1] in [*_NO_MARKS] or _find_first(text) in _NONE


def is_test_result(cell: str) -> bool:
    """Whether a cell begins with "Pass" or "Fail"."""
    return bool(_TESTED.match(cell))


def _find_first(text: str) -> str:
    match = _FIRST.match(text)
    return match[1].lower() if match else ""
