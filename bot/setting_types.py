"""Types of settings whose values are checked or changed when they are read. A check raises ValueError."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, SecretStr

from bot.schedules import SPACE_KEY, parse_schedules

ALL_SPACES = "*"
_SHORTEST_SECRET = 16


def split_list(text: str) -> tuple[str, ...]:
    """Return the parts of a list with commas, without empty ones."""
    return tuple(filter(None, map(str.strip, text.split(","))))


def _check_web_address(url: str) -> str:
    parts = urlsplit(url)
    if url and (parts.scheme not in {"http", "https"} or not parts.hostname):
        raise ValueError("Not a web address. Write for example https://wiki.example.com")
    return url


def _normalise_entra_id(entra_id: str) -> str:
    """Return the id in lower case, as Teams writes the ids of its messages, with which it is compared."""
    return entra_id.strip().lower()


def _check_time_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        raise ValueError("Not a time zone. Write for example Europe/Berlin or UTC") from None
    return name


def _check_length(secret: SecretStr) -> SecretStr:
    if 0 < len(secret.get_secret_value()) < _SHORTEST_SECRET:
        raise ValueError(f"Shorter than {_SHORTEST_SECRET} characters. Make one with: openssl rand -hex 32")
    return secret


def _check_space_keys(spaces: str) -> str:
    for key in split_list(spaces):
        if key != ALL_SPACES and not SPACE_KEY.fullmatch(key):
            raise ValueError(f"{key!r} is not the key of a space. Write for example ENG, PEO, or * for all")
    return spaces


def _check_schedule(schedule: str) -> str:
    parse_schedules(schedule)
    return schedule


WebAddress = Annotated[str, AfterValidator(_check_web_address)]
EntraId = Annotated[str, AfterValidator(_normalise_entra_id)]
TimeZone = Annotated[str, AfterValidator(_check_time_zone)]
LongSecret = Annotated[SecretStr, AfterValidator(_check_length)]
SpaceKeys = Annotated[str, AfterValidator(_check_space_keys)]
"""``ENG, PEO``, or ``*`` for all spaces."""
SyncSchedule = Annotated[str, AfterValidator(_check_schedule)]
"""See :func:`bot.schedules.parse_schedules`."""
