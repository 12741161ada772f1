"""The machine, the settings, and the place where the data is."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import sys
from pathlib import Path

from bot.data_directory import DataDirectory, check_writable, find_running_server, open_to_others, owner_of
from bot.finding import SYNC, Finding
from bot.settings import find_unknown_settings

_LITTLE_SPACE = 500 * 2**20
_OLDEST_PYTHON = (3, 11)


def python() -> Finding:
    version = platform.python_version()
    if sys.version_info < _OLDEST_PYTHON:
        return Finding("Python", "broken", version, "Install Python 3.11 or newer.")
    return Finding("Python", "works", version)


def sqlite() -> Finding:
    try:
        with sqlite3.connect(":memory:") as connection:
            connection.execute("CREATE VIRTUAL TABLE probe USING fts5 (text)")
    except sqlite3.Error as error:
        advice = "Use a Python whose SQLite has FTS5, for example one from python.org or your distribution."
        return Finding("SQLite", "broken", f"{sqlite3.sqlite_version} without full-text search: {error}", advice)
    return Finding("SQLite", "works", f"{sqlite3.sqlite_version} with full-text search (FTS5)")


def settings() -> Finding:
    unknown = find_unknown_settings(Path.cwd(), os.environ)
    if unknown:
        return Finding("settings", "note", f"not known and not used: {', '.join(unknown)}", "Correct or remove them.")
    return Finding("settings", "works", "all usable")


def data_directory(path: Path) -> Finding:
    part = "data directory"
    if not path.exists():
        if not _nearest(path).is_dir():
            advice = "Move the file away, or name another directory with --data-dir."
            return Finding(part, "broken", f"{path.resolve()}: a file is in its place", advice)
        return Finding(part, "note", f"{path.resolve()} does not exist yet", f"The first sync makes it. {SYNC}")
    check_writable(path)
    if server := find_running_server(path):
        found = f"{path.resolve()} is served by wikiwhy serve (pid {server.pid}), which does the work of other commands"
        return Finding(part, "works", found)
    owner = owner_of(path)
    if owner:
        return Finding(part, "note", f"{path.resolve()} is in use by {owner}", "Other commands have to wait for that.")
    return Finding(part, "works", f"{path.resolve()} can be read and written")


def privacy(path: Path) -> Finding:
    """Whether other users of the machine cannot use the data."""
    part = "file permissions"
    found = open_to_others(DataDirectory(path)) if path.exists() else []
    if found:
        advice = "The next command that uses the data takes them from others; if it cannot, run: chmod -R go= on them."
        return Finding(part, "note", f"other users may use {len(found)} files, {found[0]} for one", advice)
    return Finding(part, "works", "only this user can use the data")


def disk_space(path: Path) -> Finding:
    free = shutil.disk_usage(_nearest(path)).free
    if free < _LITTLE_SPACE:
        return Finding("disk space", "note", f"only {free / 2**20:.0f} MB are free", "Make room before the next sync.")
    return Finding("disk space", "works", f"{free / 2**30:.1f} GB free")


def _nearest(path: Path) -> Path:
    """The path, or the first of its parents, that exists as far as we may see."""
    places = (path.resolve(), *path.resolve().parents)
    return next(place for place in places if os.path.exists(place))  # noqa: PTH110 - Path.exists raises below them
