"""Commands in chats: help for everybody, and commands on spaces for the admins named in the settings."""

from __future__ import annotations

import asyncio
import difflib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.durable import Durable
from bot.operations.operation import Operations
from bot.operations.spaces import ListSpaces, find_key
from bot.schedules import describe_future, describe_past, parse_moment
from core.access import Access, ChatAccess
from core.chat.listening import calls_for_help, find_language, has_question
from core.chat.requests import ForgetRequest, SyncRequest, make_sync_key
from core.errors import WikiWhyError
from core.i18n import message, plural
from core.languages import Language
from core.model.reasons import NoAccessReason
from core.model.views import HelpView, Notice
from core.ports.chat import Command, Place
from core.ports.pages import SpaceSummary
from core.views.notices import choose_notice
from core.wording.courtesy import has_words, is_acknowledgement, is_thanks

logger = logging.getLogger(__name__)

_ONLY_ADMINS = message("Only admins can do that. Please ask an admin.")
_UNKNOWN_COMMAND = message("There is no such command. To see all commands, use /wiki help.")
_NAMES = ("help", "spaces", "sync", "forget")
_MOST_KEYS = 2  # space keys after a command's name
_ALIKE = 0.75  # similarity from which a word counts as a misspelled command
_KEY_MISSING = {
    "sync": message("Name one space, for example: /wiki sync DOC"),
    "forget": message("Name one space, for example: /wiki forget DOC"),
}
_NO_SPACES = message("There are no spaces yet. Add one with /wiki sync KEY.")
_HAD_PROBLEMS = message("Its last sync had problems: see `wikiwhy spaces`.")
_LOOK_UP_SECONDS = 2.0  # seconds to look up what is searched: a command must be answered within three


@dataclass(frozen=True, slots=True)
class HelpBuilder:
    """Builds the help for a place. ``admins``: user ids, ``U012AB3CD`` or ``T012AB3CD:U012AB3CD``."""

    access: ChatAccess
    admins: frozenset[str]

    async def build_view(self, place: Place, user: str, language: Language) -> HelpView:
        """Build the help for this person at this place."""
        capabilities = self.access.platforms[place.platform].capabilities
        only_mentions = self.access.channels().find_channel(place).follow_ups == "mention"
        found, shared = await self._find_searched(place, user)
        spaces = (found.scope.spaces or frozenset()) if isinstance(found, Access) else frozenset()
        return HelpView(
            language,
            tuple(sorted(spaces)),
            direct=place.direct,
            admin=self.is_admin(place, user),
            by_mention=not place.direct and (only_mentions or not capabilities.delivers_all_messages),
            by_command=capabilities.has_commands and not place.direct,
            shared=shared,
            own_pages=self.access.has_accounts,
            refusal=found if isinstance(found, str) else "",
        )

    async def _find_searched(self, place: Place, user: str) -> tuple[Access | NoAccessReason | None, bool]:
        """Return what is searched or why nothing is, and whether other organisations can read.

        The first value is None if the platform is slow.
        """
        try:
            async with asyncio.timeout(_LOOK_UP_SECONDS):
                shared = await self.access.is_shared(place, user)
                return await self.access.find_access(place, user), shared  # last, so that it is up to date
        except (WikiWhyError, TimeoutError):
            return None, False

    def is_admin(self, place: Place, user: str) -> bool:
        """Whether this person is an admin."""
        return not self.admins.isdisjoint({user, f"{place.team}:{user}"})


