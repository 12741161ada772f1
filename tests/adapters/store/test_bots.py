"""Several bots on a real PostgreSQL: heartbeats, removal, locks and signals."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import psycopg
import pytest
from alembic import command
from sqlalchemy import insert, select, text, update

from adapters.store import migrate
from adapters.store.bots import SqlBots
from adapters.store.database import HEAD, Database
from adapters.store.schema import bots, tokens_used
from core.errors import BotReplaced, DatabaseNewer, DatabaseUnavailable, DataDirectoryInUse

Join = Callable[[str], tuple[Database, SqlBots]]


@pytest.fixture
def join(postgres_url: str) -> Iterator[Join]:
    opened: list[Database] = []

    def join(bot: str) -> tuple[Database, SqlBots]:
        database = Database.open_shared(postgres_url)
        opened.append(database)
        member = SqlBots(database, bot, home=f"home of {bot.rstrip('0123456789')}")
        member.join()
        return database, member

    yield join
    for database in opened:
        database.close()


def count_tokens(database: Database) -> None:
    with database.write() as connection:
        connection.execute(insert(tokens_used).values(day="2026-11-23", tokens=1))


def test_a_bot_that_was_silent_too_long_is_removed_and_may_write_nothing(join: Join) -> None:
    (first, one), (second, two) = join("a"), join("b")
    assert one.write_heartbeat().living == two.write_heartbeat().living == {"a", "b"}
    assert two.remove_silent(10.0) == []
    with second.write() as connection:
        connection.execute(update(bots).where(bots.c.bot == "a").values(beat_at=bots.c.beat_at - 11))
    assert two.remove_silent(10.0) == ["a"]
    with pytest.raises(BotReplaced):
        count_tokens(first)
    with pytest.raises(BotReplaced):
        one.write_heartbeat()
    assert two.write_heartbeat().living == {"b"}
    count_tokens(second)


def test_a_bot_that_takes_long_to_start_is_not_removed(join: Join) -> None:
    (first, one), (second, two) = join("a"), join("b")
    with second.write() as connection:
        connection.execute(update(bots).where(bots.c.bot == "a").values(beat_at=bots.c.beat_at - 30))
    assert two.remove_silent(20.0) == []
    count_tokens(first)
    one.write_heartbeat()
    with second.write() as connection:
        connection.execute(update(bots).where(bots.c.bot == "a").values(beat_at=bots.c.beat_at - 30))
    assert two.remove_silent(20.0) == ["a"]


def test_what_a_bot_is_writing_is_committed_before_it_is_removed(join: Join) -> None:
    (first, _), (second, two) = join("a"), join("b")
    with first.write() as connection:
        connection.execute(insert(tokens_used).values(day="2026-11-23", tokens=1))
        assert two.remove_silent(-10.0) == []
        removal = threading.Thread(target=two.remove, args=["a"])
        removal.start()
        time.sleep(0.1)
        assert removal.is_alive()
    removal.join()
    with second.read() as connection:
        assert connection.scalar(select(tokens_used.c.tokens)) == 1


def test_heartbeats_do_not_disturb_long_writes(join: Join) -> None:
    database, one = join("a")
    with database.write() as connection:
        for number in range(5):
            connection.execute(insert(tokens_used).values(day=str(number), tokens=1))
            one.write_heartbeat()
    for _ in range(5):
        one.write_heartbeat()
    count_tokens(database)


@pytest.mark.parametrize("in_pipeline", [False, True])
def test_a_transaction_of_a_paused_bot_does_not_keep_it_alive(
    join: Join, monkeypatch: pytest.MonkeyPatch, in_pipeline: bool
) -> None:
    """PostgreSQL itself ends idle transactions. It does not call a session idle between statements of a pipeline."""
    monkeypatch.setattr("adapters.postgres._IDLE_SECONDS", 1)
    (first, one), (_, two) = join("a"), join("b")
    one.write_heartbeat()  # without one, it would have more time to start
    paused = first.write()
    driver = paused.__enter__().connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    if in_pipeline:
        driver.pipeline().__enter__()
    driver.execute("SELECT 1").fetchone()
    began = time.monotonic()
    while not two.remove_silent(-10.0):
        assert time.monotonic() - began < 20, "the bot was not removed"
        time.sleep(0.1)
    with pytest.raises(DatabaseUnavailable):
        paused.__exit__(None, None, None)
    assert two.find_living() == {"b"}


def test_the_next_bot_at_the_same_home_replaces_the_one_before(join: Join) -> None:
    database, _ = join("a1")
    _, two = join("a2")
    assert two.find_living() == {"a2"}
    with pytest.raises(BotReplaced):
        count_tokens(database)


def test_one_bot_leads_and_another_does_when_that_is_gone(join: Join) -> None:
    (_, one), (_, two) = join("a"), join("b")
    assert [one.write_heartbeat().leads, two.write_heartbeat().leads, one.write_heartbeat().leads] == [
        True,
        False,
        True,
    ]
    two.remove("a")
    assert two.write_heartbeat().leads


def test_locks_are_taken_together_and_go_with_their_bot(join: Join) -> None:
    (_, one), (_, two) = join("a"), join("b")
    assert one.lock(["x", "y"])
    assert not two.lock(["y", "z"])
    assert two.lock(["z"])
    assert two.find_locked("x") == {"x"}
    two.unlock(["x"])
    assert not two.lock(["x"])
    one.unlock(["x"])
    assert two.lock(["x"])
    two.remove("a")
    assert two.lock(["y"])


def test_a_lock_that_many_want_is_given_to_one(join: Join) -> None:
    members = [join(f"{name}")[1] for name in "abcdef"]
    taken: list[bool] = []
    threads = [threading.Thread(target=lambda each=each: taken.append(each.lock(["x"]))) for each in members]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [False] * 5 + [True]


def test_a_signal_is_seen_by_all(join: Join) -> None:
    (_, one), (_, two) = join("a"), join("b")
    one.signal("people")
    two.signal("people")
    assert one.write_heartbeat().signals == two.write_heartbeat().signals == {"people": 2}


def test_bots_share_a_database_and_exclude_other_processes(
    join: Join, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.store.database.MOST_OWNING_SECONDS", 0.1)
    first, _ = join("a")
    with pytest.raises(Exception, match="in use by another WikiWhy process"):
        Database.open_owned(postgres_url)
    with first.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0019'"))
    with pytest.raises(DataDirectoryInUse, match=r"older version .* \(revision 0019;.* Stop all of them, then"):
        join("b")  # it would have to migrate
    with first.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :head"), {"head": HEAD})
    first.close()
    owner = Database.open_owned(postgres_url)
    with pytest.raises(Exception, match="in use by another WikiWhy process"):
        join("b")
    owner.close()
    join("b")


def test_a_version_that_only_adds_starts_beside_a_bot_of_the_version_before(
    join: Join, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.store.migrate.has_only_additions_after", lambda revision: revision == "0024")
    first, one = join("a")
    with first.write() as connection:
        config = migrate.make_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "0024")
    second, two = join("b")
    assert second.read_revision() == HEAD
    count_tokens(first)
    assert one.write_heartbeat().living == {"a", "b"}
    assert two.lock(["x"])


@pytest.mark.parametrize("how", [Database.open_shared, Database.open_owned, Database.open])
def test_older_code_beside_bots_of_a_newer_version_says_so_and_changes_nothing(
    join: Join, postgres_url: str, how: Callable[[str], Database]
) -> None:
    first, one = join("a")
    with first.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseNewer, match=r"newer version .* \(revision 9999;.* Upgrade WikiWhy here too"):
        how(postgres_url)
    assert one.write_heartbeat().living == {"a"}
    first.close()  # also while no other bot runs
    with pytest.raises(DatabaseNewer):
        how(postgres_url)
    with Database.open_unmigrated(postgres_url).read() as connection:
        assert list(connection.scalars(select(bots.c.bot))) == ["a"]


def test_a_bot_that_was_cut_off_writes_nothing_beside_a_process_that_excludes_bots(
    join: Join, postgres_url: str
) -> None:
    first, _ = join("a")
    with Database.open(postgres_url).read() as connection:
        ended = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
        assert connection.scalar(text(ended))
    owner = Database.open_owned(postgres_url)
    with pytest.raises(BotReplaced):
        count_tokens(first)
    owner.close()


def test_the_first_bot_makes_the_tables_and_others_join_it(empty_postgres_url: str) -> None:
    first, second = Database.open_shared(empty_postgres_url), Database.open_shared(empty_postgres_url)
    assert first.read_revision() == second.read_revision()
    first.close()
    second.close()
