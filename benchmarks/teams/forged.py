"""Requests without a valid proof that Teams sent them: each is refused and has no effect."""

from __future__ import annotations

import random
from collections import Counter

from benchmarks.chat.left import read_left_state
from benchmarks.chat.talk import Asked, in_flight, rest
from benchmarks.figure import Figure, at_most, check_figure
from benchmarks.teams.served import Tenant, tenant
from tests.servers.teams import FORGERIES

QUESTION = "What is the hotel limit per night in the Netherlands for a trip in 2026?"
_REFUSED = 401
_REST = 1.0  # seconds


def measure_forged(seed: int) -> list[Figure]:
    """Send each kind of token with a question, a click, a command and an installation, after a valid question.

    The started workflows are read from the workflow database after the server has ended.
    """
    with tenant("forged") as there:
        ((asked, reply),) = in_flight(there, iter([there.asking(random.Random(seed), QUESTION)]), 1)  # noqa: S311
        rest(there.world, _REST)
        calls = len(there.world.calls)
        found = _sent(there, asked, reply.message_id)
        rest(there.world, _REST)
        calls = len(there.world.calls) - calls
        there.server.stop()
        began = read_left_state(there.server.data).started - {asked.key}
    return _figures(found, sorted(began), calls)


def _sent(there: Tenant, asked: Asked, answer: str) -> Counter[tuple[str, int]]:
    """Return the counts of the responses to each kind of token."""
    world, person = there.world, there.people[0]
    action = {"type": "Action.Execute", "verb": "explain", "data": {"wikiwhy": "explain", "turn": asked.turn_id}}
    found: Counter[tuple[str, int]] = Counter()
    clicker = sorted(world.conversation(asked.place.room).members)[0]
    for kind, header in FORGERIES.items():
        question = world.activity(person, there.channels[0], QUESTION)
        activities = [
            question,
            world.invoke(clicker, asked.place.channel, "adaptiveCard/action", {"action": action}, replyToId=answer),
            world.activity(person, person, "sync ENG"),
            question | {"type": "installationUpdate", "action": "add"},
        ]
        for activity in activities:
            status = world.send(activity, header(world.tokens)).status
            found[kind, status or 0] += 1
    return found


def _figures(found: Counter[tuple[str, int]], began: list[str], calls: int) -> list[Figure]:
    kinds = len({kind for kind, _ in found})
    total = sum(found.values())
    others = {f"{kind}: {status}": count for (kind, status), count in found.items() if status != _REFUSED}
    broken = sum(count for (_, status), count in found.items() if status >= 500 or not status)
    name = f"forged requests, {kinds} kinds of tokens"
    return [
        check_figure(f"{name}: not refused with 401", "requests", sum(others.values()), at_most(0),
                 f"of {total}; {others or 'all 401'}"),
        check_figure(f"{name}: errors of the server", "requests", broken, at_most(0)),
        check_figure(f"{name}: work begun", "workflows", len(began), at_most(0), ", ".join(began[:3])),
        check_figure(f"{name}: calls to Teams", "calls", calls, at_most(0)),
    ]  # fmt: skip
