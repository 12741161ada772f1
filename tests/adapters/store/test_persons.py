"""A person's data: all of it is found, all of it is removed also from the files, and nobody else's is touched."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from adapters.store.audit import SqlAuditStore
from adapters.store.database import Database, sqlite_url
from adapters.store.persons import SqlPersonStore
from bot.cli.person import export_json
from bot.privacy import PersonExport
from core.ports import PersonalData, Platform, Post
from tests.adapters.store.histories import PEOPLE, Event, World, events
from tests.adapters.store.opened import stores_of
from tests.contracts.examples import indexed_page

PSEUDONYM = "forgotten:0123"


@contextmanager
def opened(folder: Path) -> Iterator[Database]:
    database = Database.open(sqlite_url(folder / "wikiwhy.db"))
    try:
        yield database
    finally:
        database.close()


def text_of(data: PersonalData) -> str:
    return json.dumps(asdict(data), default=sorted, ensure_ascii=False)


def bytes_in(folder: Path) -> bytes:
    return b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()).lower()


def forms(word: str) -> list[bytes]:
    """How a word may stand in a file: as it is, and in JSON."""
    return [word.lower().encode(), json.dumps(word)[1:-1].lower().encode()]


async def lived(folder: Path, platform: Platform, happened: list[Event]) -> tuple[World, Database]:
    database = Database.open(sqlite_url(folder / "wikiwhy.db"))
    world = World(stores_of(database), platform)
    await world.stores.pages.replace([indexed_page("1")])
    for event in happened:
        await world.happen(event)
    audit = SqlAuditStore(database)
    for who in range(PEOPLE):
        await audit.begin("2026-01-01T00:00:00+00:00", world.person(who).key, "sync", "DOC")
    return world, database


def of_others(data: PersonalData, forgotten: str) -> object:
    """What must not change of other people: all but what repeated the forgotten person's words or name."""
    turns = [
        (turn.turn_id, turn.conversation_id, turn.asked_at, turn.answer, turn.evidences, turn.suggestions, turn.usage)
        for turn in data.turns
    ]
    questions = [turn.question.as_asked for turn in data.turns]
    messages = [(said.conversation_id, said.message_id, said.name, said.kept_at) for said in data.messages]
    posts = [(post.key, post.message_id, post.place, post.person) for post in data.posts]
    return turns, questions, messages, data.feedback, posts, data.acquaintances, data.references, data.audit


@settings(
    max_examples=25, deadline=None, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck)
)
@given(happened=events, platform=st.sampled_from(["slack", "teams"]), who=st.integers(0, PEOPLE - 1))
async def test_an_export_has_all_that_is_a_persons_and_forgetting_leaves_no_byte_of_it(
    happened: list[Event], platform: Platform, who: int
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world, database = await lived(folder, platform, happened)
        try:
            persons = SqlPersonStore(database)
            before = {each: await persons.export(world.person(each)) for each in range(PEOPLE)}
            for each, data in before.items():
                told = text_of(data)
                assert all(canary in told for canary in world.canaries[each])
                shown = json.dumps(export_json(PersonExport(world.person(each).key, "", data)), ensure_ascii=False)
                strangers = set(range(PEOPLE)) - {each}
                assert not [word for other in strangers for word in world.canaries[other] if word in shown]
                assert all(canary in shown for canary in world.canaries[each])
            await persons.forget(world.person(who), (), PSEUDONYM)
            # The note that a person's chat with the bot is reached through names them, whoever asks.
            raw = bytes_in(folder)
            for canary in world.canaries[who]:
                assert canary.encode() not in raw, canary
            names = [world.user(who), f"Dchatof{who}q"]
            if before[who].messages:  # else nobody told the store what they are called
                names.append(world.name(who))
            for word in names:
                assert not [form for form in forms(word) if form in raw], word
            after = {each: await persons.export(world.person(each)) for each in range(PEOPLE)}
            assert after[who] == PersonalData()
            for other in set(range(PEOPLE)) - {who}:
                assert of_others(after[other], world.user(who)) == of_others(before[other], world.user(who))
                assert all(canary in text_of(after[other]) for canary in world.canaries[other])
        finally:
            database.close()


async def test_a_message_that_comes_again_is_still_known_but_no_longer_whose_it_was(tmp_path: Path) -> None:
    direct, channel = Event("ask", 0, 0, 2, 0), Event("ask", 0, 0, 0, 0)
    world, database = await lived(tmp_path, "slack", [direct, channel])
    posts = world.stores.posts
    keys = [f"ask:slack:T1:Dchatof0q:{1001}.0", *(f"ask:slack:T1:C0:{n}.0" for n in range(1000, 1010))]
    there = [key for key in keys if await posts.post(key)]
    assert len(there) == 2
    await SqlPersonStore(database).forget(world.person(0), (), PSEUDONYM)
    kept = [await posts.post(key) for key in there]
    assert all(isinstance(post, Post) and post.finished and not post.person and not post.turn_id for post in kept)
    in_channel = await posts.in_conversation("slack:T1:C0:100.0")
    assert [post.place.channel for post in in_channel] == ["C0"]  # so that it is taken for nobody else's
    database.close()


async def test_a_common_name_is_left_alone_where_the_person_was_not(tmp_path: Path) -> None:
    with opened(tmp_path) as database:
        stores = stores_of(database)
        from core.identity.person import PersonId
        from core.ports import ThreadMessage

        await stores.threads.add("slack:T1:C0:1.0", [ThreadMessage("1.0", "U1", "May", "a word")])
        await stores.threads.add("slack:T1:C0:1.0", [ThreadMessage("2.0", "U2", "Ben", "May said so, @May")])
        await stores.threads.add("slack:T1:C0:9.0", [ThreadMessage("9.0", "U2", "Ben", "In May, said @May of @U1")])
        await SqlPersonStore(database).forget(PersonId("slack", "T1", "U1"), (), PSEUDONYM)
        (near,) = await stores.threads.messages("slack:T1:C0:1.0")
        (far,) = await stores.threads.messages("slack:T1:C0:9.0")
        assert near.text == "(removed) said so, (removed)"
        assert far.text == "In May, said (removed) of (removed)"


async def test_forgetting_is_the_same_done_twice_and_of_somebody_unknown(tmp_path: Path) -> None:
    with opened(tmp_path) as database:
        from core.identity.person import PersonId

        persons = SqlPersonStore(database)
        for _ in range(2):
            removed = await persons.forget(PersonId("teams", "t", "nobody"), ("Nobody",), PSEUDONYM)
            assert (removed.turns, removed.messages, removed.posts) == (0, 0, 0)


@pytest.mark.parametrize("text", ["", "slack", "slack:T1", "slack::U1", "irc:T1:U1", "slack:T 1:U1", "U1"])
def test_what_is_no_id_of_a_person_is_refused_with_the_valid_forms(text: str) -> None:
    from core.errors import PersonInvalid
    from core.identity.person import parse_person

    with pytest.raises(PersonInvalid, match="slack:TEAM:USER"):
        parse_person(text)
