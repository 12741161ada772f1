from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text
from sqlalchemy.event import listen

from adapters.store import migrate, schema
from adapters.store.database import HEAD, Database
from adapters.store.sqlite import make_sqlite_url
from core.errors import DatabaseNewer, DataDirectoryUnusable
from core.model import AblationResult, PageFacts, Scope, Suggestion
from core.ports.chat import Place, ThreadMessage
from core.ports.chat_stores import Post
from core.ports.teams import TeamsUser
from tests.adapters.store.opened import stores_of
from tests.contracts.examples import indexed_page, trace, turn, unit_vectors
from tests.new_databases import made_from_a_template

really_migrates = pytest.mark.usefixtures("really_migrates")
"""For tests of new databases; older ones are upgraded by migrations in any case."""

REVISIONS = sorted(migrate.list_revisions())
QUICK = {REVISIONS[0], REVISIONS[len(REVISIONS) // 2], REVISIONS[-2]}  # all later revisions run from each of them


@pytest.fixture(params=["SQLite", pytest.param("PostgreSQL", marks=pytest.mark.slow)])
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database without tables."""
    if request.param == "SQLite":
        return make_sqlite_url(tmp_path / "w.db")
    url: str = request.getfixturevalue("empty_postgres_url")
    return url


@contextmanager
def downgrade(database: Database, revision: str) -> Iterator[Connection]:
    with database.write() as connection:
        config = migrate.make_config()
        config.attributes["connection"] = connection
        command.downgrade(config, revision)
        yield connection


def reopen_older(database: Database, url: str, revision: str) -> Database:
    """Downgrade and close a database, then open it, which upgrades it."""
    with downgrade(database, revision):
        pass
    database.close()
    return Database.open(url)


@really_migrates
def test_the_migrations_make_exactly_the_tables_of_the_schema(database: Database) -> None:
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, schema.metadata) == []


@really_migrates
def test_the_tables_that_other_tests_get_at_once_are_the_same(database: Database, tmp_path: Path) -> None:
    with made_from_a_template():
        other = Database.open(make_sqlite_url(tmp_path / "other.db"))
    with database.read() as one, other.read() as two:
        for query in ("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2", "PRAGMA user_version"):
            assert one.exec_driver_sql(query).all() == two.exec_driver_sql(query).all()
    other.close()


def test_the_constant_head_is_the_newest_revision() -> None:
    assert ScriptDirectory.from_config(migrate.make_config()).get_current_head() == HEAD


async def test_turns_of_an_older_database_come_through_with_an_empty_trace(new_url: str) -> None:
    given = turn(used=(indexed_page(),), cited=(indexed_page(),))
    database = Database.open(new_url)
    await stores_of(database).turns.add(replace(given, trace=trace(), suggestions=(Suggestion("Why?", "1-0"),)))
    with downgrade(database, "0001") as connection:
        columns = {column["name"] for column in inspect(connection).get_columns("turns")}
    assert not columns & {"calls", "trace_texts", "suggestions"}
    database.close()

    database = Database.open(new_url)
    turns = stores_of(database).turns
    assert await turns.load_turn("t1") == given
    await turns.save_suggestions("t1", [Suggestion("Why?", "1-0")])
    assert await turns.load_turn("t1") == given
    await turns.add(replace(given, turn_id="t2", trace=trace()))
    assert (await turns.load_newest("c1", 1_000))[1].trace == trace()
    database.close()


async def test_turns_of_a_database_without_chats_come_through_and_can_be_explained(new_url: str) -> None:
    given = replace(turn(used=(indexed_page(),)), trace=trace())
    database = Database.open(new_url)
    await stores_of(database).turns.add(given)
    with downgrade(database, "0003") as connection:
        assert not set(inspect(connection).get_table_names()) & {"posts", "counterfactuals", "feedback"}
    database.close()

    database = Database.open(new_url)
    stores = stores_of(database)
    assert await stores.turns.load_turn("t1") == given
    result = AblationResult((0,), 0.5, 0.5, ("Else.",), 1)
    await stores.counterfactuals.save("t1", result)
    assert await stores.counterfactuals.load_known("t1") == {(0,): result}
    database.close()


async def test_the_people_of_teams_come_through_from_the_table_of_an_older_database(new_url: str) -> None:
    user = TeamsUser("tenant", "object-id", "29:x", "a:chat")
    database = Database.open(new_url)
    await stores_of(database).references.save_user(user)
    with downgrade(database, "0008") as connection:
        before = text("SELECT direct FROM acquaintances")  # codespell:ignore acquaintances
        assert connection.execute(before).all() == [("a:chat",)]
        assert "teams_users" not in inspect(connection).get_table_names()
    database.close()

    database = Database.open(new_url)
    references = stores_of(database).references
    assert await references.load_user("tenant", "object-id") == user
    await references.save_user(TeamsUser("tenant", "object-id", "29:y"))
    assert await references.load_user("tenant", "object-id") == TeamsUser("tenant", "object-id", "29:y", "a:chat")
    database.close()


def test_posts_are_looked_up_by_indexes(database: Database) -> None:
    by_message = "platform = 'slack' AND team = 'T' AND channel = 'C' AND message_id = '1'"
    with database.read() as connection:
        for condition in (by_message, "conversation_id = 'c'", "key = 'k'"):
            plan = connection.execute(text(f"EXPLAIN QUERY PLAN SELECT * FROM posts WHERE {condition}")).all()
            assert "USING INDEX" in plan[0].detail


def test_the_revisions_can_be_taken_back(database: Database) -> None:
    with downgrade(database, "base") as connection:
        assert set(inspect(connection).get_table_names()) <= {"alembic_version"}


@really_migrates
@pytest.mark.parametrize(
    "revision",
    [each if each in QUICK else pytest.param(each, marks=pytest.mark.slow) for each in REVISIONS],
)
def test_every_revision_is_brought_up_to_date(new_url: str, revision: str) -> None:
    database = Database.open_unmigrated(new_url)
    with database.write() as connection:
        config = migrate.make_config()
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    assert database.read_revision() == revision
    database.upgrade()
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, schema.metadata) == []
    database.close()


@really_migrates
def test_a_new_database_is_upgraded_once(tmp_path: Path) -> None:
    database = Database.open_unmigrated(make_sqlite_url(tmp_path / "new folder" / "w.db"))
    assert database.read_revision() is None
    assert database.upgrade()
    assert database.read_revision() == HEAD
    assert not database.upgrade()
    database.close()


def test_an_up_to_date_database_opens_without_alembic(database: Database, tmp_path: Path) -> None:
    code = (
        "import sys; from adapters.store.database import Database; Database.open(sys.argv[1]);"
        "assert 'alembic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, make_sqlite_url(tmp_path / "wikiwhy.db")], check=True)


def test_a_database_of_a_newer_version_is_left_alone(database: Database, tmp_path: Path) -> None:
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseNewer, match="Upgrade WikiWhy"):
        Database.open(make_sqlite_url(tmp_path / "wikiwhy.db"))
    assert database.read_revision() == "9999"


def test_two_processes_can_open_a_new_database_at_once(new_url: str) -> None:
    code = "import sys; from adapters.store.database import Database; Database.open(sys.argv[1])"
    started = [subprocess.Popen([sys.executable, "-c", code, new_url], stderr=subprocess.PIPE) for _ in range(2)]
    assert [process.communicate()[1] for process in started] == [b"", b""]


def test_sqlite_is_set_up_to_lose_nothing_and_to_keep_nothing_deleted(database: Database) -> None:
    wanted = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1, "busy_timeout": 10_000}
    with database.read() as connection:
        assert {name: connection.scalar(text(f"PRAGMA {name}")) for name in wanted} == wanted


@pytest.mark.parametrize("content", [b"not a database " * 500, b"SQLite format 3\0" + b"\xa5" * 8000])
def test_a_file_that_is_no_database_is_reported(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "w.db").write_bytes(content)
    with pytest.raises(DataDirectoryUnusable, match=r"w\.db cannot be used.*restore a backup"):
        Database.open(make_sqlite_url(tmp_path / "w.db"))
    assert (tmp_path / "w.db").read_bytes() == content


def test_a_damaged_table_is_reported_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    Database.open(make_sqlite_url(path)).close()
    content = path.read_bytes()
    path.write_bytes(content[:8192] + b"\xa5" * (len(content) - 8192))
    database = Database.open_unmigrated(make_sqlite_url(path))
    with pytest.raises(DataDirectoryUnusable, match="cannot be used"), database.read() as connection:
        connection.execute(text("SELECT count(*) FROM pages"))
    database.close()


def test_a_folder_where_the_file_should_be_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DataDirectoryUnusable, match="cannot be used"):
        Database.open(make_sqlite_url(tmp_path))


def test_a_file_where_the_folder_should_be_is_reported(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(DataDirectoryUnusable, match="cannot be used"):
        Database.open(make_sqlite_url(tmp_path / "data" / "w.db"))


@pytest.mark.parametrize("url", ["", "no url", "nothing://x", "postgresql+nodriver://localhost/x"])
def test_an_address_that_is_none_is_reported(url: str) -> None:
    with pytest.raises(DataDirectoryUnusable, match=r"WIKIWHY_DATABASE_URL|not installed"):
        Database.open(url)


def test_a_reader_sees_what_the_owner_writes_and_cannot_write(tmp_path: Path) -> None:
    url = make_sqlite_url(tmp_path / "w.db")
    owner = Database.open_owned(url)
    reader = Database.open_reader(url, "bot")
    with owner.write() as connection:
        connection.execute(text("INSERT INTO conversations VALUES ('c', '', false)"))
    with reader.read() as connection:
        assert connection.scalar(text("SELECT count(*) FROM conversations")) == 1
    with pytest.raises(DataDirectoryUnusable), reader.write() as connection:
        connection.execute(text("DELETE FROM conversations"))
    reader.close()
    owner.close()


async def test_a_database_that_became_read_only_is_reported(database: Database) -> None:
    with database.read() as connection:
        connection.execute(text("PRAGMA query_only=ON"))
    with pytest.raises(DataDirectoryUnusable, match="writable"), database.write() as connection:
        connection.execute(text("DELETE FROM pages"))


async def test_who_asked_is_filled_in_where_an_older_database_can_tell(new_url: str) -> None:
    database = Database.open(new_url)
    stores = stores_of(database)
    heard = Place("slack", "T1", "C1", "1.0")
    alone = Place("slack", "T1", "D1", "3.0", direct=True)
    met = Place("teams", "tenant", "a:chat", "5", direct=True)
    asked = {
        "heard": (heard, "ask:slack:T1:C1:1.0"),
        "corrected": (heard, "ask:slack:T1:C1:1.1"),
        "unheard": (heard, "ask:slack:T1:C1:2.0"),
        "alone": (alone, "ask:slack:T1:D1:3.0"),
        "later": (alone, "ask:slack:T1:D1:4.0"),
        "met": (met, "ask:teams:a:chat:5"),
    }
    for turn_id, (place, key) in asked.items():
        await stores.turns.add(replace(turn(turn_id), conversation_id=place.conversation_id))
        await stores.posts.save(Post(key, place, f"shown-{turn_id}", turn_id, True))
    await stores.turns.add(turn("terminal"))
    for place, message_id, user in ((heard, "1.0", "UA"), (heard, "shown-corrected", "UB"), (alone, "3.0", "UC")):
        await stores.threads.add(place.conversation_id, [ThreadMessage(message_id, user, "", "?")])
    await stores.references.save_user(TeamsUser("tenant", "Object-Id", "29:x", "a:chat"))
    database = reopen_older(database, new_url, "0005")
    stores = stores_of(database)
    askers = {turn_id: found.asker for turn_id in asked if (found := await stores.turns.load_turn(turn_id))}
    assert askers == {
        "heard": "slack:T1:UA",
        "corrected": "slack:T1:UB",
        "unheard": "",
        "alone": "slack:T1:UC",
        "later": "slack:T1:UC",
        "met": "teams:tenant:object-id",
    }
    terminal, post = await stores.turns.load_turn("terminal"), await stores.posts.load_post("ask:slack:T1:D1:4.0")
    assert terminal is not None
    assert terminal.asker == ""
    assert post is not None
    assert post.person == "slack:T1:UC"
    database.close()


async def test_pages_of_an_older_database_are_counted_and_found_by_their_titles(new_url: str) -> None:
    restricted = (frozenset({"user:ann"}),)
    pages = [indexed_page("1"), indexed_page("2", ("a", "b", "c"), "HR", restricted), indexed_page("3", (), "HR")]
    database = Database.open(new_url)
    stores = stores_of(database)
    await stores.pages.replace(pages)
    await stores.vectors.save("hash", {"of no evidence": unit_vectors(1)[0]})
    before = await stores.spaces.load_summaries()
    with downgrade(database, "0005") as connection:
        assert not set(inspect(connection).get_table_names()) & {"page_counts", "evidence_counts", "page_titles"}
    database.close()

    database = Database.open(new_url)
    stores = stores_of(database)
    assert await stores.spaces.load_summaries() == before
    assert [(each.pages, each.restricted, sum(each.evidences.values())) for each in before] == [(1, 0, 2), (2, 1, 3)]
    ann = Scope(principals=frozenset({"user:ann"}))
    assert [await stores.evidences.has_page(f"Title of {at}", ann) for at in range(1, 5)] == [True, True, True, False]
    assert not await stores.evidences.has_page("Title of 2", Scope())
    assert len((await stores.evidences.find_access_filter(ann)).access) == 1
    assert await stores.vectors.prune() == 1
    database.close()


async def test_pages_of_an_older_database_have_no_facts_until_they_are_read_again(new_url: str) -> None:
    page = indexed_page("1")
    known = replace(page, page=replace(page.page, facts=PageFacts("Ann Lee")))
    database = Database.open(new_url)
    await stores_of(database).pages.replace([known])
    database = reopen_older(database, new_url, "0010")
    stores = stores_of(database)
    assert await stores.evidences.find_facts(["1"], [], Scope()) == []
    assert await stores.pages.load_page("1") == page.page
    await stores.pages.replace([known])
    assert [each.text for each in await stores.evidences.find_facts(["1"], [], Scope())] == ["Owned by Ann Lee."]
    database.close()


@pytest.mark.slow
@really_migrates
def test_processes_that_open_a_new_database_at_the_same_moment_take_turns(tmp_path: Path) -> None:
    """Ten rounds of four processes that wait for each other before they open the database."""
    code = (
        "import sys, time; from pathlib import Path; from adapters.store import migrate;"
        "from adapters.store.database import Database\n"
        "for at in range(10):\n"
        "    folder = Path(sys.argv[1]) / str(at); folder.mkdir(exist_ok=True)\n"
        "    (folder / f'ready{sys.argv[2]}').touch()\n"
        "    ends = time.monotonic() + 60\n"
        "    while len(list(folder.glob('ready*'))) < 4 and time.monotonic() < ends: time.sleep(0.001)\n"
        "    Database.open(f'sqlite:///{folder}/w.db').close()\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(number)], stderr=subprocess.PIPE)
        for number in range(4)
    ]
    assert [process.communicate()[1].decode() for process in started] == [""] * 4


def test_what_is_asked_often_reads_no_large_table_from_end_to_end(database: Database) -> None:
    """Checks SQLite's query plans of all statements of frequent operations."""
    scanned: list[str] = []
    large = ("pages", "evidences", "vectors", "turns", "turn_evidences", "turn_citations", "page_titles")

    def explain(_: object, cursor: object, statement: str, parameters: object, *__: object) -> None:
        if statement.lstrip().startswith(("SELECT", "UPDATE", "DELETE")):
            plan = cursor.connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()  # type: ignore[attr-defined]
            scanned.extend(
                f"{detail}: {statement}"
                for *_, detail in plan
                if detail.startswith("SCAN") and detail.split()[1] in large
            )

    stores = stores_of(database)
    page = indexed_page("1", read_restrictions=(frozenset({"user:ann"}),))
    ann = Scope(principals=frozenset({"user:ann"}))

    async def run() -> None:
        await stores.spaces.load_summaries()
        await stores.spaces.load_keys()
        await stores.pages.replace([page])
        await stores.turns.add(turn(used=(page,), cited=(page,)))
        await stores.pages.load_digest("1")
        await stores.pages.load_digests("DOC")
        await stores.pages.load_page("1")
        await stores.vectors.save("hash", {page.evidences[0].text_hash: unit_vectors(1)[0]})
        await stores.vectors.prune()
        await stores.evidences.find_access_filter(ann)
        await stores.evidences.has_page("Title of 1", ann)
        await stores.evidences.filter_visible(["1"], ann)
        await stores.evidences.find_facts(["1"], ["Title of 1"], ann)
        keys = [evidence.entry.key for evidence in page.evidences]
        await stores.evidences.load_evidences(keys, ann)
        await stores.evidences.load_summaries(keys, ann)
        await stores.stale.announce([evidence.entry for evidence in page.evidences])
        await stores.turns.load_turn("t1")
        await stores.pages.replace([indexed_page("1", ("other",), read_restrictions=(frozenset({"user:bob"}),))])
        await stores.pages.remove(["1"])

    listen(database._engine, "before_cursor_execute", explain)
    asyncio.run(run())
    assert [each for each in scanned if "counterfactuals" not in each] == []


async def test_evidences_of_an_older_database_name_nobody_until_they_are_made_again(tmp_path: Path) -> None:
    database = Database.open(make_sqlite_url(tmp_path / "w.db"))
    await stores_of(database).pages.replace([indexed_page("1")])
    database = reopen_older(database, make_sqlite_url(tmp_path / "w.db"), "0011")
    entries = await stores_of(database).pages.load_evidences("DOC")
    assert [entry.evidence.people for entry in entries] == [(), ()]
    database.close()
