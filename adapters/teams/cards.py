"""Views as messages and cards of Teams. Everything fits its limits, pings nobody and links to the wiki only.

What text can say is a text; buttons, tables and charts need a card. Teams has one message with both only where it ends
a stream (https://learn.microsoft.com/microsoftteams/platform/bots/streaming-ux). Anywhere else it splits such a message
into two without telling their ids, and refuses to update it ("message splitting",
https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/conversation-messages). So an answer with
buttons is text and card at the end of a stream, and a card where there is no stream.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from adapters.teams.citations import make_claims, message_entity
from adapters.teams.elements import (
    LIMITS,
    MOST_BYTES,
    block_size,
    card,
    field,
    is_one_row,
    render_block,
    without_addresses,
    without_macros,
)
from adapters.teams.json import Json, size
from adapters.teams.markdown import list_fields, render_text
from core.i18n import message
from core.languages import Language
from core.model import Citation
from core.views.document import (
    Actions,
    Block,
    Button,
    Chart,
    Document,
    Form,
    Paragraph,
    Run,
    Table,
    clean,
    label,
    link_place,
    one_line,
    plain_text,
    shorten,
)
from core.views.fitting import fit, pack
from core.views.messages import answer_body, build_document
from core.views.model import AnswerView, Notice, SourcesView, View, Waiting

CARD = "application/vnd.microsoft.card.adaptive"

Way = Literal["post", "stream", "update"]
"""How a message comes: by itself, at the end of a stream, or in place of one of ours, which loses Teams' own thumbs."""

_SUMMARY, _QUESTION = 300, 500
_PART_BYTES = 60_000
_BACK = 3_000  # bytes of the way back
_TAG = re.compile(r"<(?=[A-Za-z/!])")
_MARKS = re.compile(r"(?<!\s)\s*+\[(?:\d{1,4}|\?)\]")


def render_message(view: View, way: Way = "post") -> Json:
    """The message that shows a view. The progress of work is a text, which an update may turn into a card."""
    if isinstance(view, Waiting):
        return text_message(render_plain(view), 1_000)
    document = _with_heading(build_document(view, _TEXT_LIMITS if way == "stream" else LIMITS))
    if isinstance(view, AnswerView) and way != "update":
        document = _without_thumbs(document)
    claims = make_claims(document.citations or ())
    summary = shorten(without_macros(_MARKS.sub("", one_line(document.summary))), _SUMMARY) or "…"
    more: Json = {}
    if isinstance(view, AnswerView) and way != "update":
        more["channelData"] = {"feedbackLoop": {"type": "default"}}
    limits = replace(LIMITS if way != "stream" else _TEXT_LIMITS, room=LIMITS.room - size(claims) - size(summary))
    blocks = _join_buttons(fit(document, limits).blocks)
    is_text = way == "stream" or not any(map(_needs_card, blocks))
    shown = _as_text(blocks, document, claims) if is_text else _as_card(blocks, way, document.language)
    if document.citations is not None:
        text = str(shown.get("text", ""))
        more["entities"] = [message_entity([each for each in claims if not text or f"[{each['position']}]" in text])]
    return {"type": "message", "summary": summary, **shown, **more}


def _as_text(blocks: Sequence[Block], document: Document, claims: Sequence[Json]) -> Json:
    """The blocks as a text, and in a card what begins with the first table, and the buttons."""
    end = next((at for at, block in enumerate(blocks) if _needs_card(block) and not isinstance(block, Actions)), None)
    before = [each for block in blocks[:end] for each in (list_fields(block) if isinstance(block, Table) else [block])]
    cited = {int(claim["position"]) for claim in claims}
    text = render_text(before, cited) or render_text([_caption(document.citations or ())], cited)
    rest = [block for at, block in enumerate(blocks) if (end is not None and at >= end) or _needs_card(block)]
    shown: Json = {"textFormat": "markdown", "text": text}
    return {**shown, **_as_card(rest, "stream", document.language)} if rest else shown


def _as_card(blocks: Sequence[Block], way: Way, language: Language) -> Json:
    return {"attachments": [_attach(_note_way(card(blocks, language), way))]}


