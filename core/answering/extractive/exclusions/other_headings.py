"""Leaves out what stands below the heading of another thing than the one that a question names with its number.

Sections such as "Halden 2" and "Halden 3" often have tables and sentences with the same words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.answering.extractive.exclusions.other_periods import RELATIVE
from core.answering.extractive.units import Unit
from core.text import split_subject
from core.wording.numbered_names import list_numbers_of_names

_Names = Mapping[str, set[str]]

_OTHERS = re.compile(
    r"(?i)\b(?:follow(?:s|ed|ing)?|compar(?:e|es|ed|ison)|differ(?:s|ent|ences?)?|others?|folgt|vergleich(?:e|en)?"
    r"|unterschied(?:e|lich)?|andere[nrsm]?)\b"
)


def leave_out_other_headings(question: str, units: Sequence[Unit]) -> list[Unit]:
    """Return the units without those below a heading with another number, if the page has a heading with the asked one.

    A question about what comes before or after a number is not only about it.
    """
    own = split_subject(question)[0]
    asked = list_numbers_of_names(own)
    if not asked or RELATIVE.search(own) or _OTHERS.search(own):
        return list(units)
    names = [list_numbers_of_names(" > ".join(unit.evidence.context.heading_path)) for unit in units]
    known = {
        (unit.evidence.page_id, name)
        for unit, of_unit in zip(units, names, strict=True)
        for name in asked.keys() & of_unit.keys()
        if asked[name] & of_unit[name]
    }
    return [
        unit
        for unit, of_unit in zip(units, names, strict=True)
        if not any((unit.evidence.page_id, name) in known and _has_other(asked, of_unit, name) for name in asked)
    ]


def _has_other(asked: _Names, of_unit: _Names, name: str) -> bool:
    """Whether a unit has the name with other numbers only; "2.0.1" is no other number than "2"."""
    pairs = [(one, other) for one in asked[name] for other in of_unit.get(name, ())]
    return bool(pairs) and not any(_continues(one, other) or _continues(other, one) for one, other in pairs)


def _continues(number: str, other: str) -> bool:
    return f"{number}.".startswith(f"{other}.")
