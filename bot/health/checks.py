"""All checks, in the order in which ``wikiwhy doctor`` shows them.

The checks change nothing: no migration, no rebuilt index, no new directory. The data directory is owned while its
indexes are checked. An unexpected exception of a check becomes a finding, and the other checks continue.
"""

from __future__ import annotations

import difflib
import os
import platform
import shutil
import sqlite3
import sys
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path

from adapters.postgres import parse_postgres_url
from adapters.private_files import is_private
from adapters.store.database import Database
from bot.health import data, services
from bot.operations.finding import SYNC, Finding, run_check
from bot.settings import Settings, load_settings, may_hold_secret
from bot.storage.data_directory import (
    DataDirectory,
    check_writable,
    describe_owner,
    find_files_open_to_others,
    find_running_server,
)
from bot.wiring import Application
from core.errors import WikiWhyError

_LITTLE_SPACE = 500 * 2**20
_OLDEST_PYTHON = (3, 11)


def check(data_dir: Path | None) -> list[Finding]:
    """Check every part, as far as the state of the other parts allows."""
    findings = [run_check("Python", _check_python), run_check("SQLite", _check_sqlite)]
    try:
        settings = load_settings(data_dir=data_dir)
    except WikiWhyError as error:
        broken = Finding("settings", "broken", str(error), "The checks below use the default settings.")
        findings.append(broken)
        settings = Settings.model_construct(data_dir=data_dir or Path(os.environ.get("WIKIWHY_DATA_DIR") or "data"))
    else:
        findings.append(run_check("settings", _check_settings))
    findings.append(run_check("settings files", lambda: check_settings_files(Path.cwd())))
    directory = DataDirectory(settings.data_dir)
    findings.append(run_check("data directory", lambda: _check_data_directory(directory.path)))
    findings.append(run_check("file permissions", lambda: check_permissions(directory.path)))
    if parse_postgres_url(settings.database_url):
        findings.append(run_check("old files", lambda: _check_old_files(directory)))
    findings.append(run_check("disk space", lambda: _check_disk_space(directory.path)))
    findings.append(run_check("embedder", lambda: services.check_embedder(settings)))
    findings.append(run_check("language model", lambda: services.check_language_model(settings)))
    if settings.reranker != "none":
        findings.append(run_check("reranker", lambda: services.check_reranker(settings)))
    if settings.confluence_url or settings.confluence_token.get_secret_value():
        findings.append(run_check("Confluence", lambda: services.check_confluence(settings)))
    if settings.jira_url or settings.jira_token.get_secret_value():
        findings.append(run_check("Jira", lambda: services.check_jira(settings)))
    findings += _check_chats(settings)
    if settings.accounts:
        findings.append(run_check("chat accounts", lambda: services.check_chat_accounts(settings)))
    with data.open_database(settings, directory) as database:
        findings.append(run_check("database", lambda: data.check_revision(database)))
        if isinstance(database, Database) and findings[-1].state == "works":
            findings += data.check_application(Application(settings, directory, database))
    return findings


def _check_chats(settings: Settings) -> list[Finding]:
    """Check Slack and Teams, each if at least one of its settings is set."""
    secrets = (settings.slack_bot_token, settings.slack_signing_secret, settings.slack_app_token)
    names_slack = any(secret.get_secret_value() for secret in secrets)
    password = settings.teams_app_password.get_secret_value()
    names_teams = settings.teams_app_id or password or settings.teams_tenant_id or settings.teams_anonymous
    if not names_slack and not names_teams:
        return []
    from bot.health import chats  # slow to import, and only needed for a chat platform

    return [
        *(chats.check_slack(settings) if names_slack else ()),
        *(chats.check_teams(settings) if names_teams else ()),
    ]


def _check_python() -> Finding:
    version = platform.python_version()
    if sys.version_info < _OLDEST_PYTHON:
        return Finding("Python", "broken", version, "Install Python 3.11 or newer.")
    return Finding("Python", "works", version)


def _check_sqlite() -> Finding:
    try:
        with sqlite3.connect(":memory:") as connection:
            connection.execute("CREATE VIRTUAL TABLE probe USING fts5 (text)")
    except sqlite3.Error as error:
        advice = "Use a Python whose SQLite has FTS5, for example one from python.org or your distribution."
        return Finding("SQLite", "broken", f"{sqlite3.sqlite_version} without full-text search: {error}", advice)
    return Finding("SQLite", "works", f"{sqlite3.sqlite_version} with full-text search (FTS5)")


def _check_settings() -> Finding:
    unknown = find_unknown_settings(Path.cwd(), os.environ)
    if unknown:
        return Finding("settings", "note", f"unknown and ignored: {', '.join(unknown)}", "Correct or remove them.")
    return Finding("settings", "works", "all valid")


