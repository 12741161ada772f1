"""Commands in chat: help for everybody, and spaces for the admins that the settings name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from bot.chat.helping import Helping
from bot.durable import Durable
from bot.schedules import last_syncs, next_due
from bot.spaces import forget_space, space_line
from bot.wiring import Application
from core.chat.incoming import Command
from core.chat.keys import sync_key
from core.errors import WikiWhyError
from core.text import Language
from core.views.notices import HelpView, Notice
from core.views.wording import WORDS, in_space


@dataclass(frozen=True, slots=True)
class Commands:
    """``admins``: user ids, as ``U012AB3CD`` or with their team before it, ``T012AB3CD:U012AB3CD``."""

    application: Application
    durable: Durable
    helping: Helping
    admins: frozenset[str]
    forgotten: Callable[[], Awaitable[None]]

    async def obeyed(self, command: Command, spoken: Language = "en") -> Notice | HelpView:
        """Does what a command says, or begins to; returns what to show to who gave it."""
        words = WORDS[spoken].admin
        name, *arguments = command.words or ("help",)
        if name == "help":
            return await self.helping.view(command.place, command.user, spoken)
        known = {"spaces": self._spaces, "sync": self._sync, "forget": self._forget}
        if name not in known:
            return Notice(words.unknown_command)
        if not self.is_admin(command):
            return Notice(words.only_admins)
        if name == "spaces":
            return await self._spaces(command, "", spoken)
        if len(arguments) != 1:
            return Notice(words.key_missing)
        return await known[name](command, arguments[0], spoken)

    def is_admin(self, command: Command) -> bool:
        """Whether the settings name this person."""
        return not self.admins.isdisjoint({command.user, f"{command.place.team}:{command.user}"})

    async def _spaces(self, command: Command, key: str, spoken: Language) -> Notice:
        summaries = await self.application.spaces.summaries()
        if not summaries:
            return Notice(WORDS[spoken].admin.no_spaces)
        now = datetime.now(UTC)
        due = next_due(self.application.settings.schedules, last_syncs(summaries), now)
        lines = [space_line(summary, due.get(summary.key), now) for summary in summaries]
        searched = ", ".join(sorted(await self.helping.access.searched(command.place))) or "–"
        return Notice(f"{len(summaries)} spaces", (*lines, f"Searched in this channel ({command.place.channel}): {searched}"))

    async def _sync(self, command: Command, key: str, spoken: Language) -> Notice:
        payload = {"place": asdict(command.place), "user": command.user, "spaces": [key], "spoken": spoken}
        await self.durable.start("sync", sync_key(key, command.run_id), payload)
        return Notice(in_space(WORDS[spoken].admin.sync_started, key))

    async def _forget(self, command: Command, key: str, spoken: Language) -> Notice:
        words = WORDS[spoken].admin
        if key not in {summary.key for summary in await self.application.spaces.summaries()}:
            return Notice(in_space(words.unknown_space, key))
        try:
            async with self.application.syncing:
                await forget_space(self.application, key)
        except WikiWhyError as error:
            return Notice(str(error), kind="problem")
        await self.forgotten()
        return Notice(in_space(words.forgotten, key), kind="done")
