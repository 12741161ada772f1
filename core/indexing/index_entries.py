"""Index entries: what the indexes contain of an evidence, and under which key.

An entry has the evidence's words with their context, and an access id, which stands for the readers of its page.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple, replace

from core.evidence.contextualise import ContextMode, contextualise, hash_text, select_context
from core.model import Evidence, IndexedEvidence, IndexEntry, Page, ReadRestrictions
from core.text import separate_words


def sort_restrictions(read_restrictions: ReadRestrictions) -> list[list[str]]:
    """Return the restrictions as sorted lists, so that equal restrictions have one representation."""
    return sorted(sorted(principals) for principals in set(read_restrictions))


def make_access_id(read_restrictions: ReadRestrictions) -> str:
    """Return the id of a page's readers in the indexes.

    16 hex digits, or "" if every reader of its space may read it.
    """
    if not read_restrictions:
        return ""
    text = json.dumps(sort_restrictions(read_restrictions), ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def make_joint_access_id(page: Page, *others: Page) -> str:
    """Return the id of the readers who may read all these pages; "" if that is every reader of the space of ``page``.

    It is the access of an evidence whose text ``page`` shows and the ``others`` contain.
    """
    other_spaces = tuple(frozenset({f"space:{each.space}"}) for each in others if each.space != page.space)
    return make_access_id(
        combine_restrictions(page.read_restrictions, *(each.read_restrictions for each in others), other_spaces)
    )


def combine_restrictions(*each: ReadRestrictions) -> ReadRestrictions:
    """Return all restrictions together: a reader has to pass every one."""
    return tuple(dict.fromkeys(principals for restrictions in each for principals in restrictions))


def is_no_wider(now: ReadRestrictions, before: ReadRestrictions) -> bool:
    """Whether everybody who passes ``now`` also passes ``before``, as far as the restrictions alone tell."""
    return all(any(principals <= wider for principals in now) for wider in before)


def make_entry(evidence: Evidence, access: str, mode: ContextMode = "ALL") -> IndexedEvidence:
    """Return the evidence with its entry. The key is a hash of all that the indexes hold, so an entry never changes."""
    context = select_context(evidence.context, mode)
    fields = IndexEntry(
        key="",
        space=evidence.space,
        access=access,
        title=separate_words(context.title),
        heading=separate_words(" > ".join(context.heading_path)),
        text=separate_words(evidence.text),
        surroundings=separate_words("\n".join(part for part in (context.before, context.after) if part)),
    )
    digest = hash_text("\x1f".join(astuple(fields)))
    key = f"{evidence.evidence_id}-{digest[:12]}"
    return IndexedEvidence(evidence, replace(fields, key=key), hash_text(contextualise(evidence, mode)))
