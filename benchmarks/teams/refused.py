"""Answers that exceed the limits of Teams."""

from __future__ import annotations

import asyncio
import itertools
import time

from adapters.teams.connector import Connector
from adapters.teams.credentials import Credentials, Registration
from adapters.teams.platform import TeamsPlatform
from benchmarks.chat import refused
from benchmarks.figure import Figure
from core.ports.chat import Place
from tests.servers.teams import TeamsWorld
from tests.servers.teams.chat_world import TeamsChatWorld, TenantReferences


def measure_refused(answers: int, seed: int) -> list[Figure]:
    """Post each answer, in chats and channels by turns, and stream it in chats. Count the refused ones."""
    with TeamsWorld() as world:
        world.authenticates = False
        failed = asyncio.run(_shown(TeamsChatWorld(world), answers, seed))
        refusals = [f"{refusal.method} {refusal.error} {refusal.why}" for refusal in world.refusals]
    return refused.figures("Teams'", refusals, failed, answers, seed)


async def _shown(world: TeamsChatWorld, answers: int, seed: int) -> list[str]:
    ada = world.person("Ada")
    channel = world.channel("eng", ada)
    chats = itertools.cycle((True, False))
    connector = Connector(Credentials(Registration()))

    def place() -> Place:
        if next(chats):
            return Place("teams", world.teams.tenant, world.teams.personal(world.accounts[ada]), "", True)
        return world.place(channel, world.say(ada, channel, "?"))

    await connector.open()
    try:
        platform = TeamsPlatform(connector, TenantReferences(world), time.monotonic)
        found = await refused.show_answers(platform, place, answers, seed)
        await platform.close()
        return found
    finally:
        await connector.close()
