"""Operations on records of people: feedback, the audit log, and the export and erasure of one person's data."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.admin_files import AccountsFile
from bot.audit import record_action
from bot.coordination.bots import PEOPLE
from bot.operations.operation import EventListener, Operation
from bot.wiring import Application, Workflows, now
from core.history import find_pages_with_text, hide_words
from core.languages import Language
from core.model import PersonId, Turn
from core.ports.administration import AuditEntry, PersonalData, RemovalCounts
from core.ports.chat import Place
from core.ports.chat_stores import Feedback, Post

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """A person's feedback on an answer. ``turn``: None if the answer is not stored any more."""

    feedback: Feedback
    turn: Turn | None


@dataclass(frozen=True, slots=True)
class StartedWork:
    """A workflow that a person started. ``text``: the text that they wrote to start it, or ""."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class PersonExport:
    """All stored data of a person. ``shown``: the ids of their turns whose answers the person may still see.

    ``accounts``: the person's accounts in the accounts file. ``work``: the person's workflows.
    """

    person: str
    exported_at: str
    data: PersonalData
    shown: frozenset[str] = frozenset()
    accounts: tuple[str, ...] = ()
    work: tuple[StartedWork, ...] = ()


@dataclass(frozen=True, slots=True)
class PersonErasure:
    """The removed data of a person. ``work``: the number of removed workflows.

    ``accounts``: the person's accounts in the accounts file, which belongs to the admin and is not changed.
    """

    pseudonym: str
    removed: RemovalCounts
    work: int = 0
    accounts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExportFeedback(Operation[list[JudgedAnswer]]):
    """Exports all feedback, oldest first."""

    needs_models = False

    async def run(self, application: Application, on_event: EventListener) -> list[JudgedAnswer]:
        async with record_action(application.audit, "export_feedback", ""):
            given = await application.feedback.load_all()
        turn_ids = dict.fromkeys(each.turn_id for each in given)
        turns = {turn_id: await application.turns.load_turn(turn_id) for turn_id in turn_ids}
        return [JudgedAnswer(each, turns[each.turn_id]) for each in given]


@dataclass(frozen=True, slots=True)
class ReadAuditLog(Operation[list[AuditEntry]]):
    """Reads the audit log since a moment (ISO 8601, UTC; "" for all), oldest first."""

    needs_models = False

    since: str = ""

    async def run(self, application: Application, on_event: EventListener) -> list[AuditEntry]:
        return await application.audit.load_entries(self.since)


@dataclass(frozen=True, slots=True)
class ExportPerson(Operation[PersonExport]):
    """Exports all stored data of a person."""

    needs_models = False

    person: PersonId

    async def run(self, application: Application, on_event: EventListener) -> PersonExport:
        async with record_action(application.audit, "export_person", self.person.key):
            data = await application.persons.export(self.person)
            data = replace(data, turns=tuple([await _hide_words(application, turn) for turn in data.turns]))
            payloads = await _load_payloads(application, self.person)
            shown = {turn.turn_id for turn in data.turns if await _may_be_shown(application, turn)}
            work = tuple(StartedWork(key, str(payload.get("text", ""))) for key, payload in sorted(payloads.items()))
            accounts = _read_accounts(application, self.person)
            return PersonExport(self.person.key, now(), data, frozenset(shown), accounts, work)


@dataclass(frozen=True, slots=True)
class ForgetPerson(Operation[PersonErasure]):
    """Ends the workflows of a person, and removes all stored data of the person. Repeating it does nothing more.

    ``names``: names of the person, besides those stored with the person's messages.
    """

    person: PersonId
    names: tuple[str, ...] = ()

    async def run(self, application: Application, on_event: EventListener) -> PersonErasure:
        pseudonym = f"forgotten:{secrets.token_hex(6)}"
        accounts = _read_accounts(application, self.person)
        chat = application.running_chat
        async with record_action(application.audit, "forget_person", pseudonym):
            workflows = _open_workflows(application)
            payloads = await _load_payloads(application, self.person)
            unfinished = [
                (post, await _find_language(application, payload))
                for key, payload in payloads.items()
                if (post := await application.posts.load_post(key)) and not post.finished
            ]
            for key, payload in payloads.items():
                await _keep_key(application, key, payload)
            if payloads:
                await workflows.remove(list(payloads))
                await application.wait_for_threads()  # the thread of a cancelled step may be storing a turn
            if chat:
                for post, language in unfinished:
                    await chat.tell_ended(post, language)
            removed = await application.persons.forget(self.person, self.names, pseudonym)
            await application.recent_questions.clear()
            application.clear_caches()
            for forget in chat.forgetting if chat else ():
                forget(self.person)
            await application.bots.signal(PEOPLE)
            await workflows.scrub()
            await asyncio.to_thread(application.erasure_log.write)
        return PersonErasure(pseudonym, removed, len(payloads), accounts)


async def _keep_key(application: Application, key: str, payload: Json) -> None:
    """Store the key of a question without a post, so that a second delivery of its message starts nothing."""
    if key.startswith("ask:") and "message_id" in payload and await application.posts.load_post(key) is None:
        place = Place(**payload["place"])
        person = place.make_person_key(payload["user"])
        await application.posts.save(Post(key, place, "", finished=True, person=person))


async def _find_language(application: Application, payload: Json) -> Language:
    """Return the language of a workflow: of its question or command, or of the answer that it explains."""
    turn = await application.turns.load_turn(str(payload.get("turn", "")))
    language = turn.question.language if turn else payload.get("spoken")
    return "de" if language == "de" else "en"


def _open_workflows(application: Application) -> Workflows:
    """Return the workflows of the running server, or else those that the last server left."""
    if application.running_chat:
        return application.running_chat.workflows
    # Imported here because DBOS loads slowly, and other commands do not need it.
    from bot.storage.workflow_database import OfflineWorkflows, make_workflow_database_url

    return OfflineWorkflows(make_workflow_database_url(application.settings, application.directory))


async def _load_payloads(application: Application, person: PersonId) -> dict[str, Json]:
    """Return the requests of the person's workflows, by key."""
    chats, turns = await application.persons.load_chats(person), await application.persons.load_turn_ids(person)
    payloads = await _open_workflows(application).load_requests()
    return {key: payload for key, payload in payloads.items() if _belongs_to(payload, person, chats, turns)}


def _belongs_to(payload: Json, person: PersonId, chats: frozenset[str], turns: frozenset[str]) -> bool:
    """Whether a person started a workflow, or it belongs to the person's direct messages or answers."""
    place = payload.get("place")
    if not isinstance(place, Mapping) or place.get("platform") != person.platform:
        return False
    team, user = str(place.get("team", "")), str(payload.get("user", ""))
    if person.is_user(team, user) or payload.get("turn") in turns:
        return True
    return bool(place.get("direct")) and place.get("channel") in chats


async def _hide_words(application: Application, turn: Turn) -> Turn:
    """Return a turn without words of its question that may no longer be read with its scope."""
    pages = turn.question.provenance.page_ids
    return hide_words(turn, await application.evidences.filter_visible(pages, turn.scope))


async def _may_be_shown(application: Application, turn: Turn) -> bool:
    """Whether all pages that an answer rests on may still be read with the scope of its question."""
    pages = find_pages_with_text(turn)
    return await application.evidences.filter_visible(pages, turn.scope) >= pages


def _read_accounts(application: Application, person: PersonId) -> tuple[str, ...]:
    given = AccountsFile(application.settings.accounts).read().of.get(person.key)
    return tuple(sorted(given or ()))
