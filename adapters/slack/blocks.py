"""Documents as Slack's messages and modals (https://docs.slack.dev/reference/block-kit), within Slack's limits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import unescape
from typing import Any

from adapters.slack.mrkdwn import align_table, code_text, escape, is_mention, paragraph_text
from core.i18n import message
from core.text import Language
from core.views.document import (
    Actions,
    Bar,
    Block,
    Button,
    Chart,
    Code,
    Form,
    Paragraph,
    Run,
    Table,
    clean,
    is_visible,
    one_line,
    plain_text,
    shorten,
    text_of,
    units,
)
from core.views.fitting import Limits, fit, pack
from core.views.layout import build_correction_form, build_document, build_reason_form, build_sources
from core.views.model import SourcesView, View

Json = dict[str, Any]

CORRECTION, REASON = "correction", "reason"
"""Ids of the forms."""
INPUT = "text"
"""Id of the block and of the action of a form's only field: ``state.values[INPUT][INPUT].value``."""

_MESSAGE = 11_000  # characters of all texts together. Slack refuses about 12,000 and more (``msg_blocks_too_long``)
_MODAL = 60_000
_SECTION = 2_900  # characters of one text; Slack's limit is 3,000
_CONTEXT = 1_900  # characters of one text in a context block; Slack's limit is 2,000
_TEXT = 3_000  # characters of a message's own text
_DRAFT, _SHORT = 2_800, 1_500
_BUTTON, _TITLE, _VALUE, _BLOCK_ID, _METADATA, _INPUT = 75, 24, 2_000, 255, 3_000, 3_000
_BAR = 12  # characters
_SIGNS = {"info": "", "problem": ":warning: ", "done": ":white_check_mark: "}
_ADDRESS = re.compile("(?:[a-z]:(?=//)|mailto(?=:))", re.IGNORECASE)
_BUTTONS = frozenset({"actions", "context_actions"})


@dataclass(frozen=True, slots=True)
class Message:
    """``text``: for notifications and screen readers, escaped, never blank. ``blocks``: what is seen."""

    text: str
    blocks: tuple[Json, ...]


def render_message(view: View, mark: str) -> Message:
    """The message that shows a view. ``mark``: becomes its first block's ``block_id``, to find it again ("": none)."""
    document = fit(replace(build_document(view, LIMITS), more=None), LIMITS)
    parts = (document.before, document.body, document.after)
    first, *others = [block for part in parts for block in _render(part)] or [_section("…")]
    marked = {**first, "block_id": mark[:_BLOCK_ID]} if mark else first
    return Message(_spoken(document.blocks), (marked, *others))


