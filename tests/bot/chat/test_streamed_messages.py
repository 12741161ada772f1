"""A message that began as a stream: whatever kills the process, one whole message is left."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from adapters.slack.platform import SlackPlatform
from adapters.teams.connector import Connector
from adapters.teams.credentials import Credentials, Registration
from adapters.teams.platform import TeamsPlatform
from bot.chat.message_poster import MakeView, MessagePoster
from bot.wiring import Application
from core.model.views import Notice
from core.ports.chat import Place
from core.ports.chat_stores import Post
from tests.contracts.chat_examples import ANSWER, WAITING
from tests.servers.slack import Fault, SlackWorld
from tests.servers.teams import TeamsWorld
from tests.servers.teams.chat_world import TeamsChatWorld, TenantReferences, read_message

KEY = "ask:slack:T000000001:C1:1.5"
WHOLE = replace(ANSWER, text="The limit is €165. [1] It includes tax. [1]", markup="markdown", rows=())
BEGINNING, MORE = (replace(WHOLE, text=text) for text in ("The limit is €165. [1]", "The limit is €165. [1] It"))
Process = Callable[..., tuple[MessagePoster, SlackPlatform]]


@pytest.fixture
def ada(world: SlackWorld) -> str:
    world.rates.clear()
    return world.add_user("ada")


@pytest.fixture
def place(world: SlackWorld, ada: str) -> Place:
    channel = world.add_channel("eng", members=[ada])
    return Place("slack", world.team, channel, world.say(ada, channel, "What is the limit?"))


@pytest.fixture
def process(application: Application, platform: SlackPlatform) -> Process:
    """Return a function that gives the poster and the platform of a new process. ``fresh``: before any kill."""

    def start(fresh: bool = True) -> tuple[MessagePoster, SlackPlatform]:
        own = SlackPlatform(platform.calls, time.monotonic)
        return MessagePoster(application.posts, {"slack": own}, lambda key: fresh), own

    return start


def making(view: object) -> MakeView:
    async def make_view() -> object:
        return view

    return make_view  # type: ignore[return-value]


def assert_whole(world: SlackWorld, place: Place) -> None:
    (message,) = world.answers(place.channel, place.thread)
    assert message.text.startswith("The limit is €165. [1] It includes tax.")
    assert not message.streaming
    assert any(block["type"] == "actions" for block in message.blocks)


async def test_a_stream_ends_with_its_message(world: SlackWorld, place: Place, ada: str, process: Process) -> None:
    poster, _ = process()
    await poster.note_intent(KEY, place, "t1", ada)
    assert await poster.show_part(KEY, place, ada, BEGINNING, "")
    assert await poster.show_part(KEY, place, ada, MORE, "")
    post = await poster.post_once(KEY, place, making(WHOLE), turn_id="t1")
    assert post.finished
    assert_whole(world, place)
    called = [call.method for call in world.calls if call.method.startswith("chat.")]
    assert called == ["chat.startStream", "chat.appendStream", "chat.stopStream"]
    assert not await poster.show_part(KEY, place, ada, WHOLE, "")


@pytest.mark.parametrize("kill", ["start", "stored", "append", "stop", "died"])
async def test_a_kill_leaves_one_whole_message(
    world: SlackWorld, place: Place, ada: str, process: Process, application: Application, kill: str
) -> None:
    poster, platform = process()
    await poster.note_intent(KEY, place, "t1", ada)
    if kill == "start":  # Slack accepted it, its id is not stored
        await platform.show_part(place, ada, BEGINNING, "")
    else:
        assert await poster.show_part(KEY, place, ada, BEGINNING, "")
    if kill == "append":
        assert await poster.show_part(KEY, place, ada, MORE, "")
    if kill == "stop":  # accepted, but the message is not stored as finished
        (message,) = world.answers(place.channel, place.thread)
        await platform.update(place, message.ts, WHOLE)
    if kill == "died":
        world.answers(place.channel, place.thread)[0].streaming = False
    after, _ = process(fresh=False)
    assert not await after.show_part(KEY, place, ada, BEGINNING, "")
    await after.post_once(KEY, place, making(WHOLE), turn_id="t1")
    assert_whole(world, place)
    assert sum(call.method == "chat.update" and call.error is None for call in world.calls) == 1
    post = await application.posts.load_post(KEY)
    assert post
    assert post.finished
    assert post.message_id == world.answers(place.channel, place.thread)[0].ts


async def test_two_streams_whose_ids_were_not_stored_become_two_messages(
    world: SlackWorld, place: Place, ada: str, process: Process
) -> None:
    platform, (poster, _) = process()[1], process(fresh=False)
    for _ in range(2):
        await platform.show_part(place, ada, BEGINNING, "")
    posts = await asyncio.gather(
        *(poster.post_once(f"ask:{at}", place, making(replace(WHOLE, turn_id=f"t{at}"))) for at in range(2))
    )
    assert {post.message_id for post in posts} == {each.ts for each in world.answers(place.channel, place.thread)}
    assert not any(each.streaming for each in world.answers(place.channel, place.thread))


async def test_a_failure_replaces_the_beginning(world: SlackWorld, place: Place, ada: str, process: Process) -> None:
    poster, _ = process()
    await poster.note_intent(KEY, place, "t1", ada)
    await poster.show_part(KEY, place, ada, BEGINNING, "")
    await poster.show_failure(KEY, place, Notice("It went wrong."), "t1")
    (message,) = world.answers(place.channel, place.thread)
    assert (message.text, message.streaming) == ("It went wrong.", False)


async def test_a_failure_replaces_the_beginning_also_in_teams(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    with TeamsWorld() as tenant:
        for name, value in tenant.environment.items():
            monkeypatch.setenv(name, value)
        world = TeamsChatWorld(tenant)
        ada = world.person("ada", email="ada@example.com")
        chat = Place("teams", tenant.tenant, tenant.personal(world.accounts[ada]), "", direct=True)
        registration = Registration(tenant.app_id, tenant.secret, tenant.tenant, tenant.metadata_url, tenant.login_url)
        connector = Connector(Credentials(registration))
        await connector.open()
        platform = TeamsPlatform(connector, TenantReferences(world), time.monotonic)
        poster = MessagePoster(application.posts, {"teams": platform}, lambda key: True)
        stream = await poster.begin(KEY, chat, WAITING, "t1", ada)
        assert await poster.show_part(KEY, chat, ada, BEGINNING, stream)
        await poster.show_failure(KEY, chat, Notice("It went wrong."), "t1")
        await connector.close()
        (message,) = tenant.answers(chat.channel)
        assert read_message(message).says("It went wrong.")


async def test_a_start_that_is_cancelled_is_still_stored(
    world: SlackWorld, place: Place, ada: str, process: Process, application: Application
) -> None:
    poster, _ = process()
    await poster.note_intent(KEY, place, "t1", ada)
    world.faults.add("chat.startStream", Fault(delay=0.3))
    showing = asyncio.create_task(poster.show_part(KEY, place, ada, BEGINNING, ""))
    await asyncio.sleep(0.1)
    showing.cancel()
    post = await application.posts.load_post(KEY)
    assert post
    await application.posts.save(replace(post, finished=True))  # as Stop does
    for _ in range(300):
        await asyncio.sleep(0.02)
        if any(call.method == "chat.delete" for call in world.calls):
            break
    await asyncio.sleep(0.05)
    assert world.answers(place.channel, place.thread) == []
    assert Post(KEY, place, "").message_id == (await application.posts.load_post(KEY)).message_id  # type: ignore[union-attr]
