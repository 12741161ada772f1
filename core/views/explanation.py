"""An explanation as plain data: bars, sources, verdict, and the answer without the first of them."""

from __future__ import annotations

from dataclasses import dataclass

from core.text import Language


@dataclass(frozen=True, slots=True)
class PlaceView:
    """A place on a page, with the numbers under which the answer cites it, and what was found there, in words."""

    title: str
    heading_path: tuple[str, ...]
    url: str
    numbers: tuple[int, ...] = ()
    kinds: str = ""  # "passage", "2 × table row"


@dataclass(frozen=True, slots=True)
class BarView:
    """A cluster with its share, above 0 and at most 1. ``percent``: for people, "<1%" for what rounds to 0."""

    share: float
    percent: str
    places: tuple[PlaceView, ...]


@dataclass(frozen=True, slots=True)
class ExplanationView:
    """What an answer rests on. Without ``bars`` there is only a verdict. No text of it is escaped.

    ``unmoved`` and ``unknown``: a heading, and the places without which the answer stays the same, or which could not
    be found out, for these ``causes``. ``without_top``: a sentence, and the counterfactual answer that follows it, ""
    where there is none; ``problem``: why it could not be asked, "" if it could. ``compared_with``: a sentence, and
    another model's own answer. ``made``: how it was made, for the end.
    """

    turn_id: str
    language: Language
    heading: str
    question: str
    verdict: str
    bars: tuple[BarView, ...] = ()
    unmoved: tuple[str, tuple[PlaceView, ...]] = ("", ())
    unknown: tuple[str, tuple[PlaceView, ...]] = ("", ())
    causes: tuple[str, ...] = ()
    without_top: tuple[str, str] = ("", "")
    problem: str = ""
    compared_with: tuple[str, str] = ("", "")
    notes: tuple[str, ...] = ()
    made: str = ""
