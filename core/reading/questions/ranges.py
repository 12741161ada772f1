"""Rows that are ranges of a quantity: "10–24", "30–59 minutes", "25 or more", "ab 100 €".

Such a row is named by any quantity within it: the discount for a group of 12 is that of 10–24.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.reading.questions.counted_things import is_of_header
from core.reading.questions.limits import AT_LEAST, AT_MOST, is_year
from core.reading.values import CURRENCY, MONEY, Value, ValueKind, find_quantity, read_value
from core.reading.words import write_digits

_NUMBER = r"[0-9][0-9.,]{0,12}"
_UNIT = r"(?P<unit> ?(?:[^\W\d_]{1,15}|[%€$£]))?"
_MONEY = rf"(?:(?P<money>{CURRENCY}) ?)?"
_BETWEEN = re.compile(
    rf"{_MONEY}(?P<low>{_NUMBER})(?: ?[-–—] ?| to | bis )(?:{CURRENCY} ?)?(?P<high>{_NUMBER}){_UNIT}", re.IGNORECASE
)
_FROM = re.compile(
    rf"(?:(?P<over>over|more than|above|über|mehr als|>) ?|(?:{AT_LEAST}|from|ab|≥|>=) ?){_MONEY}(?P<low>{_NUMBER})"
    rf"{_UNIT}"
    rf"|(?:(?P<more_money>{CURRENCY}) ?)?(?P<least>{_NUMBER})(?P<more_unit> ?[^\W\d_]{{1,15}})?"
    r"(?: ?\+| or more| and more| oder mehr| und mehr)",
    re.IGNORECASE,
)
_TO = re.compile(
    rf"(?:(?P<under>under|less than|below|unter|weniger als|<) ?|(?:{AT_MOST}|bis|≤|<=) ?){_MONEY}(?P<high>{_NUMBER})"
    rf"{_UNIT}",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    rf"(?:(?<![\w.,:/–-])(?P<money>[€$£]) ?|(?<![\w.,:/€$£–-]))(?P<number>{_NUMBER})(?![\w:/–-])"
    r"(?: ?(?P<unit>[^\W\d_]{1,15}|[%€$£]))?"
)
_LIMIT_BEFORE = re.compile(
    r"(?i)(?:\b(?:under|over|more than|less than|above|below|beyond|über|unter|mehr als|weniger als"
    rf"|{AT_LEAST}|{AT_MOST})|[<>≤≥]=?) ?$"
)
"""Before an amount: what is asked lies beyond it, maybe in another range."""
_COMPOSITE = re.compile(
    r"(?i)\b(?:(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million|hundert|tausend|millionen)\b"
)
"""With such a word, another one is a part of a number: "thirty five"."""
_OF = re.compile(r"(?i)\b(?:of|for|at|von|über|für|bei) ?$")
_NO_NOUN = re.compile(r"\s*(?:[?.,;!)]|$)")
_MAGNITUDES = frozenset("k m mio million millions millionen thousand tausend tsd bn mrd billion".split())
_TWO = re.compile(r"[0-9] ?(?:and|or|to|und|oder|bis|[-–]) ?[0-9]", re.IGNORECASE)
_MOST_CHARS = 60


@dataclass(frozen=True, slots=True)
class Range:
    """A range with its ends, None for one that is open. ``excludes_end``: whether its only end is outside of it."""

    low: Value | None
    high: Value | None
    excludes_end: bool = False

    @property
    def measure(self) -> str:
        return next(end.measure for end in (self.low, self.high) if end)

    def contains(self, value: Value) -> bool:
        """Whether a quantity is within the range."""
        key = value.key[0]
        is_above = self.low is None or self.low.key[0] < key or (key == self.low.key[0] and not self.excludes_end)
        is_below = self.high is None or key < self.high.key[0] or (key == self.high.key[0] and not self.excludes_end)
        return is_above and is_below


def find_range(text: str, cells: Iterable[str], header: str) -> tuple[str, str] | None:
    """Return the only cell with the only quantity of a text, and the quantity as written; None if it is not one.

    All cells have to be ranges of one measure. If they have no unit, the quantity has to be of what the header names.
    """
    ranges: dict[str, Range] = {}
    for cell in filter(str.strip, cells):
        if (read := read_range(cell)) is None:
            return None  # as for most columns by their first cell
        ranges[cell] = read
    measures = {each.measure for each in ranges.values()}
    if len(ranges) < 2 or len(measures) > 1:
        return None
    [measure] = measures
    # A word for a number has to have the unit: "two teachers" are no group of 2.
    written = write_digits(text) if measure and not _COMPOSITE.search(text) else text
    amounts = list(_list_amounts(written, measure, header))
    amounts = amounts if not _TWO.search(text) else []
    found = [(cell, said) for said, value in amounts for cell, each in ranges.items() if value and each.contains(value)]
    return found[0] if len(amounts) == len(found) == 1 else None


def read_range(cell: str) -> Range | None:
    """Return the range that a cell is as a whole; None for any other cell."""
    text = " ".join(cell.split()).strip(" .")
    if len(text) > _MOST_CHARS:
        return None
    if match := _BETWEEN.fullmatch(text):
        low, high = (_read(match[end], match["unit"], match["money"]) for end in ("low", "high"))
        return Range(low, high) if low and high and low.key <= high.key else None
    if match := _FROM.fullmatch(text):
        unit, money = match["unit"] or match["more_unit"], match["money"] or match["more_money"]
        low = _read(match["low"] or match["least"], unit, money)
        return Range(low, None, bool(match["over"])) if low else None
    if match := _TO.fullmatch(text):
        high = _read(match["high"], match["unit"], match["money"])
        return Range(None, high, bool(match["under"])) if high else None
    return None


def _read(number: str, unit: str | None, money: str | None = None) -> Value | None:
    """Return a number with the unit after it or the currency before it; None with both: "€10k"."""
    if unit and money:
        return None
    value = read_value(f"{number.rstrip('.,')}{unit or money or ''}")
    return value if value.kind is ValueKind.NUMBER and not value.other else None


def _list_amounts(text: str, measure: str, header: str) -> Iterable[tuple[str, Value | None]]:
    """Yield the quantities of a measure in a text, as written; for ranges without a unit, the numbers without one.

    A number without a unit is yielded without its value if it is about something else than the header, and so is one
    after a word for a limit. A sum of money needs no currency if the header says what it is of.
    """
    for match in _AMOUNT.finditer(text):
        unit = (match["money"] or match["unit"] or "").strip().lower()
        has_unit = bool(find_quantity(unit)) or unit in {"%", "€", "$", "£"}
        value = _read(match["number"], f" {unit}" if has_unit else "")
        end = match.end("number")
        is_sum = (
            measure in MONEY and not has_unit and bool(_OF.search(text[: match.start()]) and _NO_NOUN.match(text[end:]))
        )
        is_of = (not measure or is_sum) and is_of_header(text[: match.start()], text[end:], header)
        is_other = bool(_LIMIT_BEFORE.search(text[: match.start()])) or (match["unit"] or "").lower() in _MAGNITUDES
        if value and has_unit and is_of:  # "7 years" of "Age"
            yield match[0], None if is_other else _read(match["number"], "")
        elif value and (value.measure == measure or (is_of and measure)) and not (is_year(value) and not has_unit):
            written = text[match.start() : end].rstrip(".,") if match["money"] or not has_unit else match[0]
            yield written, value if (measure or is_of) and not is_other else None
