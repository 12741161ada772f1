"""The erasure log: a file with what was erased, so that a restored backup does not bring it back.

The database has the same list, written in the transaction that erases. The file is a copy of it that no backup has, so
it knows more than a database that was restored. Where it does, that is erased again before anybody can ask.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

from adapters.private_files import make_private_file
from adapters.store.database import Database
from adapters.store.erasure_list import SqlErasureList, erase_again
from adapters.store.rows import now
from core.errors import ErasureLogUnusable
from core.ports.administration import Erasure

_OVERLAP = timedelta(hours=1)
"""By how much the time of an entry may be before that of one that was committed earlier: clocks of bots differ."""

logger = logging.getLogger(__name__)


class ErasureLog:
    """One JSON object a line. Each method blocks, and raises ErasureLogUnusable where the file cannot be used."""

    def __init__(self, path: Path, database: Database) -> None:
        self._path = path
        self._database = database
        self._list = SqlErasureList(database)
        self._written: set[str] = set()
        self._written_until = ""
        self._lock = threading.Lock()

    def replay(self, pseudonym: str) -> str:
        """Erases what the file lists and the database does not; returns how much of it was there, "" if nothing.

        ``pseudonym``: of the persons that are forgotten again.
        """
        listed = self._read()
        self._check_database(listed)
        self._written = {each.erasure_id for each in listed}
        missing = self._list.find_missing(listed)
        erased = erase_again(self._database, missing, now(), pseudonym) if missing else ""
        if not self._list.find_database_ids():
            self._list.add_database_id()
        if erased:
            logger.warning("This database is older than %s: erased again: %s.", self._path.name, erased)
        self.write()
        return erased

    def write(self) -> None:
        """Adds what the database lists and the file does not."""
        with self._lock:
            began = datetime.now(UTC)
            erased = self._list.list_since(self._written_until)
            self._append(each for each in erased if each.erasure_id not in self._written)
            self._written.update(each.erasure_id for each in erased)
            self._written_until = (began - _OVERLAP).isoformat(timespec="seconds")

    def _check_database(self, listed: Sequence[Erasure]) -> None:
        """Raises ErasureLogUnusable where the log is another database's: that has erased what this one may keep."""
        listing = {each.object for each in listed if each.kind == "database"}
        own = self._list.find_database_ids()
        if listing and own and own.isdisjoint(listing):
            raise ErasureLogUnusable(
                f"{self._path} is of another database than {self._database.place}. Name that database's own --data-dir "
                "or its own WIKIWHY_ERASURE_LOG; if there is none, move this file away, to where it belongs."
            )

    def _read(self) -> list[Erasure]:
        try:
            text = self._path.read_text("utf-8") if self._path.exists() else ""
            if text and not text.endswith("\n"):  # the disk was full, or the machine stopped
                text = text[: text.rfind("\n") + 1]
                with self._path.open("r+b") as file:
                    file.truncate(len(text.encode()))
            return [Erasure(**json.loads(line)) for line in text.splitlines()]
        except (ValueError, TypeError) as error:
            raise ErasureLogUnusable(
                f"{self._path} is damaged: {error}. It says what must not come back from a backup. Put back the last "
                "copy of it, or move it away if no backup was restored."
            ) from error
        except OSError as error:
            raise self._make_error(error) from error

    def _append(self, erased: Iterable[Erasure]) -> None:
        lines = "".join(f"{json.dumps(asdict(each))}\n" for each in erased)
        if not lines:
            return
        try:
            make_private_file(self._path)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(lines)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise self._make_error(error) from error

    def _make_error(self, error: OSError) -> ErasureLogUnusable:
        return ErasureLogUnusable(
            f"The erasure log {self._path} cannot be used: {error.strerror or error}. See to its folder, room and "
            "rights, or name another file by WIKIWHY_ERASURE_LOG."
        )
