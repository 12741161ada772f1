"""What became of pieces of work while the server was killed again and again."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.chat.killing import Kill
from benchmarks.chat.talk import Kind, Reply
from benchmarks.figure import Figure, at_most, required

_GRACE = 1.0  # seconds that the platform may take for what it was asked just before the kill


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of all works under kills, by their keys. ``others``: texts of what is neither wanted nor a placeholder."""

    works: int
    lost: list[str]
    double: list[str]
    orphans: list[Reply]
    others: list[str]
    kills: list[Kill]
    seconds: float


def outcome(replies: Mapping[str, Sequence[Reply]], wanted: Kind, kills: list[Kill], began: float) -> Outcome:
    """``replies``: to each piece of work, by its key. ``began``: monotonic seconds."""
    right = {key: [reply for reply in messages if reply.kind == wanted] for key, messages in replies.items()}
    rest = [reply for messages in replies.values() for reply in messages if reply.kind != wanted]
    return Outcome(
        works=len(replies),
        lost=[key for key, messages in right.items() if not messages],
        double=[key for key, messages in right.items() if len(messages) > 1],
        orphans=[reply for reply in rest if reply.kind == "placeholder"],
        others=[reply.text for reply in rest if reply.kind != "placeholder"],
        kills=kills,
        seconds=time.monotonic() - began,
    )


def _orphans_by_kill(found: Outcome) -> list[int]:
    """Orphans that were posted before each kill, and after the one before it; the last: after all."""
    counts = [0] * (len(found.kills) + 1)
    for orphan in found.orphans:
        counts[sum(kill.at + _GRACE < orphan.at for kill in found.kills)] += 1
    return counts


def figures(name: str, what: str, found: Outcome, seed: int) -> list[Figure]:
    """Lost, double, and the orphans of the worst kill: each fails where it is more than it may be."""
    kills = found.kills
    title = f"{name}{what}, kill -9 at {len(kills)} moments"
    hits = sum((kill.hit for kill in kills), Counter[str]())
    moments = ", ".join(f"{count} {moment}" for moment, count in hits.most_common()) or "nothing under way"
    down = ", ".join(f"{kill.down:.1f}" for kill in kills)
    others = f"; other messages: {sorted(set(found.others))}" if found.others else ""
    return [
        required(f"{title}: lost", name, len(found.lost), at_most(0),
                 f"of {found.works}; seed {seed}, {found.seconds:.0f} s; down for {down} s{others}"),
        required(f"{title}: double", name, len(found.double), at_most(0), f"at the kills: {moments}"),
        required(f"{title}: orphan placeholders of one kill", "messages", max(_orphans_by_kill(found)), at_most(1),
                 f"{len(found.orphans)} in all"),
    ]  # fmt: skip


def details(found: Outcome) -> dict[str, Any]:
    """As JSON."""
    return {
        "works": found.works,
        "lost": found.lost,
        "double": found.double,
        "orphans": [f"{each.message_id} {each.text}" for each in found.orphans],
        "others": found.others,
        "kills": [
            {"done": kill.moment.done, "call": kill.moment.call, "delay": kill.moment.delay,
             "posting": kill.moment.posting, "hit": dict(kill.hit),
             "down": kill.down, "orphans": orphans}
            for kill, orphans in zip(found.kills, _orphans_by_kill(found), strict=False)
        ],
    }  # fmt: skip
