"""What the connector takes of a bot, what it refuses, and how it fails on demand."""

from __future__ import annotations

import time
from typing import Any

import aiohttp
import pytest

from tests.servers.teams import Fault, TeamsWorld
from tests.servers.teams.receiver import Receiver
from tests.servers.teams.state import ADAPTIVE

Json = dict[str, Any]


@pytest.fixture
async def heard(teams_world: TeamsWorld, teams_bot: Receiver) -> Json:
    """A personal message that the bot was sent."""
    ada = teams_world.add_user("Ada Lovelace", email="ada@example.com")
    teams_world.say(ada, ada, "Who is on call?")
    await teams_world.until(lambda: teams_bot.received)
    return teams_bot.received[0]


def _claim(position: int = 1, **appearance: Any) -> Json:
    shown = {"@type": "DigitalDocument", "name": "Refunds", "abstract": "14 days"} | appearance
    return {"@type": "Claim", "position": position, "appearance": shown}


def _cited(*claims: Json) -> Json:
    return {
        "type": "https://schema.org/Message", "@type": "Message", "@context": "https://schema.org", "@id": "",
        "additionalType": ["AIGeneratedContent"], "citation": list(claims),
    }  # fmt: skip


async def test_an_answer_is_seen_with_its_citations_label_and_history(
    teams_world: TeamsWorld, teams_bot: Receiver, heard: Json
) -> None:
    status, sent = await teams_bot.send(heard, {"text": "Grace [1]", "entities": [_cited(_claim())]})
    await teams_bot.update(heard, sent["id"], {"text": "Ada [1]", "entities": [_cited(_claim(name="Rota"))]})
    seen = teams_world.answers(heard["conversation"]["id"])[0]
    assert (status, seen.text, seen.ai_generated, seen.edited) == (201, "Ada [1]", True, 1)
    assert [one["name"] for one in seen.citations] == ["Rota"]
    await teams_bot.delete(heard, sent["id"])
    assert teams_world.answers(heard["conversation"]["id"]) == []


async def test_an_answer_in_a_channel_goes_to_the_thread_and_one_without_begins_another(
    teams_world: TeamsWorld, teams_bot: Receiver
) -> None:
    ada = teams_world.add_user("Ada")
    eng = teams_world.add_channel("eng", members=[ada])
    root = teams_world.say(ada, eng, "hi")
    await teams_world.until(lambda: teams_bot.received)
    activity = teams_bot.received[0]
    await teams_bot.send(activity, {"text": "here"}, reply=True)
    await teams_bot.send(activity | {"conversation": {"id": eng}}, {"text": "here too"}, reply=True)
    await teams_bot.send(activity | {"conversation": {"id": eng}}, {"text": "there"})
    assert [message.text for message in teams_world.answers(eng, root)] == ["here", "here too"]
    assert [message.text for message in teams_world.answers(eng)] == ["here", "here too", "there"]


LONG = "x" * 28 * 1024
REFUSED: dict[str, tuple[Json, int, str]] = {
    "too long": ({"text": LONG}, 413, "MessageSizeTooBig"),
    "empty": ({"text": " "}, 400, "non empty 'text'"),
    "21 citations": ({"text": "a", "entities": [_cited(*map(_claim, range(21)))]}, 400, "at most 20"),
    "two with one position": ({"text": "a", "entities": [_cited(_claim(), _claim())]}, 400, "one position"),
    "long name": ({"text": "a", "entities": [_cited(_claim(name="x" * 81))]}, 400, "name"),
    "long abstract": ({"text": "a", "entities": [_cited(_claim(abstract="x" * 161))]}, 400, "abstract"),
    "no abstract": ({"text": "a", "entities": [_cited(_claim(abstract=""))]}, 400, "abstract"),
    "four keywords": ({"text": "a", "entities": [_cited(_claim(keywords=["a"] * 4))]}, 400, "keywords"),
    "long keyword": ({"text": "a", "entities": [_cited(_claim(keywords=["x" * 29]))]}, 400, "keywords"),
    "relative url": ({"text": "a", "entities": [_cited(_claim(url="/page"))]}, 400, "absolute"),
    "two roots": ({"text": "a", "entities": [_cited(), _cited()]}, 400, "Only one root"),
    "untyped entity": ({"text": "a", "entities": [{"additional_properties": {}}]}, 400, "type"),
    "mention not in the text": (
        {"text": "a", "entities": [{"type": "mention", "text": "<at>Ada</at>", "mentioned": {"id": "29:1"}}]},
        400, "mention",
    ),
    "card without version": (
        {"attachments": [{"contentType": ADAPTIVE, "content": {"type": "AdaptiveCard"}}]},
        400, "version",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
async def test_what_teams_does_not_take_is_refused_and_written_down(
    teams_world: TeamsWorld, teams_bot: Receiver, heard: Json, name: str
) -> None:
    activity, status, why = REFUSED[name]
    answered, answer = await teams_bot.send(heard, activity)
    assert answered == status
    assert why in str(answer)
    assert len(teams_world.refusals) == 1
    assert teams_world.answers(heard["conversation"]["id"]) == []


async def test_what_is_just_within_the_limits_is_taken(teams_bot: Receiver, heard: Json) -> None:
    most = _claim(name="x" * 80, abstract="y" * 160, keywords=["z" * 28] * 3, url="https://example.com/a")
    claims = [most | {"position": position} for position in range(1, 21)]
    assert (await teams_bot.send(heard, {"text": "a", "entities": [_cited(*claims)]}))[0] == 201
    assert (await teams_bot.send(heard, {"text": "x" * (28 * 1024 - 40)}))[0] == 201


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        (Fault(status=429, retry_after=2), 429), (Fault(status=412), 412), (Fault(status=500), 500),
        (Fault(status=502), 502), (Fault(status=404), 404), (Fault(error="MessageWritesBlocked"), 403),
    ],
)  # fmt: skip
async def test_faults_come_as_often_as_asked(
    teams_world: TeamsWorld, teams_bot: Receiver, heard: Json, fault: Fault, status: int
) -> None:
    teams_world.faults.add("post", fault, skip=1)
    assert [(await teams_bot.send(heard, {"text": "hi"}))[0] for _ in range(3)] == [201, status, 201]
    assert [call.status for call in teams_world.calls] == [201, status, 201]


