"""Rendering of views as messages and cards of Teams, within its limits, without mentions, with links to the wiki only.

Buttons, tables and charts need a card; all else can be text. A message may have both only if it ends a stream
(https://learn.microsoft.com/microsoftteams/platform/bots/streaming-ux). Teams splits any other such message into two
without returning their ids, and refuses to update it ("message splitting",
https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/conversation-messages). An answer with
buttons is therefore text and card at the end of a stream, and only a card without one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from adapters.teams.elements import (
    LIMITS,
    Delivery,
    Json,
    count_block_bytes,
    count_bytes,
    make_card,
    render_block,
    render_form,
)
from core.i18n import message
from core.languages import Language
from core.model import Citation
from core.model.views import AnswerView, Notice, SourcesView, View, Waiting
from core.text import ZERO_WIDTH, clean, collapse_spaces, is_visible, make_caption, shorten
from core.views.commonmark import find_citations, render_text
from core.views.document import (
    Actions,
    Block,
    Button,
    Chart,
    Details,
    Document,
    Form,
    Paragraph,
    Run,
    Table,
    check_web_address,
    get_plain_text,
    link_location,
    make_label,
    make_mark,
)
from core.views.fitting import fit, pack
from core.views.inert import break_addresses, break_macros
from core.views.messages import answer_body, build_document, build_fitting
from core.wording.quotations import strip_citations

CARD = "application/vnd.microsoft.card.adaptive"
TEXT = "application/vnd.microsoft.activity.message"

_SUMMARY = 300
_PART_BYTES = 60_000
_BACK = 3_000  # bytes of the button back to the answer
_CITATIONS, _NAME, _ABSTRACT, _KEYWORD = 20, 80, 160, 28  # Teams' limits
_CITATION_BYTES = 30_000  # of all citations: the answer needs room too
_TAG = re.compile(r"<(?=[A-Za-z/!])")


def render_message(view: View, delivery: Delivery = "post") -> Json:
    """Return the message that shows a view. Progress is a text, which an update may replace by a card."""
    if isinstance(view, Waiting):
        return make_text_message(render_plain(view), 1_000)
    limits = _TEXT_LIMITS if delivery == "stream" else LIMITS
    has_thumbs = isinstance(view, AnswerView) and delivery != "update"
    document = build_document(view, replace(limits, hides=frozenset({"feedback"})) if has_thumbs else limits)
    claims = _make_claims(document.citations or ())
    summary = shorten(break_macros(strip_citations(collapse_spaces(document.summary))), _SUMMARY) or "…"
    limits = replace(limits, room=limits.room - count_bytes(claims) - count_bytes(summary))
    blocks = _join_buttons(fit(document, limits).blocks)
    if delivery == "stream" or not any(map(_needs_card, blocks)):
        shown, claims = _render_as_text(blocks, document, claims)
    else:
        shown = _attach(make_card(blocks, document.language, delivery=delivery))
    whole: Json = {"type": "message", "summary": summary, **shown}
    if has_thumbs:
        whole["channelData"] = {"feedbackLoop": {"type": "default"}}
    if document.citations is not None:
        whole["entities"] = [_make_entity(claims)]
    return whole


def _render_as_text(blocks: Sequence[Block], document: Document, claims: Sequence[Json]) -> tuple[Json, list[Json]]:
    """Render blocks as text, and those from the first table on, and all buttons, as a card.

    Also returns the claims that the text cites.
    """
    begun = [*takewhile(lambda block: isinstance(block, Actions) or not _needs_card(block), blocks)]
    cited = {int(claim["position"]) for claim in claims}
    written = begun if render_text(begun, cited) else [_make_caption(document.citations or ())]
    rest = [*(block for block in begun if isinstance(block, Actions)), *blocks[len(begun) :]]
    shown: Json = {"textFormat": "markdown", "text": render_text(written, cited)}
    card = _attach(make_card(rest, document.language, delivery="stream")) if rest else {}
    return shown | card, [claim for claim in claims if claim["position"] in find_citations(written)]


def _join_buttons(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Join all rows of ordinary buttons (not suggestions or feedback) at the position of the last one."""
    rows = [block for block in blocks if isinstance(block, Actions) and block.kind == "buttons"]
    joined = Actions(tuple(button for row in rows for button in row.buttons))
    return tuple(joined if block in rows[-1:] else block for block in blocks if block not in rows[:-1])


def _needs_card(block: Block) -> bool:
    """Whether a block needs a card. A table of one row does not: it can be a list."""
    return isinstance(block, Chart | Actions | Details) or (isinstance(block, Table) and not block.named_cells)


def _make_caption(citations: Sequence[Citation]) -> Paragraph:
    """Return the line above a table that is the whole answer: its source."""
    for cited in citations[:1]:
        return Paragraph((link_location(cited.title, [cited.heading], ""), Run(" "), replace(make_mark(cited), url="")))
    return Paragraph((Run("…"),))


def render_plain(view: Waiting | Notice) -> str:
    """Return a view as plain text."""
    return get_plain_text(build_document(view, LIMITS).blocks)


def make_text_message(text: str, limit: int = 8_000) -> Json:
    """Return a message of plain text; of a long text only the end, which is the part that changes.

    ``limit``: characters, which take at most four bytes each.
    """
    shown = clean(text).strip()
    shown = "… " + shown[-limit:] if len(shown) > limit else shown
    return {"type": "message", "textFormat": "plain", "text": _break_tags(shown) or "…"}


