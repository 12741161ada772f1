"""Views as messages and cards of Teams. Everything fits its limits, pings nobody and links to the wiki only.

A message is a card alone or a text alone. One with both is split by Teams into two messages of which neither can be
updated (``Activity resulted into multiple skype activities``); so whatever has buttons is a card, label, citations and
feedback included.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from adapters.teams.elements import LIMITS, MOST_BYTES, block_size, card, field, render_block, without_macros
from adapters.teams.json import Json, size
from core.i18n import message
from core.languages import Language
from core.model import Citation
from core.views.document import (
    Actions,
    Button,
    Document,
    Form,
    Paragraph,
    Run,
    clean,
    is_visible,
    label,
    one_line,
    plain_text,
    shorten,
    web_address,
)
from core.views.fitting import fit, pack
from core.views.layout import answer_body, build_document
from core.views.model import AnswerView, Notice, SourcesView, View, Waiting

CARD = "application/vnd.microsoft.card.adaptive"

_SUMMARY, _QUESTION = 300, 500
_PART_BYTES = 20_000
_BACK = 1_500  # bytes of the way back
_CITATIONS, _NAME, _ABSTRACT, _KEYWORD = 10, 80, 160, 28
_TAG = re.compile(r"<(?=[A-Za-z/!])")


def render_message(view: View) -> Json:
    """The message that shows a view. The progress of work is a text, which an update may turn into a card."""
    if isinstance(view, Waiting):
        return text_message(render_plain(view), 1_000)
    document = _with_heading(build_document(view, LIMITS))
    more: Json = {}
    if document.citations is not None:
        more["entities"] = [_message_entity(document.citations)]
    if isinstance(view, AnswerView):
        more["channelData"] = {"feedbackLoop": {"type": "default"}}
    summary = shorten(without_macros(one_line(document.summary)), _SUMMARY) or "…"
    limits = replace(LIMITS, room=LIMITS.room - size(more) - size(summary))
    return _card_message(card(fit(document, limits).blocks), summary, more)


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
    """What a message says in short, and its buttons: what is sent when Teams has refused the whole."""
    if "attachments" not in message:
        return text_message(str(message["text"]), 1_000)
    body = message["attachments"][0]["content"]["body"]
    shown = card([Paragraph((Run(message["summary"]),))])
    shown["body"] += [element for element in body if element["type"] == "ActionSet"]
    kept = {"channelData": message["channelData"]} if "channelData" in message else {}
    return _card_message(shown, message["summary"], kept)


def _with_heading(document: Document) -> Document:
    """The document with its title as a heading."""
    heading = (label(document.title, "heading"),) if document.title else ()
    return replace(document, before=(*heading, *document.before))


def _card_message(content: Json, summary: str, more: Json) -> Json:
    attachment = {"contentType": CARD, "content": content}
    return {"type": "message", "summary": summary, "attachments": [attachment], **more}


def _without_tags(text: str) -> str:
    """Plain text in which no client sees tags or addresses. What a longer text begins with stays as it was."""
    return _TAG.sub("<\u200b", text).replace("//", "/\u200b/")


# ------------------------------------------------- cards that take an answer's place, for who clicked


def answer_card(view: AnswerView) -> Json:
    """The answer again."""
    return card(fit(build_document(view, LIMITS), LIMITS).blocks)


def part_card(view: AnswerView, number: int) -> Json:
    """A part of an answer that is too long for its message, the first by 0; of a number that there is not, the last."""
    parts = pack(LIMITS.show_tables(answer_body(view)), _PART_BYTES, block_size) or [[]]
    number = min(max(number, 0), len(parts) - 1)
    about = message("Part {number} of {total}", number=number + 1, total=len(parts)).render(view.language)
    next_part = message("Next part").render(view.language)
    further = Button(next_part, "whole", view.turn_id, view.language, number + 1)
    buttons = [further] if parts[number + 1 :] else []
    return card([Paragraph((Run(about),), "subtle"), *parts[number], _back(view.turn_id, view.language, *buttons)])


def reply_card(view: SourcesView | Notice, turn_id: str, language: Language) -> Json:
    """Sources, or what is said about the answer."""
    document = fit(_with_heading(build_document(view, _SMALLER)), _SMALLER)
    return card([*document.blocks, _back(turn_id, language)])


def form_card(form: Form, turn_id: str) -> Json:
    """A form in the answer's place."""
    send = Button(form.submit, form.name, turn_id, form.language)
    shown = card([Paragraph((Run(form.title),), "heading"), *LIMITS.line(form.question, _QUESTION, tight=True)])
    shown["body"] += [field(form), *render_block(_back(turn_id, form.language, send))]
    return shown


def _back(turn_id: str, language: Language, *before: Button) -> Actions:
    """The way back to the answer, after other buttons."""
    return Actions((*before, Button(message("Back to the answer").render(language), "answer", turn_id, language)))


_SMALLER = replace(LIMITS, room=LIMITS.room - _BACK)


# --------------------------------------------------------------------------------- label and citations


def _message_entity(citations: Sequence[Citation]) -> Json:
    """The one root entity, which marks a message as written by AI, and has each cited number with its place.

    https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bot-messages-ai-generated-content; Teams refuses a
    message that breaks one of these limits.
    """
    first: dict[int, Citation] = {}
    for citation in citations:
        first.setdefault(citation.number, citation)
    claims = [_claim(citation) for citation in list(first.values())[:_CITATIONS]]
    entity: Json = {
        "type": "https://schema.org/Message",
        "@type": "Message",
        "@context": "https://schema.org",
        "@id": "",
        "additionalType": ["AIGeneratedContent"],
    }
    return {**entity, "citation": claims} if claims else entity


def _claim(citation: Citation) -> Json:
    name = " › ".join(filter(is_visible, (one_line(citation.title), one_line(citation.heading))))
    appearance: Json = {
        "@type": "DigitalDocument",
        "name": shorten(name, _NAME) or "…",
        "abstract": shorten(one_line(citation.quote), _ABSTRACT) or shorten(name, _ABSTRACT) or "…",
    }
    if address := web_address(citation.url):
        appearance["url"] = address
    if keyword := shorten(one_line(citation.kind.replace("_", " ")), _KEYWORD):
        appearance["keywords"] = [keyword]
    return {"@type": "Claim", "position": citation.number, "appearance": appearance}
