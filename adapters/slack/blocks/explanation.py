"""An explanation in Slack: shares as bars with their sources, the verdict, what would be without the first of them."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.slack.blocks.elements import context, mark_blocks, place_link, section, sections
from adapters.slack.blocks.elements import words as prose
from adapters.slack.message import Message, plain_message
from adapters.slack.mrkdwn import Json, escape, shorten, size
from adapters.slack.pieces import Piece, remove_links
from core.views.explanation import BarView, ExplanationView, PlaceView
from core.views.wording import WORDS

_BAR = 12  # characters
_BARS = 8
_PLACES = 4  # of a bar
_OTHERS = 5  # places that changed nothing
_BARS_CHARS = 4_400  # of all bars with their places, addresses included
_OTHERS_CHARS = 700
_SENTENCE = 200
_ANSWER = 500


def explanation_message(view: ExplanationView, mark: str) -> Message:
    """What an answer rests on; only a verdict where there is nothing to explain."""
    heading = [section(f"*{escape(shorten(view.heading, 150))}*")] if view.heading.strip() else []
    question = context(prose(view.question, 300)) if heading and view.question.strip() else []
    blocks = [
        *heading,
        *question,
        *_bars(view),
        *sections([Piece(_bold(prose(view.verdict)))]),
        *_without_top(view),
        *_headed(*view.unmoved, view),
        *_headed(*view.unknown, view),
        *context(*(prose(cause, 300) for cause in view.causes[:2])),
        *_compared_with(view),
        *context(*(prose(note, _SENTENCE) for note in (*view.notes[:2], view.made))),
    ]
    return Message(_spoken(view), mark_blocks(blocks or [section("…")], mark))


def _bars(view: ExplanationView) -> list[Json]:
    bars = view.bars[:_BARS]
    room = _BARS_CHARS // max(len(bars), 2) - 100
    blocks = [block for bar in bars for block in _bar_block(bar, room, view)]
    left = len(view.bars) - _BARS
    return [*blocks, *(context(WORDS[view.language].more.format(count=left)) if left > 0 else [])]


def _bar_block(bar: BarView, room: int, view: ExplanationView) -> list[Json]:
    lines = [_bar(bar), *_place_lines(bar.places, _PLACES, room, view)]
    return sections([Piece(line, tight=True) for line in lines])


def _bar(bar: BarView) -> str:
    """In fixed width, so that bars are comparable; a share above 0 shows at least one block."""
    full = min(_BAR, max(1, round(bar.share * _BAR)))
    return f"`{'█' * full}{'░' * (_BAR - full)} {escape(f'{shorten(bar.percent, 8):>4}')}`"


def _place_lines(places: Sequence[PlaceView], limit: int, room: int, view: ExplanationView) -> list[str]:
    """A line a place, as many as there is room for; the first one stands there in any case, if need be without link."""
    lines: list[str] = []
    for place in places[:limit]:
        line = _place(place)
        if size(line) > room:
            if not lines:
                lines = [remove_links(line)]
            break
        room -= size(line)
        lines.append(line)
    left = len(places) - len(lines)
    return [*lines, WORDS[view.language].more.format(count=left)] if left else lines


def _place(place: PlaceView) -> str:
    numbers = "".join(f"[{number}]" for number in place.numbers[:5])
    kinds = f"({prose(place.kinds, 60)})" if place.kinds else ""
    return " ".join(filter(None, (numbers, place_link(place.title, place.heading_path, place.url), kinds)))


def _headed(heading: str, places: Sequence[PlaceView], view: ExplanationView) -> list[Json]:
    return context(prose(heading, _SENTENCE), *_place_lines(places, _OTHERS, _OTHERS_CHARS, view)) if places else []


def _without_top(view: ExplanationView) -> list[Json]:
    return [*_quoted(*view.without_top), *context(prose(view.problem, 300))]


def _quoted(sentence: str, answer: str) -> list[Json]:
    return sections([Piece(prose(sentence, _SENTENCE)), Piece(_quote(answer), tight=True)]) if sentence.strip() else []


def _quote(answer: str) -> str:
    return "\n".join(f"> {line}" for line in prose(answer, _ANSWER).split("\n") if line.strip())


def _compared_with(view: ExplanationView) -> list[Json]:
    sentence, answer = view.compared_with
    return context(prose(sentence, _SENTENCE), _quote(answer)) if sentence.strip() else []


def _bold(text: str) -> str:
    return "\n".join(f"*{line.strip()}*" for line in text.split("\n") if line.strip())


def _spoken(view: ExplanationView) -> str:
    """The shares in words: bars say nothing to who does not see them."""
    words = WORDS[view.language]
    shares = []
    for bar in view.bars[:_BARS]:
        sentence = words.below_percent if bar.percent.startswith("<") else words.percent
        said = sentence.format(percent=escape(shorten(bar.percent.strip("<% "), 8)))
        shares.append(f"{said}: " + "; ".join(_place(place) for place in bar.places[:_PLACES]))
    return plain_message(
        [prose(view.heading), *shares, prose(view.verdict), *(prose(text) for text in view.without_top)]
    )
