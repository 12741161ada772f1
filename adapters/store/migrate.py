"""Brings a database to this version's schema. Imports Alembic, which takes time: only for a database that needs it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

import migrations


def script_config() -> Config:
    """Alembic's configuration with the scripts' folder, wherever the package is installed."""
    config = Config()
    # ConfigParser reads % as the start of a placeholder.
    folder = str(Path(migrations.__file__).parent).replace("%", "%%")
    config.set_main_option("script_location", folder)
    return config


@lru_cache
def list_revisions() -> frozenset[str]:
    """Every revision this version of WikiWhy can read or bring up to date."""
    scripts = ScriptDirectory.from_config(script_config())
    return frozenset(script.revision for script in scripts.walk_revisions())


def only_adds(revision: str) -> bool:
    """Whether all that a database of this revision lacks only adds to its tables.

    Then a bot of the version before goes on beside this one: each of its statements means what it did. The revisions
    say so by ``ONLY_ADDS = True``; a test compares the tables.
    """
    scripts = ScriptDirectory.from_config(script_config())
    return all(getattr(script.module, "ONLY_ADDS", False) for script in scripts.iterate_revisions("head", revision))


def upgrade(connection: Connection) -> None:
    """Runs the missing revisions inside the connection's open transaction."""
    config = script_config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
