"""Migrating a database to this version's schema. Importing Alembic is slow, so this module is imported on demand."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

import migrations


def make_config() -> Config:
    """Return Alembic's configuration, with the folder of the installed package ``migrations``."""
    config = Config()
    # ConfigParser reads % as the start of a placeholder.
    folder = str(Path(migrations.__file__).parent).replace("%", "%%")
    config.set_main_option("script_location", folder)
    return config


@cache
def list_revisions() -> frozenset[str]:
    """Return all revisions that this version of WikiWhy can migrate from."""
    scripts = ScriptDirectory.from_config(make_config())
    return frozenset(script.revision for script in scripts.walk_revisions())


def has_only_additions_after(revision: str) -> bool:
    """Whether all revisions after this one only add to the tables.

    Then bots of the previous version can run beside this one, because their statements keep their meaning. Such
    revisions declare ``ONLY_ADDS = True``, and a test compares the tables.
    """
    scripts = ScriptDirectory.from_config(make_config())
    return all(getattr(script.module, "ONLY_ADDS", False) for script in scripts.iterate_revisions("head", revision))


def upgrade(connection: Connection) -> None:
    """Run the missing revisions in the connection's open transaction."""
    config = make_config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
