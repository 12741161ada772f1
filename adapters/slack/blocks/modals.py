"""Forms in Slack: what a question should have been, and why an answer is no good."""

from __future__ import annotations

from adapters.slack.blocks.elements import context
from adapters.slack.blocks.elements import words as prose
from adapters.slack.mrkdwn import Json, clean, plain_text, shorten
from core.text import Language
from core.views.wording import WORDS
from core.views.words import ModalWords

CORRECTION = "correction"
REASON = "reason"
INPUT = "text"
"""Id of the block and of the action of a form's only field: ``state.values[INPUT][INPUT].value``."""

_INPUT = 3_000
_METADATA = 3_000


def correction_modal(question: str, metadata: str, language: Language) -> Json:
    """To ask again in other words, beginning with how the question was understood. ``metadata``: see :func:`_form`."""
    return _form(CORRECTION, WORDS[language].correction, metadata, initial=question)


def reason_modal(question: str, metadata: str, language: Language) -> Json:
    """Why the answer to this question is no good; may be left empty."""
    return _form(REASON, WORDS[language].reason, metadata, above=context(prose(question)), optional=True)


def _form(
    name: str,
    words: ModalWords,
    metadata: str,
    *,
    above: list[Json] | None = None,
    initial: str = "",
    optional: bool = False,
) -> Json:
    """``metadata`` comes back with what is sent. Raises ValueError where it is too long for that."""
    if len(metadata) > _METADATA:
        raise ValueError(f"A form's metadata has {len(metadata)} characters; Slack takes {_METADATA}.")
    field: Json = {
        "type": "plain_text_input",
        "action_id": INPUT,
        "multiline": True,
        "max_length": _INPUT,
        "placeholder": plain_text(words.placeholder, 150),
    }
    if initial.strip():
        field["initial_value"] = shorten(clean(initial), _INPUT)
    return {
        "type": "modal",
        "callback_id": name,
        "private_metadata": metadata,
        "title": plain_text(words.title, 24),
        "submit": plain_text(words.submit, 24),
        "close": plain_text(words.cancel, 24),
        "blocks": [
            *(above or []),
            {
                "type": "input",
                "block_id": INPUT,
                "label": plain_text(words.label, 2_000),
                "element": field,
                "optional": optional,
            },
        ],
    }
