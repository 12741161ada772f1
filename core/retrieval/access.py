"""Read restrictions: their canonical form, their id in the indexes, and comparing them."""

from __future__ import annotations

import hashlib
import json

ReadRestrictions = tuple[frozenset[str], ...]
"""One set of principals per restricted page on the way from the space's root, see :class:`core.model.Page`."""


def canonical(read_restrictions: ReadRestrictions) -> list[list[str]]:
    """The restrictions as sorted lists, independent of their order."""
    return sorted(sorted(principals) for principals in set(read_restrictions))


def access_id(read_restrictions: ReadRestrictions) -> str:
    """The id of a page's readers in the indexes: 16 hex digits, or "" if every reader of its space may read it."""
    if not read_restrictions:
        return ""
    text = json.dumps(canonical(read_restrictions), ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def narrow(*each: ReadRestrictions) -> ReadRestrictions:
    """All restrictions together: a reader has to pass every one."""
    return tuple(dict.fromkeys(principals for restrictions in each for principals in restrictions))


def is_no_wider(now: ReadRestrictions, before: ReadRestrictions) -> bool:
    """Whether everybody who passes ``now`` passes ``before`` too, as far as the restrictions alone can tell."""
    return all(any(principals <= wider for principals in now) for wider in before)