@dataclass(frozen=True, slots=True)
class Commands:
    """Executes what people type after ``/wiki``.

    ``list_wiki_spaces``: returns the keys of all spaces of the wiki; raises WikiWhyError.
    """

    operations: Operations
    durable: Durable
    help: HelpBuilder
    list_wiki_spaces: Callable[[], Awaitable[Sequence[str]]]

    async def execute(self, command: Command, language: Language = "en") -> Notice | HelpView:
        """Execute a command, or start its workflow; return the reply for the person who gave it."""
        name, *arguments = command.words or ("help",)
        name, text = name.casefold(), " ".join(command.words)
        if is_thanks(text):
            return choose_notice("thanks", find_language(text) or language)
        if name == "help" or calls_for_help(text) or (has_words(text) and is_acknowledgement(text)):
            return await self.help.build_view(command.place, command.user, find_language(text) or language)
        if name not in _NAMES:
            return Notice(_UNKNOWN_COMMAND.render(language))
        if not self.help.is_admin(command.place, command.user):
            return Notice(_ONLY_ADMINS.render(language))
        if name == "spaces":
            return await self._list_spaces(command, language)
        confirmed = name == "forget" and len(arguments) == 2 and len({key.casefold() for key in arguments}) == 1
        if (len(arguments) != 1 and not confirmed) or arguments[0].endswith("?"):
            return Notice(_KEY_MISSING[name].render(language))
        if name == "sync":
            return await self._sync(command, arguments[0], language)
        return await self._forget(command, await self._resolve_key(arguments[0]), language, confirmed)

    async def asks(self, words: Sequence[str]) -> bool:
        """Whether the words after ``/wiki`` are a question rather than a (possibly misspelled) command.

        A question is shown to everybody, while the name of a space may be confidential.
        """
        if not has_question(" ".join(words)):
            return False
        name, keys = words[0].casefold(), words[1:]
        if name in _NAMES and not words[-1].endswith("?"):
            return False
        if name.startswith("/") and (not keys or keys[0].casefold() in _NAMES):
            return False  # "/wiki /wiki help"
        if not keys and await self._resolve_key(name) in await self._load_keys():
            return False
        if len(keys) > _MOST_KEYS or not difflib.get_close_matches(name, _NAMES, cutoff=_ALIKE):
            return True
        return not all([await self._is_key(key.rstrip("?!.,")) for key in keys])

    async def is_meant(self, command: Command) -> bool:
        """Whether a message that starts with a command's name is that command.

        "forget it", for example, is a sentence.
        """
        return len(command.words) < 2 or await self._is_key(command.words[1])

    async def _is_key(self, word: str) -> bool:
        """Whether a word is a space's key, or written like one."""
        return not word.islower() or word[0] == "~" or await self._resolve_key(word) in await self._load_keys()

    async def _resolve_key(self, key: str) -> str:
        """Return the key of the space that was typed in any case; for an unknown space, in capitals."""
        found = find_key(key, [*await self._load_keys()])
        return found or (key.upper() if key.islower() and key[0] != "~" else key)

    async def _load_keys(self) -> frozenset[str]:
        return frozenset(summary.key for summary in (await self.operations.execute(ListSpaces())).summaries)

    async def _list_spaces(self, command: Command, language: Language) -> Notice:
        """List all spaces if only the admin sees the reply, otherwise those that are searched at the place."""
        found = await self.operations.execute(ListSpaces())
        if not found.summaries:
            return Notice(_NO_SPACES.render(language))
        now, alone = datetime.now(UTC), command.private or command.place.direct
        searched = (await self.help.build_view(command.place, command.user, language)).spaces
        shown = [summary for summary in found.summaries if alone or summary.key in searched]
        lines = [describe_space(summary, found.next_due.get(summary.key), now, language) for summary in shown]
        if others := len(found.summaries) - len(shown):
            more = message(
                "and {count} more that I do not list here: send me this command in a direct message to see all",
                count=others,
            )
            lines.append(more.render(language))
        here = message(
            "Searched here ({place}): {spaces}",
            place=f"{command.place.team}:{command.place.room}",
            spaces=", ".join(searched) or "–",
        )
        headline = plural("{count} space", "{count} spaces", len(found.summaries))
        return Notice(headline.render(language), (*lines, here.render(language)))

    async def _sync(self, command: Command, typed: str, language: Language) -> Notice:
        key = await self._find_syncable(typed)
        if not key:
            unknown = message(
                "The wiki has no space {space}, or I may not read it. To see the spaces that are synced, use "
                "/wiki spaces.",
                space=typed,
            )
            return Notice(unknown.render(language))
        run = make_sync_key(key, command.run_id)
        await self.durable.start(SyncRequest(run, (key,), "chat", command.place, command.user, language))
        return Notice(message("Started syncing {space}.", space=key).render(language), starts_work=True)

    async def _find_syncable(self, typed: str) -> str:
        """Return the key of a synced space or of one of the wiki that was typed in any case, "" if there is none.

        If the wiki does not answer soon, the key is taken as it was typed: then the sync's report says what is wrong.
        """
        if found := find_key(typed, [*await self._load_keys()]):
            return found
        try:
            async with asyncio.timeout(_LOOK_UP_SECONDS):
                return find_key(typed, await self.list_wiki_spaces())
        except (WikiWhyError, TimeoutError) as error:
            logger.info("The spaces of the wiki could not be listed for a command: %s", error)
            return await self._resolve_key(typed)

    async def _forget(self, command: Command, key: str, language: Language, confirmed: bool) -> Notice:
        if key not in await self._load_keys():
            unknown = message("There is no space {space} here. To see all spaces, use /wiki spaces.", space=key)
            return Notice(unknown.render(language))
        if not confirmed:
            confirm = message(
                "This removes {space} and everything stored from it. To confirm, enter its key twice: "
                "/wiki forget {space} {space}",
                space=key,
            )
            return Notice(confirm.render(language))
        await self.durable.start(ForgetRequest(key, command.run_id, command.place, command.user, language))
        started = message("Removing {space}. I'll tell you here when it is done.", space=key)
        return Notice(started.render(language))


def describe_space(summary: SpaceSummary, due: datetime | None, now: datetime, language: Language) -> str:
    """Describe a space and the state of its sync, without error details."""
    parts = [plural("{space}: {count} page", "{space}: {count} pages", summary.pages, space=summary.key)]
    if summary.restricted:
        parts.append(message("{count} of them restricted", count=summary.restricted))
    if summary.synced_at:
        parts.append(message("synced {when}", when=describe_past(parse_moment(summary.synced_at), now)))
    else:
        parts.append(message("not fully synced yet"))
    if due:
        parts.append(message("next sync {when}", when=describe_future(due, now)))
    line = ", ".join(part.render(language) for part in parts)
    # The error's own text names pages and servers: only the log and `wikiwhy spaces` show it.
    return f"{line}. {_HAD_PROBLEMS.render(language)}" if summary.last_error else line
