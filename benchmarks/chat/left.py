"""The progress of each piece of work of a killed server, read from its files or from PostgreSQL."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

BEFORE_START = "before the start was committed"
BEFORE_TURN = "before the turn"
BEFORE_POST = "between turn and post"
EXPLAINING = "during the explanation"
BETWEEN = "between post and store"
AFTER_POST = "after it was stored"


@dataclass(frozen=True, slots=True)
class Left:
    """The files' state. ``posts``: by key, whether the message is stored. ``turns``: ids. ``unfinished``: keys."""

    posts: dict[str, bool]
    turns: frozenset[str]
    started: frozenset[str]
    unfinished: frozenset[str]

    def moment(self, key: str, turn_id: str, posted: bool) -> str:
        """Return the progress of the work of this key, "" if it has ended. ``posted``: if it has a new message."""
        if self.posts.get(key):
            return AFTER_POST if key in self.unfinished else ""
        if key not in self.started:
            return BEFORE_START
        if posted:
            return BETWEEN
        if key.startswith("explain:"):
            return EXPLAINING
        return BEFORE_POST if turn_id in self.turns else BEFORE_TURN


def find_moments(left: Left, works: Iterable[tuple[str, str, int]], seen: dict[str, int]) -> dict[str, str]:
    """Return the progress of each piece of work that has not ended, by key.

    ``works``: key, turn id and number of visible messages. ``seen``: by key, this number at the last kill; is updated.
    A message that was visible then and is still not stored was hit by that kill, not by this one.
    """
    moments = {}
    for key, turn_id, messages in works:
        if moment := left.moment(key, turn_id, posted=messages > seen.get(key, 0)):
            moments[key] = moment
        seen[key] = messages
    return moments


def read_left_state(data: Path) -> Left:
    """Read the data directory of a server that has ended, without changes."""
    with _copied(data / "wikiwhy.db") as store, _copied(data / "workflows.db") as workflows:
        posts = dict(store.execute("SELECT key, finished FROM posts"))
        turns = frozenset(row[0] for row in store.execute("SELECT turn_id FROM turns"))
        works = dict(workflows.execute("SELECT workflow_uuid, status FROM workflow_status"))
    return _left(posts, turns, works)


def read_shared_state(url: str, data: Path) -> Left:
    """Read from PostgreSQL the work of the bot that was killed in this data directory, before it is taken over."""
    with psycopg.connect(url.replace("+psycopg", "")) as database:
        bot = database.execute("SELECT bot FROM bots WHERE home LIKE %s", (f"%:{data.resolve()}:%",)).fetchone()
        statuses = "SELECT workflow_uuid, status FROM dbos.workflow_status WHERE executor_id = %s"
        works: dict[str, str] = dict(database.execute(statuses, bot or ("",)).fetchall())
        posts = database.execute("SELECT key, finished FROM posts WHERE key = ANY(%s)", ([*works],)).fetchall()
        turns = frozenset(row[0] for row in database.execute("SELECT turn_id FROM turns"))
    return _left(dict(posts), turns, works)


def _left(posts: Mapping[str, object], turns: frozenset[str], works: Mapping[str, str]) -> Left:
    unfinished = frozenset(key for key, status in works.items() if status in {"PENDING", "ENQUEUED"})
    return Left({key: bool(finished) for key, finished in posts.items()}, turns, frozenset(works), unfinished)


@contextmanager
def _copied(path: Path) -> Iterator[sqlite3.Connection]:
    """Copy the database with its journal, since reading the file itself would write the journal into it."""
    with tempfile.TemporaryDirectory() as folder:
        for each in (path, path.with_name(f"{path.name}-wal")):
            if each.exists():
                shutil.copy(each, folder)
        with closing(sqlite3.connect(Path(folder) / path.name)) as connection:
            yield connection
