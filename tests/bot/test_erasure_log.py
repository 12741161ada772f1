"""The erasure log: what it lists, and that a database from before it forgets the same."""

from __future__ import annotations

import json
import resource
import shutil
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.store.database import Database
from adapters.store.wiki.erasure import note_erased
from bot.settings import load_settings
from bot.storage.erasure_log import ErasureLog
from bot.wiring import Application, open_application
from core.accounts import parse_person
from core.errors import ErasureLogUnusable
from core.model import Scope
from core.ports.chat import Place, ThreadMessage
from tests.contracts.examples import indexed_page, turn

ADA = "slack:T1:U1"
PLACE = Place("slack", "T1", "C1", "1700000000.000100")
ANN_ALONE = (frozenset({"user:ann"}),)


async def fill(application: Application) -> None:
    """Three pages, and answers to Ada and to Ben from the first."""
    pages = [indexed_page(each) for each in "123"]
    await application.pages.replace(pages)
    for turn_id, asker in (("t1", ADA), ("t2", "slack:T1:U2")):
        given = turn(turn_id, turn_id, used=(pages[0],), cited=(pages[0],))
        await application.turns.add(replace(given, asker=asker))
    message = ThreadMessage("1700000001.000100", "U1", "Ada Lovelace", "Hello")
    await application.threads.add(PLACE.conversation_id, [message])


def copy_of(data: Path, to: Path) -> Path:
    """A data directory with the database as it is now."""
    to.mkdir()
    shutil.copy(data / "wikiwhy.db", to)
    return to


async def test_a_database_of_before_an_erasure_forgets_it_again(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with open_application(load_settings(data_dir=data)) as application:
        await fill(application)
    before = copy_of(data, tmp_path / "before")
    with open_application(load_settings(data_dir=data)) as application:
        await application.pages.remove(["1"])
        await application.pages.replace([indexed_page("2", read_restrictions=ANN_ALONE)])
        await application.persons.forget(parse_person(ADA), (), "forgotten:1")
    log = (data / "erasures.log").read_text("utf-8")
    assert log.count("\n") == 3 + 1
    assert "U1" not in log

    with open_application(load_settings(data_dir=before)) as application:
        assert await application.turns.load_turn("t1")  # without the log
    shutil.copy(data / "erasures.log", before)
    for _ in range(2):
        with open_application(load_settings(data_dir=before)) as application:
            assert await application.evidences.filter_visible({"1", "2", "3"}, Scope()) == {"3"}
            assert await application.turns.load_turn("t1") is None
            kept = await application.turns.load_turn("t2")
            assert kept
            assert not any(each.evidence.text for each in kept.evidences)
            again = [entry for entry in await application.audit.load_entries() if entry.action == "erase_again"]
            assert [entry.object for entry in again] == ["2 pages, 1 persons"]


async def test_what_is_there_since_an_erasure_stays(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path)
    with open_application(settings) as application:
        await fill(application)
        await application.pages.remove(["1"])
        await application.spaces.forget("DOC")
        await fill(application)
    with open_application(settings) as application:
        assert await application.evidences.filter_visible({"1", "2", "3"}, Scope()) == {"1", "2", "3"}


async def test_the_log_may_be_elsewhere_and_an_entry_that_was_cut_off_is_written_again(tmp_path: Path) -> None:
    log = tmp_path / "elsewhere.log"
    settings = load_settings(data_dir=tmp_path / "data", erasure_log=str(log))
    with open_application(settings) as application:
        await fill(application)
        await application.pages.remove(["1"])
        await application.pages.remove(["2"])
    whole = log.read_text("utf-8")
    log.write_text(whole[:-10], "utf-8")
    with open_application(settings) as application:
        assert await application.evidences.filter_visible({"3"}, Scope()) == {"3"}
    assert log.read_text("utf-8") == whole
    assert not (tmp_path / "data" / "erasures.log").exists()


async def test_the_log_of_another_database_erases_nothing(tmp_path: Path) -> None:
    for name in ("one", "two"):
        with open_application(load_settings(data_dir=tmp_path / name)) as application:
            await fill(application)
    with open_application(load_settings(data_dir=tmp_path / "one")) as application:
        await application.spaces.forget("DOC")
    shutil.copy(tmp_path / "one" / "erasures.log", tmp_path / "two")
    with (
        pytest.raises(ErasureLogUnusable, match="belongs to another database"),
        open_application(load_settings(data_dir=tmp_path / "two")),
    ):
        pass
    (tmp_path / "two" / "erasures.log").unlink()
    with open_application(load_settings(data_dir=tmp_path / "two")) as application:
        assert await application.evidences.filter_visible({"1"}, Scope()) == {"1"}


@pytest.mark.parametrize("content", ["no JSON\n", '{"kind": "page"}\n', "[]\n"])
def test_a_damaged_log_is_said(tmp_path: Path, content: str) -> None:
    (tmp_path / "erasures.log").write_text(content, "utf-8")
    with pytest.raises(ErasureLogUnusable, match="is damaged"), open_application(load_settings(data_dir=tmp_path)):
        pass


@pytest.mark.parametrize("left", [4, 40, -12, -1, 0])
async def test_lines_that_a_full_disk_merged_are_read_as_far_as_possible_and_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, left: int
) -> None:
    """``left``: characters of the entry before, as an earlier version left them; then the next entry followed."""
    data = tmp_path / "data"
    with open_application(load_settings(data_dir=data)) as application:
        await fill(application)
    before = copy_of(data, tmp_path / "before")
    with open_application(load_settings(data_dir=data)) as application:
        for page_id in "123":
            await application.pages.remove([page_id])
    *others, first, second = (data / "erasures.log").read_text("utf-8").splitlines()
    cut = first[: left or None]
    (before / "erasures.log").write_text("\n".join([*others, cut + second, ""]), "utf-8")

    with open_application(load_settings(data_dir=before)) as application:
        is_readable = left in {-1, 0}  # the id of its page is there as a whole
        lost = set() if is_readable else {json.loads(first)["object"]}
        assert await application.evidences.filter_visible({"1", "2", "3"}, Scope()) == lost
    said = [each.message for each in caplog.records if "erasures.log" in each.message and "line 3" in each.message]
    assert len(said) == (0 if is_readable else 1)
    with open_application(load_settings(data_dir=data)) as application:  # has the entry that was cut off
        shutil.copy(before / "erasures.log", data)
    with open_application(load_settings(data_dir=data)) as application:
        pass
    assert first in (data / "erasures.log").read_text("utf-8").splitlines() or is_readable


