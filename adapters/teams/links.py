"""Cards for links to pages of the wiki, and parsing of what Teams sends about them.

When somebody pastes a link, Teams requests a card, keeps it for 30 minutes, and sends it wherever the person sends the
message (https://learn.microsoft.com/microsoftteams/platform/messaging-extensions/how-to/link-unfurling). That card
therefore contains no text of the wiki. Its refresh action requests the preview for each person who sees the message,
and Teams shows the response to this person only
(https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/universal-actions-for-adaptive-cards/user-specific-views).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from adapters.teams.activities import make_action_id, parse_activity_id, parse_client_language, parse_place, parse_user
from adapters.teams.cards import CARD
from adapters.teams.elements import FORM, LIMITS, QUESTION, Json, make_card, render_button, render_form
from core.i18n import message
from core.languages import Language
from core.model.views import LinkView, Notice
from core.ports.chat import Click
from core.views.document import Actions, Button, Form, make_label
from core.views.sources import build_link_preview

LinkActionName = Literal["preview", "page", "ask"]
"""preview: show the page; page: show the form to ask about it; ask: ask what was typed there."""

_PASTED = "composeExtension/queryLink"
_MOST_URL = 2_000


@dataclass(frozen=True, slots=True)
class LinkAction:
    """A link that a person pasted (``name`` is ""), or a click on its card. ``text``: the question that was typed.

    ``activity_id``: see :func:`adapters.teams.activities.parse_activity_id`.
    """

    name: LinkActionName | Literal[""]
    click: Click
    url: str
    language: Language
    activity_id: str
    text: str = ""


def parse_link_action(activity: Mapping[str, Any]) -> LinkAction | None:
    """Parse an invoke about a link; return None for any other activity."""
    value = activity.get("value")
    if activity.get("type") != "invoke" or not isinstance(value, Mapping):
        return None
    if activity.get("name") == _PASTED:
        return _make_action(activity, "", value.get("url"))
    action = value.get("action")
    data = action.get("data") if isinstance(action, Mapping) else None
    if activity.get("name") != "adaptiveCard/action" or not isinstance(data, Mapping) or "link" not in data:
        return None
    name: LinkActionName | None = next((each for each in get_args(LinkActionName) if each == data.get("wikiwhy")), None)
    text = data.get(QUESTION)
    return _make_action(activity, name, data["link"], text, data.get(FORM)) if name else None


def _make_action(
    activity: Mapping[str, Any], name: LinkActionName | Literal[""], url: object, typed: object = "", form: object = ""
) -> LinkAction | None:
    if not isinstance(url, str) or not 0 < len(url) <= _MOST_URL:
        return None
    place, user, message_id = parse_place(activity), parse_user(activity), str(activity.get("replyToId") or "")
    text = typed.strip() if isinstance(typed, str) else ""
    content = [name, url, user, text, place.channel, message_id, *([form] if form else [])]
    language = parse_client_language(activity)
    click = Click(place, message_id, user, make_action_id(content), language=language)
    return LinkAction(name, click, url, language, parse_activity_id(activity), text)


def make_link_response(url: str, language: Language) -> Json:
    """Return the response to a pasted link. It depends on nothing but the link and the person's language."""
    title = message("A page of the wiki").render(language)
    preview = {"contentType": "application/vnd.microsoft.card.thumbnail", "content": {"title": title}}
    attachment = {"contentType": CARD, "content": render_link_card(url, language, refreshes=True), "preview": preview}
    return {"composeExtension": {"type": "result", "attachmentLayout": "list", "attachments": [attachment]}}


def render_link_card(url: str, language: Language, *, refreshes: bool = False) -> Json:
    """Return the card without text of the wiki. ``refreshes``: whether it requests each person's preview.

    Teams does that by itself where at most 60 people are; elsewhere people press the button.
    """
    title = make_label(message("A page of the wiki").render(language), "body")
    show = Button(message("Show preview").render(language), "preview", language, url=url)
    buttons = (show, *_ask(url, language).buttons) if refreshes else _ask(url, language).buttons
    card = make_card((title, Actions(buttons)), language)
    return {**card, "refresh": {"action": render_button(show)}} if refreshes else card


def render_link_preview(view: LinkView, url: str) -> Json:
    """Return the card that shows one person a page's title, facts and first words."""
    return make_card((*build_link_preview(view, LIMITS).body, _ask(url, view.language)), view.language)


def render_question_card(url: str, notice: Notice, language: Language) -> Json:
    """Return the card after a question: what becomes of it, and the button to ask once more."""
    return make_card((make_label(notice.text, "body"), _ask(url, language)), language)


def render_page_form(form: Form, url: str, form_id: str) -> Json:
    """Return the card with the form to ask about a page. Cancelling shows the page's preview again."""
    send = Button(form.submit, "ask", form.language, url=url, form_id=form_id)
    cancel = Button(form.cancel, "preview", form.language, url=url)
    return make_card([Actions((send, cancel))], form.language, render_form(form))


def _ask(url: str, language: Language) -> Actions:
    return Actions((Button(message("Ask about this page").render(language), "page", language, url=url),))
