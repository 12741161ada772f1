"""Reads cells as values that can be compared and subtracted: numbers with units, dates, times and versions.

Ambiguous cells are text: "3/4/2026" is a day in March or in April, and a wrong difference is worse than none. "1.500"
is read as the rest of its column writes decimals, else as the page's language does. Three digits after the only mark
are thousands in money, which has no thousandths, and where the language has another decimal mark; else both readings
are kept.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from enum import StrEnum

from babel.numbers import format_decimal, get_decimal_symbol

from core.dates import MONTHS
from core.languages import Language, LanguageCode
from core.text_caches import cache_texts


class ValueKind(StrEnum):
    """The kind of a value."""

    NUMBER = "number"
    DATE = "date"
    TIME = "time"
    VERSION = "version"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a cell.

    ``key`` is compared, with values of the same ``kind`` and ``measure`` only: a number in the base unit of its
    measure, a date as (year, month, day) with 0 for missing parts, a time in minutes, a version as its numbers.
    ``unit``: as written. ``measure``: mass, length and so on, or the unit itself if it is unknown. ``other``: the key
    if the only mark of a number separates thousands and no decimals; () if that is certain.
    """

    kind: ValueKind
    text: str
    key: tuple[Decimal, ...] = ()
    unit: str = ""
    measure: str = ""
    factor: Decimal = Decimal(1)  # from the unit to the base unit
    other: tuple[Decimal, ...] = ()

    @property
    def reread(self) -> Value:
        """The value by its other reading, itself if it has one only."""
        return replace(self, key=self.other, other=()) if self.other else self

    def is_comparable(self, other: Value) -> bool:
        """Whether the two can be compared or subtracted."""
        if self.kind is ValueKind.TEXT or (self.kind, self.measure) != (other.kind, other.measure):
            return False
        return self.kind is not ValueKind.DATE or [bool(part) for part in self.key] == [
            bool(part) for part in other.key
        ]


_UNITS: dict[str, tuple[str, Decimal]] = {
    name: (measure, Decimal(factor))
    for measure, factor, names in (
        ("mass", "0.001", "mg"), ("mass", "1", "g gramm gram grams"), ("mass", "1000", "kg kilo kilos"),
        ("mass", "1000000", "t tonne tonnes tonnen"),
        ("length", "0.001", "mm"), ("length", "0.01", "cm"), ("length", "1", "m metre metres meter meters metern"),
        ("length", "1000", "km kilometre kilometres kilometer kilometers kilometern"),
        ("duration", "0.001", "ms milliseconds millisekunden"),
        ("duration", "1", "s sec secs second seconds sekunde sekunden sek"),
        ("duration", "60", "min mins minute minutes minuten"),
        ("duration", "3600", "h hr hrs hour hours stunde stunden std"),
        ("duration", "86400", "day days tag tage tagen"), ("duration", "604800", "week weeks woche wochen"),
        ("months", "1", "month months monat monate monaten"), ("months", "12", "year years jahr jahre jahren"),
        ("size", "1", "b byte bytes"), ("size", "1000", "kb"), ("size", "1000000", "mb"),
        ("size", "1000000000", "gb g.b."), ("size", "1000000000000", "tb"),
        ("bits", "1000", "kbit kbit/s"), ("bits", "1000000", "mbit mbit/s"),
        ("percent", "1", "% percent prozent"), ("€", "1", "€ eur euro euros"), ("$", "1", "$ usd dollar dollars"),
        ("£", "1", "£ gbp"), ("CHF", "1", "chf"), ("NOK", "1", "nok"), ("DKK", "1", "dkk"), ("PLN", "1", "pln"),
        ("CZK", "1", "czk"), ("HUF", "1", "huf"), ("JPY", "1", "jpy"), ("CNY", "1", "cny"),
        ("power", "1", "w watt"), ("power", "1000", "kw"), ("temperature", "1", "°c °"),
    )
    for name in names.split()
}  # fmt: skip

