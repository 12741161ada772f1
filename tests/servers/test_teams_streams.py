"""Messages that a bot writes piece by piece."""

from __future__ import annotations

from typing import Any

import pytest

from tests.servers.teams import TeamsWorld
from tests.servers.teams.receiver import Receiver, Writing

Json = dict[str, Any]


@pytest.fixture
async def write(teams_world: TeamsWorld, teams_bot: Receiver) -> Writing:
    ada = teams_world.add_user("Ada")
    teams_world.say(ada, ada, "Who is on call?")
    await teams_world.until(lambda: teams_bot.received)
    return Writing(teams_bot, teams_bot.received[0])


async def test_a_stream_grows_into_one_message(teams_world: TeamsWorld, write: Writing) -> None:
    statuses = [
        (await write("Searching", "informative", 1))[0], (await write("Gr", "streaming", 2))[0],
        (await write("Grace", "streaming", 3))[0], (await write("Grace is.", "final"))[0],
    ]  # fmt: skip
    assert statuses == [201, 202, 202, 202]
    [message] = teams_world.answers(write.heard["from"]["id"])
    assert message.stream
    assert (message.text, message.stream.state) == ("Grace is.", "final")
    assert (message.stream.informed, message.stream.pieces) == (["Searching"], ["Gr", "Grace"])


@pytest.mark.parametrize(
    ("text", "kind", "sequence", "status", "why"),
    [
        ("Bob", "streaming", 3, 400, "previously streamed"),
        ("Grace", "streaming", 2, 202, "SequenceOrder"),
        ("Grace", "streaming", None, 400, "streamSequence"),
        ("Grace", "final", 3, 400, "no streamSequence"),
        ("Again", "informative", 3, 400, "before the text"),
        ("", "streaming", 3, 400, "include text"),
    ],
)
async def test_a_piece_out_of_order_is_refused(
    teams_world: TeamsWorld, write: Writing, text: str, kind: str, sequence: int | None, status: int, why: str
) -> None:
    await write("Searching", "informative", 1)
    await write("Gr", "streaming", 2)
    answered, answer = await write(text, kind, sequence)
    assert answered == status
    assert why in str(answer)
    assert teams_world.answers(write.heard["from"]["id"])[0].text == "Gr"


async def test_after_the_end_or_its_time_or_a_persons_stop_no_more_is_taken(
    teams_world: TeamsWorld, write: Writing
) -> None:
    ada = write.heard["from"]["id"]
    await write("Gr", "streaming", 1)
    teams_world.cancel_stream(ada, write.id)
    cancelled = await write("Grace", "streaming", 2)
    write.id = ""
    await write("Gr", "streaming", 1)
    teams_world.stream_life = 0.0
    late = await write("Grace", "final")
    teams_world.stream_life, write.id = 120.0, ""
    await write("Gr", "streaming", 1)
    await write("Grace", "final")
    ended = await write("Grace H", "streaming", 3)
    assert [status for status, _ in (cancelled, late, ended)] == [403] * 3
    assert [why in answer["error"]["message"] for why, (_, answer) in zip(
        ("canceled by user", "exceeded streaming time", "already completed"), (cancelled, late, ended), strict=True
    )] == [True] * 3  # fmt: skip


async def test_pieces_that_come_too_fast_are_429_where_the_pace_is_kept(
    teams_world: TeamsWorld, write: Writing
) -> None:
    teams_world.stream_pace = 60.0
    await write("Gr", "streaming", 1)
    assert (await write("Grace", "streaming", 2))[0] == 429


async def test_groups_and_channels_have_no_streams(teams_world: TeamsWorld, teams_bot: Receiver) -> None:
    ada = teams_world.add_user("Ada")
    for where in (teams_world.add_group("g", members=[ada]), teams_world.add_channel("c", members=[ada])):
        teams_world.say(ada, where, "hi")
        await teams_world.until(lambda: not teams_world.pending)
        status, answer = await Writing(teams_bot, teams_bot.received[-1])("Gr", "streaming", 1)
        assert (status, answer["error"]["code"]) == (403, "ContentStreamNotAllowed")


async def test_plain_typing_is_seen_and_is_no_message(
    teams_world: TeamsWorld, teams_bot: Receiver, write: Writing
) -> None:
    assert (await teams_bot.send(write.heard, {"type": "typing"}))[0] == 201
    assert teams_world.typing(write.heard["from"]["id"]) == 1
    assert teams_world.answers(write.heard["from"]["id"]) == []
