"""Exporting and forgetting a person: complete, also in the files, and without changing other people's data."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from adapters.store.chats.personal_data import SqlPersonStore
from adapters.store.database import Database
from core.accounts import parse_person
from core.errors import PersonInvalid
from core.model import PersonId
from core.ports.chat import Platform, ThreadMessage
from core.ports.chat_stores import Post
from tests.adapters.store.chats.forgetting import PSEUDONYM, lived, violations
from tests.adapters.store.chats.histories import PEOPLE, Event, events
from tests.adapters.store.opened import stores_of
from tests.contracts.examples import indexed_page, turn


@settings(
    max_examples=8, deadline=None, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck)
)
@given(happened=events, platform=st.sampled_from(["slack", "teams"]), who=st.integers(0, PEOPLE - 1))
async def test_an_export_has_all_that_is_a_persons_and_forgetting_leaves_no_byte_of_it(
    happened: list[Event], platform: Platform, who: int
) -> None:
    with tempfile.TemporaryDirectory() as name:
        assert await violations(Path(name), platform, happened, who) == []


async def test_a_message_that_comes_again_is_still_known_but_no_longer_whose_it_was(tmp_path: Path) -> None:
    direct, channel = Event("ask", 0, 0, 2, 0), Event("ask", 0, 0, 0, 0)
    world, database = await lived(tmp_path, "slack", [direct, channel])
    posts = world.stores.posts
    keys = [f"ask:slack:T1:Dchatof0q:{1001}.0", *(f"ask:slack:T1:C0:{n}.0" for n in range(1000, 1010))]
    there = [key for key in keys if await posts.load_post(key)]
    assert len(there) == 2
    await SqlPersonStore(database).forget(world.person(0), (), PSEUDONYM)
    kept = [await posts.load_post(key) for key in there]
    assert all(isinstance(post, Post) and post.finished and not post.person and not post.turn_id for post in kept)
    in_channel = await posts.find_in_conversation("slack:T1:C0:100.0")
    assert [post.place.channel for post in in_channel] == ["C0"]  # so that it is not taken for another person's
    database.close()


async def test_a_common_name_is_left_alone_where_the_person_was_not(database: Database) -> None:
    stores = stores_of(database)
    await stores.threads.add("slack:T1:C0:1.0", [ThreadMessage("1.0", "U1", "May", "a word")])
    await stores.threads.add("slack:T1:C0:1.0", [ThreadMessage("2.0", "U2", "Ben", "May said so, @May")])
    await stores.threads.add("slack:T1:C0:9.0", [ThreadMessage("9.0", "U2", "Ben", "In May, said @May of @U1")])
    await SqlPersonStore(database).forget(PersonId("slack", "T1", "U1"), (), PSEUDONYM)
    (near,) = await stores.threads.load_messages("slack:T1:C0:1.0")
    (far,) = await stores.threads.load_messages("slack:T1:C0:9.0")
    assert near.text == "(removed) said so, (removed)"
    assert far.text == "In May, said (removed) of (removed)"


@pytest.mark.parametrize("is_shown", [True, False])
async def test_a_name_leaves_stored_turns_once_no_page_shows_it(database: Database, is_shown: bool) -> None:
    stores = stores_of(database)
    page = indexed_page("1", ("Ask Zoë Lind for ropes.",))
    asked = turn(used=(page,), cited=(page,), answer="Ask Zoë Lind for ropes, not Zoë.")
    await stores.pages.replace([page])
    await stores.turns.add(asked)
    if not is_shown:
        await stores.pages.replace([indexed_page("1", ("Ask Bo Hall for ropes.",))])
    await SqlPersonStore(database).forget(PersonId("slack", "T1", "U9"), ("Zoë Lind", "Zoë"), PSEUDONYM)
    found = await stores.turns.load_turn(asked.turn_id)
    assert found is not None
    assert ("Zoë Lind" in repr(found)) == is_shown
    assert found.answer.text == (asked.answer.text if is_shown else "Ask (removed) for ropes, not Zoë.")
    (current,) = await stores.pages.load_evidences("DOC")
    assert ("Zoë Lind" in current.evidence.text) == is_shown


async def test_forgetting_is_the_same_done_twice_and_of_somebody_unknown(database: Database) -> None:
    persons = SqlPersonStore(database)
    for _ in range(2):
        removed = await persons.forget(PersonId("teams", "t", "nobody"), ("Nobody",), PSEUDONYM)
        assert (removed.turns, removed.messages, removed.posts) == (0, 0, 0)


@pytest.mark.parametrize("text", ["", "slack", "slack:T1", "slack::U1", "irc:T1:U1", "slack:T 1:U1", "U1"])
def test_what_is_no_id_of_a_person_is_refused_with_the_valid_forms(text: str) -> None:
    with pytest.raises(PersonInvalid, match="slack:TEAM:USER"):
        parse_person(text)
