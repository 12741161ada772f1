"""What people do in Slack, handed to the conversation service, and what that tells them alone."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adapters.slack.blocks import correction_modal, reason_modal, render_message, sources_modal
from adapters.slack.blocks.modals import CORRECTION, REASON
from adapters.slack.events import metadata
from adapters.slack.platform import SlackPlatform
from bot.chat.background import BackgroundTasks
from bot.chat.commands import Commands
from bot.chat.service import ChatService
from core.chat.incoming import Click, Command, Incoming
from core.chat.listening import is_something
from core.ports import Place
from core.text import language
from core.views.notices import Notice
from core.views.sources import SourcesView

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class SlackListener:
    """A :class:`adapters.slack.receiver.Listener`. What only shows something is done after the acknowledgement."""

    service: ChatService
    commands: Commands
    platform: SlackPlatform
    _afterwards: BackgroundTasks = field(default_factory=BackgroundTasks)

    async def message(self, message: Incoming) -> None:
        self.platform.audiences.note_event(message.place.channel, message.place.shared)
        await self.service.handle_message(message)

    async def handle_edit(self, place: Place, message_id: str, user: str, text: str) -> None:
        await self.service.handle_edit(place, message_id, user, text)

    async def handle_deletion(self, place: Place, message_id: str) -> None:
        await self.service.handle_deletion(place, message_id)

    async def handle_sharing_change(self, channel: str) -> None:
        self.platform.audiences.forget(channel)

    async def handle_click(self, action: str, value: str, click: Click, trigger_id: str) -> None:
        name, _, argument = action.partition(":")
        match name:
            case "explain":
                self._show(click, await self.service.explain(click))
            case "suggest" if argument.isdecimal():
                self._show(click, await self.service.ask_suggestion(click, int(argument)))
            case "sources":
                self._afterwards.do(self._sources(click, trigger_id))
            case "correct":
                self._afterwards.do(self._correction(click, trigger_id))
            case "feedback":
                good = value.startswith("good:")
                told = await self.service.feedback(click, "good" if good else "bad")
                self._afterwards.do(
                    self._reason(click, trigger_id) if not good and told.kind == "done" else self._tell(click, told)
                )

    async def handle_submission(self, form: str, click: Click, text: str) -> None:
        if form == CORRECTION and is_something(text):
            self._show(click, await self.service.correct(click, text))
        elif form == REASON and text.strip():
            self._show(click, await self.service.feedback(click, "bad", text))

    async def handle_command(self, command: Command) -> Mapping[str, Any]:
        message = render_message(await self.commands.execute(command), "")
        return {"response_type": "ephemeral", "text": message.text, "blocks": list(message.blocks)}

    async def close(self) -> None:
        """Lets what is being shown be shown."""
        await self._afterwards.wait_until_idle()

    async def _sources(self, click: Click, trigger_id: str) -> None:
        found = await self.service.sources(click)
        if isinstance(found, SourcesView):
            await self.platform.open_modal(trigger_id, sources_modal(found))
        else:
            await self._tell(click, found)

    async def _correction(self, click: Click, trigger_id: str) -> None:
        found = await self.service.correctable(click)
        if isinstance(found, str):
            await self.platform.open_modal(trigger_id, correction_modal(found, metadata(click), language(found)))
        else:
            await self._tell(click, found)

    async def _reason(self, click: Click, trigger_id: str) -> None:
        question = await self.service.correctable(click)
        if isinstance(question, str):
            await self.platform.open_modal(trigger_id, reason_modal(question, metadata(click), language(question)))

    async def _tell(self, click: Click, notice: Notice) -> None:
        await self.platform.tell(click.place, click.user, notice)

    def _show(self, click: Click, notice: Notice | None) -> None:
        if notice:
            self._afterwards.do(self._tell(click, notice))
