"""Entries: sections that are named after one thing, such as an option or a variable in a manual.

Entries of a page are alike in their words ("The default value is …"), and the name of one may be part of another's:
"work_mem" and "logical_decoding_work_mem". So a text of the entry that the question names comes before all others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.answering.extractive.units import ScoredUnit
from core.answering.identifiers import Form, find_identifiers

_NEAR = 0.6  # of the best unit's score: an entry that says less about the question does not answer it
_ALTERNATIVES = re.compile(r"[,|/;]")  # of an option: "-s, --rope-size"
_KIND = (
    "class|command|directive|field|flag|function|macro|method|module|option|parameter|plugin|property|service|setting"
    "|table|variable|befehl|dienst|einstellung|feld|funktion|klasse|modul|option|tabelle"
)
_WITH_KIND = re.compile(rf"(?:the |die |der |das )?(?:{_KIND}) (?P<after>\S+)|(?P<before>\S+) (?:{_KIND})")
_ARGUMENT = re.compile(r" ?[(=<\[{].*|(?<=^-\w)\s.*|^(--\S+)\s.*")


def put_entries_first(question: str, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the units, first those of the entry whose name the question has, in their order."""
    names = {each.text.casefold() for each in find_identifiers(question) if each.form is Form.CODE}
    if not names or not units:
        return list(units)
    least = _NEAR * units[0].score
    entries = [unit for unit in units if unit.score >= least and not names.isdisjoint(_read_names(unit))]
    return [*entries, *(unit for unit in units if unit not in entries)]


def _read_names(unit: ScoredUnit) -> list[str]:
    """Return what the last heading above a unit consists of, in lower case: names without kind, type and arguments."""
    (heading,) = unit.evidence.context.heading_path[-1:] or ("",)
    names = [_ARGUMENT.sub(r"\1", each.strip()) for each in _ALTERNATIVES.split(heading.casefold())]
    return [found["before"] or found["after"] if (found := _WITH_KIND.fullmatch(name)) else name for name in names]
