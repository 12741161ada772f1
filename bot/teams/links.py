"""Previews of links to pages in Teams, and questions about such a page.

Each person sees their own preview, by the rules of an answer at that place. A response depends on nothing but these
rules: for a page that may not be shown and for one that does not exist it is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from adapters.teams.activities import parse_message_id
from adapters.teams.cards import make_card_response, make_text_response
from adapters.teams.links import (
    LinkAction,
    make_link_response,
    render_link_card,
    render_link_preview,
    render_page_form,
    render_question_card,
)
from bot.chat.links import LinkPreviews
from bot.chat.service import ChatService
from bot.teams.chat_sessions import ChatSessions
from core.evidence.links import read_address
from core.i18n import message
from core.model.views import Notice
from core.ports.teams import ReferenceStore
from core.views.help import build_page_form
from core.views.notices import EMPTY_QUESTION, READING
from core.wording.courtesy import has_words

_NOT_HERE = message("I cannot write in this chat. Ask me in a chat with me alone.")


@dataclass(frozen=True, slots=True)
class LinkCards:
    """Responds to pasted links and to clicks on their cards."""

    previews: LinkPreviews
    service: ChatService
    sessions: ChatSessions
    references: ReferenceStore

    async def respond(self, action: LinkAction, activity: Mapping[str, Any]) -> dict[str, Any]:
        """Return the response to a link or click; a question's workflow is committed on return."""
        match action.name:
            case "preview":
                return make_card_response(await self._render_preview(action))
            case "page":
                return await self._respond_form(action)
            case "ask":
                return await self._ask(action, parse_message_id(activity))
        return make_link_response(action.url, action.language) if read_address(action.url).page_id else {}

    async def _render_preview(self, action: LinkAction) -> dict[str, Any]:
        place, user = action.click.place, action.click.user
        found = await self.previews.find(place, user, [action.url], action.language)
        view = found.get(action.url)
        return render_link_preview(view, action.url) if view else render_link_card(action.url, action.language)

    async def _respond_form(self, action: LinkAction) -> dict[str, Any]:
        place, user, page_id = action.click.place, action.click.user, read_address(action.url).page_id
        title = await self.previews.load_title(place, user, page_id, action.language, action.url)
        if isinstance(title, Notice):
            return make_text_response(title)
        form = build_page_form(title, action.language)
        return make_card_response(render_page_form(form, action.url, action.activity_id))

    async def _ask(self, action: LinkAction, moment: str) -> dict[str, Any]:
        """Ask in the thread of the link. ``moment``: id of the click, in milliseconds.

        After that the form is gone, because the same question in the same form would count as the same click.
        """
        place, user = action.click.place, action.click.user
        if not has_words(action.text):
            return make_text_response(Notice(EMPTY_QUESTION.render(action.language)))
        if await self.references.load(place.team, place.room) is None:
            return make_text_response(Notice(_NOT_HERE.render(action.language)))
        place = await self.sessions.find_place(place, moment, user, action.text)
        self.sessions.note_message(place, moment, user)
        page_id = read_address(action.url).page_id
        click = replace(action.click, place=place)
        reply = await self.service.ask_in_form(click, action.text, page_id) or Notice(READING.render(action.language))
        return make_card_response(render_question_card(action.url, reply, action.language))
