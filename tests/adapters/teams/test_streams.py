"""The text of the beginning of an answer in Teams."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest
from hypothesis import given

from adapters.teams import streams
from adapters.teams.cards import render_message
from adapters.teams.connector import Json
from adapters.teams.streams import Streams
from tests.adapters.slack.test_streams import STATEMENTS, answer


@given(STATEMENTS)
def test_the_text_of_a_beginning_begins_the_text_of_the_answer(statements: list[str]) -> None:
    said = ["The bell is red. [1]", *statements]
    whole = replace(answer("".join(said)), notes=("A remark.",), suggestions=("And now?",))
    full = render_message(whole, "stream")["text"]
    for count in range(1, len(said)):
        assert full.startswith(render_message(answer("".join(said[:count])), "stream")["text"])


async def test_a_part_that_teams_holds_back_does_not_delay_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_PART_SECONDS", 0.05)

    async def send(activity: Json) -> str:
        if activity["entities"][0]["streamType"] == "streaming":
            await asyncio.sleep(60)  # the wait that Teams asks for with a 429
        return "stream-1"

    own = Streams(time.monotonic)
    stream = await own.start("chat", "Reading the wiki …", send)
    async with asyncio.timeout(10):
        await own.show(stream, "The limit is €165. [1]", send)
        assert await own.end(stream, {"text": "The limit is €165. [1]"}, send) == stream
