"""Revisions with ONLY_ADDS only add to the tables, so that bots of the previous version can run beside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.script import Script, ScriptDirectory
from sqlalchemy import Connection, create_engine, inspect

from adapters.store import migrate

Tables = dict[str, dict[str, Any]]


def list_scripts() -> list[Script]:
    return list(ScriptDirectory.from_config(migrate.make_config()).walk_revisions())


ADDING = [script.revision for script in list_scripts() if getattr(script.module, "ONLY_ADDS", False)]


@pytest.fixture(params=["SQLite", pytest.param("PostgreSQL", marks=pytest.mark.slow)])
def connection(request: pytest.FixtureRequest) -> Iterator[Connection]:
    """A connection to a database without tables."""
    url = "sqlite://" if request.param == "SQLite" else request.getfixturevalue("empty_postgres_url")
    engine = create_engine(url)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def upgrade(connection: Connection, revision: str) -> Tables:
    """Return the properties of each table at a revision that statements depend on."""
    config = migrate.make_config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
    found = inspect(connection)
    return {name: describe(found, name) for name in found.get_table_names() if name != "alembic_version"}


def describe(found: sa.Inspector, table: str) -> dict[str, Any]:
    columns = {column["name"]: column for column in found.get_columns(table)}
    unique = [index["column_names"] for index in found.get_indexes(table) if index["unique"]]
    return {
        "columns": {name: (str(each["type"]), each["nullable"], each["default"]) for name, each in columns.items()},
        "key": found.get_pk_constraint(table)["constrained_columns"],
        "refers to": sorted(
            (key["constrained_columns"], key["referred_table"]) for key in found.get_foreign_keys(table)
        ),
        "unique": sorted([*unique, *(each["column_names"] for each in found.get_unique_constraints(table))]),
        "checks": sorted(each["sqltext"] for each in found.get_check_constraints(table)),
    }


def find_changes(before: Tables, after: Tables) -> list[str]:
    """Return the changes that may break statements of the previous version."""
    changes = [f"{table} is gone" for table in before.keys() - after.keys()]
    for table in before.keys() & after.keys():
        old, new = before[table], after[table]
        changes += [f"{table}: {what} changed" for what in old if what != "columns" and old[what] != new[what]]
        for name in old["columns"].keys() | new["columns"].keys():
            if name in old["columns"] and old["columns"][name] != new["columns"].get(name):
                changes.append(f"{table}.{name} is gone or another")
            elif name not in old["columns"]:
                _, nullable, default = new["columns"][name]
                changes += [] if nullable or default is not None else [f"{table}.{name} has no default"]
    return sorted(changes)


@pytest.mark.parametrize("revision", ADDING)
def test_a_revision_that_says_that_it_only_adds_does(connection: Connection, revision: str) -> None:
    before = upgrade(connection, f"{revision}-1")
    assert find_changes(before, upgrade(connection, revision)) == []


def test_other_changes_are_found(connection: Connection) -> None:
    before = upgrade(connection, "0025")
    assert find_changes(before, upgrade(connection, "0026")) == ["page_origins.digest is gone or another"]
    connection.execute(sa.text("CREATE UNIQUE INDEX x ON pages (title)"))
    connection.execute(sa.text("DROP TABLE erasures"))
    assert find_changes(before, upgrade(connection, "0026"))[0] == "erasures is gone"
    assert "pages: unique changed" in find_changes(before, upgrade(connection, "0026"))


def test_one_revision_that_changes_something_keeps_a_version_from_starting_beside_the_one_before() -> None:
    assert not migrate.has_only_additions_after("0001")
    assert not migrate.has_only_additions_after("0025")
    assert migrate.has_only_additions_after(list_scripts()[0].revision)
