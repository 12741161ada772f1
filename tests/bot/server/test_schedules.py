"""Schedules as the server follows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from bot.schedules import parse_schedules
from bot.server.syncs import ScheduledSyncs
from core.ports import SpaceSummary

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@dataclass
class Syncs:
    """Spaces with the time of their last sync, and a sync that does what a test says."""

    works: bool = True
    now: datetime = NOON
    last: dict[str, datetime] = field(default_factory=dict)
    done: list[list[str]] = field(default_factory=list)

    async def summaries(self) -> list[SpaceSummary]:
        return [SpaceSummary(key, "confluence x", 1, {}, at.isoformat(), "") for key, at in self.last.items()]

    async def sync(self, keys: Sequence[str]) -> None:
        self.done.append(list(keys))
        if self.works:
            self.last |= dict.fromkeys(keys, self.now)


def following(syncs: Syncs, schedule: str) -> ScheduledSyncs:
    return ScheduledSyncs(parse_schedules(schedule), syncs, syncs.sync)  # type: ignore[arg-type]


async def test_a_space_is_synced_when_its_time_has_come() -> None:
    syncs = Syncs(last={"ENG": NOON - timedelta(minutes=30), "PEO": NOON - timedelta(minutes=30)})
    schedules = following(syncs, "ENG: @hourly; PEO: @daily")
    assert await schedules.sync_due(NOON - timedelta(minutes=20)) == 60
    assert await schedules.sync_due(NOON - timedelta(seconds=20)) == 20
    assert syncs.done == []
    await schedules.sync_due(NOON)
    assert syncs.done == [["ENG"]]
    assert await schedules.sync_due(NOON + timedelta(seconds=1)) == 60
    assert len(syncs.done) == 1


async def test_a_space_that_was_never_synced_is_synced_at_once() -> None:
    syncs = Syncs()
    await following(syncs, "ENG, PEO: @daily").sync_due(NOON)
    assert syncs.done == [["ENG"], ["PEO"]]


async def test_a_sync_that_fails_is_not_tried_again_at_once() -> None:
    syncs = Syncs(works=False)
    schedules = following(syncs, "ENG: @daily")
    for minutes in (0, 1, 29):
        await schedules.sync_due(NOON + timedelta(minutes=minutes))
    assert len(syncs.done) == 1
    await schedules.sync_due(NOON + timedelta(minutes=30))
    assert len(syncs.done) == 2


async def test_what_fails_once_does_not_end_the_schedules() -> None:
    import asyncio

    class Failing(Syncs):
        async def summaries(self) -> list[SpaceSummary]:
            raise OSError("the disk is away")

    schedules = following(Failing(), "ENG: @daily")
    await schedules.start()
    await asyncio.sleep(0.05)
    assert schedules.ready() == ""
    await schedules.stop()
    assert schedules.ready() != ""