def shorten_message(message: Json) -> Json:
    """Return shorter fields, with the message's buttons, to replace those of a message that Teams refused."""
    entities = [
        {name: value for name, value in entity.items() if name != "citation"} for entity in message.get("entities", ())
    ]
    kept: Json = {"entities": entities} if entities else {}
    if "attachments" not in message:
        return {**make_text_message(str(message["text"]), 1_000), **kept}
    content = message["attachments"][0]["content"]
    text = make_text_message(message["summary"]) if "text" in message else {}
    said = [] if text else render_block(make_label(message["summary"], "body"))
    rows = [element for element in content["body"] if element["type"] == "ActionSet"]
    buttons = [row for row in rows if all("verb" in action for action in row["actions"])]  # without that of details
    body = [*said, *buttons]
    card = _attach({**make_card((), content["lang"]), "body": body}) if body else {"attachments": []}
    return {**text, **kept, **card}


def _attach(card: Json) -> Json:
    return {"attachments": [{"contentType": CARD, "content": card}]}


def _break_tags(text: str) -> str:
    """Break up tags and addresses in plain text. The result for a prefix is a prefix of the result."""
    return break_addresses(_TAG.sub(f"<{ZERO_WIDTH}", text).replace("//", f"/{ZERO_WIDTH}/"))


def _make_claims(citations: Sequence[Citation]) -> list[Json]:
    """Return a claim for each cited number, within Teams' limits."""
    numbers = list(dict.fromkeys(citation.number for citation in citations))[:_CITATIONS]
    first = {citation.number: citation for citation in reversed(citations)}
    claims = [_make_claim(first[number]) for number in numbers]
    while count_bytes(claims) > _CITATION_BYTES:
        claims.pop()
    return claims


def _make_entity(claims: Sequence[Json]) -> Json:
    """Return the root entity, which labels a message as written by AI and contains its claims.

    https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bot-messages-ai-generated-content. Teams shows a
    claim where the message's text has its number as ``[1]``, and none in a card.
    """
    kind = {"type": "https://schema.org/Message", "@type": "Message", "@context": "https://schema.org", "@id": ""}
    return {**kind, "additionalType": ["AIGeneratedContent"], **({"citation": list(claims)} if claims else {})}


def _make_claim(citation: Citation) -> Json:
    name = " › ".join(filter(is_visible, (collapse_spaces(citation.title), collapse_spaces(citation.heading))))
    appearance: Json = {
        "@type": "DigitalDocument",
        "name": make_caption(name, _NAME),
        "abstract": shorten(collapse_spaces(citation.quote), _ABSTRACT) or make_caption(name, _ABSTRACT),
    }
    if address := check_web_address(citation.url):
        appearance["url"] = address
    if keyword := shorten(collapse_spaces(citation.kind.replace("_", " ")), _KEYWORD):
        appearance["keywords"] = [keyword]
    return {"@type": "Claim", "position": citation.number, "appearance": appearance}


# ------------------------------------------------- cards that replace an answer, for the person who clicked


def make_card_response(card: Json) -> Json:
    """Return the response to a click with a card that replaces the clicked one."""
    return {"statusCode": 200, "type": CARD, "value": card}


def make_text_response(notice: Notice) -> Json:
    """Return the response to a click with a text below the card."""
    return {"statusCode": 200, "type": TEXT, "value": render_plain(notice)}


def render_answer_card(view: AnswerView, delivery: Delivery = "post") -> Json:
    """Return the card of an answer's message. ``delivery``: how that message was delivered."""
    content: Json = render_message(view, delivery)["attachments"][0]["content"]
    return content


def render_part_card(view: AnswerView, number: int, delivery: Delivery = "post") -> Json:
    """Return a part of a long answer, counted from 0; for a number that is too high the last part."""
    parts = pack(LIMITS.show_tables(answer_body(view)), _PART_BYTES, count_block_bytes) or [[]]
    number = min(max(number, 0), len(parts) - 1)
    about = message("Part {number} of {total}", number=number + 1, total=len(parts)).render(view.language)
    next_part = message("Next part").render(view.language)
    further = Button(next_part, "whole", view.language, view.turn_id, index=number + 1)
    back = _make_back_row(view.turn_id, view.language, *([further] if parts[number + 1 :] else []))
    return make_card([make_label(about), *parts[number], back], view.language, delivery=delivery)


def render_reply_card(
    view: SourcesView | Notice, turn_id: str, language: Language, delivery: Delivery = "post"
) -> Json:
    """Return the card of an answer's sources, or of a notice about the answer."""
    blocks = build_fitting(view, _SMALLER).blocks
    return make_card([*blocks, _make_back_row(turn_id, language)], language, delivery=delivery)


def render_form_card(form: Form, turn_id: str, form_id: str, delivery: Delivery = "post") -> Json:
    """Return the card of a form. ``form_id``: distinguishes what is submitted from what other forms submit."""
    send = Button(form.submit, form.name, form.language, turn_id, form_id=form_id)
    return make_card([_make_back_row(turn_id, form.language, send)], form.language, render_form(form), delivery)


def _make_back_row(turn_id: str, language: Language, *before: Button) -> Actions:
    """Return a row of buttons that ends with the button back to the answer."""
    return Actions((*before, Button(message("Back to the answer").render(language), "answer", language, turn_id)))


_SMALLER = replace(LIMITS, room=LIMITS.room - _BACK)


def _measure_text(block: Block) -> int:
    """Return the size of a block that may be in the text, or below a table in the card."""
    return (
        count_block_bytes(block)
        if _needs_card(block)
        else max(count_block_bytes(block), count_bytes(render_text([block], ())) + 8)
    )


_TEXT_LIMITS = replace(LIMITS, size=_measure_text, lists_sources=False)
