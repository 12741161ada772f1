"""Answers that Slack would refuse for its limits, over generated ones that try them."""

from __future__ import annotations

import asyncio
import time
from collections import Counter

from adapters.slack.calls import SlackCalls, SlackRefused
from adapters.slack.platform import SlackPlatform
from benchmarks.figure import Figure, at_most
from benchmarks.slack.generated import Generator
from core.ports import Place
from core.views.answer import AnswerView
from core.views.notices import Waiting
from tests.servers.slack import SlackWorld

_DRAFTS = 6  # of an answer that is streamed
_WAITING = Waiting("en", "answer")


def measure_refused(answers: int, seed: int) -> list[Figure]:
    """Each is posted, put in the place of a placeholder, and streamed piece by piece; Slack's limits are checked."""
    with SlackWorld(emulator=False) as world:
        person = world.add_user("ada")
        channel = world.add_channel("eng", members=[person])
        failed = asyncio.run(_shown(world, person, channel, answers, seed))
        refusals = list(world.refusals)
    why = Counter(f"{refusal.method} {refusal.error} {'; '.join(refusal.why[:1])}" for refusal in refusals)
    note = ", ".join(f"{count} {what}" for what, count in why.most_common(5)) or "posted, updated and streamed"
    return [
        Figure(f"messages refused by Slack's limits, {answers} generated answers", "messages",
               len(refusals) + len(failed), at_most(0), f"seed {seed}; {note}"),
        Figure("of these never shown, not even shortened", "messages", len(failed), at_most(0), "; ".join(failed[:3])),
    ]  # fmt: skip


async def _shown(world: SlackWorld, person: str, channel: str, answers: int, seed: int) -> list[str]:
    """What could not be shown at all, and why."""
    calls = SlackCalls(world.bot_token, world.api_url)
    await calls.open()
    failed: list[str] = []
    generator = Generator(seed)
    try:
        by_updates = SlackPlatform(calls, time.monotonic, streams=False)
        by_streams = SlackPlatform(calls, time.monotonic, streams=True)
        for number in range(answers):
            view = generator.answer(number)
            root = world.say(person, channel, "?", as_kinds=())
            place = Place("slack", world.team, channel, root)
            try:
                await by_updates.post(place, view, f"post:{number}")
                await _in_place(by_updates, place, view, f"update:{number}", person)
                await _in_place(by_streams, place, view, f"stream:{number}", person)
            except SlackRefused as error:
                failed.append(f"answer {number}: {error}")
    finally:
        await calls.close()
    return failed


async def _in_place(platform: SlackPlatform, place: Place, view: AnswerView, key: str, person: str) -> None:
    """As a question does it: a placeholder, drafts that grow, and at last the answer."""
    message_id = await platform.post(place, _WAITING, key, person)
    for number in range(1, _DRAFTS + 1):
        await platform.draft(place, message_id, view.text[: len(view.text) * number // _DRAFTS])
    await platform.update(place, message_id, view)
