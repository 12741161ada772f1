"""The sources of an answer in Slack: a modal."""

from __future__ import annotations

from adapters.slack.blocks.elements import context, place_link, section
from adapters.slack.blocks.elements import words as prose
from adapters.slack.fitting import SECTION
from adapters.slack.mrkdwn import Json, mrkdwn, plain_text
from adapters.slack.pieces import Piece, pack_pieces
from core.views.sources import SourcesView, SourceView
from core.views.wording import WORDS, format_hidden_sources
from core.views.words import Words

_SHOWN = 30  # of at most 100 blocks, three each
_TEXT = 700


def sources_modal(view: SourcesView) -> Json:
    """The view for ``views.open``: cited sources first, each with its place, text and rank."""
    words = WORDS[view.language]
    question = context(prose(view.question, 500))
    blocks = [block for source in view.sources[:_SHOWN] for block in _source(source, words)]
    left = len(view.sources) - _SHOWN
    notes = [words.more.format(count=left)] if left > 0 else []
    hidden = format_hidden_sources(view.hidden, view.language)
    return {
        "type": "modal",
        "title": plain_text(words.sources, 24),
        "close": plain_text(words.close, 24),
        "blocks": [
            *question,
            *(blocks or [section(words.no_sources)]),
            *context(*notes, hidden),
        ],
    }


def _source(source: SourceView, words: Words) -> list[Json]:
    number = f"*[{source.number}]* " if source.number is not None else ""
    place = number + place_link(source.title, source.heading_path, source.url)
    text = pack_pieces([Piece(place or "…"), Piece(prose(source.text, _TEXT), tight=True)], SECTION)
    cited = [words.cited_as.format(number=source.number)] if source.number is not None else []
    about = ", ".join([prose(source.kind, 60), words.rank.format(rank=source.rank), *cited])
    return [
        {"type": "divider"},
        *({"type": "section", "text": mrkdwn(shown)} for shown in text[:1]),
        *context(about),
    ]