def draft_message(text: str) -> Message:
    """An answer that is still being written: the end of what there is, for it is what changes."""
    end = Paragraph((Run(text[-_DRAFT // 2 :].strip()),))
    shown = escape(LIMITS.excerpt(text_of(end.runs), _DRAFT).removesuffix(" …"))
    return Message(_spoken([end]), (_section(f"{shown} …" if is_visible(shown) else "…"),))


def shorten_message(message: Message) -> Message:
    """The beginning of what a message says, and its buttons: what Slack takes when it has refused the whole."""
    text = escape(LIMITS.excerpt(unescape(message.text), _SHORT))
    head = _section(text)
    if mark := message.blocks[0].get("block_id"):
        head["block_id"] = mark
    return Message(text, (head, *(block for block in message.blocks if block["type"] in _BUTTONS)))


def sources_modal(view: SourcesView) -> Json:
    """The view for ``views.open`` that shows the sources of an answer."""
    limits = replace(LIMITS, room=_MODAL)
    document = fit(build_sources(view, limits), limits)
    blocks = [block for part in (document.before, document.body, document.after) for block in _render(part)]
    return {
        "type": "modal",
        "title": _plain(document.title, _TITLE),
        "close": _plain(message("Close").render(view.language), _TITLE),
        "blocks": blocks,
    }


def correction_modal(question: str, metadata: str, language: Language) -> Json:
    """To ask again in other words. ``metadata``: see :func:`_modal`."""
    return _modal(build_correction_form(question, language), metadata)


def reason_modal(question: str, metadata: str, language: Language) -> Json:
    """Why the answer to this question is no good."""
    return _modal(build_reason_form(question, language, LIMITS), metadata)


def _modal(form: Form, metadata: str) -> Json:
    """``metadata`` comes back with what is sent. Raises ValueError where it is too long for that."""
    if len(metadata) > _METADATA:
        raise ValueError(f"A form's metadata has {len(metadata)} characters; Slack takes {_METADATA}.")
    field: Json = {
        "type": "plain_text_input",
        "action_id": INPUT,
        "multiline": True,
        "max_length": _INPUT,
        "placeholder": _plain(form.placeholder, 150),
    }
    if form.value.strip():
        field["initial_value"] = shorten(clean(form.value), _INPUT)
    label = _plain(form.label, 2_000)
    return {
        "type": "modal",
        "callback_id": form.name,
        "private_metadata": metadata,
        "title": _plain(form.title, _TITLE),
        "submit": _plain(form.submit, _TITLE),
        "close": _plain(form.cancel, _TITLE),
        "blocks": [
            *_render(form.above),
            {"type": "input", "block_id": INPUT, "label": label, "element": field, "optional": form.optional},
        ],
    }


# ------------------------------------------------------------------------------------------- blocks


def _render(blocks: Sequence[Block]) -> Iterator[Json]:
    """Blocks of Slack: paragraphs share a section, or small grey ones a context, as long as they fit."""
    group: list[Block] = []
    for block in blocks:
        if group and not _is_joined(group[-1], block):
            yield from _render_group(group)
            group = []
        group.append(block)
    yield from _render_group(group)


def _is_joined(before: Block, block: Block) -> bool:
    """Whether a block stands in the same section as the one before it."""
    if isinstance(block, Code):
        return not isinstance(before, Chart | Actions) and not _is_subtle(before)
    if not isinstance(block, Paragraph) or isinstance(before, Chart | Actions) or block.ruled:
        return False
    return block.tight and _is_subtle(before) if _is_subtle(block) else not _is_subtle(before)


def _is_subtle(block: Block) -> bool:
    return isinstance(block, Paragraph) and block.look == "subtle"


def _render_group(group: Sequence[Block]) -> Iterator[Json]:
    match group:
        case []:
            return
        case [Chart(bars=bars)]:
            yield from (_section(_bar_text(bar)) for bar in bars)
        case [Actions() as actions]:
            yield from _render_actions(actions)
        case [first, *_]:
            if isinstance(first, Paragraph) and first.ruled:
                yield {"type": "divider"}
            subtle = _is_subtle(first)
            for part in pack(group, _CONTEXT if subtle else _SECTION, _size):
                text = _join(part)
                if is_visible(text):
                    yield {"type": "context", "elements": [_mrkdwn(text)]} if subtle else _section(text)


def _join(blocks: Sequence[Block]) -> str:
    """The texts of blocks, code right below what stands before it and right above what follows."""
    text = ""
    for at, block in enumerate(blocks):
        near = isinstance(block, Code) or block.tight or isinstance(blocks[at - 1], Code)  # type: ignore[union-attr]
        shown = _text(block)
        if is_visible(shown):
            text += (("\n" if near else "\n\n") if text else "") + shown
    return text


def _text(block: Block) -> str:
    match block:
        case Paragraph():
            return _SIGNS[block.sign] + paragraph_text(block)
        case Code():
            return code_text(block)
        case Chart():
            return "\n".join(map(_bar_text, block.bars))
        case Actions():
            return block.intro + "".join(shorten(button.label, _BUTTON) for button in block.buttons)
        case Table():
            raise TypeError("Slack shows tables as code or paragraphs.")


def _bar_text(bar: Bar) -> str:
    """A bar in fixed width, so that bars are comparable, and its places; it shows at least one block."""
    full = min(_BAR, max(1, round(bar.share * _BAR)))
    shown = f"`{'█' * full}{'░' * (_BAR - full)} {escape(f'{bar.percent:>4}')}`"
    return "\n".join([shown, *map(paragraph_text, bar.places)])


def _size(block: Block) -> int:
    return units(_text(block)) + 2


def _show_table(table: Table) -> Code | None:
    lines = align_table(_words(table.head), [_words(row) for row in table.rows])
    return Code(tuple(lines), head=2) if lines else None


def _words(row: Sequence[Sequence[Run]]) -> list[str]:
    return [one_line(text_of(cell)) for cell in row]


LIMITS = Limits(_MESSAGE, _size, _show_table, measure=lambda text: units(escape(text)), command="/wiki ")
"""Of a message."""


def _render_actions(actions: Actions) -> Iterator[Json]:
    if actions.kind == "feedback":
        good, bad = actions.buttons
        element = {
            "type": "feedback_buttons",
            "action_id": "feedback",
            "positive_button": {"text": _plain(good.label, _BUTTON), "value": f"good:{good.turn_id}"},
            "negative_button": {"text": _plain(bad.label, _BUTTON), "value": f"bad:{bad.turn_id}"},
        }
        yield {"type": "context_actions", "elements": [element]}
        return
    if actions.intro:
        yield {"type": "context", "elements": [_mrkdwn(escape(actions.intro))]}
    yield {"type": "actions", "elements": [_render_button(button) for button in actions.buttons]}


def _render_button(button: Button) -> Json:
    """A button. Raises ValueError for a value that is too long to come back as it is."""
    action = button.name if button.index is None else f"{button.name}:{button.index}"
    if len(button.turn_id) > _VALUE:
        raise ValueError(f"The value of button {action} has {len(button.turn_id)} characters; Slack takes {_VALUE}.")
    return {"type": "button", "text": _plain(button.label, _BUTTON), "action_id": action, "value": button.turn_id}


def _section(text: str) -> Json:
    return {"type": "section", "text": _mrkdwn(text)}


def _mrkdwn(text: str) -> Json:
    """A text object in which Slack itself looks for no links, names or channels."""
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def _plain(text: str, limit: int) -> Json:
    """A text object without markup, on one line."""
    return {"type": "plain_text", "text": shorten(one_line(text), limit) or "…", "emoji": False}


def _spoken(blocks: Sequence[Block]) -> str:
    """The words of blocks as the text of a message, of which Slack itself links addresses."""
    text = _ADDRESS.sub("\\g<0>\u200b", plain_text(blocks))
    shown = escape(LIMITS.excerpt(text, _TEXT))
    for mention in (
        run.text for block in blocks if isinstance(block, Paragraph) for run in block.runs if is_mention(run)
    ):
        shown = mention.join(shown.rsplit(escape(mention), 1))
    return shown or "…"
