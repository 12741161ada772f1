"""Commands in chat: help for everybody, and spaces for the admins that the settings name."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from bot.audit import act_as
from bot.chat.help import HelpBuilder
from bot.durable import Durable
from bot.operations.operation import Operations
from bot.operations.spaces import ForgetSpace, ListSpaces
from bot.schedules import moment
from bot.times import ago, until
from core.chat.incoming import Command
from core.chat.keys import sync_key
from core.errors import WikiWhyError
from core.identity.person import person_key
from core.ports import SpaceSummary
from core.text import Language
from core.views.notices import HelpView, Notice
from core.views.wording import WORDS, in_space

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Commands:
    """What people type after ``/wiki``."""

    work: Operations
    durable: Durable
    helping: HelpBuilder

    async def execute(self, command: Command, spoken: Language = "en") -> Notice | HelpView:
        """Does what a command says, or begins to; returns what to show to who gave it."""
        words = WORDS[spoken].admin
        name, *arguments = command.words or ("help",)
        if name == "help":
            return await self.helping.view(command.place, command.user, spoken)
        if name not in {"spaces", "sync", "forget"}:
            return Notice(words.unknown_command)
        if not self.helping.is_admin(command.place, command.user):
            return Notice(words.only_admins)
        if name == "spaces":
            return await self._spaces(command, spoken)
        if len(arguments) != 1:
            return Notice(words.key_missing)
        return await (self._sync if name == "sync" else self._forget)(command, arguments[0], spoken)

    async def _spaces(self, command: Command, spoken: Language) -> Notice:
        """All of them to the admin alone; where others read along those that are searched there."""
        found = await self.work.execute(ListSpaces())
        if not found.summaries:
            return Notice(WORDS[spoken].admin.no_spaces)
        now, alone = datetime.now(UTC), command.private or command.place.direct
        searched = (await self.helping.view(command.place, command.user, spoken)).spaces
        named = [summary for summary in found.summaries if alone or summary.key in searched]
        lines = [_line(summary, found.next_due.get(summary.key), now) for summary in named]
        if others := len(found.summaries) - len(named):
            lines.append(f"and {others} more, which I name only to you alone: send me this command directly")
        here = f"Searched here ({command.place.team}:{command.place.room}): {', '.join(searched) or '–'}"
        count = len(found.summaries)
        return Notice(f"{count} space{'' if count == 1 else 's'}", (*lines, here))

    async def _sync(self, command: Command, key: str, spoken: Language) -> Notice:
        asked = {"place": asdict(command.place), "user": command.user, "spoken": spoken}
        payload = {"spaces": [key], "reason": "chat", **asked}
        await self.durable.start("sync", sync_key(key, command.run_id), payload)
        return Notice(in_space(WORDS[spoken].admin.sync_started, key), starts_work=True)

    async def _forget(self, command: Command, key: str, spoken: Language) -> Notice:
        if key not in {summary.key for summary in (await self.work.execute(ListSpaces())).summaries}:
            return Notice(in_space(WORDS[spoken].admin.unknown_space, key))
        try:
            with act_as(person_key(command.place.platform, command.place.team, command.user)):
                await self.work.execute(ForgetSpace(key))
        except WikiWhyError as error:
            logger.warning("Space %s could not be removed: %s", key, error)
            return Notice(in_space(WORDS[spoken].admin.not_forgotten, key), kind="problem")
        await self.durable.sweep()
        return Notice(in_space(WORDS[spoken].admin.forgotten, key), kind="done")


def _line(summary: SpaceSummary, due: datetime | None, now: datetime) -> str:
    synced = f"synced {ago(moment(summary.synced_at), now)}" if summary.synced_at else "not synced to the end yet"
    parts = [f"{summary.key}: {summary.pages:,} pages", synced]
    if summary.restricted:
        parts.insert(1, f"{summary.restricted:,} of them restricted")
    if due:
        parts.append(f"next sync {until(due, now)}")
    # An error's own words name pages and servers: they are for the log and for `wikiwhy spaces`.
    return ", ".join(parts) + (". Its last sync had problems: see `wikiwhy spaces`." if summary.last_error else "")