MONEY = frozenset({"€", "$", "£", "CHF", "NOK", "DKK", "PLN", "CZK", "HUF", "JPY", "CNY"})
CURRENCY = r"(?:[€$£]|(?-i:EUR|USD|GBP|CHF|NOK|DKK|PLN|CZK|HUF|JPY|CNY)\b)"
"""A currency before an amount, for regular expressions."""
_SIZE, _SHORT_SIZES = "size", frozenset("kmgt")
_MOST_CHARS = 60
_DIGITS = r"[0-9]{1,12}(?:[.,'  ][0-9]{3}){0,3}(?:[.,][0-9]{1,9})?"
_NUMBER = re.compile(
    rf"(?:(?:ca\.|approx\.|about|etwa|rund|~) ?)?(?:(?P<currency>{CURRENCY}) ?)?(?P<sign>[-+−]?)(?P<digits>{_DIGITS})"
    r"(?:[.,][-–—]{1,2})?"
    r"(?! ?[²³¹⁰-₉]) ?(?P<unit>[^\W\d_]{1,15}(?:[ /][^\W\d_]{1,15}){0,2}|[%€$£]|°C?)?[.*]?",
    re.IGNORECASE,
)
_THOUSANDS = re.compile("[1-9][0-9]{0,2}[.,][0-9]{3}")
_ISO = re.compile(r"(?P<year>[12][0-9]{3})-(?P<month>[01]?[0-9])(?:-(?P<day>[0-3]?[0-9]))?(?:T[0-9:.Z+-]{1,20})?")
_DOTTED = re.compile(r"(?P<day>[0-3]?[0-9])\.(?P<month>[01]?[0-9])\.(?: ?(?P<year>[12][0-9]{3}))?")
_WEEKDAY = re.compile(
    r"(?i)(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
    r"|mo(?:ntag)?|di(?:enstag)?|mi(?:ttwoch)?|do(?:nnerstag)?|fr(?:eitag)?|sa(?:mstag)?|so(?:nntag)?|sonnabend)"
    r"\b\.?,? (?:den )?(?=.{0,12}[0-9])"
)
_STOP_IN_SENTENCE = re.compile(r"\.(?!\d)\s{0,9}\S")
_SLASHED = re.compile(r"(?P<one>[0-3]?[0-9])/(?P<two>[0-3]?[0-9])/(?P<year>[12][0-9]{3})")
_NAMED = re.compile(
    r"(?:(?P<day>[0-3]?[0-9])(?:\.|st|nd|rd|th)?[ -])?(?P<name>[A-Za-zä]{3,9})\.?(?:[ -](?P<year>[12][0-9]{3}))?"
)
_MONTH_FIRST = re.compile(
    r"(?P<name>[A-Za-z]{3,9})\.? (?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?(?:,? (?P<year>[12][0-9]{3}))?"
)
_TIME = re.compile(
    r"(?P<hour>[0-2]?[0-9])(?::|\.(?=.{2,3}Uhr))(?P<minute>[0-5][0-9])(?: ?Uhr| ?h)?|(?P<full>[0-2]?[0-9]) ?Uhr"
)
_VERSION = re.compile(r"[vV]?(?P<numbers>[0-9]{1,9}(?:\.[0-9]{1,9}){1,5})")
_DATE_IN_TEXT = re.compile(
    r"(?<![\w.])(?:[12][0-9]{3}-[01][0-9]-[0-3][0-9]|[0-3]?[0-9]\.[01]?[0-9]\.[12][0-9]{3}"
    r"|[0-3]?[0-9](?:\.|st|nd|rd|th)? [A-Za-zä]{3,9}\.? [12][0-9]{3}"
    r"|[A-Z][a-z]{2,8}\.? [0-3]?[0-9](?:st|nd|rd|th)?,? [12][0-9]{3})(?!\w)"
)


def read_value(cell: str, decimal: str = ".", as_version: bool = False) -> Value:
    """Return the whole cell as a value, of kind TEXT if it is nothing else.

    ``decimal``: the decimal mark of ambiguous numbers. ``as_version``: "9.10" is a version, later than "9.9".
    """
    return _read(" ".join(cell[: 2 * _MOST_CHARS].split()), decimal, as_version)


@cache_texts(20_000)
def _read(text: str, decimal: str, as_version: bool) -> Value:
    if 0 < len(text) <= _MOST_CHARS:
        found = _read_date(text) or _read_version(text, as_version) or _read_time(text) or _read_number(text, decimal)
        if found:
            return found
    return Value(ValueKind.TEXT, text)


