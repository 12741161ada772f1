"""Rendering of Slack's modals (https://docs.slack.dev/surfaces/modals), home tab and link previews.

They have no blocks for tables and charts, which are rendered as text here.
"""

from __future__ import annotations

from adapters.slack.blocks import LIMITS, MODAL_LIMITS, render_blocks, render_parts
from adapters.slack.mrkdwn import Json, make_plain_object
from core.i18n import Message, message
from core.languages import Language
from core.model.views import AnswerView, ExplanationView, HomeView, LinkView, PrivateView, SourcesView, View, Waiting
from core.text import clean, shorten
from core.views.document import Form
from core.views.fitting import fit
from core.views.help import build_form_head, build_home
from core.views.messages import build_fitting
from core.views.sources import build_link_preview

INPUT = "text"
"""Block id and action id of a form's only field: ``state.values[INPUT][INPUT].value``."""

SHARE = "share"
"""The ``callback_id`` of a modal whose submit button posts its content in the thread."""

_TITLE, _METADATA, _INPUT = 24, 3_000, 3_000


def render_sources(view: SourcesView) -> Json:
    """Return the view for ``views.open`` that shows the sources of an answer."""
    return _render_modal(message("Sources"), view.language, view)


def render_answer(view: AnswerView) -> Json:
    """Return the view for ``views.open`` that shows a whole answer without its buttons."""
    return _render_modal(message("The whole answer"), view.language, view)


def _render_modal(title: Message, language: Language, view: View) -> Json:
    return {
        "type": "modal",
        "title": make_plain_object(title.render(language), _TITLE),
        "close": make_plain_object(message("Close").render(language), _TITLE),
        "blocks": render_parts(build_fitting(view, MODAL_LIMITS)),
    }


def render_explanation(view: Waiting | PrivateView, language: Language, metadata: str = "") -> Json:
    """Return the view for ``views.open`` and ``views.update`` that shows an explanation, or that it is being made.

    ``metadata``: returned by Slack when the explanation is shared.
    """
    shown = _render_modal(message("Explanation"), language, view)
    if not isinstance(view, ExplanationView):
        return shown
    share = make_plain_object(message("Share").render(language), _TITLE)
    return {**shown, "callback_id": SHARE, "private_metadata": metadata, "submit": share}


def render_link_preview(view: LinkView) -> Json:
    """Return the content that ``chat.unfurl`` shows below a link."""
    return {"blocks": render_parts(build_link_preview(view, LIMITS))}


def render_home(view: HomeView) -> Json:
    """Return the view for ``views.publish``."""
    document = fit(build_home(view, MODAL_LIMITS), MODAL_LIMITS)
    return {"type": "home", "blocks": render_parts(document)}


def render_form(form: Form, metadata: str) -> Json:
    """Return the view for ``views.open`` that shows a form.

    ``metadata``: returned by Slack with the submission. Raises ValueError if it exceeds Slack's limit.
    """
    if len(metadata) > _METADATA:
        raise ValueError(f"A form's metadata has {len(metadata)} characters; Slack takes {_METADATA}.")
    field: Json = {
        "type": "plain_text_input",
        "action_id": INPUT,
        "multiline": True,
        "max_length": _INPUT,
        "placeholder": make_plain_object(form.placeholder, 150),
    }
    if form.value.strip():
        field["initial_value"] = shorten(clean(form.value), _INPUT)
    asked = make_plain_object(form.label, 2_000)
    return {
        "type": "modal",
        "callback_id": form.name,
        "private_metadata": metadata,
        "title": make_plain_object(form.title, _TITLE),
        "submit": make_plain_object(form.submit, _TITLE),
        "close": make_plain_object(form.cancel, _TITLE),
        "blocks": [
            *render_blocks(build_form_head(form, LIMITS)),
            {"type": "input", "block_id": INPUT, "label": asked, "element": field, "optional": form.optional},
        ],
    }
