"""What people do in Slack, handed to the chat service, and what only they see of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adapters.slack.blocks import (
    CORRECTION,
    REASON,
    correction_modal,
    reason_modal,
    render_message,
    sources_modal,
)
from adapters.slack.events import metadata
from adapters.slack.platform import SlackPlatform
from bot.chat.commands import Commands
from bot.chat.service import ChatService
from bot.chat.tasks import BackgroundTasks
from core.chat.listening import has_words
from core.errors import ChatUnavailable
from core.ports.chat import Click, Command, Incoming, Place
from core.text import Language, language
from core.views.model import Notice, SourcesView

_PATIENCE = 0.5  # seconds


@dataclass(slots=True)
class SlackListener:
    """A :class:`adapters.slack.receiver.Listener`. What only shows something is done after the acknowledgement."""

    service: ChatService
    commands: Commands
    platform: SlackPlatform
    _background: BackgroundTasks = field(default_factory=BackgroundTasks)

    async def handle_message(self, message: Incoming) -> None:
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
                self._show_notice(click, await self.service.explain(click))
            case "suggest" if argument.isdecimal():
                self._show_notice(click, await self.service.ask_suggestion(click, int(argument)))
            case "sources":
                self._background.start(self._open_sources(click, trigger_id))
            case "correct":
                self._background.start(self._open_correction(click, trigger_id))
            case "feedback" if value.startswith("good:"):
                self._show_notice(click, await self.service.keep_feedback(click, "good"))
            case "feedback":
                kept = await self.service.keep_feedback(click, "bad")
                if kept.kind == "done":
                    self._background.start(self._open_reason(click, trigger_id))
                else:
                    self._show_notice(click, kept)

    async def handle_submission(self, form: str, click: Click, text: str) -> None:
        if form == CORRECTION and has_words(text):
            self._show_notice(click, await self.service.correct(click, text))
        elif form == REASON and text.strip():
            self._show_notice(click, await self.service.keep_feedback(click, "bad", text))

    async def handle_command(self, command: Command) -> Mapping[str, Any]:
        message = render_message(await self.commands.execute(command, await self._language(command)), "")
        return {"response_type": "ephemeral", "text": message.text, "blocks": list(message.blocks)}

    async def _language(self, command: Command) -> Language:
        """Of the person's client; English where Slack does not say it soon: a command waits for three seconds."""
        try:
            async with asyncio.timeout(_PATIENCE):
                return (await self.platform.member(command.place, command.user)).language
        except (ChatUnavailable, TimeoutError):
            return "en"

    async def close(self) -> None:
        """Waits for what is being shown."""
        await self._background.wait_until_idle()

    async def _open_sources(self, click: Click, trigger_id: str) -> None:
        found = await self.service.sources(click)
        if isinstance(found, SourcesView):
            await self.platform.open_modal(trigger_id, sources_modal(found))
        else:
            await self.platform.post_ephemeral(click.place, click.user, found)

    async def _open_correction(self, click: Click, trigger_id: str) -> None:
        found = await self.service.understood_question(click)
        if isinstance(found, str):
            await self.platform.open_modal(trigger_id, correction_modal(found, metadata(click), language(found)))
        else:
            await self.platform.post_ephemeral(click.place, click.user, found)

    async def _open_reason(self, click: Click, trigger_id: str) -> None:
        question = await self.service.understood_question(click)
        if isinstance(question, str):
            await self.platform.open_modal(trigger_id, reason_modal(question, metadata(click), language(question)))

    def _show_notice(self, click: Click, notice: Notice | None) -> None:
        """Shows a notice to the person alone, in the background."""
        if notice:
            self._background.start(self.platform.post_ephemeral(click.place, click.user, notice))
