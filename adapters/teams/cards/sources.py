"""The sources of an answer in Teams: a card that stands in for the answer, for who asked to see them."""

from __future__ import annotations

from adapters.teams.cards.elements import (
    Run,
    card,
    heading,
    line,
    link,
    one_line,
    shorten,
    text,
    visible,
)
from adapters.teams.cards.fitting import within
from adapters.teams.cards.in_place import back
from adapters.teams.cards.message import MOST_BYTES
from adapters.teams.json import Json
from core.views.sources import SourcesView, SourceView
from core.views.wording import WORDS, format_hidden_sources
from core.views.words import Words

_SHOWN = 30
_TEXT = 700


def sources_body(view: SourcesView) -> list[Json]:
    """Cited sources first, each with its place, text and rank; then a way back."""
    words = WORDS[view.language]
    question = [line(text(view.question), tight=True, subtle=True)] if visible(view.question) else []
    found = [element for source in view.sources[:_SHOWN] for element in _source(source, words)]
    left = len(view.sources) - _SHOWN
    notes = [words.more.format(count=left)] if left > 0 else []
    notes += filter(None, [format_hidden_sources(view.hidden, view.language)])
    shown = within(found or [line([Run(words.no_sources)])], MOST_BYTES - 4_000)
    told = [line([Run(note)], subtle=True) for note in notes]
    return [heading(words.sources), *question, *shown, *told, *back(view.turn_id, view.language)]


def sources_card(view: SourcesView) -> Json:
    return card(sources_body(view))


def _source(source: SourceView, words: Words) -> list[Json]:
    number = [Run(f"[{source.number}] ", bold=True)] if source.number is not None else []
    place = " › ".join(part for part in (source.title, *source.heading_path) if visible(part))
    cited = [words.cited_as.format(number=source.number)] if source.number is not None else []
    about = ", ".join([shorten(one_line(source.kind), 60), words.rank.format(rank=source.rank), *cited])
    return [
        {**line([*number, link(source.url, place)]), "separator": True},
        line(text(source.text, _TEXT), tight=True),
        line([Run(about)], tight=True, subtle=True),
    ]
