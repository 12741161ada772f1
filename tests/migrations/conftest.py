"""Tests of migrations begin with databases of old revisions, not with copies of a new one."""

import pytest


@pytest.fixture(autouse=True)
def _migrate_really(really_migrates: None) -> None:
    """Make each new database by its migrations."""