def read_column(cells: Iterable[str], language: LanguageCode, as_version: bool = False) -> list[Value]:
    """Return the values of a column's cells; all numbers are read with the same decimal mark."""
    texts = [" ".join(cell.split()) for cell in cells]
    marks = {mark for text in texts if len(text) <= _MOST_CHARS and (mark := _find_decimal_mark(text))}
    is_settled = len(marks) == 1
    decimal = marks.pop() if is_settled else ("," if get_decimal_symbol(language) == "," else ".")
    versions = as_version or any(text.count(".") > 1 and _read_version(text, as_version=False) for text in texts)
    values = [read_value(text, decimal, versions) for text in texts]
    if is_settled:
        values = [replace(value, other=()) if value.other else value for value in values]
    if any(value.measure == _SIZE for value in values):  # "8G" beside "16GB"
        values = [
            read_value(f"{value.text}B", decimal) if value.unit.lower() in _SHORT_SIZES else value for value in values
        ]
    return values


def find_date_value(text: str) -> Value | None:
    """Return the only full date in a text; None if there is none, or several."""
    found = [value for match in _DATE_IN_TEXT.finditer(text[:2_000]) if (value := _read_date(match[0]))]
    return found[0] if len({value.key for value in found}) == 1 else None


def read_day_number(number: str, rest: str, *, expects_date: bool) -> Value | None:
    """Return a number like "14.3" as a day without year; None if it is none, or may be a number or a version.

    ``rest``: the text after it. At the end of a text a full stop ends the sentence, and is part of the day only where a
    date is expected.
    """
    day = _read_date(f"{number}.") if _DOTTED.fullmatch(f"{number}.") else None
    return day if expects_date or _STOP_IN_SENTENCE.match(rest) else None


def is_same_kind(values: Sequence[Value]) -> bool:
    """Whether all values are comparable with each other."""
    return bool(values) and all(value.is_comparable(values[0]) for value in values)


def find_quantity(word: str) -> str:
    """Return the quantity that a unit measures ("days": duration); "" for a word that is no unit."""
    return _UNITS[word.lower()][0] if word.lower() in _UNITS else ""


# ---------------------------------------------------------------------------------------- numbers


def _read_number(text: str, decimal: str) -> Value | None:
    match = _NUMBER.fullmatch(text)
    if not match:
        return None
    unit = (match["unit"] or match["currency"] or "").strip()
    if match["unit"] and match["currency"]:
        unit = f"{match['currency'].strip()} {match['unit']}"
    measure, factor = _UNITS.get(unit.lower(), (unit.lower(), Decimal(1)))
    digits = match["digits"]
    can_be_thousands = _has_thousands(digits)
    if can_be_thousands and _is_money(match):
        decimal = "." if "," in digits else ","
    amount = _read_amount(digits, decimal)
    if amount is None:
        return None
    scale = -factor if match["sign"] in {"-", "−"} else factor
    other = (amount * 1000 * scale,) if can_be_thousands and decimal in digits else ()
    return Value(ValueKind.NUMBER, text, (amount * scale,), unit, measure, factor, other)


def _is_money(match: re.Match[str]) -> bool:
    return bool(match["currency"]) or _is_money_unit(match["unit"] or "")


def _is_money_unit(unit: str) -> bool:
    """Whether a unit begins with a currency: "€", "EUR/Monat"."""
    return find_quantity(re.split("[ /]", unit)[0]) in MONEY


def _has_thousands(digits: str) -> bool:
    """Whether the only mark of a number may separate thousands: "1.500", not "0.500"."""
    return bool(_THOUSANDS.fullmatch(digits))


def _read_amount(digits: str, decimal: str) -> Decimal | None:
    """Return the number; None for digit groups that no language writes ("1.5,000.2")."""
    plain = re.sub(r"['  ]", "", digits)
    marks = [character for character in plain if character in ".,"]
    if not marks:
        return Decimal(plain)
    head, _, tail = plain.rpartition(marks[-1])
    if len(set(marks)) > 1:
        is_grouped = marks[-1] not in head and _is_grouped(head, marks[0])
        return Decimal(head.replace(marks[0], "") + "." + tail) if is_grouped else None
    if len(marks) > 1:
        return Decimal(plain.replace(marks[0], "")) if _is_grouped(plain, marks[0]) else None
    if _has_thousands(plain) and marks[0] != decimal:
        return Decimal(head + tail)
    return Decimal(f"{head}.{tail}")


