"""Pages that say which page holds in their place: "Outdated, see …", "Superseded by …", or "Replaces …" on the new one.

Both have the same words, so scores hardly tell apart what holds and what held before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.answering.extractive.quoting.compose import quote_passage
from core.answering.extractive.units import ScoredUnit, is_about_same
from core.model import TEXT_KINDS, Evidence, RankedEvidence
from core.reading.words import has_outdated_word
from core.text import split_subject
from core.wording.content_words import select_content_words
from core.wording.focus import Focus
from core.wording.quotations import Quotation

_NEAR = 0.75  # of the best unit's score
_BETWEEN = 60  # characters at most between such words and the title of the page
_REPLACED = re.compile(
    r"(?i)(?<!\bnot )(?<!\bnever )(?<!\bnicht )"
    r"\b(?:(?:superseded|replaced|obsoleted)(?: (?:on|in|since|from|as of) [^\n]{1,30}?)? by"
    r"|(?:abgelöst|ersetzt) (?:durch|von)"
    r"|durch(?=[^\n]{1,90} (?:abgelöst|ersetzt)\b)"
    r"|(?:outdated|obsolete|out of date|no longer (?:valid|holds|applies|current)|archived|veraltet|überholt"
    r"|gilt nicht mehr|nicht mehr gültig|archiviert)\b[^\n]{0,60}?"
    r"\b(?:see|siehe|use|now|jetzt|new|neue|current|aktuelle))\b"
)
"""The other page holds: "superseded by …", "outdated, see …". Not "the outdated page … was replaced"."""
_REPLACES = re.compile(
    r"(?i)(?:^|[.!?:\n] ?)(?:(?:it|(?:this|the present|diese[rs]?) \w+) )?"
    r"(?:supersedes|replaces|ersetzt(?! (?:durch|von)))\b"
)
"""A sentence about this page holds in place of another one: "Replaces …", "This policy supersedes …"."""


def order_by_replacement(
    focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]
) -> list[ScoredUnit]:
    """Return the best unit and the first one of the page that replaces its page, if that is about the same; else [].

    The new one comes first unless it lacks a word of the question that the old one has. A question for what is
    outdated, or with a word that only the title of the old page has, is about the old one.
    """
    replacing = find_replacements(evidences).get(best.evidence.page_id)
    of_page = (unit for unit in units if unit.evidence.page_id == replacing and not _is_about_page(unit.evidence))
    newer = next((unit for unit in of_page if is_about_same(focus, unit, best)), None)
    if newer is None or newer.score < _NEAR * best.score:
        return []
    own = {*select_content_words(split_subject(focus.question)[0])}
    old, new = ({*select_content_words(unit.evidence.context.title)} for unit in (best, newer))
    if has_outdated_word(focus.question) or (old - new) & own:
        return []
    return [newer, best] if newer.missing_weight <= best.missing_weight else [best, newer]


def quote_replacement(shown: Sequence[Quotation], evidences: Sequence[RankedEvidence]) -> list[Quotation]:
    """Return what the page of the first quotation says about being replaced, if no quotation says so; else []."""
    if not shown or not (replacing := find_replacements(evidences).get(shown[0].evidence.page_id)):
        return []
    own = [each.evidence for each in evidences if each.evidence.page_id == shown[0].evidence.page_id]
    noted = [
        (evidence, index)
        for evidence in filter(_is_about_page, own)
        for index, part in enumerate(evidence.parts)
        if evidence.kind == "passage" and _REPLACED.search(" ".join((part, *evidence.parts[index + 1 : index + 2])))
    ]
    said = "\n".join(each.text for each in shown)
    if not noted or any(each.evidence.page_id == replacing for each in shown) or _quote_note(*noted[0]).quote in said:
        return []
    return [_quote_note(*noted[0])]


def _quote_note(evidence: Evidence, index: int) -> Quotation:
    """Quote a note with the sentence after it, which may name the page: "Outdated. See VPN."."""
    return quote_passage(evidence, range(index, min(index + 2, len(evidence.parts))))


def find_replacements(evidences: Sequence[RankedEvidence]) -> Mapping[str, str]:
    """Return the ids of pages that are replaced, each with that of the page that replaces it.

    Only what stands above the first heading of a page, or below "Status", is about the page as a whole.
    """
    titles = {each.evidence.page_id: each.evidence.context.title.casefold() for each in evidences}
    found: dict[str, str] = {}
    for evidence in (each.evidence for each in evidences if _is_about_page(each.evidence)):
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


def _is_about_page(evidence: Evidence) -> bool:
    path = evidence.context.heading_path
    is_top = not path or [heading.casefold().strip(": ") for heading in path] == ["status"]
    return is_top and evidence.kind in TEXT_KINDS and not evidence.thread and not evidence.origin
