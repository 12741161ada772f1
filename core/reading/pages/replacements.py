"""Pages that say which page holds in their place, or in place of which one they hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.model import TEXT_KINDS, Evidence, RankedEvidence

_BETWEEN = 60  # characters at most between such words and the title of the page
_REPLACED = re.compile(
    r"(?i)(?:^|[.!?\n] ?)\W{0,3}(?:superseded|deprecated)\b[^\n]{0,60}?\b(?:see|siehe|use|now)\b"
    r"|(?<!\bnot )(?<!\bnever )(?<!\bnicht )"
    r"\b(?:(?:superseded|replaced|obsoleted)(?: (?:on|in|since|from|as of) [^\n]{1,30}?)? by"
    r"|(?:abgelöst|ersetzt) (?:durch|von)"
    r"|durch(?=[^\n]{1,90} (?:abgelöst|ersetzt)\b)"
    r"|(?:outdated|obsolete|out of date|no longer (?:valid|holds|applies|current)|archived"
    r"|veraltet|überholt|gilt nicht mehr|nicht mehr gültig|archiviert)\b[^\n]{0,60}?"
    r"\b(?:see|siehe|use|now|jetzt|new|neue|current|aktuelle))\b"
)
"""The other page holds: "superseded by …", "outdated, see …". Not "the outdated page … was replaced"."""
_REPLACES = re.compile(
    r"(?i)(?:^|[.!?:\n] ?)(?:(?:it|(?:this|the present|diese[rs]?) \w+) )?"
    r"(?:supersedes|replaces|ersetzt(?! (?:durch|von)))\b"
)
"""A sentence about this page holds in place of another one: "Replaces …", "This policy supersedes …"."""


def is_replaced(text: str) -> bool:
    """Whether a text says that another page holds."""
    return bool(_REPLACED.search(text))


def is_replacement_note(evidence: Evidence) -> bool:
    """Whether a text says of its page that it is replaced, or that it replaces another one."""
    return is_about_page(evidence) and bool(_REPLACED.search(evidence.text) or _REPLACES.search(evidence.text))


def find_replacements(evidences: Sequence[RankedEvidence]) -> Mapping[str, str]:
    """Return the ids of pages that are replaced, each with that of the page that replaces it.

    Only what stands above the first heading of a page, or below "Status", is about the page as a whole.
    """
    titles = {each.evidence.page_id: each.evidence.context.title.casefold() for each in evidences}
    found: dict[str, str] = {}
    for evidence in (each.evidence for each in evidences if is_about_page(each.evidence)):
        others = {page_id: title for page_id, title in titles.items() if title and page_id != evidence.page_id}
        if newer := _find_named_after(_REPLACED, evidence.text, others):
            found.setdefault(evidence.page_id, newer)
        elif older := _find_named_after(_REPLACES, evidence.text, others):
            found.setdefault(older, evidence.page_id)
    return found


def _find_named_after(words: re.Pattern[str], text: str, titles: Mapping[str, str]) -> str:
    """Return the id of the page with the longest title that stands right after such words; "" if none does."""
    after = [text[match.end() :].casefold() for match in words.finditer(text)]
    named = [page_id for page_id, title in titles.items() if any(_begins_near(part, title) for part in after)]
    return max(named, key=lambda page_id: len(titles[page_id]), default="")


def _begins_near(text: str, title: str) -> bool:
    """Whether a title stands near the beginning of a text, as whole words."""
    found = re.search(rf"(?<!\w){re.escape(title)}(?!\w)", text[: _BETWEEN + len(title) + 1])
    return bool(found)


def is_about_page(evidence: Evidence) -> bool:
    """Whether a text stands above the first heading of its page, or below a heading "Status"."""
    path = evidence.context.heading_path
    is_top = not path or [heading.casefold().strip(": ") for heading in path] == ["status"]
    return is_top and evidence.kind in TEXT_KINDS and not evidence.thread and not evidence.origin
