"""Answers that exceed the limits of Slack."""

from __future__ import annotations

import asyncio
import time

from adapters.slack.calls import SlackCalls
from adapters.slack.platform import SlackPlatform
from benchmarks.chat import refused
from benchmarks.figure import Figure
from core.ports.chat import Place
from tests.servers.slack import SlackWorld


def measure_refused(answers: int, seed: int) -> list[Figure]:
    """Post each answer. The test server checks Slack's limits."""
    with SlackWorld() as world:
        failed = asyncio.run(_shown(world, answers, seed))
        refusals = [f"{refusal.method} {refusal.error} {refusal.why}" for refusal in world.refusals]
    return refused.figures("Slack's", refusals, failed, answers, seed)


async def _shown(world: SlackWorld, answers: int, seed: int) -> list[str]:
    person = world.add_user("ada")
    channel = world.add_channel("eng", members=[person])
    calls = SlackCalls(world.bot_token, world.api_url)

    def place() -> Place:
        return Place("slack", world.team, channel, world.say(person, channel, "?", as_kinds=()))

    await calls.open()
    try:
        return await refused.show_answers(SlackPlatform(calls, time.monotonic), place, answers, seed)
    finally:
        await calls.close()
