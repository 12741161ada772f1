"""The quotation that most likely answers comes first."""

from __future__ import annotations

from collections.abc import Sequence

from core.answering.extractive.exclusions.dated_titles import find_current_title, split_title
from core.answering.extractive.order.asked_values import AskedKind, lacks_value
from core.answering.extractive.quoting.compose import quotes_unit
from core.answering.extractive.quoting.rows import has_named_key
from core.answering.extractive.units import ScoredUnit
from core.model import RankedEvidence
from core.reading.pages.replacements import find_replacements
from core.wording.focus import Focus
from core.wording.quotations import Quotation

_CLEARLY = 1.0  # in log-odds
_NOT_RATED = -9.0  # below every rating


def put_likelier_first(
    focus: Focus,
    kind: AskedKind | None,
    quotations: Sequence[Quotation],
    units: Sequence[ScoredUnit],
    evidences: Sequence[RankedEvidence],
) -> list[Quotation]:
    """Move to the front the quotation with the unit that is rated highest, if it also matches better than the first.

    A rule that prefers a word or a section may have put a text before it that says less about what is asked. None comes
    before one that has the asked value if it has none. Versions of a page, a row whose key is asked for, and a verdict
    stay where they are.
    """
    if len(quotations) < 2 or any(each.lead for each in quotations):
        return list(quotations)
    first, *others = quotations
    if any(unit.cells and has_named_key(focus, unit) for unit in units if quotes_unit(first, unit)):
        return list(quotations)
    score, rating = _rate(first, units)
    least = max(rating + _CLEARLY, 0.0)
    moved = first
    for other in others:
        other_score, other_rating = _rate(other, units)
        has_value = lacks_value(kind, [first]) or not lacks_value(kind, [other])
        is_better = other_score >= score and other_rating > least and has_value
        if is_better and not _is_version(first, other) and not _is_replaced(first, other, evidences):
            moved, least = other, other_rating
    return [moved, *(each for each in quotations if each is not moved)]


def _rate(quotation: Quotation, units: Sequence[ScoredUnit]) -> tuple[float, float]:
    """Return the highest score and the highest rating of the units that a quotation has."""
    having = [unit for unit in units if quotes_unit(quotation, unit)]
    rated = [unit.rating for unit in having if unit.rating]
    return max((unit.score for unit in having), default=0.0), max(rated, default=_NOT_RATED)


def _is_replaced(first: Quotation, other: Quotation, evidences: Sequence[RankedEvidence]) -> bool:
    """Whether the page of the first quotation replaces that of the other one."""
    return find_replacements(evidences).get(other.evidence.page_id) == first.evidence.page_id


def _is_version(first: Quotation, other: Quotation) -> bool:
    """Whether two quotations are of versions of one page, whose titles differ in a number or a word such as "old"."""
    one, two = first.evidence.context.title, other.evidence.context.title
    if one == two:
        return False
    return split_title(one)[0] == split_title(two)[0] or bool(find_current_title(one) or find_current_title(two))
