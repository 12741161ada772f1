"""Two bots that are killed with SIGKILL in turn, and started again after 1, 5 or 25 seconds.

The work of a killed bot is taken over at its next start, or after 20 seconds of silence.
"""

from __future__ import annotations

import time

from benchmarks.chat.bots import PlatformServer
from benchmarks.chat.killing import Kill, Moment
from benchmarks.chat.left import read_shared_state
from benchmarks.chat.served import Server
from benchmarks.chat.talk import Asked, Chat, Reply, answer_to
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
        end, following = case.began + 60 * options.minutes, case.began + options.every
        while following < end:
            time.sleep(max(0.0, following - time.monotonic()))
            server = case.bots.servers[len(case.kills) % len(case.bots.servers)]
            case.kills.append(_kill(case, server, chance.choice(_DOWN_SECONDS)))
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


def _kill(case: Case, server: Server, down: float) -> Kill:
    at = time.monotonic()
    server.kill()
    server.gone()
    time.sleep(_ARRIVED)
    left = read_shared_state(case.url, server.data)
    hit = {}
    for asked in list(case.flow.asked.values()):
        for key, shown in ((asked.key, answer_to), (make_explain_key(asked.turn_id), _find_explanation)):
            if key in left.started:
                hit[key] = left.moment(key, asked.turn_id, shown(case.bots.chat, asked) is not None)
    time.sleep(max(0.0, down - _ARRIVED))
    server.start()
    return Kill(at, _UNKNOWN, {key: moment for key, moment in hit.items() if moment}, time.monotonic() - at)


def _find_explanation(chat: Chat, asked: Asked) -> Reply | None:
    return next((reply for reply in chat.replies(asked) if reply.kind == "explanation"), None)
