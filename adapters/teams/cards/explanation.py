"""An explanation in Teams: shares as bars with their sources, the verdict, what would be without the first of them."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.teams.cards.citations import message_entity
from adapters.teams.cards.elements import Run, heading, line, link, one_line, shorten, text, visible
from adapters.teams.cards.fitting import within
from adapters.teams.cards.message import MOST_BYTES, card_message
from adapters.teams.json import Json
from core.views.explanation import BarView, ExplanationView, PlaceView
from core.views.wording import WORDS

_BARS = 8
_PLACES = 4  # of a bar
_OTHERS = 5  # places that changed nothing
_SENTENCE = 300
_ANSWER = 600
_NAME = 40  # characters beside a bar of the chart
_ENVELOPE = 1_000


def explanation_message(view: ExplanationView) -> Json:
    """What an answer rests on; only a verdict where there is nothing to explain."""
    title = [heading(view.heading)] if visible(view.heading) else []
    question = [line(text(view.question, 300), tight=True, subtle=True)] if title and visible(view.question) else []
    body = [
        *title,
        *question,
        *_chart(view),
        *_bars(view),
        *_sentence(view.verdict, bold=True),
        *_answered(*view.without_top),
        *_sentence(view.problem, subtle=True),
        *_headed(*view.unmoved, view),
        *_headed(*view.unknown, view),
        *(shown for cause in view.causes[:2] for shown in _sentence(cause, subtle=True)),
        *_answered(*view.compared_with, subtle=True),
        *(shown for note in (*view.notes[:2], view.made) for shown in _sentence(note, subtle=True)),
    ]
    return card_message(within(body, MOST_BYTES - _ENVELOPE), _summary(view), entities=[message_entity(())])


def _summary(view: ExplanationView) -> str:
    return shorten(one_line(f"{view.heading}: {view.verdict}" if visible(view.heading) else view.verdict), 300)


def _chart(view: ExplanationView) -> list[Json]:
    """Bars drawn by the client; where it draws none, columns that every client has."""
    bars = view.bars[:_BARS]
    if not bars:
        return []
    return [
        {
            "type": "Chart.HorizontalBar",
            "title": shorten(one_line(view.heading), 80) or "…",
            "displayMode": "PartToWhole",
            "data": [{"x": _named(bar), "y": max(round(bar.share * 100), 1)} for bar in bars],
            "fallback": {"type": "Container", "items": [_columns(bar) for bar in bars]},
        }
    ]


def _columns(bar: BarView) -> Json:
    full = min(max(round(bar.share * 100), 1), 100)
    filled: Json = {"type": "Column", "width": full, "style": "accent", "items": [line([Run("\u00a0")])]}
    empty: Json = {"type": "Column", "width": 100 - full, "items": [line([Run("\u00a0")])]}
    number: Json = {"type": "Column", "width": "50px", "items": [line([Run(_percent(bar))])]}
    return {"type": "ColumnSet", "spacing": "Small", "columns": [filled, *([empty] if full < 100 else []), number]}


def _named(bar: BarView) -> str:
    first = bar.places[0] if bar.places else None
    numbers = "".join(f"[{number}]" for number in first.numbers[:3]) if first else ""
    return shorten(f"{numbers} {one_line(first.title)}".strip() if first else "", _NAME) or "…"


def _bars(view: ExplanationView) -> list[Json]:
    """The same in words, with links: a chart has none, and says nothing to who does not see it."""
    lines = [shown for bar in view.bars[:_BARS] for shown in _bar_lines(bar, view)]
    left = len(view.bars) - _BARS
    more = WORDS[view.language].more.format(count=left)
    return [*lines, line([Run(more)], subtle=True)] if left > 0 else lines


def _bar_lines(bar: BarView, view: ExplanationView) -> list[Json]:
    words = WORDS[view.language]
    sentence = words.below_percent if bar.percent.startswith("<") else words.percent
    share = Run(sentence.format(percent=shorten(one_line(bar.percent).strip("<% "), 8)), bold=True)
    return [line([share]), *_places(bar.places, _PLACES, view)]


def _percent(bar: BarView) -> str:
    return shorten(one_line(bar.percent), 8)


def _places(places: Sequence[PlaceView], most: int, view: ExplanationView) -> list[Json]:
    lines = [line(_place(place), tight=True) for place in places[:most]]
    left = len(places) - len(lines)
    more = WORDS[view.language].more.format(count=left)
    return [*lines, line([Run(more)], tight=True, subtle=True)] if left else lines


def _place(place: PlaceView) -> list[Run]:
    numbers = "".join(f"[{number}]" for number in place.numbers[:5])
    name = " › ".join(part for part in (place.title, *place.heading_path) if visible(part))
    kinds = f" ({shorten(one_line(place.kinds), 60)})" if visible(place.kinds) else ""
    return [Run(f"{numbers} " if numbers else "• "), link(place.url, name), Run(kinds)]


def _sentence(words: str, *, bold: bool = False, subtle: bool = False) -> list[Json]:
    if not visible(words):
        return []
    return [line([Run(shorten(one_line(words), _SENTENCE), bold=bold)], subtle=subtle)]


def _answered(sentence: str, answer: str, *, subtle: bool = False) -> list[Json]:
    if not visible(sentence):
        return []
    said = [line([Run(shorten(one_line(answer), _ANSWER), italic=True)], tight=True, subtle=subtle, indent=1)]
    return [*_sentence(sentence, subtle=subtle), *(said if visible(answer) else [])]


def _headed(sentence: str, places: Sequence[PlaceView], view: ExplanationView) -> list[Json]:
    return [*_sentence(sentence or "…", subtle=True), *_places(places, _OTHERS, view)] if places else []