def _is_grouped(digits: str, mark: str) -> bool:
    first, *groups = digits.split(mark)
    return 1 <= len(first) <= 3 and all(len(group) == 3 for group in groups)


def _find_decimal_mark(text: str) -> str:
    """Return the decimal mark of an unambiguous number; "" for any other text."""
    match = _NUMBER.fullmatch(text)
    plain = re.sub(r"['  ]", "", match["digits"]) if match else ""
    marks = [character for character in plain if character in ".,"]
    if not marks:
        return ""
    if len(set(marks)) > 1:
        return marks[-1]
    if len(marks) > 1:
        return "," if marks[0] == "." else "."
    if not _has_thousands(plain):
        return marks[0]
    return "" if not match or not _is_money(match) else "," if marks[0] == "." else "."


# ---------------------------------------------------------------------------- dates, times, versions


def _read_date(text: str) -> Value | None:
    """Return a date, with or without its weekday before it."""
    found = _read_plain_date(text[weekday.end() :] if (weekday := _WEEKDAY.match(text)) else text)
    return replace(found, text=text) if found else None


def _read_plain_date(text: str) -> Value | None:
    if match := _ISO.fullmatch(text):
        return _make_date(text, match["year"], int(match["month"]), match["day"])
    if match := _DOTTED.fullmatch(text):
        return _make_date(text, match["year"], int(match["month"]), match["day"])
    if match := _SLASHED.fullmatch(text):
        one, two = int(match["one"]), int(match["two"])
        if one > 12 or one == two:
            return _make_date(text, match["year"], two, match["one"])
        return _make_date(text, match["year"], one, match["two"]) if two > 12 else None
    match = _NAMED.fullmatch(text) or _MONTH_FIRST.fullmatch(text)
    if match and (month := MONTHS.get(match["name"].lower())):
        return _make_date(text, match["year"], month, match["day"])
    return None


def _make_date(text: str, year: str | None, month: int, day: str | None) -> Value | None:
    years, days = int(year or 0), int(day or 0)
    if not 1 <= month <= 12 or (day and not 1 <= days <= monthrange(years or 2000, month)[1]):
        return None
    return Value(ValueKind.DATE, text, (Decimal(years), Decimal(month), Decimal(days)))


def count_days(first: Value, second: Value) -> int | None:
    """Return the number of days from one full date to another; None if one lacks its year or day."""
    if not all((*first.key, *second.key)):
        return None
    start, end = (date(*(int(part) for part in value.key)) for value in (first, second))
    return (end - start).days


def _read_time(text: str) -> Value | None:
    match = _TIME.fullmatch(text)
    if not match:
        return None
    hour, minute = int(match["hour"] or match["full"]), int(match["minute"] or 0)
    return Value(ValueKind.TIME, text, (Decimal(60 * hour + minute),)) if hour <= 24 else None


def _read_version(text: str, as_version: bool) -> Value | None:
    match = _VERSION.fullmatch(text)
    if not match or not (as_version or text[0] in "vV" or match["numbers"].count(".") > 1):
        return None
    numbers = match["numbers"].split(".")
    if not as_version and text[0] not in "vV" and all(len(each) == 3 for each in numbers[1:]):
        return None  # "1.500.000" is a number
    return Value(ValueKind.VERSION, text, tuple(Decimal(each) for each in numbers))


# ------------------------------------------------------------------------------------- as text again


def write_number(amount: Decimal, unit: str, language: Language) -> str:
    """Return a number with its unit as the language writes it; English currency signs come first ("€30").

    Money that is not whole has at least two decimals.
    """
    is_whole = amount == amount.to_integral_value()
    decimals = "#########" if is_whole or not _is_money_unit(unit) else "00#######"
    written = format_decimal(amount, f"#,##0.{decimals}", locale=language)
    if unit in {"€", "$", "£"}:
        return f"{written} {unit}" if language == "de" else f"{unit}{written}"
    return f"{written} {unit}" if unit else written
