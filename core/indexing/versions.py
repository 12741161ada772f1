"""Digests: by them a sync tells whether a page is as it was stored, and in what it is another one."""

from __future__ import annotations

import hashlib

from core.ports import ListedPage


def page_digest(listed: ListedPage, fingerprint: str) -> str:
    """Covers all that a page's evidences and their entries are made from: ``{of the version}.{of the rest}``."""
    restrictions = sorted(sorted(group) for group in listed.read_restrictions)
    version = _hash(listed.page_id, listed.space, listed.version)
    return f"{version}.{_hash(str(restrictions), fingerprint)}"


def same_version(known: str, digest: str) -> bool:
    """Whether two digests are of one version of a page, in one space."""
    return "." in known and known.partition(".")[0] == digest.partition(".")[0]


def _hash(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
