"""What people see in place of an answer: why there is none, and how to ask."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from bot.chat.access import ChatAccess
from core.chat.limits import WINDOW
from core.conversation import MAX_QUESTION_CHARS
from core.errors import ModelRejected, ModelUnavailable, WikiWhyError
from core.i18n import Message, message
from core.identities import Access
from core.ports.chat import Place
from core.text import Language
from core.views.model import HelpView, Notice

_WAIT = timedelta(seconds=WINDOW)
_NOT_ALLOWED: Mapping[str, Message] = {
    "limit_person": message("You have asked many questions in a short time. Please ask again {wait}.", wait=_WAIT),
    "limit_channel": message(
        "Many questions were asked in this channel in a short time. Please ask again {wait}.", wait=_WAIT
    ),
    "limit_tokens": message(
        "Today's budget for the language model is used up. Please ask again tomorrow, or tell an admin."
    ),
    "guest": message("Guests can ask me in channels only. Please ask in a channel that you share with the team."),
    "no_spaces": message("No wiki space is enabled in this channel. An admin can enable one."),
    "outside": message(
        "This answer may rest on pages that you may not read here, so it is shown only where it was asked."
    ),
    "unknown_audience": message(
        "I can't tell right now whether people from other organisations can read this conversation, so I'm not showing "
        "anything. Please ask again in a minute; if this keeps happening, tell an admin."
    ),
    "changed": message(
        "The sources of this answer changed while I was writing it, so I'm not showing it. Please ask again."
    ),
    "unknown": message("This answer is no longer available. Please ask the question again."),
}
_PROBLEMS: Mapping[str, Message] = {
    "model_unavailable": message("I can't answer right now. Please ask again in a few minutes."),
    "model_rejected": message(
        "The language model rejects its settings. An admin has to correct them; `wikiwhy doctor` says which."
    ),
    "explaining_failed": message("This answer could not be explained. Please click Explain again in a few minutes."),
    "not_explainable": message(
        "This answer can no longer be explained: its sources have changed, or the language model that wrote it is no "
        "longer set up. Ask the question again, then explain the new answer."
    ),
    "failed": message(
        "Something went wrong, so there is no answer. Please ask again; if it happens again, tell an admin."
    ),
}

_PATIENCE = 2.0  # seconds that help waits for what is searched: a command has to be answered within three


def notice_for(reason: str, spoken: Language, characters: int = 0) -> Notice:
    """The message for a reason by its name. ``characters``: of a question that is too long."""
    if reason == "too_long":
        text = message(
            "Your question has {characters} characters; at most {limit} are allowed. Please ask it in a few sentences.",
            characters=characters,
            limit=MAX_QUESTION_CHARS,
        )
        return Notice(text.render(spoken))
    if reason in _NOT_ALLOWED:
        return Notice(_NOT_ALLOWED[reason].render(spoken))
    return Notice(_PROBLEMS.get(reason, _PROBLEMS["failed"]).render(spoken), kind="problem")


def reason_of(error: WikiWhyError, otherwise: str = "failed") -> str:
    """The name of the reason why there is no answer. The error's own text is for the log: it names servers."""
    if isinstance(error, ModelUnavailable):
        return "model_unavailable"
    return "model_rejected" if isinstance(error, ModelRejected) else otherwise


@dataclass(frozen=True, slots=True)
class HelpBuilder:
    """How to ask, at a place. ``bot``: how people call it. ``admins``: ``U012AB3CD`` or ``T012AB3CD:U012AB3CD``."""

    access: ChatAccess
    admins: frozenset[str]
    bot: str = "@WikiWhy"

    async def view(self, place: Place, user: str, spoken: Language) -> HelpView:
        """What this person can ask at this place."""
        spaces = await self._searched_spaces(place, user)
        capabilities = self.access.platforms[place.platform].capabilities
        only_mentions = self.access.channels().of(place).follow_ups == "mention"
        return HelpView(
            spoken,
            self.bot,
            tuple(sorted(spaces)),
            direct=place.direct,
            admin=self.is_admin(place, user),
            by_mention=not place.direct and (only_mentions or not capabilities.delivers_all_messages),
        )

    async def _searched_spaces(self, place: Place, user: str) -> frozenset[str]:
        """Nothing where the platform does not tell in time."""
        try:
            async with asyncio.timeout(_PATIENCE):
                access = await self.access.now(place, user)
        except (WikiWhyError, TimeoutError):
            return frozenset()
        return (access.scope.spaces or frozenset()) if isinstance(access, Access) else frozenset()

    def is_admin(self, place: Place, user: str) -> bool:
        """Whether the settings name this person as an admin."""
        return not self.admins.isdisjoint({user, f"{place.team}:{user}"})
