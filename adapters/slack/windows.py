"""Documents as Slack's windows (modals), as the app's own page, and as what stands below links.

https://docs.slack.dev/surfaces/modals. A window takes no blocks for tables and charts: there they are text.
"""

from __future__ import annotations

from dataclasses import replace

from adapters.slack.blocks import BUTTON, LIMITS, MODAL_LIMITS, VALUE, Json, plain, render_blocks, render_parts
from core.i18n import message
from core.languages import Language
from core.views.document import Actions, Document, Form, Paragraph, clean, link, shorten
from core.views.fitting import fit
from core.views.help import build_home
from core.views.messages import build_document
from core.views.model import AnswerView, ExplanationView, HomeView, LinkView, PrivateView, SourcesView, Waiting

INPUT = "text"
"""Id of the block and of the action of a form's only field: ``state.values[INPUT][INPUT].value``."""

SHARE = "share"
"""The name of a window whose button posts what it shows in the thread."""

_PREVIEW, _QUESTION = 300, 500
_TITLE, _METADATA, _INPUT = 24, 3_000, 3_000


def sources_modal(view: SourcesView) -> Json:
    """The view for ``views.open`` that shows the sources of an answer."""
    document = fit(build_document(view, MODAL_LIMITS), MODAL_LIMITS)
    return _window(document.title, view.language, document)


def answer_modal(view: AnswerView) -> Json:
    """The view for ``views.open`` that shows all of an answer, without its buttons."""
    document = build_document(view, MODAL_LIMITS)
    after = tuple(block for block in document.after if not isinstance(block, Actions))
    document = fit(replace(document, after=after, more=None), MODAL_LIMITS)
    return _window(message("The whole answer").render(view.language), view.language, document)


def _window(title: str, language: Language, document: Document) -> Json:
    return {
        "type": "modal",
        "title": plain(title, _TITLE),
        "close": plain(message("Close").render(language), _TITLE),
        "blocks": render_parts(document),
    }


def explanation_modal(view: Waiting | PrivateView, language: Language, metadata: str = "") -> Json:
    """The view for ``views.open`` and ``views.update`` that shows an explanation, or that it is being made.

    ``metadata``: comes back when the explanation is shared.
    """
    document = build_document(view, MODAL_LIMITS)
    after = tuple(block for block in document.after if not isinstance(block, Actions))
    document = fit(replace(document, after=after), MODAL_LIMITS)
    shown = _window(message("Explanation").render(language), language, document)
    if not isinstance(view, ExplanationView):
        return shown
    share = plain(message("Share").render(language), _TITLE)
    return {**shown, "callback_id": SHARE, "private_metadata": metadata, "submit": share}


def link_preview(view: LinkView) -> Json:
    """What ``chat.unfurl`` shows below a link."""
    title = Paragraph((link(view.url, view.title),))
    document = Document(
        body=(
            replace(title, look="heading"),
            *LIMITS.line(view.text, _PREVIEW, "body", tight=True),
            *LIMITS.line(", ".join(view.about), _PREVIEW),
        )
    )
    ask = message("Ask this page").render(view.language)
    button = {"type": "button", "text": plain(ask, BUTTON), "action_id": "page", "value": view.page_id[:VALUE]}
    return {"blocks": [*render_parts(document), {"type": "actions", "elements": [button]}]}


def home_tab(view: HomeView) -> Json:
    """The view for ``views.publish``."""
    document = fit(build_home(view, MODAL_LIMITS), MODAL_LIMITS)
    return {"type": "home", "blocks": render_parts(document)}


def form_modal(form: Form, metadata: str) -> Json:
    """The view for ``views.open`` that shows a form.

    ``metadata`` comes back with what is sent. Raises ValueError where it is too long for that.
    """
    if len(metadata) > _METADATA:
        raise ValueError(f"A form's metadata has {len(metadata)} characters; Slack takes {_METADATA}.")
    field: Json = {
        "type": "plain_text_input",
        "action_id": INPUT,
        "multiline": True,
        "max_length": _INPUT,
        "placeholder": plain(form.placeholder, 150),
    }
    if form.value.strip():
        field["initial_value"] = shorten(clean(form.value), _INPUT)
    asked = plain(form.label, 2_000)
    return {
        "type": "modal",
        "callback_id": form.name,
        "private_metadata": metadata,
        "title": plain(form.title, _TITLE),
        "submit": plain(form.submit, _TITLE),
        "close": plain(form.cancel, _TITLE),
        "blocks": [
            *render_blocks(LIMITS.line(form.question, _QUESTION, tight=True)),
            {"type": "input", "block_id": INPUT, "label": asked, "element": field, "optional": form.optional},
        ],
    }
