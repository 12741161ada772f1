"""Everything that an installation keeps of one person: told, and removed."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from adapters.embedding.caching import CachingEmbedder
from bot.accounts import AccountsFile
from bot.audit import record_action
from bot.wiring import Application, now
from core.identity.person import PersonId, person_key
from core.model import Turn
from core.ports import PersonalData, Place, Post, Removed

Json = Mapping[str, Any]

logger = logging.getLogger(__name__)


class Books(Protocol):
    """The books of durable work, of a server that runs or of none."""

    async def payloads(self) -> Mapping[str, Json]:
        """What all work in the books was started with, by key."""
        ...

    async def end(self, keys: Collection[str]) -> None:
        """Ends work wherever it is, and removes it from the books."""
        ...

    async def scrub(self) -> None:
        """Takes what was deleted out of the files."""
        ...


@dataclass(slots=True)
class RunningChat:
    """What a running server has of people besides the store. ``tell_ended``: shows in messages that their work ended.

    ``forgetting``: each forgets what it remembers of a person.
    """

    books: Books
    tell_ended: Callable[[Sequence[Post]], Awaitable[None]]
    forgetting: list[Callable[[PersonId], None]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Started:
    """Work that a person's action started. ``text``: what they wrote for it, "" if nothing."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class PersonExport:
    """What is kept of a person. ``shown``: those of their turns whose answer may still be shown to whom it was given.

    ``accounts``: the accounts that the file of accounts gives them. ``work``: what is in the books of durable work.
    """

    person: str
    exported_at: str
    data: PersonalData
    shown: frozenset[str] = frozenset()
    accounts: tuple[str, ...] = ()
    work: tuple[Started, ...] = ()


@dataclass(frozen=True, slots=True)
class PersonForgotten:
    """What was removed. ``work``: how many entries of the books of durable work.

    ``accounts``: that the file of accounts still gives them: it is the admin's, and is left as it is.
    """

    pseudonym: str
    removed: Removed
    work: int = 0
    accounts: tuple[str, ...] = ()


async def export_person(application: Application, person: PersonId) -> PersonExport:
    """Reads all that is kept of a person."""
    async with record_action(application.audit, "export_person", person.key):
        data = await application.persons.export(person)
        work = await _work_of(application, books_of(application), person)
        shown = {turn.turn_id for turn in data.turns if await _may_be_shown(application, turn)}
        started = tuple(Started(key, str(payload.get("text", ""))) for key, payload in sorted(work.items()))
        return PersonExport(person.key, now(), data, frozenset(shown), _accounts(application, person), started)


async def forget_person(
    application: Application, person: PersonId, names: Sequence[str], settled: Callable[[], Awaitable[None]]
) -> PersonForgotten:
    """Ends what is under way for a person and removes all that is kept of them. Done again, it finds nothing.

    ``names``: of the person, besides those that are stored. ``settled``: see `LocalOperations`.
    """
    pseudonym = f"forgotten:{secrets.token_hex(6)}"
    accounts = _accounts(application, person)
    async with record_action(application.audit, "forget_person", pseudonym):
        books = books_of(application)
        work = await _work_of(application, books, person)
        unfinished = [post for key in work if (post := await application.posts.post(key)) and not post.finished]
        for key, payload in work.items():
            await _keep_key(application, key, payload)
        if work:
            await books.end(list(work))
            await settled()  # a cancelled step may have left a thread that is storing a turn
        if unfinished and application.running_chat:
            await application.running_chat.tell_ended(unfinished)
        removed = await application.persons.forget(person, names, pseudonym)
        _forget_in_memory(application, person)
        await books.scrub()
    return PersonForgotten(pseudonym, removed, len(work), accounts)


async def _keep_key(application: Application, key: str, payload: Json) -> None:
    """Notes that a question was dealt with which nothing was posted for yet: its message may be delivered again."""
    if "message_id" in payload and await application.posts.post(key) is None:
        await application.posts.keep(
            Post(key, Place(**payload["place"]), "", finished=True, person=_person_of(payload))
        )


def _person_of(payload: Json) -> str:
    place = payload["place"]
    return person_key(place["platform"], place["team"], payload["user"])


def books_of(application: Application) -> Books:
    """Those of the running server, else the ones that the last server left."""
    if application.running_chat:
        return application.running_chat.books
    # Loading what reads them takes a moment, which other commands need not wait for.
    from bot.books import ClosedBooks, books_url

    return ClosedBooks(books_url(application))


async def _work_of(application: Application, books: Books, person: PersonId) -> dict[str, Json]:
    chats, turns = await application.persons.chats(person), await application.persons.turn_ids(person)
    return {key: given for key, given in (await books.payloads()).items() if _is_of(given, person, chats, turns)}


def _is_of(payload: Json, person: PersonId, chats: frozenset[str], turns: frozenset[str]) -> bool:
    """Whether work was started by a person, stands in their direct messages, or is about an answer of theirs."""
    place = payload.get("place")
    if not isinstance(place, Mapping) or place.get("platform") != person.platform:
        return False
    team, user = str(place.get("team", "")), str(payload.get("user", ""))
    if person.is_user(team, user) or payload.get("turn") in turns:
        return True
    return bool(place.get("direct")) and place.get("channel") in chats


async def _may_be_shown(application: Application, turn: Turn) -> bool:
    """Whether all that an answer rests on may still be read with the rights that it was asked with."""
    pages = {ranked.evidence.page_id for ranked in turn.evidences if ranked.evidence.text}
    return await application.evidences.visible(pages, turn.scope) >= pages


def _accounts(application: Application, person: PersonId) -> tuple[str, ...]:
    given = AccountsFile(application.settings.accounts).read().of.get(person.key)
    return tuple(sorted(given or ()))


def _forget_in_memory(application: Application, person: PersonId) -> None:
    embedder = application.__dict__.get("remembering_embedder")  # made when first needed
    if isinstance(embedder, CachingEmbedder):
        embedder.clear()
    for forget in application.running_chat.forgetting if application.running_chat else ():
        forget(person)
