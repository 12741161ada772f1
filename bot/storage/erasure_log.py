"""The erasure log: a file that lists what was erased, so that a restored backup does not bring it back.

The database has the same list, which the erasing transaction writes. The file is a copy outside of backups, so it has
entries that a restored database lacks. These are erased again before the first question is answered.
"""

from __future__ import annotations

import json
import logging
import os
import re
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from adapters.private_files import make_private_file
from adapters.store.database import Database
from adapters.store.erasure_list import SqlErasureList, erase_again
from adapters.store.statements import now
from core.errors import ErasureLogUnusable
from core.ports.administration import Erasure

_OVERLAP = timedelta(hours=1)
"""How much older an entry's time may be than that of an entry committed before it, since the bots' clocks differ."""

_BEGINNING = re.compile(r'(?=\{"erasure_id")')
"""The beginning of an entry. No value contains it, because quotes in values are escaped."""

logger = logging.getLogger(__name__)


class ErasureLog:
    """A file with one JSON object per line. Each method blocks, and raises ErasureLogUnusable if the file fails."""

    def __init__(self, path: Path, database: Database) -> None:
        self._path = path
        self._database = database
        self._list = SqlErasureList(database)
        self._written: set[str] = set()
        self._written_until = ""
        self._lock = threading.Lock()

    def replay(self, pseudonym: str) -> str:
        """Erase what the file lists and the database does not. Return a description of what was erased, "" if nothing.

        ``pseudonym``: replaces the ids of persons that are forgotten again.
        """
        listed = self._read()
        self._check_database(listed)
        self._written = {each.erasure_id for each in listed}
        missing = self._list.find_missing(listed)
        erased = erase_again(self._database, missing, now(), pseudonym) if missing else ""
        if not self._list.find_database_ids():
            self._list.add_database_id()
        if erased:
            logger.warning("This database is older than %s. Erased again: %s.", self._path.name, erased)
        self.write()
        return erased

    def write(self) -> None:
        """Append the entries that the database has and the file lacks."""
        with self._lock:
            began = datetime.now(UTC)
            erased = self._list.list_since(self._written_until)
            if self._list.count() > len(self._written.union(each.erasure_id for each in erased)):
                erased = self._list.list_since("")  # some have an older time, because a clock was changed
            self._append(each for each in erased if each.erasure_id not in self._written)
            self._written.update(each.erasure_id for each in erased)
            self._written_until = (began - _OVERLAP).isoformat(timespec="seconds")

    def _check_database(self, listed: Sequence[Erasure]) -> None:
        """Raise ErasureLogUnusable if the log belongs to another database, whose erasures do not apply to this one."""
        listing = {each.object for each in listed if each.kind == "database"}
        own = self._list.find_database_ids()
        if listing and own and own.isdisjoint(listing):
            raise ErasureLogUnusable(
                f"{self._path} belongs to another database than {self._database.place}. Name the --data-dir or the "
                "WIKIWHY_ERASURE_LOG of this database. If it has none, move this file back to its own database."
            )

    def _read(self) -> list[Erasure]:
        try:
            if self._path.exists():
                with self._path.open("r+b") as file:
                    _cut_incomplete_line(file)
            text = self._path.read_text("utf-8") if self._path.exists() else ""
            lines = enumerate(text.removesuffix("\n").split("\n"), 1) if text else ()
            return [entry for number, line in lines for entry in self._parse_line(line, number)]
        except (ValueError, TypeError) as error:
            raise ErasureLogUnusable(
                f"{self._path} is damaged: {error}. It lists what must not come back from a backup. Restore the last "
                "copy of it, or move it away if no backup was restored."
            ) from error
        except OSError as error:
            raise self._make_error(error) from error

    def _parse_line(self, line: str, number: int) -> list[Erasure]:
        """Return the entries of a line. Raises ValueError and TypeError if it does not end with one.

        Where the disk was full, earlier versions left the beginning of an entry, and wrote the next one behind it.
        """
        *cut, last = [part for part in _BEGINNING.split(line) if part] or [line]
        entries = [_complete(part) for part in cut]
        if None in entries:
            logger.warning(
                "%s, line %d: a full disk cut off an entry, which cannot be read; the others are used. If this "
                "database was restored from a backup, sync all spaces before anybody can ask.",
                self._path,
                number,
            )
        return [*(entry for entry in entries if entry), Erasure(**json.loads(last))]

    def _append(self, erased: Iterable[Erasure]) -> None:
        lines = "".join(f"{json.dumps(asdict(each))}\n" for each in erased).encode()
        if not lines:
            return
        try:
            make_private_file(self._path)
            with self._path.open("r+b", buffering=0) as file:
                end = _cut_incomplete_line(file)
                try:
                    _write_all(file, lines)
                    os.fsync(file.fileno())
                except OSError:
                    file.truncate(end)  # all lines are written again by the next call
                    raise
        except OSError as error:
            raise self._make_error(error) from error

    def _make_error(self, error: OSError) -> ErasureLogUnusable:
        return ErasureLogUnusable(
            f"The erasure log {self._path} cannot be used: {error.strerror or error}. Check its folder, its "
            "permissions and the free space, or name another file with WIKIWHY_ERASURE_LOG."
        )


def _complete(beginning: str) -> Erasure | None:
    """Return the entry of which this is the beginning, or None if a part of its values is missing."""
    for ending in ("", "}"):
        with suppress(ValueError, TypeError):
            return Erasure(**json.loads(beginning + ending))
    return None


def _cut_incomplete_line(file: BinaryIO) -> int:
    """Remove an incomplete last line, which a full disk or a stopped machine left. Return the size, and seek to it."""
    size = file.seek(0, os.SEEK_END)
    if size:
        file.seek(size - 1)
        if file.read(1) != b"\n":
            file.seek(0)
            size = file.read().rfind(b"\n") + 1
            file.truncate(size)
    return file.seek(size)


def _write_all(file: BinaryIO, content: bytes) -> None:
    """Write to an unbuffered file. On a full disk, the first write may be short, and the next one raises OSError."""
    left = memoryview(content)
    while left:
        left = left[file.write(left) :]
