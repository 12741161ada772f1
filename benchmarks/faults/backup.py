"""A backup that is made under load, then erasures, then a restore: erased text does not come back."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

from benchmarks.chat.bots import PlatformServer, empty, start_bots
from benchmarks.chat.flow import Flow
from benchmarks.child import MeasurementFailed, wikiwhy
from benchmarks.faults.case import FOLDER, PATIENCE, Case, Options, start_case
from benchmarks.figure import Figure
from tests.servers import postgres

_BEFORE = 30  # answers
_SECONDS = 5.0  # of questions after the restore
_ERASED = {"OPS": "zinnoberquelle", "LAB": "kobaltschleuse"}
"""A word by space. OPS is forgotten after the backup, and the page of LAB is deleted. The page of KEP stays."""
_WORDS = {**_ERASED, "KEP": "kupferweiche"}
_QUESTIONS = [f"Who looks after the siphon of {space} on Fridays?" for space in _WORDS]
"""They do not contain the words, because questions are kept."""
_LEFT_OUT = ("--exclude-schema=wikiwhy_indexes", "--exclude-schema=dbos")


def measure_backup(platform: PlatformServer, options: Options) -> list[Figure]:
    return [*_measure(platform, options, 2), *_measure(platform, options, 0)]


def _measure(platform: PlatformServer, options: Options, bots: int) -> list[Figure]:
    documents = empty(FOLDER / "documents")
    for space, word in _WORDS.items():
        _write_page(documents, space, word)
    name = "backup of PostgreSQL" if bots else "backup of files"
    with start_case(name, platform, options, bots=bots) as case:
        data = case.bots.servers[0].data
        wikiwhy("sync", "folder", documents, "--data-dir", data)
        case.flow.texts = [*case.flow.texts[:5], *_QUESTIONS]
        case.await_answers(_BEFORE)
        backup = empty(FOLDER / "backup") / "backup"
        began = time.monotonic()
        _back_up(case, backup)
        case.check("seconds of the backup", "s", time.monotonic() - began, PATIENCE)
        case.await_answers(_BEFORE // 3)
        wikiwhy("forget", "OPS", "--data-dir", data)
        (documents / "LAB.json").unlink()
        wikiwhy("sync", "folder", documents, "--data-dir", data)
        figures = case.finish(notices=True)  # the sources of some answers are erased while they are made
        for server in case.bots.servers:
            server.stop()
        return [*figures, *_restore(case, platform, backup)]


def _write_page(documents: Path, space: str, word: str) -> None:
    content = f"<p>On Fridays, Femke {word.capitalize()} looks after the siphon of {space}.</p>"
    page = {"id": f"9{space}", "title": f"The siphon of {space}", "url": f"https://w.example/{space}", "space": space}
    (documents / f"{space}.json").write_text(json.dumps(page | {"content": content}), "utf-8")


def _back_up(case: Case, backup: Path) -> None:
    if not case.database:
        wikiwhy("db", "backup", backup, "--data-dir", case.bots.servers[0].data)
        return
    _run_program("pg_dump", "-Fc", *_LEFT_OUT, "-f", backup, _plain(case.url))


def _restore(case: Case, platform: PlatformServer, backup: Path) -> list[Figure]:
    """Restore as docs/operations.md says, look for the erased words in all bytes and in answers."""
    case.figures.clear()
    case.name = f"{case.name}, restored"
    folder, log = FOLDER / "restored", case.bots.servers[0].data / "erasures.log"
    data = empty(folder) / "bot0"
    data.mkdir(mode=0o700)
    shutil.copy(log, data)
    with ExitStack() as stack:
        settings = {}
        if case.database:
            url = stack.enter_context(case.database.new_database("template0"))
            _run_program("pg_restore", "--no-owner", "-d", _plain(url), backup)
            settings["WIKIWHY_DATABASE_URL"] = url
        else:
            shutil.copy(backup, data / "wikiwhy.db")
        before = _count(data, settings)
        wikiwhy("db", "rebuild-index", "--data-dir", data, settings=settings)
        if not all(before.values()):
            raise MeasurementFailed(f"the backup does not contain all words, so nothing is measured: {before}")
        left = _count(data, settings)
        case.check("erased words in the database", "times", sum(left[space] for space in _ERASED), 0,
                   f"{sum(before[space] for space in _ERASED)} before the erasures were applied")  # fmt: skip
        case.check("1 if the word that was not erased is missing", "", int(not left["KEP"]), 0)
        environment = {**platform.environment, **settings}
        bots = stack.enter_context(start_bots(platform, folder, 2 if case.database else 1, environment))
        with Flow(bots.chat, _QUESTIONS, 4, 1) as flow:
            time.sleep(_SECONDS)
            flow.finish(PATIENCE)
        said = [reply.text.lower() for reply in flow.ended.values()]
        case.check("questions without an answer", "questions", flow.waiting, 0, f"of {len(flow.asked)}")
        case.check("answers with erased words", "answers",
                   sum(word in text for text in said for word in _ERASED.values()), 0)  # fmt: skip
        case.check(
            "1 if no answer has the word that was not erased",
            "",
            int(not any(_WORDS["KEP"] in text for text in said)),
            0,
        )
    return case.figures


def _count(data: Path, settings: dict[str, str]) -> dict[str, int]:
    """Count the words in everything that is stored."""
    if url := settings.get("WIKIWHY_DATABASE_URL"):
        stored = _run_program("pg_dump", "--data-only", _plain(url))
    else:
        stored = b"".join(path.read_bytes() for path in sorted(data.rglob("*")) if path.is_file())
    return {space: stored.lower().count(word.encode()) for space, word in _WORDS.items()}


def _run_program(name: str, *arguments: str | Path) -> bytes:
    programs = postgres.find_programs()
    assert programs
    done = subprocess.run([programs / name, *arguments], check=False, capture_output=True)
    if done.returncode:
        raise MeasurementFailed(f"{name} failed: {done.stderr.decode(errors='replace')[-300:]}")
    return done.stdout


def _plain(url: str) -> str:
    """Return the URL as PostgreSQL's own programs take it."""
    return url.replace("postgresql+psycopg", "postgresql")
