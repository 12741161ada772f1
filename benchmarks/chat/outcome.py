"""The outcome of all work while the server was killed repeatedly."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.chat.killing import Kill
from benchmarks.chat.left import BETWEEN
from benchmarks.chat.talk import Kind, Reply
from benchmarks.figure import Figure, at_most, check_figure


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of all work, by key. ``others``: texts of messages that are neither wanted nor orphans.

    ``double``: work with more than one message, and the number of the others. ``excused``: by kill, the double work
    that it hit between post and store on a platform without search for messages. ``finds_messages``: whether the
    platform has it.
    """

    works: int
    lost: list[str]
    double: dict[str, int]
    excused: list[frozenset[str]]
    orphans: list[Reply]
    others: list[str]
    kills: list[Kill]
    seconds: float
    finds_messages: bool

    @property
    def unexcused(self) -> list[str]:
        """The double work with more messages than the kills excuse."""
        return sorted(key for key, others in self.double.items() if others > sum(key in each for each in self.excused))


def outcome(
    replies: Mapping[str, Sequence[Reply]], wanted: Kind, kills: list[Kill], began: float, finds_messages: bool
) -> Outcome:
    """Return the outcome. ``replies``: to each piece of work, by key. ``began``: monotonic seconds."""
    right = {key: [reply for reply in messages if reply.kind == wanted] for key, messages in replies.items()}
    rest = [reply for messages in replies.values() for reply in messages if reply.kind != wanted]
    double = {key: len(messages) - 1 for key, messages in right.items() if len(messages) > 1}
    hit = [frozenset(key for key in double if kill.hit.get(key) == BETWEEN) for kill in kills]
    return Outcome(
        works=len(replies),
        lost=[key for key, messages in right.items() if not messages],
        double=double,
        excused=[frozenset() for _ in kills] if finds_messages else hit,
        orphans=[reply for reply in rest if reply.kind == "orphan"],
        others=[reply.text for reply in rest if reply.kind != "orphan"],
        kills=kills,
        seconds=time.monotonic() - began,
        finds_messages=finds_messages,
    )


def figures(name: str, what: str, found: Outcome, seed: int) -> list[Figure]:
    """Return the figures of lost and double work and orphans; each fails above its limit.

    On a platform without search for messages, a kill may leave a work sign until Teams ends it.
    """
    kills = found.kills
    title = f"{name}{what}" + (f", kill -9 at {len(kills)} moments" if kills else "")
    hits = sum((kill.counts for kill in kills), Counter[str]())
    moments = ", ".join(f"{count} {moment}" for moment, count in hits.most_common()) or "nothing under way"
    down = ", ".join(f"{kill.down:.1f}" for kill in kills)
    others = f"; other messages: {sorted(set(found.others))}" if found.others else ""
    return [
        check_figure(f"{title}: lost", name, len(found.lost), at_most(0),
                 f"of {found.works}; seed {seed}, {found.seconds:.0f} s; down for {down} s{others}"),
        check_figure(f"{title}: double, though that could be known", name, len(found.unexcused), at_most(0),
                 f"at the kills: {moments}"),
        check_figure(f"{title}: double by one kill", name, max(map(len, found.excused), default=0), at_most(1),
                 f"{len(found.double)} in all"),
        check_figure(f"{title}: orphans", "messages", len(found.orphans),
                 at_most(0 if found.finds_messages else len(kills))),
    ]  # fmt: skip


def details(found: Outcome) -> dict[str, Any]:
    """Return all details as JSON."""
    return {
        "works": found.works,
        "lost": found.lost,
        "double": {key: [kill.hit.get(key, "") for kill in found.kills] for key in found.double},
        "orphans": [f"{each.message_id} {each.text}" for each in found.orphans],
        "others": found.others,
        "kills": [
            {"done": kill.moment.done, "call": kill.moment.call, "delay": kill.moment.delay,
             "posting": kill.moment.posting, "hit": dict(kill.counts), "down": kill.down, "excused": sorted(excused)}
            for kill, excused in zip(found.kills, found.excused, strict=True)
        ],
    }  # fmt: skip
