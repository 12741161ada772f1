"""Two bots that are killed with SIGKILL in turn, and started again after 1, 5 or 25 seconds.

The work of a killed bot is taken over at its next start, or after 20 seconds of silence.
"""

from __future__ import annotations

import time

from benchmarks.chat.bots import PlatformServer
from benchmarks.chat.killing import Kill, Moment
from benchmarks.chat.left import find_moments, read_shared_state
from benchmarks.chat.served import Server
from benchmarks.chat.talk import Asked, Kind, count_replies
from benchmarks.faults.case import Case, Options, start_case
from benchmarks.figure import Figure
from core.chat.requests import make_explain_key

LONGEST_SECONDS = 35.0
"""Seconds from a kill to the answer: 30 until the work is taken over, and the answer itself."""

_DOWN_SECONDS = (1.0, 5.0, 25.0)
_ARRIVED = 0.5  # seconds until the platform has processed all calls of a killed bot
_EXPLAINED = 0.25
_UNKNOWN = Moment(0, 0, 0.0, posting=False)


def measure_kills(platform: PlatformServer, options: Options) -> list[Figure]:
    chance = options.chance
    with start_case("kills", platform, options, explained=_EXPLAINED) as case:
        seen: dict[str, int] = {}
        end, following = case.began + 60 * options.minutes, case.began + options.every
        while following < end:
            time.sleep(max(0.0, following - time.monotonic()))
            server = case.bots.servers[len(case.kills) % len(case.bots.servers)]
            case.kills.append(_kill(case, server, chance.choice(_DOWN_SECONDS), seen))
            following = max(following + options.every, time.monotonic())
        figures = case.finish()
        hit = [
            (reply.at - kills[0].at) / len(kills)
            for key, reply in case.flow.ended.items()
            if (kills := [each for each in case.kills if case.flow.asked[key].at < each.at < reply.at])
        ]
        case.check("longest from a kill to the answer", "s", max(hit, default=0.0), LONGEST_SECONDS,
                   f"{len(hit)} questions were under way at a kill, of {len(case.flow.asked)}")  # fmt: skip
    return [*figures, case.figures[-1]]


def _kill(case: Case, server: Server, down: float, seen: dict[str, int]) -> Kill:
    at = time.monotonic()
    server.kill()
    server.gone()
    time.sleep(_ARRIVED)
    left = read_shared_state(case.url, server.data)
    works = [
        (key, asked.turn_id, count_replies(case.bots.chat.replies(asked), kind))
        for asked in list(case.flow.asked.values())
        for key, kind in _name_works(asked)
        if key in left.started
    ]
    hit = find_moments(left, works, seen)
    time.sleep(max(0.0, down - _ARRIVED))
    server.start()
    return Kill(at, _UNKNOWN, hit, time.monotonic() - at)


def _name_works(asked: Asked) -> tuple[tuple[str, Kind], ...]:
    """Return the keys of the question's works, each with the kind of its message."""
    return (asked.key, "answer"), (make_explain_key(asked.turn_id), "explanation")
