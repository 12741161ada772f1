"""Forgetting a person while the bot runs: their workflows end, and no byte of their data is left."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.slack.platform import SlackPlatform
from adapters.store.chats.turn_rows import parse_snapshot
from adapters.store.wiki.page_rows import parse_evidence
from bot.audit import act_as, record_action
from bot.operations.operation import LocalOperations
from bot.operations.records import ExportPerson, ForgetPerson, PersonErasure, PersonExport
from bot.settings import load_settings
from bot.wiring import Application, now, open_application
from core.languages import Language
from core.model import PersonId, Scope
from core.ports.administration import PersonalData
from core.ports.chat import Command, IncomingMessage, Place
from core.views.notices import choose_notice
from core.wording.instructions import strip_evidence
from tests.bot.chat.chatting import Syncs, chatting, wait_until_idle
from tests.bot.test_durable import fragments
from tests.contracts.examples import indexed_page
from tests.servers.slack import SlackWorld

WORD = "wombatcanary"


@pytest.fixture
def application(tmp_path: Path, embedder: E5Embedder) -> Iterator[Application]:
    with open_application(
        load_settings(data_dir=tmp_path / "data", default_spaces="ENG", suggestions="off")
    ) as application:
        application.__dict__["embedder"] = embedder
        yield application


async def synced(application: Application) -> None:
    await application.pages.replace([indexed_page("1", ("Ann approves travel.",), space="ENG")])
    await application.spaces.finish_sync("ENG", "folder x", now(), "")


def asked(world: SlackWorld, user: str, channel: str, text: str) -> IncomingMessage:
    message_id = world.say(user, channel, text)
    place = Place("slack", world.team, channel, message_id, channel.startswith("D"))
    return IncomingMessage(place, message_id, user, text, True)


def left(application: Application, *words: str) -> list[str]:
    """Return which words are left in which files, as they are or in Base64, as in the workflow database.

    Ids are only searched as they are: they differ in their last digit, which Base64 merges with what follows.
    """
    files = [path for path in application.directory.path.rglob("*") if path.is_file()]
    return [
        f"{word} in {path.name}"
        for path in files
        for word in words
        if any(form in path.read_bytes() for form in ([word.encode()] if word[1:].isdecimal() else fragments(word)))
    ]


async def export_person(application: Application, person: PersonId) -> PersonExport:
    return await LocalOperations(application).execute(ExportPerson(person))


async def forget(application: Application, person: PersonId) -> PersonErasure:
    return await LocalOperations(application).execute(ForgetPerson(person))


@pytest.mark.parametrize(
    ("question", "language"), [(f"Who approves the {WORD}?", "en"), (f"Wer genehmigt das {WORD}?", "de")]
)
async def test_a_person_forgotten_during_their_question_gets_no_answer_and_leaves_no_data(
    world: SlackWorld,
    application: Application,
    platform: SlackPlatform,
    monkeypatch: pytest.MonkeyPatch,
    question: str,
    language: Language,
) -> None:
    ada = world.add_user("ada")
    channel = world.add_channel("eng", members=[ada])
    await synced(application)
    answering, never = asyncio.Event(), asyncio.Event()

    async def held(*_: Any, **__: Any) -> Any:
        answering.set()
        await never.wait()

    async with chatting(application, platform) as chat:
        assistant = type("A", (), {"answer_question": staticmethod(held)})()
        monkeypatch.setattr(application, "make_assistant", lambda: assistant)
        message = asked(world, ada, channel, question)
        await chat.service.handle_message(message)
        await asyncio.wait_for(answering.wait(), 20)
        person = PersonId("slack", world.team, ada)
        export = await export_person(application, person)
        assert [started.text for started in export.work] == [message.text]
        done = await forget(application, person)
        assert done.work == 1
        assert await chat.durable.list_unfinished() == []
        shown = world.answers(channel, message.message_id)
        assert [said.text for said in shown] == [choose_notice("unknown", language).text]
        assert not left(application, WORD, ada)
        assert (await export_person(application, person)).work == ()
        # The same message, delivered again: it was dealt with.
        await chat.service.handle_message(message)
        assert await chat.durable.list_unfinished() == []


async def test_forgetting_a_person_removes_only_their_finished_workflows(
    world: SlackWorld, application: Application, platform: SlackPlatform
) -> None:
    ada, ben = world.add_user("ada"), world.add_user("ben")
    channel = world.add_channel("eng", members=[ada, ben])
    await synced(application)
    async with chatting(application, platform) as chat:
        for user, word in ((ada, WORD), (ben, "quokkaword")):
            for place in (channel, world.direct_channel(user)):
                await chat.service.handle_message(asked(world, user, place, f"Who approves the {word} travel?"))
        await wait_until_idle(chat)
        first, other = (PersonId("slack", world.team, user) for user in (ada, ben))
        before = (await export_person(application, other)).data
        assert [turn.asker for turn in before.turns] == [other.key, other.key]
        assert len((await export_person(application, first)).data.turns) == 2
        assert await application.evidences.load_texts(["1"], Scope())
        assert parse_evidence.cache_info().currsize
        await forget(application, first)
        assert sum(cached.cache_info().currsize for cached in (parse_evidence, parse_snapshot, strip_evidence)) == 0
        assert not left(application, WORD, ada, world.direct_channel(ada))
        assert not [given for given in (await chat.durable.load_requests()).values() if given["user"] == ada]
        after = (await export_person(application, other)).data
        assert replace(after, audit=()) == replace(before, audit=())
        gone = (await export_person(application, first)).data
        assert replace(gone, audit=()) == PersonalData()


async def test_forgetting_without_a_server_removes_stored_workflows(
    world: SlackWorld, application: Application, platform: SlackPlatform
) -> None:
    ada = world.add_user("ada")
    channel = world.add_channel("eng", members=[ada])
    await synced(application)
    async with chatting(application, platform) as chat:
        await chat.service.handle_message(asked(world, ada, channel, f"Who approves the {WORD} travel?"))
        await wait_until_idle(chat)
    assert application.running_chat is None
    assert left(application, WORD)
    person = PersonId("slack", world.team, ada)
    assert (await export_person(application, person)).work
    assert (await forget(application, person)).work
    assert not left(application, WORD, ada)
    assert not (await forget(application, person)).work


async def test_the_audit_log_names_actors_until_they_are_forgotten(
    world: SlackWorld, application: Application, platform: SlackPlatform
) -> None:
    ada = world.add_user("ada")
    application.settings = application.settings.model_copy(update={"admins": ada})
    channel = world.add_channel("eng", members=[ada])
    await synced(application)
    person = PersonId("slack", world.team, ada)
    async with chatting(application, platform, Syncs()) as chat:
        place = Place("slack", world.team, channel, "")
        await chat.commands.execute(Command(place, ada, ("forget", "ENG", "ENG"), "1.1"))
        await wait_until_idle(chat)
        with act_as("cli:root"):
            await export_person(application, person)
            await forget(application, person)
        entries = await application.audit.load_entries()
    assert [(entry.action, entry.outcome) for entry in entries] == [
        ("forget_space", "done"),
        ("export_person", "done"),
        ("forget_person", "done"),
    ]
    assert [entry.actor for entry in entries][1:] == ["cli:root", "cli:root"]
    pseudonym = entries[0].actor
    assert pseudonym.startswith("forgotten:")
    assert [entry.object for entry in entries] == ["ENG", pseudonym, pseudonym]
    assert not left(application, ada)


async def test_failed_and_interrupted_operations_are_in_the_audit_log(application: Application) -> None:
    async def failing() -> None:
        async with record_action(application.audit, "sync", "ENG"):
            (entry,) = await application.audit.load_entries()
            assert (entry.outcome, entry.ended_at) == ("begun", "")  # what a crash would leave
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await failing()
    (entry,) = await application.audit.load_entries()
    assert entry.outcome == "failed"
    assert entry.ended_at
    assert entry.actor.startswith("cli:")