def test_no_step_of_the_clock_keeps_an_erasure_out_of_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o700)
    path = tmp_path / "erasures.log"
    with closing(Database.open_owned(f"sqlite:///{tmp_path}/wikiwhy.db")) as database:
        log = ErasureLog(path, database)
        log.replay("forgotten:1")
        for page_id, at in (("1", "2026-05-01T10:00:00+00:00"), ("2", "2020-01-01T00:00:00+00:00")):
            monkeypatch.setattr("adapters.store.wiki.erasure.now", lambda at=at: at)
            database.write_until_done(lambda connection, page_id=page_id: note_erased(connection, "page", [page_id]))
            log.write()
            assert f'"object": "{page_id}"' in path.read_text("utf-8")


async def test_a_log_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, erasure_log=str(tmp_path / "no" / "erasures.log"))
    with pytest.raises(ErasureLogUnusable, match="WIKIWHY_ERASURE_LOG"), open_application(settings) as application:
        await application.spaces.forget("DOC")


@pytest.mark.parametrize("room", [0, 40])
@pytest.mark.parametrize("cuts", [True, False])
def test_a_write_on_a_full_disk_leaves_only_whole_lines_and_is_made_up_for(
    tmp_path: Path, room: int, cuts: bool
) -> None:
    path = tmp_path / "erasures.log"
    tmp_path.chmod(0o700)
    with closing(Database.open_owned(f"sqlite:///{tmp_path}/wikiwhy.db")) as database:
        log = ErasureLog(path, database)
        log.replay("forgotten:1")
        database.write_until_done(lambda connection: note_erased(connection, "page", ["1"]))
        log.write()
        whole = path.read_bytes()
        database.write_until_done(lambda connection: note_erased(connection, "page", ["2"]))
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + room, before[1]))
        try:
            with pytest.raises(ErasureLogUnusable):
                log.write()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert path.read_bytes() == whole
        if cuts:  # as if the process was killed during the write
            path.write_bytes(whole + b'{"erasure_id": "half')
        log.write()
        ErasureLog(path, database).replay("forgotten:2")
    lines = path.read_text("utf-8").splitlines()
    assert [json.loads(line)["object"] for line in lines if json.loads(line)["kind"] == "page"] == ["1", "2"]
