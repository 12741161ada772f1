"""Whether each part works, and what to do if it does not: the checks behind ``wikiwhy doctor``.

They change nothing: no migration, no index made anew, no directory created. What only one process may open is owned
while it is checked. A check that fails in a way nobody
thought of is a finding, never the end of the others.
"""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from adapters.store.database import HEAD, Database, sqlite_url
from bot.accounts import AccountsFile
from bot.data_directory import DataDirectory, owned, owner_of, writable
from bot.models import embedder_for, language_model_for, reranker_for
from bot.settings import Settings, load_settings, unknown_settings
from bot.wikis import confluence_for
from bot.wiring import Application
from core.errors import DataDirectoryInUse, WikiWhyError
from core.model import Prompt, PromptMessage
from core.ports import Sampling

State = Literal["works", "note", "broken"]
REBUILD = "Run: wikiwhy db rebuild-index"
SYNC = "Run for example: wikiwhy sync folder samples/documents"
_LITTLE_SPACE = 500 * 2**20
_SLOW_RERANKING_MS = 5_000
_OLDEST_PYTHON = (3, 11)
_MODEL_SECONDS, _MODEL_TOKENS = 60.0, 40  # a server may have to load its model first


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found; ``advice`` is one line, "" where there is nothing to do."""

    part: str
    state: State
    found: str
    advice: str = ""


def check(data_dir: Path | None) -> list[Finding]:
    """Checks every part, as far as the others allow."""
    findings = [_guarded("Python", _python), _guarded("SQLite", _sqlite)]
    try:
        settings = load_settings(data_dir=data_dir)
    except WikiWhyError as error:
        broken = Finding("settings", "broken", str(error), "The parts below are checked with the default settings.")
        findings.append(broken)
        settings = Settings.model_construct(data_dir=data_dir or Path(os.environ.get("WIKIWHY_DATA_DIR") or "data"))
    else:
        findings.append(_guarded("settings", _settings))
    directory = DataDirectory(settings.data_dir)
    findings.append(_guarded("data directory", lambda: _data_directory(directory.path)))
    findings.append(_guarded("disk space", lambda: _disk_space(directory.path)))
    findings.append(_guarded("embedder", lambda: _embedder(settings)))
    findings.append(_guarded("language model", lambda: _language_model(settings)))
    if settings.reranker != "none":
        findings.append(_guarded("reranker", lambda: _reranker(settings)))
    if settings.confluence_url or settings.confluence_token.get_secret_value():
        findings.append(_guarded("Confluence", lambda: _confluence(settings)))
    if settings.accounts:
        findings.append(_guarded("chat accounts", lambda: _chat_accounts(settings)))
    with _database(settings, directory) as database:
        findings.append(_guarded("database", lambda: _revision(database)))
        if isinstance(database, Database) and findings[-1].state == "works":
            findings += _of_application(Application(settings, directory, database))
    return findings


def _of_application(application: Application) -> list[Finding]:
    return [_guarded("spaces", lambda: _spaces(application)), *_indexes(application)]


def _indexes(application: Application) -> list[Finding]:
    """Both indexes, which this process owns meanwhile: they serve one process. In use by another, they are left out."""
    path = application.directory.path
    lexical = application.directory.lexical_index
    dense = Path() if application.settings.chroma_url else application.directory.dense_index / "chroma.sqlite3"
    try:
        with owned(path, wait_seconds=0) if path.is_dir() else nullcontext():
            return [
                _guarded("full-text index", lambda: _index(application, lexical, lambda: application.lexical.keys)),
                _guarded("dense index", lambda: _index(application, dense, lambda: application.dense.keys)),
            ]
    except DataDirectoryInUse:
        found = f"in use by {owner_of(path) or 'another process'}, so not looked at"
        return [Finding("indexes", "note", found, "Run wikiwhy doctor again after that.")]
    except (WikiWhyError, OSError) as error:
        return [Finding("indexes", "broken", str(error))]


def _guarded(part: str, work: Callable[[], Finding]) -> Finding:
    try:
        return work()
    except WikiWhyError as error:
        return Finding(part, "broken", str(error))
    except OSError as error:
        advice = "See to it that you may read and write there, or name another directory with --data-dir."
        return Finding(part, "broken", str(error), advice)
    except Exception as error:
        return Finding(
            part, "broken", f"{type(error).__name__}: {error}", "This check itself failed: please report it."
        )


def _python() -> Finding:
    version = platform.python_version()
    if sys.version_info < _OLDEST_PYTHON:
        return Finding("Python", "broken", version, "Install Python 3.11 or newer.")
    return Finding("Python", "works", version)


def _sqlite() -> Finding:
    try:
        with sqlite3.connect(":memory:") as connection:
            connection.execute("CREATE VIRTUAL TABLE probe USING fts5 (text)")
    except sqlite3.Error as error:
        advice = "Use a Python whose SQLite has FTS5, for example one from python.org or your distribution."
        return Finding("SQLite", "broken", f"{sqlite3.sqlite_version} without full-text search: {error}", advice)
    return Finding("SQLite", "works", f"{sqlite3.sqlite_version} with full-text search (FTS5)")


def _settings() -> Finding:
    unknown = unknown_settings(Path.cwd(), os.environ)
    if unknown:
        return Finding("settings", "note", f"not known and not used: {', '.join(unknown)}", "Correct or remove them.")
    return Finding("settings", "works", "all usable")


def _data_directory(path: Path) -> Finding:
    part = "data directory"
    if not path.exists():
        if not _nearest(path).is_dir():
            advice = "Move the file away, or name another directory with --data-dir."
            return Finding(part, "broken", f"{path.resolve()}: a file is in its place", advice)
        return Finding(part, "note", f"{path.resolve()} does not exist yet", f"The first sync makes it. {SYNC}")
    writable(path)
    owner = owner_of(path)
    if owner:
        return Finding(part, "note", f"{path.resolve()} is in use by {owner}", "Other commands have to wait for that.")
    return Finding(part, "works", f"{path.resolve()} can be read and written")


def _disk_space(path: Path) -> Finding:
    free = shutil.disk_usage(_nearest(path)).free
    if free < _LITTLE_SPACE:
        return Finding("disk space", "note", f"only {free / 2**20:.0f} MB are free", "Make room before the next sync.")
    return Finding("disk space", "works", f"{free / 2**30:.1f} GB free")


def _nearest(path: Path) -> Path:
    """The path, or the first of its parents, that exists as far as we may see."""
    places = (path.resolve(), *path.resolve().parents)
    return next(place for place in places if os.path.exists(place))  # noqa: PTH110 - Path.exists raises below them


def _embedder(settings: Settings) -> Finding:
    embedder = embedder_for(settings)
    started = time.perf_counter()
    name = embedder.name
    loaded = time.perf_counter()
    _run(embedder.embed_queries(["Who approves travel?"]))
    _run(embedder.embed_queries(["Who approves travel abroad?"]))
    spent = (time.perf_counter() - loaded) * 500
    found = f"{name}, loads in {loaded - started:.1f} s, a sentence takes {spent:.0f} ms"
    if name.endswith("own-engine"):
        advice = "The fast engine does not load: pip install --force-reinstall onnx onnxruntime"
        return Finding("embedder", "note", found, advice)
    return Finding("embedder", "works", found)


def _language_model(settings: Settings) -> Finding:
    """Asks for a few words, once and without patience."""
    part = "language model"
    patience = {"llm_timeout": min(settings.llm_timeout, _MODEL_SECONDS), "llm_retries": 0}
    model = language_model_for(settings.model_copy(update=patience))
    if model is None:
        return Finding(part, "works", "none configured: answers are the wiki's own sentences")
    heard: list[float] = []
    prompt = Prompt("doctor", (PromptMessage("user", "Count from one to ten, in words."),))
    started = time.perf_counter()
    generation = _run(model.generate(prompt, Sampling(_MODEL_TOKENS), lambda text: heard.append(time.perf_counter())))
    if not heard:
        advice = "If it is a reasoning model, that may be its thinking. Ask it something, or set WIKIWHY_LLM_MODEL."
        return Finding(part, "note", f"{model.name} wrote nothing in {_MODEL_TOKENS} tokens", advice)
    found = f"{model.name}, writes after {heard[0] - started:.1f} s"
    spent = heard[-1] - heard[0]
    if spent > 0 and generation.usage.completion_tokens > 1:
        found += f", then {(generation.usage.completion_tokens - 1) / spent:.0f} tokens a second"
    return Finding(part, "works", found)


def _reranker(settings: Settings) -> Finding:
    reranker = reranker_for(settings)
    if reranker is None:
        return Finding("reranker", "note", "none is set")
    started = time.perf_counter()
    name = reranker.name
    loaded = time.perf_counter()
    texts = ["Travel is approved by the head of the team, by e-mail, before it is booked. " * 5] * 10
    _run(reranker.rerank("Who approves travel?", texts))
    spent = (time.perf_counter() - loaded) * 100 * settings.rerank_candidates
    found = (
        f"{name}, loads in {loaded - started:.1f} s, {settings.rerank_candidates} candidates take about {spent:.0f} ms"
    )
    if spent > _SLOW_RERANKING_MS:
        advice = "Every answer waits for that: set WIKIWHY_RERANK_CANDIDATES lower, or use a machine with a GPU."
        return Finding("reranker", "note", found, advice)
    return Finding("reranker", "works", found)


def _confluence(settings: Settings) -> Finding:
    with closing(confluence_for(settings, patience="none")) as wiki:
        keys = sorted(_run(wiki.spaces()))
        if not keys:
            advice = "Give the account that the token belongs to permission to view the spaces to sync."
            return Finding("Confluence", "note", f"{wiki.source} shows the account no space", advice)
        shown = ", ".join(keys[:5]) + (", …" if len(keys) > 5 else "")
        return Finding("Confluence", "works", f"{wiki.source}, {len(keys)} spaces that the account may read: {shown}")


def _chat_accounts(settings: Settings) -> Finding:
    accounts = AccountsFile(settings.accounts).read()
    usable = sum(len(each) == 1 for each in accounts.of.values())
    found = f"{settings.accounts} names the account of {usable} chat users"
    if accounts.errors:
        more = f", and {len(accounts.errors) - 5} lines more" if len(accounts.errors) > 5 else ""
        advice = "Correct the file; who stands in these lines sees only what is open to everybody."
        return Finding("chat accounts", "note", f"{found}; {' '.join(accounts.errors[:5])}{more}", advice)
    return Finding("chat accounts", "works", found)


@contextmanager
def _database(settings: Settings, directory: DataDirectory) -> Iterator[Database | WikiWhyError | OSError | None]:
    """The database as it is, the reason why it cannot be opened, or None if there is none yet."""
    database = None
    try:
        if settings.database_url or directory.database.exists():
            database = Database.open_unmigrated(settings.database_url or sqlite_url(directory.database))
    except (WikiWhyError, OSError) as error:
        yield error
        return
    try:
        yield database
    finally:
        if database:
            database.close()


def _revision(database: Database | WikiWhyError | OSError | None) -> Finding:
    part = "database"
    if database is None:
        return Finding(part, "note", "there is none yet", SYNC)
    if isinstance(database, WikiWhyError | OSError):
        raise database
    revision = database.revision()
    if database.is_sqlite:
        with database.read() as connection:
            defect = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
        if defect != "ok":
            advice = "Restore a backup, or move the file away and sync the spaces again."
            return Finding(part, "broken", f"{database.place} is damaged: {defect}", advice)
    if revision == HEAD:
        return Finding(part, "works", f"{database.place}, revision {revision}")
    if revision is None:
        return Finding(part, "note", f"{database.place} is empty", SYNC)
    from adapters.store.migrate import known_revisions

    if revision in known_revisions():
        found = f"revision {revision}, this version uses {HEAD}"
        return Finding(part, "note", found, "The next command brings it up to date, or: wikiwhy db upgrade")
    found = f"written by a newer version of WikiWhy (revision {revision}, this version knows {HEAD})"
    return Finding(part, "broken", found, "Upgrade WikiWhy, or use another data directory.")


def _spaces(application: Application) -> Finding:
    summaries = _run(application.spaces.summaries())
    if not summaries:
        return Finding("spaces", "note", "nothing has been synced yet", SYNC)
    pages = sum(summary.pages for summary in summaries)
    found = f"{len(summaries)} with {pages} pages"
    failed = [summary for summary in summaries if summary.last_error or not summary.synced_at]
    if failed:
        first = failed[0]
        cause = first.last_error or "its first sync has not finished"
        advice = "wikiwhy spaces lists them all; sync again after correcting the cause."
        return Finding("spaces", "note", f"{found}; {len(failed)} with errors, {first.key}: {cause}", advice)
    return Finding("spaces", "works", found)


def _index(application: Application, file: Path, keys: Callable[[], Callable[[str], Any]]) -> Finding:
    """Compares an index with the store, key by key. Without its ``file`` it is not opened, which would create it."""
    part = "full-text index" if file == application.directory.lexical_index else "dense index"
    summaries = _run(application.spaces.summaries())
    if not file.exists():
        return Finding(
            part, "broken" if summaries else "note", f"{file} does not exist", REBUILD if summaries else SYNC
        )
    total, differing = 0, []
    for summary in summaries:
        wanted = {evidence.entry.key for evidence in _run(application.pages.entries(summary.key))}
        there = _run(keys()(summary.key))
        total += len(wanted)
        if wanted != there:
            lacks, surplus = len(wanted - there), len(there - wanted)
            differing.append(f"{summary.key} lacks {lacks} of {len(wanted)} entries and has {surplus} too many")
    if differing:
        return Finding(part, "broken", "; ".join(differing), REBUILD)
    return Finding(part, "works", f"{total} entries, the same as in the database")


def _run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)
