"""The fake Teams tenant behaves as Microsoft's documentation says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import aiohttp
import pytest
from aiohttp import web

from tests.servers.chat_server import Json, receive_deliveries
from tests.servers.teams import TeamsWorld
from tests.servers.teams.state import ADAPTIVE
from tests.servers.teams.tokens import SCOPE

CARD: Json = {
    "type": "AdaptiveCard", "version": "1.5", "body": [],
    "actions": [
        {"type": "Action.Execute", "title": "Explain", "verb": "explain", "data": {"turn": "t1"},
         "fallback": {"type": "Action.Submit", "title": "Explain", "data": {"verb": "explain", "turn": "t1"}}},
    ],
}  # fmt: skip


@dataclass
class Bot:
    """Keeps what it is sent, and calls the connector with plain JSON."""

    world: TeamsWorld
    session: aiohttp.ClientSession
    received: list[Json] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    """Of the next answers; 200 after them."""
    delay: float = 0.0
    token: str = ""

    async def receive(self, request: web.Request) -> web.Response:
        self.received.append(await request.json())
        await asyncio.sleep(self.delay)
        return web.json_response({}, status=self.statuses.pop(0) if self.statuses else 200)

    async def call(self, verb: str, where: str, path: str, body: Json | None = None) -> tuple[int, Any]:
        url = f"{self.world.service_url}v3/conversations/{quote(where, safe='')}/{path}"
        headers = {"Authorization": f"Bearer {self.token}"}
        async with self.session.request(verb, url, json=body, headers=headers) as response:
            is_json = response.content_type == "application/json"
            return response.status, await response.json() if is_json else response.headers

    async def send(self, where: str, **activity: Any) -> tuple[int, Any]:
        return await self.call("POST", where, "activities", {"type": "message"} | activity)

    async def stream(self, where: str, text: str, kind: str, sequence: int | None, stream: str = "") -> tuple[int, Any]:
        info: Json = {"type": "streaminfo", "streamType": kind}
        info |= ({"streamSequence": sequence} if sequence else {}) | ({"streamId": stream} if stream else {})
        return await self.send(where, type="message" if kind == "final" else "typing", text=text, entities=[info])


@pytest.fixture
def world() -> Iterator[TeamsWorld]:
    with TeamsWorld() as world:
        world.retry_delays = (0.01, 0.01)
        yield world


@pytest.fixture
async def bot(world: TeamsWorld) -> AsyncIterator[Bot]:
    async with aiohttp.ClientSession() as session:
        form = {"grant_type": "client_credentials", "client_id": world.app_id, "client_secret": world.secret}
        bot = Bot(world, session)
        login = f"{world.login_url}/oauth2/v2.0/token"
        async with session.post(login, data=form | {"scope": SCOPE}, ssl=False) as response:
            bot.token = (await response.json())["access_token"]
        async with session.post(login, data=form | {"scope": "all"}, ssl=False) as response:
            assert response.status == 400
        async with receive_deliveries(bot.receive) as url:
            world.deliver_to(url)
            yield bot


@pytest.fixture
def ada(world: TeamsWorld) -> str:
    return world.add_user("Ada Lovelace", email="ada@example.com")


@pytest.fixture
def eng(world: TeamsWorld, ada: str) -> str:
    return world.add_channel("eng", members=[ada])


# What the connector takes and refuses


def make_claim(position: int = 1, **appearance: Any) -> Json:
    shown = {"@type": "DigitalDocument", "name": "Refunds", "abstract": "14 days"} | appearance
    return {"@type": "Claim", "position": position, "appearance": shown}


def make_entity(*claims: Json) -> Json:
    return {
        "type": "https://schema.org/Message", "@type": "Message", "@context": "https://schema.org", "@id": "",
        "additionalType": ["AIGeneratedContent"], "citation": list(claims),
    }  # fmt: skip


def with_card(card: Json) -> Json:
    return {"attachments": [{"contentType": ADAPTIVE, "content": card}]}


MOST: Json = {"name": "x" * 80, "abstract": "y" * 160, "keywords": ["z" * 28] * 3, "url": "https://example.com/a"}
TAKEN: dict[str, Json] = {
    "longest": {"text": "x" * (40 * 1024 - 40)}, "card": with_card(CARD),
    "citations": {"text": "a", "entities": [make_entity(*(make_claim(n, **MOST) for n in range(1, 21)))]},
}  # fmt: skip
REFUSED: dict[str, tuple[Json, int]] = {
    "too long": ({"text": "x" * 40 * 1024}, 413),
    "empty": ({"text": " "}, 400),
    "21 citations": ({"text": "a", "entities": [make_entity(*map(make_claim, range(21)))]}, 400),
    "two with one position": ({"text": "a", "entities": [make_entity(make_claim(), make_claim())]}, 400),
    "emoji count twice": ({"text": "a", "entities": [make_entity(make_claim(name="🙂" * 41))]}, 400),
    "no abstract": ({"text": "a", "entities": [make_entity(make_claim(abstract=""))]}, 400),
    "two roots": ({"text": "a", "entities": [make_entity(), make_entity()]}, 400),
    "mention not in the text": (
        {"text": "a", "entities": [{"type": "mention", "text": "<at>Ada</at>", "mentioned": {"id": "29:1"}}]}, 400),
    "a text and a card": ({"text": "a", **with_card(CARD)}, 400),
    "7 actions": (with_card(CARD | {"actions": CARD["actions"] * 7}), 400),
    "unknown type": ({"type": "chapter", "text": "a"}, 400),
}  # fmt: skip


async def test_messages_beyond_the_limits_are_refused_and_recorded(world: TeamsWorld, bot: Bot, ada: str) -> None:
    where = world.personal(ada)
    for name, activity in TAKEN.items():
        assert (await bot.send(where, **activity))[0] == 201, name
    assert not world.refusals
    for name, (activity, status) in REFUSED.items():
        world.refusals.clear()
        assert ((await bot.send(where, **activity))[0], len(world.refusals)) == (status, 1), name
    assert len(world.answers(where)) == len(TAKEN)


async def test_messages_are_posted_to_their_thread_and_changed_only_by_the_bot(
    world: TeamsWorld, bot: Bot, ada: str, eng: str
) -> None:
    root = world.say(ada, eng, "hi")
    thread = world.message(eng, root).conversation
    _, sent = await bot.send(thread, text="here [1]", entities=[make_entity(make_claim())])
    await bot.send(eng, text="there")
    await bot.call(
        "PUT", thread, f"activities/{sent['id']}", {"text": "now [1]", "entities": [make_entity(make_claim())]}
    )
    assert [message.text for message in world.answers(eng, root)] == ["now [1]"]
    assert [message.text for message in world.answers(eng)] == ["now [1]", "there"]
    seen = world.answers(eng)[0]
    assert (seen.ai_generated, seen.citations, len(seen.updates)) == (False, [], 1)
    assert (await bot.call("PUT", thread, f"activities/{root}", {"text": "mine"}))[0] == 403
    assert (await bot.call("PUT", thread, "activities/0", {"text": "none"}))[0] == 404
    await bot.send(thread, type="typing")
    assert world.typing(thread) == 1
    world.close(eng)
    assert (await bot.send(eng, text="hi"))[1]["error"]["code"] == "ConversationNotFound"
    elsewhere = world.add_channel("elsewhere", bot=False)
    assert (await bot.send(elsewhere, text="hi"))[1]["error"]["code"] == "BotNotInConversationRoster"


async def test_calls_without_the_bots_token_are_refused(world: TeamsWorld, bot: Bot, ada: str) -> None:
    for token in ("", world.tokens.good()):
        bot.token = token
        assert (await bot.send(world.personal(ada), text="hi"))[0] == 401


# Streams


async def test_a_stream_shows_a_line_until_its_final_message(world: TeamsWorld, bot: Bot, ada: str) -> None:
    where = world.personal(ada)
    for text, kind, sequence, why in [
        ("Grace", "streaming", 1, "has to be informative"), ("", "informative", 1, "include text"),
        ("Grace", "informative", 2, "streamSequence 1"),
    ]:  # fmt: skip
        status, answer = await bot.stream(where, text, kind, sequence)
        assert (status, why in str(answer)) == (400, True), text
    status, begun = await bot.stream(where, "Searching", "informative", 1)
    assert status == 201
    assert (await bot.stream(where, "Grace", "final", 2, begun["id"]))[0] == 400
    await bot.stream(where, "Grace is.", "final", None, begun["id"])
    [message] = world.answers(where)
    assert message.stream
    assert (message.text, message.stream.informed, message.stream.state) == ("Grace is.", "Searching", "final")


@pytest.mark.parametrize("end", ["canceled by user", "exceeded streaming time", "already completed", "is not allowed"])
async def test_streams_end_and_exist_only_in_personal_chats(
    world: TeamsWorld, bot: Bot, ada: str, eng: str, end: str
) -> None:
    where = world.personal(ada)
    stream = (await bot.stream(where, "Gr", "informative", 1))[1]["id"]
    if end == "canceled by user":
        world.cancel_stream(where, stream)
    elif end == "exceeded streaming time":
        world.stream_life = 0.0
    elif end == "already completed":
        await bot.stream(where, "Gr", "final", None, stream)
    else:
        where, stream = eng, ""
    final = ("final", None) if stream else ("informative", 1)
    status, answer = await bot.stream(where, "Grace", *final, stream)
    assert (status, answer["error"]["code"]) == (403, "ContentStreamNotAllowed")
    assert end in answer["error"]["message"]


# What the bot is sent


@pytest.mark.parametrize(
    ("statuses", "delay", "times"), [([503], 0.0, 2), ([500, 502], 0.0, 3), ([400], 0.0, 1), ([], 0.0, 1), ([], 0.5, 3)]
)
async def test_unanswered_activities_and_server_errors_are_retried(
    world: TeamsWorld, bot: Bot, ada: str, statuses: list[int], delay: float, times: int
) -> None:
    bot.statuses, bot.delay = statuses.copy(), delay
    if delay:
        world.patience = delay / 2
    world.say(ada, ada, "hi")
    await world.until(lambda: not world.pending)
    assert [delivery.retry for delivery in world.deliveries] == list(range(times))
    assert len({one["id"] for one in bot.received}) == 1
