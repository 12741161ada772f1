"""A PostgreSQL server of its own, on a socket in a folder, where PostgreSQL and its driver are installed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError


def programs() -> Path | None:
    """The folder with PostgreSQL's programs, None where there are none."""
    found = [Path(path).parent for path in (shutil.which("initdb"),) if path]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in found if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """A new server without data; gives the URL of its database."""
    data = Path(tempfile.mkdtemp(prefix="pg"))  # a socket's path may have 107 bytes, a test's folder has more
    # PostgreSQL refuses to run as root.
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        shutil.chown(data, user)
    create = [folder / "initdb", "--auth=trust", "--username=wikiwhy", "--encoding=UTF8", "--locale=C", data / "data"]
    subprocess.run(create, user=user, cwd=data, check=True, capture_output=True)
    serve = [folder / "postgres", "-D", data / "data", "-k", data, "-c", "listen_addresses=", "-c", "fsync=off"]
    with (data / "log").open("wb") as log:
        server = subprocess.Popen(serve, user=user, cwd=data, stdout=log, stderr=log)
    try:
        url = f"postgresql+psycopg://wikiwhy@/postgres?host={data}"
        _wait_for(url, server)
        yield url
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)
        shutil.rmtree(data)


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    engine = create_engine(url)
    try:
        while server.poll() is None:
            try:
                with engine.connect():
                    return
            except OperationalError:
                time.sleep(0.05)
        raise RuntimeError("PostgreSQL ended at its start")
    finally:
        engine.dispose()


def emptied(url: str) -> str:
    """The URL, with the database as new."""
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    return url
