"""Reasons: the sentence or section that says why, among those that match a question for a reason nearly as well.

"Why is the move postponed?" is matched as well by the sentence that says so and by the next heading. The one with a
reason says it in its words ("because", "weil", "due to") or stands below a heading that announces it ("Root cause").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.answering.extractive.units import ScoredUnit, Unit, is_about_same, is_code, is_image, put_first
from core.dates import MONTHS
from core.model import TEXT_KINDS, Evidence
from core.text import split_subject
from core.wording.content_words import select_content_words
from core.wording.focus import Focus
from core.wording.list_markers import strip_marker
from core.wording.numbered_names import list_numbers_of_names
from core.wording.word_matches import has_terms, list_name_terms

_NEAR = 0.9  # of the best unit's score
_TIMES = rf"[0-9]|{'|'.join(MONTHS)}|last|then|the (?:beginning|start)"
_SAYS_WHY = re.compile(
    r"(?i)\b(?:because|due to|owing to|so that|caused by|for this reason|that is why|otherwise|therefore"
    r"|weil|wegen|aufgrund|auf grund|sodass|so dass|deshalb|deswegen|daher|sonst|ansonsten"
    r"|(?:the|der|ein) (?:reason|grund) (?:is|was|for|ist|war|dafür))\b"
    rf"|, (?:da|denn|damit|(?:as|since) (?!{_TIMES}))\b|^\W*(?:da (?!ist|sind|war|kann)|since (?!{_TIMES}))[^,]+, "
)
_ASKS_WHY = re.compile(r"(?i)\W*(?:why|how come|warum|weshalb|wieso|weswegen)\b[^.!?\n]*\?")
_ANNOUNCES_WHY = re.compile(
    r"(?i)[\d.\s]*(?:why|reasons?|(?:root )?causes?|rationale|motivation|background|justification|warum|weshalb|wieso"
    r"|ursachen?|gründe|grund|begründung|anlass|hintergrund)\b"
)

_IS_CAUSE = re.compile(
    r"(?i)(?:the |die |der )?(?:reasons?|(?:root )?causes?|rationale|ursachen?|gründe|grund|begründung)\W*"
)
"""A heading for the reason of what its page is about."""


def put_reasons_first(focus: Focus, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Move to the front the unit with a reason that matches nearly as well as the best, if a reason is asked for.

    A bare "why?" asks for the reason of what the page is about, which stands below a heading for it. Without such a
    unit, one that is about the same by name is moved to the front, see :func:`_find_reason_by_name`.
    """
    if not asks_why(focus) or not units:
        return list(units)
    near = [unit for unit in units if unit.score >= _NEAR * units[0].score]
    reasons = [unit for unit in near if has_reason(unit) and not _names_other_number(focus, unit)]
    if not select_content_words(split_subject(focus.question)[0]):
        reasons.sort(key=lambda unit: not has_reason_heading(unit.evidence))
    first = next((unit for unit in reasons if is_about_same(focus, unit, units[0])), None)
    if first:
        return put_first(first, units)
    named = _find_reason_by_name(focus, units)
    return [named, *(unit for unit in units if unit.text != named.text)] if named else list(units)


def _names_other_number(focus: Focus, unit: ScoredUnit) -> bool:
    """Whether a text is about another number of a name than the question: "M3 is late because …", asked about M4."""
    asked, said = list_numbers_of_names(split_subject(focus.question)[0]), list_numbers_of_names(unit.text)
    return any(not numbers & said.get(name, numbers) for name, numbers in asked.items())


def asks_why(focus: Focus) -> bool:
    """Whether a question asks for a reason."""
    return focus.answer_type == "reason"


def _find_reason_by_name(focus: Focus, units: Sequence[ScoredUnit]) -> ScoredUnit | None:
    """Return the text of the best unit's page that gives a reason for the thing that is asked about, by its name.

    It begins with a question why whose words the question has ("Why hepatitis? …"), or it has the key of the row that
    is the best unit ("M3 is late because …"), which the question need not know. It gets the best unit's score and
    rating, to which others are compared.
    """
    best = units[0]
    if has_reason(best):
        return None
    key = list_name_terms(best.key)
    asked = set(select_content_words(focus.question))
    for unit in units:
        if unit.evidence.page_id != best.evidence.page_id or unit.cells or not says_why(unit):
            continue
        why = _ASKS_WHY.match(unit.text)
        own = set(select_content_words(why[0])) if why else set()
        if (own and own <= asked) or has_terms(unit.text, key):
            return replace(unit, score=best.score, rating=best.rating)
    return None


def find_cause(focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit]) -> ScoredUnit | None:
    """Return the first unit of the page's section for its cause, if a reason is asked for and the best one has none.

    "Why did the generator not start?" is matched best by the sentence that it did not.
    """
    if not asks_why(focus) or has_reason(best) or best.evidence.kind not in TEXT_KINDS:
        return None
    page = (unit for unit in units if unit.evidence.page_id == best.evidence.page_id)
    return min(filter(_is_of_cause, page), key=lambda unit: (unit.evidence.ordinal, unit.index), default=None)


def _is_of_cause(unit: Unit) -> bool:
    headings = unit.evidence.context.heading_path[-1:]
    is_text = unit.evidence.kind == "passage" and not is_image(unit.text)
    return is_text and any(_IS_CAUSE.fullmatch(strip_marker(each)) for each in headings)


def has_reason(unit: Unit) -> bool:
    """Whether a unit says why."""
    return says_why(unit) or has_reason_heading(unit.evidence)


def says_why(unit: Unit) -> bool:
    """Whether a unit says why in its own words, or begins with the question why, as an expandable text may."""
    return not is_code(unit.text) and bool(_SAYS_WHY.search(unit.text) or _ASKS_WHY.match(unit.text))


def has_reason_heading(evidence: Evidence) -> bool:
    """Whether a text stands below a heading such as "Root cause"."""
    headings = evidence.context.heading_path[-1:]
    return evidence.kind in TEXT_KINDS and any(_ANNOUNCES_WHY.match(strip_marker(each)) for each in headings)