async def test_a_429_says_when_to_come_again(teams_world: TeamsWorld, teams_bot: Receiver, heard: Json) -> None:
    teams_world.faults.add("*", Fault(status=429, retry_after=2))
    await teams_bot.send(heard, {"text": "hi"})
    assert teams_bot.headers["Retry-After"] == "2"


@pytest.mark.parametrize(("fault", "left"), [(Fault(drop=True), 0), (Fault(drop_after=True), 1)])
async def test_a_connection_can_be_cut_before_the_work_and_after_it(
    teams_world: TeamsWorld, teams_bot: Receiver, heard: Json, fault: Fault, left: int
) -> None:
    await teams_bot.send(heard | {"conversation": {"id": "a:none"}}, {"text": "gets its token"})
    teams_world.faults.add("post", fault)
    with pytest.raises(aiohttp.ClientError):
        await teams_bot.send(heard, {"text": "hi"})
    assert len(teams_world.answers(heard["conversation"]["id"])) == left
    assert teams_world.calls[-1].status == 0


async def test_a_thread_takes_seven_messages_a_second(
    teams_world: TeamsWorld, teams_bot: Receiver, heard: Json
) -> None:
    teams_world.rates, teams_world.rate_scale = True, 60.0
    statuses = [(await teams_bot.send(heard, {"text": "hi"}))[0] for _ in range(8)]
    assert statuses == [201] * 7 + [429]
    assert 0 < int(teams_bot.headers["Retry-After"]) <= 60


async def test_members_are_told_by_either_id_and_in_pages(
    teams_world: TeamsWorld, teams_bot: Receiver, heard: Json
) -> None:
    people = [teams_world.add_user(f"User {number}", object_id=f"o-{number}") for number in range(5)]
    group = teams_world.add_group("all", members=people)
    base, teams_world.page_size = f"v3/conversations/{group}", 2
    url = teams_world.service_url
    assert (await teams_bot.call("GET", url, f"{base}/members/o-3"))[1]["id"] == people[3]
    assert (await teams_bot.call("GET", url, f"{base}/members/{people[3]}"))[1]["aadObjectId"] == "o-3"
    status, answer = await teams_bot.call("GET", url, f"{base}/members/{heard['from']['id']}")
    assert (status, answer["error"]["code"]) == (404, "MemberNotFoundInConversation")
    found, token = [], ""
    while token is not None:
        _, page = await teams_bot.call("GET", url, f"{base}/pagedmembers?pageSize=500&continuationToken={token}")
        found += [one["id"] for one in page["members"]]
        token = page.get("continuationToken")
    assert sorted(found) == sorted(people)


async def test_a_bot_can_write_first(teams_world: TeamsWorld, teams_bot: Receiver) -> None:
    ada = teams_world.add_user("Ada")
    eng = teams_world.add_channel("eng", members=[ada])
    tenant = {"tenant": {"id": teams_world.tenant}}
    asked: tuple[Json, ...] = (
        {"members": [{"id": ada}], "tenantId": teams_world.tenant},
        {"members": [{"id": teams_world.user(ada).object_id}], "channelData": tenant},
    )
    for body in asked:
        status, made = await teams_bot.call("POST", teams_world.service_url, "v3/conversations", body)
        assert (status, made["id"]) == (201, teams_world.personal(ada))
    body = {"isGroup": True, "channelData": {"channel": {"id": eng}}, "activity": {"type": "message", "text": "News"}}
    status, made = await teams_bot.call("POST", teams_world.service_url, "v3/conversations", body)
    assert made["id"] == f"{eng};messageid={made['activityId']}"
    assert teams_world.answers(eng)[0].text == "News"
    status, _ = await teams_bot.call("POST", teams_world.service_url, "v3/conversations", {"members": [{"id": ada}]})
    assert status == 400


async def test_a_conversation_that_is_gone_is_not_found(
    teams_world: TeamsWorld, teams_bot: Receiver, heard: Json
) -> None:
    teams_world.close(heard["conversation"]["id"])
    status, answer = await teams_bot.send(heard, {"text": "hi"})
    assert (status, answer["error"]["code"]) == (404, "ConversationNotFound")


async def test_a_bot_changes_its_own_messages_only(teams_world: TeamsWorld, teams_bot: Receiver, heard: Json) -> None:
    assert (await teams_bot.update(heard, heard["id"], {"text": "mine now"}))[0] == 403
    assert (await teams_bot.update(heard, "0", {"text": "none"}))[0] == 404


async def test_latency_is_spent_before_the_answer(teams_world: TeamsWorld, teams_bot: Receiver, heard: Json) -> None:
    teams_world.latency = 0.2
    before = time.monotonic()
    await teams_bot.send(heard, {"text": "hi"})
    assert teams_world.calls[-1].seconds >= 0.2
    assert time.monotonic() - before >= 0.2
