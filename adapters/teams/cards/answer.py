"""An answer in Teams: how it was understood, the text, its sources, what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.teams.cards.citations import message_entity
from adapters.teams.cards.citing import Citing
from adapters.teams.cards.elements import (
    Run,
    action_set,
    card,
    execute,
    heading,
    in_place,
    line,
    link,
    one_line,
    page_lines,
    shorten,
    text,
    visible,
    web_address,
)
from adapters.teams.cards.fitting import fit_elements, goes_on
from adapters.teams.cards.forms import correction
from adapters.teams.cards.in_place import back
from adapters.teams.cards.markdown import parse_markdown
from adapters.teams.cards.message import MOST_BYTES, card_message
from adapters.teams.cards.plain import plain_elements
from adapters.teams.cards.splitting import split
from adapters.teams.json import Json, size
from core.model import Citation
from core.views.answer import AnswerView
from core.views.markup import MOST_CHARS
from core.views.wording import WORDS

_SOURCES = 20
_SOURCES_BYTES = 6_000  # of all of them, addresses included
_SUGGESTIONS = 4
_CLOSEST = 3
_NOTES = 5
_PART_BYTES = 20_000
_ENVELOPE = 400  # bytes of what is around the card


def answer_message(view: AnswerView) -> Json:
    """The answer, or that there is none and where to look instead."""
    entity = message_entity(view.citations if view.answered else ())
    more = {"entities": [entity], "channelData": {"feedbackLoop": {"type": "default"}}}
    return card_message(answer_body(view, size(more)), _summary(view), **more)


def answer_card(view: AnswerView) -> Json:
    """The same as a card, in answer to a click."""
    return card(answer_body(view))


def answer_body(view: AnswerView, besides: int = 0) -> list[Json]:
    """The card's elements. ``besides``: bytes that the message has anyway."""
    words = WORDS[view.language]
    lead = _lead(view)
    sources = _source_lines(view.citations, words.more) if view.answered else _elsewhere(view)
    notes = [line(text(note), tight=at > 0, subtle=True) for at, note in enumerate(_notes(view))]
    after = [*sources, *notes, *_buttons(view), *_suggestions(view), *_feedback(view)]
    more = action_set([_whole(words.whole, view, 0)])
    room = MOST_BYTES - _ENVELOPE - 2 * len(_summary(view)) - besides - size(lead) - size(after) - size(more)
    elements = _elements(view)
    shown = fit_elements(elements, room, words, _first_link(view.citations))
    return [*lead, *(shown or [line([Run("…")])]), *(more if shown != elements else []), *after]


def part_card(view: AnswerView, number: int) -> Json:
    """A part of an answer that is too long for its message, the first by 0; of a number that there is not, the last."""
    words = WORDS[view.language]
    parts = split(_elements(view), _PART_BYTES) or [[]]
    number = min(max(number, 0), len(parts) - 1)
    about = line([Run(words.part.format(number=number + 1, total=len(parts)))], subtle=True)
    further = _whole(words.next_part, view, number + 1)
    return card(
        [about, *parts[number], *back(view.turn_id, view.language, *([further] if parts[number + 1 :] else []))]
    )


def _whole(title: str, view: AnswerView, number: int) -> Json:
    return in_place(execute(title, "whole", view.turn_id, view.language, index=number))


def _elements(view: AnswerView) -> list[Json]:
    citing = Citing(view.citations if view.answered else ())
    if view.markup != "markdown":
        return plain_elements(view.text, citing)
    elements = parse_markdown(view.text[:MOST_CHARS], citing)
    if len(view.text) <= MOST_CHARS:
        return elements
    return [*elements, goes_on(WORDS[view.language], _first_link(view.citations))]


def _summary(view: AnswerView) -> str:
    return shorten(one_line(view.text), 300)


def _notes(view: AnswerView) -> list[str]:
    return [note for note in view.notes if visible(note)][:_NOTES]


def _lead(view: AnswerView) -> list[Json]:
    """The question where no message of its asker shows it, and how it was understood."""
    asked = [heading(f"› {view.asked}")] if visible(view.asked) else []
    if not visible(view.understood_as):
        return asked
    return [*asked, line(text(f"{WORDS[view.language].understood_as} {view.understood_as}"), subtle=True)]


def _source_lines(citations: Sequence[Citation], more: str) -> list[Json]:
    lines: list[Json] = []
    room = _SOURCES_BYTES
    for citation in citations[:_SOURCES]:
        place = " › ".join(part for part in (citation.title, citation.heading) if visible(part))
        shown = line([link(citation.url, f"[{citation.number}] {place}")], tight=bool(lines), subtle=True)
        room -= size(shown) + 1
        if room < 0:
            break
        lines.append(shown)
    left = len(citations) - len(lines)
    return [*lines, line([Run(more.format(count=left))], tight=True, subtle=True)] if left else lines


def _elsewhere(view: AnswerView) -> list[Json]:
    """The closest pages, and whom to ask."""
    words = WORDS[view.language]
    pages = [line([Run(words.closest)]), *page_lines(view.closest[:_CLOSEST])] if view.closest else []
    if not visible(view.contact):
        return pages
    return [*pages, line(text(f"{words.whom_to_ask} {view.contact}", 300))]


def _first_link(citations: Sequence[Citation]) -> Run | None:
    first = next((citation for citation in citations if web_address(citation.url)), None)
    return link(first.url, f"[{first.number}]") if first else None


def _buttons(view: AnswerView) -> list[Json]:
    words = WORDS[view.language]
    buttons = []
    if view.answered and view.explainable:
        buttons.append(execute(words.explain, "explain", view.turn_id, view.language))
    if view.answered:
        buttons.append(execute(words.sources, "sources", view.turn_id, view.language))
    if visible(view.understood_as):
        buttons.append(correction(view.understood_as, view.turn_id, view.language))
    return action_set(buttons)


def _suggestions(view: AnswerView) -> list[Json]:
    """Each wraps, as no button's title does."""
    words = WORDS[view.language]
    suggested = [(at, question) for at, question in enumerate(view.suggestions) if visible(question)][:_SUGGESTIONS]
    rows: list[Json] = [
        {
            "type": "Container",
            "style": "emphasis",
            "spacing": "Small",
            "items": [line(text(question, 200))],
            "selectAction": execute(question, "suggest", view.turn_id, view.language, index=at),
        }
        for at, question in suggested
    ]
    return [line([Run(words.also_ask)], subtle=True), *rows] if rows else []


def _feedback(view: AnswerView) -> list[Json]:
    """Beside Teams' own thumbs, which not every client has, nor shows under a message that was updated."""
    words = WORDS[view.language]
    good = execute(words.good, "good", view.turn_id, view.language)
    return action_set([good, execute(words.bad, "bad", view.turn_id, view.language)])
