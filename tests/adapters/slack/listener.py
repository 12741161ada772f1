from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adapters.slack.events import Edit
from core.ports.chat import Click, Command, IncomingMessage, Place


@dataclass
class RecordingListener:
    """A listener that records Slack's requests; the next ``fails`` calls raise ``error``."""

    handled: list[tuple[Any, ...]] = field(default_factory=list)
    messages: list[IncomingMessage] = field(default_factory=list)
    fails: int = 0
    error: Exception = field(default_factory=lambda: RuntimeError("a mistake of ours"))

    def _note(self, *what: Any) -> None:
        if self.fails:
            self.fails -= 1
            raise self.error
        self.handled.append(what)

    async def handle_message(self, message: IncomingMessage) -> None:
        self._note("message", message.text)
        self.messages.append(message)

    async def handle_edit(self, edit: Edit) -> None:
        self._note("deleted" if edit.text is None else "edited", edit.message_id, edit.text)

    async def handle_sharing_change(self, channel: str) -> None:
        self._note("shared", channel)

    async def handle_stop(self, click: Click, streams: Sequence[str]) -> None:
        self._note("stopped", click.place.channel, click.place.thread, click.user, *streams)

    async def handle_links(self, place: Place, message_id: str, user: str, urls: Sequence[str]) -> None:
        self._note("links", place.channel, message_id, *urls)

    async def handle_home(self, place: Place, user: str) -> None:
        self._note("home", place.channel, user)

    async def handle_click(self, action: str, value: str, click: Click, trigger_id: str) -> None:
        self._note("clicked", action, value, bool(trigger_id))

    async def handle_submission(self, form: str, click: Click, text: str) -> str:
        self._note("submitted", form, text)
        return ""

    async def handle_command(self, command: Command) -> Mapping[str, Any]:
        self._note("commanded", *command.words)
        return {"response_type": "ephemeral", "text": "done"}

    async def close(self) -> None: ...