def find_unknown_settings(folder: Path, environment: Mapping[str, str]) -> list[str]:
    """Return names that look like settings but are unknown, with a guess: ``WIKIWHY_EMBEDER (WIKIWHY_EMBEDDER?)``."""
    from dotenv import dotenv_values

    prefix = "WIKIWHY_"
    known = {f"{prefix}{name.upper()}" for name in Settings.model_fields} | {f"{prefix}LOG_LEVEL"}
    names = [*environment, *dotenv_values(folder / ".env")]
    unknown = {name for name in names if name.upper().startswith(prefix) and name.upper() not in known}
    found = [_add_guess(name, name.upper(), known) for name in sorted(unknown)]
    toml = folder / "wikiwhy.toml"
    keys = tomllib.loads(toml.read_text("utf-8")) if toml.is_file() else {}
    return found + [
        _add_guess(f"{key} in wikiwhy.toml", key, set(Settings.model_fields))
        for key in sorted(keys.keys() - Settings.model_fields.keys())
    ]


def check_settings_files(folder: Path) -> Finding:
    """Check that no other user of the machine can read secrets in ``.env`` or ``wikiwhy.toml``."""
    part = "settings files"
    read = [path for path in (folder / ".env", folder / "wikiwhy.toml") if path.is_file() and _names_secret(path)]
    if found := [path.name for path in read if not is_private(path.resolve())]:
        names = " and ".join(found)
        advice = f"Run: chmod go= {' '.join(found)}. If somebody may have read a secret, replace it."
        return Finding(part, "note", f"other users may use {names}, which contains secrets", advice)
    return Finding(part, "works", "no other user can read secrets in .env or wikiwhy.toml")


def _names_secret(path: Path) -> bool:
    """Whether a file has a value for a setting that may hold a secret."""
    from dotenv import dotenv_values

    values = tomllib.loads(path.read_text("utf-8")) if path.suffix == ".toml" else dotenv_values(path)
    names = {name.lower().removeprefix("wikiwhy_"): value for name, value in values.items()}
    return any(value and name in Settings.model_fields and may_hold_secret(name) for name, value in names.items())


def _add_guess(shown: str, name: str, known: Collection[str]) -> str:
    guesses = difflib.get_close_matches(name, known, n=1)
    return f"{shown} ({guesses[0]}?)" if guesses else shown


def _check_data_directory(path: Path) -> Finding:
    part = "data directory"
    if not path.exists():
        if not _find_nearest(path).is_dir():
            advice = "Move the file away, or name another directory with --data-dir."
            return Finding(part, "broken", f"{path.resolve()}: a file with this name exists", advice)
        return Finding(part, "note", f"{path.resolve()} does not exist yet", f"The first sync creates it. {SYNC}")
    check_writable(path)
    if server := find_running_server(path):
        found = f"{path.resolve()} is in use by wikiwhy serve (pid {server.pid}), which runs the other commands"
        return Finding(part, "works", found)
    owner = describe_owner(path)
    if owner:
        return Finding(
            part, "note", f"{path.resolve()} is in use by {owner}", "Other commands wait until it has ended."
        )
    return Finding(part, "works", f"{path.resolve()} can be read and written")


def check_permissions(path: Path) -> Finding:
    """Check that other users of the machine cannot read or write the data."""
    part = "file permissions"
    found = find_files_open_to_others(DataDirectory(path)) if path.exists() else []
    if found:
        advice = "The next command that uses the data removes these permissions. If it cannot, run: chmod -R go= FILES"
        return Finding(part, "note", f"other users may use {len(found)} files, for example {found[0]}", advice)
    return Finding(part, "works", "only this user can use the data")


def _check_old_files(directory: DataDirectory) -> Finding:
    """Check that no files from before the change to PostgreSQL are left, since nothing is ever removed from them."""
    part = "old files"
    if left := directory.databases:
        found = f"{', '.join(file.name for file in left)} in {directory.path.resolve()}, although PostgreSQL is used"
        advice = (
            "Pages, questions and people that are removed from PostgreSQL stay in these files. If they are not copied "
            "yet, run: wikiwhy db copy. Check the copy, then delete the files and their backups."
        )
        return Finding(part, "note", found, advice)
    return Finding(part, "works", "none: pages and questions are in PostgreSQL only")


def _check_disk_space(path: Path) -> Finding:
    free = shutil.disk_usage(_find_nearest(path)).free
    if free < _LITTLE_SPACE:
        advice = "Free some space before the next sync."
        return Finding("disk space", "note", f"only {free / 2**20:.0f} MB are free", advice)
    return Finding("disk space", "works", f"{free / 2**30:.1f} GB free")


def _find_nearest(path: Path) -> Path:
    """Return the path or its nearest parent that exists, as far as this user may see."""
    places = (path.resolve(), *path.resolve().parents)
    return next(place for place in places if os.path.exists(place))  # noqa: PTH110 - Path.exists raises below them
