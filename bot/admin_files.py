"""The admin's two files: of channels (spaces, when the bot answers, contacts), and of accounts.

An example of the channels file::

    [channels."slack:T012AB3CD:C045EF6GH"]
    spaces = ["ENG", "PEO"]
    follow_ups = "mention"

    [spaces.ENG]
    contact = "#engineering-help"
"""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from core.access import Channel, Channels
from core.accounts import ChatAccounts, parse_accounts
from core.chat.listening import FollowUps
from core.errors import AccountsUnreadable, SettingsInvalid

_FileVersion = tuple[int, int, int, int]

logger = logging.getLogger(__name__)

_CHANNEL_KEYS, _SPACE_KEYS = {"spaces", "follow_ups"}, {"contact"}


def read_channels(path: str) -> Channels:
    """Read the channels file; empty if ``path`` is "". Raises SettingsInvalid saying what is wrong in it."""
    if not path:
        return Channels()
    try:
        return _parse(tomllib.loads(Path(path).read_text("utf-8-sig")))
    except OSError as error:
        raise SettingsInvalid(
            f"The channels file {path} cannot be read: {error.strerror}. Correct WIKIWHY_CHANNELS, or unset it."
        ) from error
    except (ValueError, tomllib.TOMLDecodeError) as error:
        raise SettingsInvalid(f"The channels file {path} is invalid: {error}. Correct it.") from error


class ChannelsFile:
    """The channels file, read again after a change. If it becomes unreadable, the last content is used."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._changed: int | None = None
        self._channels = read_channels(path)

    def read(self) -> Channels:
        if not self._path:
            return self._channels
        try:
            changed = Path(self._path).stat().st_mtime_ns
        except OSError:
            changed = 0  # the same at each call, so that the warning is logged once and not for every message
        if changed != self._changed:
            self._changed = changed
            try:
                self._channels = read_channels(self._path)
            except SettingsInvalid as error:
                logger.warning("%s Until then its last content is used.", error)
        return self._channels


def _parse(data: Mapping[str, Any]) -> Channels:
    if unknown := data.keys() - {"channels", "spaces"}:
        raise ValueError(f"{', '.join(sorted(unknown))} is neither [channels.…] nor [spaces.…]")
    channels, spaces = (_get_tables(data, name) for name in ("channels", "spaces"))
    return Channels(
        {key: _parse_channel(key, _check_table(value, key, _CHANNEL_KEYS)) for key, value in channels.items()},
        {key: _parse_contact(key, _check_table(value, key, _SPACE_KEYS)) for key, value in spaces.items()},
    )


def _get_tables(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    tables = data.get(name, {})
    if not isinstance(tables, dict):
        raise ValueError(f"{name} must be tables, such as [{name}.…]")
    return tables


def _check_table(value: Any, key: str, known: set[str]) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{key} must be a table with {', '.join(sorted(known))}")
    if unknown := value.keys() - known:
        raise ValueError(f"{key} has {', '.join(sorted(unknown))}, which is none of {', '.join(sorted(known))}")
    return value


def _parse_channel(key: str, table: Mapping[str, Any]) -> Channel:
    if key.count(":") < 2 or key.split(":", 1)[0] not in {"slack", "teams"}:
        raise ValueError(f'{key} is not a channel. Write for example [channels."slack:T012AB3CD:C045EF6GH"]')
    spaces = table.get("spaces")
    if spaces is not None and (not isinstance(spaces, list) or not all(isinstance(space, str) for space in spaces)):
        raise ValueError(f'spaces of {key} is not a list of keys such as ["ENG", "PEO"]')
    follow_ups = table.get("follow_ups", "thread")
    if follow_ups not in {"thread", "mention"}:
        raise ValueError(f'follow_ups of {key} is neither "thread" nor "mention"')
    return Channel(None if spaces is None else frozenset(spaces), cast(FollowUps, follow_ups))


def _parse_contact(key: str, table: Mapping[str, Any]) -> str:
    contact = table.get("contact", "")
    if not isinstance(contact, str):
        raise ValueError(f"the contact of {key} is not text")
    return contact


class AccountsFile:
    """The accounts file, read again after a change. ``path`` "": there is no file."""

    def __init__(self, path: str) -> None:
        self._path = Path(path).expanduser() if path else None
        self._read: tuple[_FileVersion, ChatAccounts] | None = None

    def read(self) -> ChatAccounts:
        """Return the file's content. Raises AccountsUnreadable, even if the file could be read before."""
        if self._path is None:
            return ChatAccounts()
        try:
            status = self._path.stat()
            version = status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
            if self._read is None or self._read[0] != version:
                accounts = parse_accounts(self._path.read_text("utf-8-sig"))
                for error in accounts.errors:
                    logger.warning("%s, %s", self._path, error)
                self._read = version, accounts
        except UnicodeDecodeError as error:
            raise AccountsUnreadable(
                f"WIKIWHY_ACCOUNTS names {self._path}, which is not text in UTF-8. Save it as CSV in UTF-8."
            ) from error
        except OSError as error:
            raise AccountsUnreadable(
                f"WIKIWHY_ACCOUNTS names {self._path}, which cannot be read: {error.strerror or error}. Put the file "
                "there, or correct or unset the setting."
            ) from error
        return self._read[1]
