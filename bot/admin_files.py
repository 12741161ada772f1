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
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, cast

from core.access import Channel, Channels
from core.accounts import ChatAccounts, parse_accounts
from core.chat.listening import FollowUps
from core.errors import AccountsUnreadable, SettingsInvalid
from core.text import remove_invisible

logger = logging.getLogger(__name__)

_CHANNEL_KEYS, _SPACE_KEYS = {"spaces", "follow_ups"}, {"contact"}
_SETTLED_SECONDS = (
    2.0  # an editor or a deployment writes such a file within less, and some file systems round times to 2
)


class _FileVersion(NamedTuple):
    modified: int  # nanoseconds, as the next
    changed: int  # differs where a tool keeps the modification time
    size: int
    inode: int


@dataclass(frozen=True, slots=True)
class _Reading:
    """What was read of a file. ``settled``: it was not being written; otherwise it may be a part of the content."""

    text: str
    settled: bool


class _AdminFile:
    """A text file that may be written at any time, also while it is read.

    ``clock``: returns seconds since the epoch, as the times of files are.
    """

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        self._path = path
        self._clock = clock
        self._settled: _FileVersion | None = None
        self._seen: tuple[_FileVersion, float] | None = (
            None  # a version that is not settled, and since when it is there
        )

    def read_change(self) -> _Reading | None:
        """Return the content, or None if it is the same as the last settled one. Raises OSError, UnicodeDecodeError."""
        version = _get_version(self._path)
        if version == self._settled:
            return None
        text = self._path.read_text("utf-8-sig")
        return _Reading(text, self._settle(version))

    def _settle(self, version: _FileVersion) -> bool:
        """Return whether the version that was just read is settled, and remember it.

        A younger file may change again without a new version, because the times of files are coarse.
        """
        if _get_version(self._path) != version:
            return False
        now = self._clock()
        if self._seen is None or self._seen[0] != version:
            self._seen = version, now
        # A clock of files that is ahead of ours makes a file look young for long.
        age = max(now - max(version.modified, version.changed) / 1e9, now - self._seen[1])
        if age < _SETTLED_SECONDS:
            return False
        self._settled = version
        return True


def _get_version(path: Path) -> _FileVersion:
    status = path.stat()
    return _FileVersion(status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


def read_channels(path: str) -> Channels:
    """Read the channels file; empty if ``path`` is "". Raises SettingsInvalid saying what is wrong in it."""
    if not path:
        return Channels()
    with _explain_errors(path):
        return _parse(_load(Path(path).read_text("utf-8-sig")))


@contextmanager
def _explain_errors(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SettingsInvalid(
            f"The channels file {path} cannot be read: {error.strerror}. Correct WIKIWHY_CHANNELS, or unset it."
        ) from error
    except ValueError as error:  # of TOML and UTF-8 too
        raise SettingsInvalid(f"The channels file {path} is invalid: {error}. Correct it.") from error


class ChannelsFile:
    """The channels file, read again after a change.

    A channel that the file does not name has the default spaces, so a part of the file may open more than the whole.
    Therefore the last content is used while the file is written, and if it becomes empty, invalid or unreadable.
    """

    def __init__(self, path: str, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._file = _AdminFile(Path(path), clock)
        self._channels = read_channels(path)
        self._warned = ""
        if path and self._channels == Channels():
            logger.warning("The channels file %s has no entries: all channels have the default spaces.", path)

    def read(self) -> Channels:
        if self._path:
            try:
                with _explain_errors(self._path):
                    self._read_change()
            except SettingsInvalid as error:
                self._warn(str(error))
        return self._channels

    def _read_change(self) -> None:
        reading = self._file.read_change()
        self._warned = ""
        if reading is None or not reading.settled:
            return
        data = _load(reading.text)
        if not data and self._channels != Channels():
            raise ValueError("it is empty. To remove all entries, write [channels] alone")
        self._channels = _parse(data)

    def _warn(self, problem: str) -> None:
        """Log a problem once, not for each message."""
        if problem != self._warned:
            logger.warning("%s Until then its last content is used.", problem)
        self._warned = problem


def _load(text: str) -> dict[str, Any]:
    """Parse TOML without the invisible characters that an id has if it was copied from a message in Teams."""
    return tomllib.loads(remove_invisible(text))


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
    """The accounts file, read again after a change. ``path`` "": there is no file.

    The last content is used while the file is written, since half a line may name another account. Without one, the
    last line is left out until its end is there.
    """

    def __init__(self, path: str, clock: Callable[[], float] = time.time) -> None:
        self._path = Path(path).expanduser() if path else None
        self._file = _AdminFile(self._path, clock) if self._path else None
        self._text: str | None = None
        self._accounts = ChatAccounts()

    def read(self) -> ChatAccounts:
        """Return the file's content. Raises AccountsUnreadable, even if the file could be read before."""
        if self._file is None:
            return self._accounts
        try:
            reading = self._file.read_change()
        except UnicodeDecodeError as error:
            self._text = None
            raise AccountsUnreadable(
                f"WIKIWHY_ACCOUNTS names {self._path}, which is not text in UTF-8. Save it as CSV in UTF-8."
            ) from error
        except OSError as error:
            self._text = None
            raise AccountsUnreadable(
                f"WIKIWHY_ACCOUNTS names {self._path}, which cannot be read: {error.strerror or error}. Put the file "
                "there, or correct or unset the setting."
            ) from error
        if reading and not reading.settled and self._text is None:
            reading = replace(reading, text=reading.text[: reading.text.rfind("\n") + 1], settled=True)
        if reading and reading.settled and reading.text != self._text:
            self._text, self._accounts = reading.text, parse_accounts(reading.text)
            for problem in self._accounts.errors:
                logger.warning("%s, %s", self._path, problem)
        return self._accounts
