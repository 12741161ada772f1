"""Checks of a random history after one person was forgotten, for the test and for `benchmarks.security`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from adapters.store.administration import SqlAuditStore
from adapters.store.chats.personal_data import SqlPersonStore
from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from bot.cli.records import make_person_json
from bot.operations.records import PersonExport
from core.ports.administration import PersonalData
from core.ports.chat import Platform
from tests.adapters.store.chats.histories import PEOPLE, Event, World
from tests.adapters.store.opened import stores_of
from tests.contracts.examples import indexed_page

PSEUDONYM = "forgotten:0123"


async def lived(folder: Path, platform: Platform, happened: Sequence[Event]) -> tuple[World, Database]:
    """Return a store after these events. Each person has also started a sync."""
    database = Database.open(make_sqlite_url(folder / "wikiwhy.db"))
    world = World(stores_of(database), platform)
    await world.stores.pages.replace([indexed_page("1")])
    for event in happened:
        await world.happen(event)
    audit = SqlAuditStore(database)
    for who in range(PEOPLE):
        await audit.begin("2026-01-01T00:00:00+00:00", world.person(who).key, "sync", "DOC")
    return world, database


async def violations(folder: Path, platform: Platform, happened: Sequence[Event], who: int) -> list[str]:
    """Return what is wrong with the exports before, the files after, and the data of other people after."""
    world, database = await lived(folder, platform, happened)
    try:
        persons = SqlPersonStore(database)
        before = {each: await persons.export(world.person(each)) for each in range(PEOPLE)}
        wrong = [complaint for each in before for complaint in _wrong_in_export(world, each, before[each])]
        await persons.forget(world.person(who), (), PSEUDONYM)
        wrong += _left(folder, world, who, told_name=bool(before[who].messages))
        after = {each: await persons.export(world.person(each)) for each in range(PEOPLE)}
        if after[who] != PersonalData():
            wrong.append("the export is not empty afterwards")
        for other in set(range(PEOPLE)) - {who}:
            if _of_others(after[other]) != _of_others(before[other]):
                wrong.append(f"the data of person {other} changed")
            wrong += [f"{word} of another is gone" for word in world.canaries[other] if word not in _text(after[other])]
        return wrong
    finally:
        database.close()


def _wrong_in_export(world: World, who: int, data: PersonalData) -> Iterator[str]:
    shown = json.dumps(make_person_json(PersonExport(world.person(who).key, "", data)), ensure_ascii=False)
    for other, words in world.canaries.items():
        for word in words:
            if (word in shown) != (other == who):
                yield f"{word} is {'not ' if other == who else ''}in the export of person {who}"


def _left(folder: Path, world: World, who: int, told_name: bool) -> list[str]:
    raw = b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()).lower()
    words = [*world.canaries[who], world.user(who), f"Dchatof{who}q"]
    if told_name:  # otherwise the store does not know the name
        words.append(world.name(who))
    return [f"{word} is left in the files" for word in words if any(form in raw for form in _forms(word))]


def _forms(word: str) -> list[bytes]:
    """Return the forms of a word in a file: plain and in JSON."""
    return [word.lower().encode(), json.dumps(word)[1:-1].lower().encode()]


def _text(data: PersonalData) -> str:
    return json.dumps(asdict(data), default=sorted, ensure_ascii=False)


def _of_others(data: PersonalData) -> object:
    """Return the data of other people that must not change: all that cannot contain the forgotten person's words."""
    turns = [
        (turn.turn_id, turn.conversation_id, turn.asked_at, turn.answer, turn.evidences, turn.suggestions, turn.usage)
        for turn in data.turns
    ]
    questions = [turn.question.as_asked for turn in data.turns]
    messages = [(said.conversation_id, said.message_id, said.name, said.kept_at) for said in data.messages]
    posts = [(post.key, post.message_id, post.place, post.person) for post in data.posts]
    return turns, questions, messages, data.feedback, posts, data.teams_users, data.references, data.audit
