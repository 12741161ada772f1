"""Definitions: sections that are named after one thing, such as an option or a variable in a manual.

Definitions of a page are alike in their words ("The default value is …"), and the name of one may be part of another's:
"work_mem" and "logical_decoding_work_mem". So a text of the definition that the question names comes before all others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from core.answering.extractive.units import ScoredUnit
from core.wording.content_words import select_content_words
from core.wording.identifiers import IdentifierForm, find_identifiers

_NEAR = 0.6  # of the best unit's score: a definition that says less about the question does not answer it
_ALTERNATIVES = re.compile(r"[,|/;]")  # of an option: "-s, --rope-size"
_KIND = (
    "class|command|directive|field|flag|function|macro|method|module|option|parameter|plugin|property|service|setting"
    "|table|variable|befehl|dienst|einstellung|feld|funktion|klasse|modul|tabelle"
)
_QUOTED = re.compile(r"""(?<!\w)["“„'‘`](?P<name>[^"”“„'’‘`\s][^"”“„'’‘`]{0,40})["”“'’`](?!\w)""")
_WITH_KIND = re.compile(rf"(?:the |die |der |das )?(?:{_KIND}) (?P<after>\S+)|(?P<before>\S+) (?:{_KIND})")
_ADDRESS = re.compile(r"^(?:0x[0-9a-f]+|\d+(?:\.\d+)*\.?)\s+(?:[-–:]\s+)?")
_ARGUMENT = re.compile(r" ?[(=<\[{].*|(?<=^-\w)\s.*|^(--\S+)\s.*")


def put_definitions_first(question: str, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Move to the front the units of the definition whose name the question has as an identifier or in quotes.

    A row is the definition of its key. Many texts name a thing of a known kind ("BellProxy Directive"). Its definition
    only comes first if the question asks for nothing but one of its properties ("What is the default of BellProxy?").
    """
    names = {each.text.casefold() for each in find_identifiers(question) if each.form is IdentifierForm.CODE}
    names.update(found["name"].casefold() for found in _QUOTED.finditer(question))
    if not names or not units:
        return list(units)
    asked = set(select_content_words(question)) - set(select_content_words(" ".join(names)))
    least = _NEAR * units[0].score
    defining = [
        unit
        for unit in units
        if unit.score >= least
        and (
            not names.isdisjoint((*_read_names(unit), unit.key.casefold()))
            or (_read_name_with_kind(unit) in names and asked == set(_read_property(unit)))
        )
    ]
    return [*defining, *(unit for unit in units if unit not in defining)]


def is_named_property(words: Collection[str], unit: ScoredUnit) -> bool:
    """Whether a unit is a row of one property, such as "Default: 60", and the content words of a question name it."""
    name = _read_property(unit)
    return bool(name) and all(word in words for word in name)


def _read_property(unit: ScoredUnit) -> Sequence[str]:
    """Return the content words of the name of a property; () for other units."""
    return select_content_words(unit.cells[0][0]) if len(unit.cells) == 1 else ()


def _read_names(unit: ScoredUnit) -> list[str]:
    """Return what the last heading above a unit consists of, in lower case: names without types and arguments.

    An address or section number before them is no part of a name: "0x00000 - BELL_STATE".
    """
    heading = _ADDRESS.sub("", _get_heading(unit))
    return [_ARGUMENT.sub(r"\1", each.strip()) for each in _ALTERNATIVES.split(heading)]


def _read_name_with_kind(unit: ScoredUnit) -> str:
    """Return the name in a heading such as "BellProxy Directive", in lower case; "" if there is no kind."""
    found = _WITH_KIND.fullmatch(_get_heading(unit))
    return found["before"] or found["after"] if found else ""


def _get_heading(unit: ScoredUnit) -> str:
    return "".join(unit.evidence.context.heading_path[-1:]).casefold()
