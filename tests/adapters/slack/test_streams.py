"""Streams of the beginning of an answer: their text, their rates, and their end."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.slack import streams
from adapters.slack.calls import SlackCalls
from adapters.slack.platform import SlackPlatform
from adapters.slack.streams import SlackStreams, render_beginning
from core.model.views import AnswerView
from core.ports.chat import Place
from core.wording.quotations import make_citation
from tests.contracts.chat_examples import ANSWER
from tests.core.answering.examples import evidence
from tests.servers.slack import SlackWorld
from tests.servers.slack.chat_world import SlackChatWorld
from tests.servers.slack.text import pings_in

CITED = make_citation(1, evidence("The bell is red.", title="Bells <and> *ropes*"))
STATEMENTS = st.lists(
    st.sampled_from(
        [
            " The bell weighs 2 tons. [1]", "\n- Two *lamps* of 40 watts [1]", "\n  - A lamp below a lamp [1]",
            "\n\nThere are rules:", "\n1. Open the door. [1]", "\n\nUse `make bell` twice. [1]", "\n> Quoted. [1]",
            " See www.evil.example and a@evil.example, <@U123> and <!here>. [1]", "\n\n**Loud** bells ring. [1]",
            " A_b_c is *not* [markup](x). [1]", "\n2. Close it. [1]", " It has 3 < 4 & 5 > 2 bells. [1]",
            "\n+ 5 of them come. [1]", " ~~No~~ https://evil.example/x. [1]", "\nIt ends here. [1]",
        ]
    ),
    min_size=1,
    max_size=8,
)  # fmt: skip


def answer(text: str) -> AnswerView:
    return replace(ANSWER, text=text, markup="markdown", citations=(CITED,), understood_as="", asked="", rows=())


@given(STATEMENTS, st.booleans())
@settings(max_examples=3 * settings.default.max_examples)
def test_the_text_of_a_beginning_begins_the_text_of_the_answer(statements: list[str], followed: bool) -> None:
    understood_as = "What is *red*?" if followed else ""
    whole = "".join(["The bell is red. [1]", *statements])
    full = render_beginning(replace(answer(whole), understood_as=understood_as))[0]
    for count in range(len(statements)):
        part = "".join(["The bell is red. [1]", *statements[:count]])
        assert full.startswith(render_beginning(replace(answer(part), understood_as=understood_as))[0])
    assert not [each for each in pings_in({"text": full}) if each.target != CITED.url]


def test_a_table_and_all_after_it_are_blocks_below_the_text() -> None:
    text, rest = render_beginning(
        answer("It is red. [1]\n\n| Room | Key |\n|---|---|\n| A | 1 |\n| B | 2 |\n\nIt rings.")
    )
    assert text.startswith("It is red.")
    assert "rings" not in text
    assert [type(block).__name__ for block in rest.body] == ["Table", "Paragraph"]


@pytest.fixture
def ada(slack: SlackWorld) -> str:
    slack.rates.clear()
    return slack.add_user("ada")


@pytest.fixture
def place(slack: SlackWorld, world: SlackChatWorld, ada: str) -> Place:
    channel = slack.add_channel("eng", members=[ada])
    return world.place(channel, slack.say(ada, channel, "What is the hotel limit?"))


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


BEGINNING, ONE_MORE = answer("The limit is €165. [1]"), answer("The limit is €165. [1] It includes tax. [1]")


async def test_streams_start_only_as_often_as_slack_allows(
    slack: SlackWorld, calls: SlackCalls, place: Place, ada: str
) -> None:
    clock = Clock()
    own = SlackStreams(calls, clock)
    started = 0
    for _ in range(600):  # ten minutes
        message_id = await own.start(place, ada, BEGINNING)
        started += bool(message_id)
        own.forget(message_id)
        clock.now += 1
        if len(slack.calls) > 15:
            break
    assert not [call for call in slack.calls if call.status == 429]
    assert started <= 8 + clock.now * 12 / 60 + 1


async def test_no_more_streams_are_open_than_can_end_at_once(
    slack: SlackWorld, calls: SlackCalls, place: Place, ada: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "_MOST_OPEN", 2)
    own = SlackStreams(calls, Clock())
    assert [bool(await own.start(place, ada, BEGINNING)) for _ in range(4)] == [True, True, False, False]


async def test_an_old_stream_takes_no_more_text(calls: SlackCalls, place: Place, ada: str) -> None:
    clock = Clock()
    own = SlackStreams(calls, clock)
    message_id = await own.start(place, ada, BEGINNING)
    assert await own.append(place, message_id, ONE_MORE)
    clock.now += 250
    assert await own.append(place, message_id, ONE_MORE)  # it shows this already
    assert not await own.append(place, message_id, answer("The limit is €165. [1] It includes tax. [1] So it is. [1]"))


async def test_a_text_that_does_not_continue_the_stream_is_not_shown(
    slack: SlackWorld, platform: SlackPlatform, place: Place, ada: str
) -> None:
    message_id = await platform.show_part(place, ada, BEGINNING, "")
    assert await platform.show_part(place, ada, answer("It is €170. [1]"), message_id) == ""
    await platform.update(place, message_id, answer("It is €170. [1]"))
    assert slack.message(place.channel, message_id).text.startswith("It is €170.")
    assert not slack.message(place.channel, message_id).streaming


async def test_a_stream_that_a_person_stopped_is_completed_by_an_update(
    slack: SlackWorld, platform: SlackPlatform, place: Place, ada: str
) -> None:
    message_id = await platform.show_part(place, ada, BEGINNING, "")
    slack.stop(ada, place.channel, place.thread)
    assert await platform.show_part(place, ada, ONE_MORE, message_id) == ""
    await platform.update(place, message_id, ONE_MORE)
    assert slack.message(place.channel, message_id).text.startswith("The limit is €165. [1] It includes tax. [1]")


async def test_a_killed_process_leaves_a_stream_that_is_found_and_replaced(
    slack: SlackWorld, platform: SlackPlatform, calls: SlackCalls, place: Place, ada: str
) -> None:
    await platform.post(place, ANSWER, "ask:1")
    message_id = await platform.show_part(place, ada, BEGINNING, "")
    after = SlackPlatform(calls, Clock())
    assert await after.find_streams(place) == [message_id]
    assert await after.show_part(place, ada, ONE_MORE, message_id) == ""
    await after.update(place, message_id, ONE_MORE)
    assert await after.find_streams(place) == []
    assert slack.message(place.channel, message_id).text.startswith("The limit is €165. [1] It includes tax. [1]")


async def test_a_stream_that_ended_with_its_answer_is_not_taken_for_one_without_an_end(
    slack: SlackWorld, platform: SlackPlatform, place: Place, ada: str
) -> None:
    message_id = await platform.show_part(place, ada, BEGINNING, "")
    await platform.update(place, message_id, ONE_MORE)
    assert await platform.find_streams(place) == []
