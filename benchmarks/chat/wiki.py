"""A wiki that is indexed once, for any number of bots with files or with PostgreSQL."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.child import wikiwhy
from benchmarks.corpus import ROOT
from evaluation.questions import read_questions
from tests.servers.postgres import PostgresServer

_TEMPLATE = "wiki"
SAMPLES = ROOT / "samples"


@dataclass(frozen=True, slots=True)
class Wiki:
    """``files``: a data directory with the indexed wiki. ``texts``: intent-explicit questions about it."""

    files: Path
    texts: list[str]

    @classmethod
    def make(
        cls, files: Path, documents: Path = SAMPLES / "documents", questions: Path = SAMPLES / "questions.json"
    ) -> Wiki:
        """Sync the documents into ``files``, unless that was done before."""
        wikiwhy("sync", "folder", documents, "--data-dir", files)
        turns = [turn for turns in read_questions(questions.read_text("utf-8"), "both") for turn in turns]
        return cls(files, [turn.human_completed for turn in turns])

    def copy(self, data: Path) -> None:
        """Make a data directory with the wiki."""
        shutil.copytree(self.files, data)

    @contextmanager
    def open_database(self, server: PostgresServer) -> Iterator[str]:
        """Yield the URL of a new database with the wiki."""
        with server.connect("postgres") as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (_TEMPLATE,)).fetchone()
        if not found:
            server.execute("CREATE DATABASE {}", _TEMPLATE)
            wikiwhy("db", "copy", "--data-dir", self.files, settings={"WIKIWHY_DATABASE_URL": server.url(_TEMPLATE)})
        with server.new_database(_TEMPLATE) as url:
            yield url