def _join_buttons(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks with all buttons that are no suggestions and no thumbs in one row, in the place of the last."""
    rows = [block for block in blocks if isinstance(block, Actions) and block.kind == "buttons"]
    joined = Actions(tuple(button for row in rows for button in row.buttons))
    kept = [joined if block is rows[-1] else block for block in blocks if block not in rows[:-1]] if rows else blocks
    return tuple(kept)


def _needs_card(block: Block) -> bool:
    """Whether a text cannot carry a block: it can carry one row, as a list."""
    return isinstance(block, Chart | Actions) or (isinstance(block, Table) and not is_one_row(block))


def _caption(citations: Sequence[Citation]) -> Paragraph:
    """What stands above a table that is all of an answer: where it comes from."""
    for cited in citations[:1]:
        return Paragraph((link_place(cited.title, [cited.heading], ""), Run(" "), Run(f"[{cited.number}]")))
    return Paragraph((Run("…"),))


def render_plain(view: Waiting | Notice) -> str:
    """What a view says, without markup."""
    return plain_text(build_document(view, LIMITS).blocks)


def text_message(text: str, limit: int = 8_000) -> Json:
    """A text without any markup, its end where it is too long, for it is what changes."""
    shown = clean(text).strip()
    if len(shown) > limit:
        shown = "… " + shown[-limit:]
    message: Json = {"type": "message", "textFormat": "plain", "text": _without_tags(shown) or "…"}
    while size(message) > MOST_BYTES:
        shown = "… " + shown[len(shown) // 4 :]
        message["text"] = _without_tags(shown)
    return message


def shorten_message(message: Json) -> Json:
    """What a message says in short, and its buttons: what takes the place of its parts when Teams has refused it."""
    entities = [_without_citations(entity) for entity in message.get("entities", ())]
    kept: Json = {"entities": entities} if entities else {}
    if "attachments" not in message:
        return {**text_message(str(message["text"]), 1_000), **kept}
    content = message["attachments"][0]["content"]
    buttons = [element for element in content["body"] if element["type"] == "ActionSet"]
    if "text" in message:
        return {
            **text_message(message["summary"]),
            **kept,
            "attachments": [_attach({**card((), content["lang"]), "body": buttons})],
        }
    shown = card([Paragraph((Run(message["summary"]),))], content["lang"])
    return {**kept, "attachments": [_attach({**shown, "body": [*shown["body"], *buttons]})]}


def _without_citations(entity: Json) -> Json:
    return {name: value for name, value in entity.items() if name != "citation"}


def _attach(content: Json) -> Json:
    return {"contentType": CARD, "content": content}


def _without_thumbs(document: Document) -> Document:
    """The document of an answer under which Teams shows its own."""
    kept = [block for block in document.after if not (isinstance(block, Actions) and block.kind == "feedback")]
    return replace(document, after=tuple(kept))


def _with_heading(document: Document) -> Document:
    """The document with its title as a heading."""
    heading = (label(document.title, "heading"),) if document.title else ()
    return replace(document, before=(*heading, *document.before))


def _without_tags(text: str) -> str:
    """Plain text in which no client sees tags or addresses. What a longer text begins with stays as it was."""
    return without_addresses(_TAG.sub("<\u200b", text).replace("//", "/\u200b/"))


# ------------------------------------------------- cards that take an answer's place, for who clicked


def answer_card(view: AnswerView, way: Way = "post") -> Json:
    """The card of the answer's message again. ``way``: how that message came."""
    content: Json = render_message(view, way)["attachments"][0]["content"]
    return content


def part_card(view: AnswerView, number: int, way: Way = "post") -> Json:
    """A part of an answer that is too long for its message, the first by 0; of a number that there is not, the last."""
    parts = pack(LIMITS.show_tables(answer_body(view)), _PART_BYTES, block_size) or [[]]
    number = min(max(number, 0), len(parts) - 1)
    about = message("Part {number} of {total}", number=number + 1, total=len(parts)).render(view.language)
    next_part = message("Next part").render(view.language)
    further = Button(next_part, "whole", view.turn_id, view.language, number + 1)
    back = _back(view.turn_id, view.language, *([further] if parts[number + 1 :] else []))
    return _note_way(card([Paragraph((Run(about),), "subtle"), *parts[number], back], view.language), way)


def reply_card(view: SourcesView | Notice, turn_id: str, language: Language, way: Way = "post") -> Json:
    """Sources, or what is said about the answer."""
    document = fit(_with_heading(build_document(view, _SMALLER)), _SMALLER)
    return _note_way(card([*document.blocks, _back(turn_id, language)], language), way)


def form_card(form: Form, turn_id: str, way: Way = "post") -> Json:
    """A form in the answer's place."""
    send = Button(form.submit, form.name, turn_id, form.language)
    head = (Paragraph((Run(form.title),), "heading"), *LIMITS.line(form.question, _QUESTION, tight=True))
    shown = card(head, form.language)
    shown["body"] += [field(form), *render_block(_back(turn_id, form.language, send))]
    return _note_way(shown, way)


def _note_way(content: Json, way: Way) -> Json:
    """A card whose buttons tell how its message came, so that the card that they bring back is the same."""

    def note(part: Any) -> Any:
        if isinstance(part, list):
            return [note(each) for each in part]
        if not isinstance(part, dict):
            return part
        noted = {name: note(value) for name, value in part.items()}
        return {**noted, "way": way} if "wikiwhy" in part else noted

    return content if way == "post" else {**content, "body": note(content["body"])}


def _back(turn_id: str, language: Language, *before: Button) -> Actions:
    """The way back to the answer, after other buttons."""
    return Actions((*before, Button(message("Back to the answer").render(language), "answer", turn_id, language)))


_SMALLER = replace(LIMITS, room=LIMITS.room - _BACK)


def _text_size(block: Block) -> int:
    """Of a block that stands in a text, or in the card below it if a table stands before it."""
    return block_size(block) if _needs_card(block) else max(block_size(block), size(render_text([block], ())) + 8)


_TEXT_LIMITS = replace(LIMITS, size=_text_size, lists_sources=False)
