"""Sync schedules, such as ``ENG, PEO: 0 6 * * 1-5; OPS: @hourly``, and times relative to now as text for people."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from core.i18n import Value, message
from core.ports.pages import SpaceSummary

_MINUTE = timedelta(minutes=1)
SPACE_KEY = re.compile(r"[A-Za-z0-9._~-]+")
_NAMED = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_EXAMPLE = (
    'Write for example "ENG, PEO: 0 6 * * 1-5; OPS: @hourly": keys, a colon, and minute, hour, day, month, weekday'
)


@dataclass(frozen=True, slots=True)
class Schedule:
    """A cron expression of five fields, in a time zone."""

    expression: str
    zone: ZoneInfo

    def find_next(self, moment: datetime) -> datetime:
        """Return the first time after a timezone-aware moment, in UTC."""
        return next(CronSim(self.expression, moment.astimezone(self.zone))).astimezone(UTC)


def parse_schedules(text: str, zone: str = "UTC") -> dict[str, Schedule]:
    """Return the schedules by space key. Raises ValueError saying which part is wrong."""
    schedules: dict[str, Schedule] = {}
    for part in filter(None, map(str.strip, text.split(";"))):
        keys, colon, expression = (piece.strip() for piece in part.partition(":"))
        if not colon or not expression:
            raise ValueError(f"{part!r} has no key or no schedule. {_EXAMPLE}")
        schedule = Schedule(_expand_and_check(expression), ZoneInfo(zone))
        for key in map(str.strip, keys.split(",")):
            if not SPACE_KEY.fullmatch(key):
                raise ValueError(f"{key!r} in {part!r} is not the key of a space. {_EXAMPLE}")
            if key in schedules:
                raise ValueError(f"space {key} has two schedules. Give each space one schedule only")
            schedules[key] = schedule
    return schedules


def find_due(schedules: Mapping[str, Schedule], last_synced: Mapping[str, datetime | None], now: datetime) -> list[str]:
    """Return the keys of the spaces that became due since their last sync, the longest overdue first.

    A space that was never synced is due at once. All moments are timezone-aware.
    """
    times = find_next_due(schedules, last_synced, now)
    return [key for key, at in sorted(times.items(), key=lambda item: (item[1], item[0])) if at <= now]


def find_next_due(
    schedules: Mapping[str, Schedule], last_synced: Mapping[str, datetime | None], now: datetime
) -> dict[str, datetime]:
    """Return the time at which each space is due next, in UTC. A time in the past means that it is due now."""
    never = datetime.min.replace(tzinfo=UTC)
    return {
        key: never if (last := last_synced.get(key)) is None else schedule.find_next(min(last, now))
        for key, schedule in schedules.items()
    }


def find_last_syncs(summaries: Sequence[SpaceSummary]) -> dict[str, datetime]:
    """Return the end of each space's last complete sync, by key, for :func:`find_due`; none for a space without one."""
    return {summary.key: parse_moment(summary.synced_at) for summary in summaries if summary.synced_at}


def parse_moment(iso: str) -> datetime:
    """Parse a timezone-aware moment from ISO 8601; without a zone it is UTC."""
    parsed = datetime.fromisoformat(iso)
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def _expand_and_check(expression: str) -> str:
    cron = _NAMED.get(expression.lower(), expression)
    if expression.startswith("@") and cron == expression:
        raise ValueError(f"{expression} is none of {', '.join(_NAMED)}")
    if len(cron.split()) != 5:
        raise ValueError(f"{expression!r} does not have five fields. {_EXAMPLE}")
    try:
        next(CronSim(cron, datetime(2024, 1, 1, tzinfo=UTC)))
    except CronSimError as error:
        raise ValueError(f"{expression!r} is not a cron expression: {str(error).lower()}. {_EXAMPLE}") from None
    except StopIteration:
        raise ValueError(f"{expression!r} matches no date") from None
    return cron


def describe_past(moment: datetime, now: datetime) -> Value:
    """Return ``just now``, ``5 minutes ago``, ``3 days ago``."""
    return moment - now if now - moment >= _MINUTE else message("just now")


def describe_future(moment: datetime, now: datetime) -> Value:
    """Return ``now``, ``in less than a minute``, ``in 5 minutes``, ``in 3 days``."""
    if moment <= now:
        return message("now")
    return moment - now if moment - now >= _MINUTE else message("in less than a minute")
