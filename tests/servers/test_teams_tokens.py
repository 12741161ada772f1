"""What the bare SDK makes of tokens: an adapter around it has to turn the rest into 401."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest

from tests.servers.teams import FORGERIES, Delivery, TeamsWorld
from tests.servers.teams.echo_bot import EchoBot

REFUSED = {
    "other scheme", "wrong audience", "audiences", "missing audience", "wrong issuer", "other tenant",
    "missing serviceUrl claim", "another serviceUrl",
}  # fmt: skip
LET_IN = {"no expiry", "emulator issuer"}
"""The SDK takes these: it checks an expiry that is there, and its emulator's tokens for no serviceUrl."""


async def _sent(world: TeamsWorld, authorization: str | None, **changed: object) -> Delivery:
    ada = world.add_user("Ada Lovelace")
    activity = world.activity(ada, world.personal(ada), "hi") | changed
    return await asyncio.to_thread(world.send, activity, authorization)


async def test_a_good_token_lets_the_activity_in_and_the_bot_answers_with_its_own(
    teams_world: TeamsWorld, echo_bot: EchoBot
) -> None:
    ada = teams_world.add_user("Ada Lovelace")
    await asyncio.to_thread(teams_world.say, ada, ada, "hi")
    answer = await teams_world.message_comes(ada)
    await teams_world.until(lambda: not teams_world.pending)
    assert answer.text == "You said: hi"
    assert teams_world.deliveries[0].status == 201
    assert teams_world.identity.asked == 1
    assert teams_world.calls[0].authorization.startswith("Bearer bot-")


@pytest.mark.parametrize("kind", FORGERIES)
async def test_the_sdk_answers_a_forged_token_with_401_or_500(
    teams_world: TeamsWorld, echo_bot: EchoBot, kind: str
) -> None:
    delivery = await _sent(teams_world, FORGERIES[kind](teams_world.tokens))
    assert delivery.status == (401 if kind in REFUSED else 201 if kind in LET_IN else 500)
    assert bool(echo_bot.heard) == (kind in LET_IN)


async def test_there_are_fifteen_kinds_of_forgeries_and_more() -> None:
    assert len(FORGERIES) >= 15


async def test_the_sdk_takes_a_good_token_for_an_activity_that_names_no_service_url(
    teams_world: TeamsWorld, echo_bot: EchoBot
) -> None:
    teams_world.retry_delays = ()
    delivery = await _sent(teams_world, "", serviceUrl=None, type="event")
    assert delivery.status == 201
    assert len(echo_bot.heard) == 1


async def test_without_the_keys_the_sdk_lets_nobody_in(teams_world: TeamsWorld, echo_bot: EchoBot) -> None:
    teams_world.identity.down = True
    delivery = await _sent(teams_world, "")
    assert delivery.status == 500
    assert not echo_bot.heard


async def test_a_bot_with_a_wrong_secret_blames_the_channel(teams_world: TeamsWorld) -> None:
    teams_world.identity.secret = "changed"
    async with EchoBot(teams_world.configuration) as bot:
        teams_world.deliver_to(bot.url)
        delivery = await _sent(teams_world, "")
    assert delivery.status == 401
    assert len(bot.heard) == 1
    assert not teams_world.calls


async def test_the_sdk_asks_for_a_token_of_its_own_in_every_turn(teams_world: TeamsWorld, echo_bot: EchoBot) -> None:
    for _ in range(3):
        await _sent(teams_world, "")
    assert teams_world.identity.asked == 3


async def test_a_call_without_a_token_of_ours_is_refused(teams_world: TeamsWorld) -> None:
    url = f"{teams_world.service_url}v3/conversations/a:1/activities"
    for headers in ({}, {"Authorization": f"Bearer {teams_world.tokens.good()}"}):
        async with aiohttp.ClientSession() as session, session.post(url, json={}, headers=headers) as response:
            assert response.status == 401
            assert (await response.json())["error"]["code"] == "Unauthorized"
