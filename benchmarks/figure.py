"""A measured figure with its target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "short", "no target", "left out", "failed"]


@dataclass(frozen=True, slots=True)
class Bound:
    """A target: at least ``value``, or at most if ``upper``."""

    value: float
    upper: bool = False

    def admits(self, measured: float) -> bool:
        return measured <= self.value if self.upper else measured >= self.value

    def __str__(self) -> str:
        return f"{'at most' if self.upper else 'at least'} {format_number(self.value)}"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure in its unit ("" for shares). ``measured``: None if left out or failed; ``note`` then says why."""

    name: str
    unit: str
    measured: float | None
    required: Bound | None = None
    note: str = ""
    failed: bool = False

    @property
    def verdict(self) -> Verdict:
        if self.measured is None:
            return "failed" if self.failed else "left out"
        if self.required is None:
            return "no target"
        return "ok" if self.required.admits(self.measured) else "short"


def at_least(value: float) -> Bound:
    return Bound(value)


def at_most(value: float) -> Bound:
    return Bound(value, upper=True)


def format_number(value: float) -> str:
    """Return the number with three significant digits, from 100 on as an integer."""
    if float(value).is_integer() or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"


def check_figure(name: str, unit: str, measured: float, bound: Bound, note: str = "") -> Figure:
    """Return a figure that counts as failed if it misses its bound."""
    return Figure(name, unit, measured, bound, note, failed=not bound.admits(measured))
