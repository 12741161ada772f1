"""Pages that say which page holds in their place: "Outdated, see …", "Superseded by …", or "Replaces …" on the new one.

Both have the same words, so scores hardly tell apart what holds and what held before.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.answering.extractive.quoting.compose import quote_passage
from core.answering.extractive.units import ScoredUnit, is_about_same
from core.model import Evidence, RankedEvidence
from core.reading.pages.replacements import find_replacements, is_about_page, is_replaced
from core.reading.words import has_outdated_word
from core.text import split_subject
from core.wording.content_words import select_content_words
from core.wording.focus import Focus
from core.wording.quotations import Quotation

_NEAR = 0.75  # of the best unit's score


def order_by_replacement(
    focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]
) -> list[ScoredUnit]:
    """Return the best unit and the first one of the page that replaces its page, if that is about the same; else [].

    The new one comes first unless it lacks a word of the question that the old one has. A question for what is
    outdated, or with a word that only the title of the old page has, is about the old one.
    """
    replacing = find_replacements(evidences).get(best.evidence.page_id)
    of_page = (unit for unit in units if unit.evidence.page_id == replacing and not is_about_page(unit.evidence))
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
        for evidence in filter(is_about_page, own)
        for index, part in enumerate(evidence.parts)
        if evidence.kind == "passage" and is_replaced(" ".join((part, *evidence.parts[index + 1 : index + 2])))
    ]
    said = "\n".join(each.text for each in shown)
    if not noted or any(each.evidence.page_id == replacing for each in shown) or _quote_note(*noted[0]).quote in said:
        return []
    return [_quote_note(*noted[0])]


def _quote_note(evidence: Evidence, index: int) -> Quotation:
    """Quote a note with the sentence after it, which may name the page: "Outdated. See VPN."."""
    return quote_passage(evidence, range(index, min(index + 2, len(evidence.parts))))
