from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.bot.cli.running import document, wikiwhy, write_documents

DOCUMENTS = (
    document(
        "1", "<h2>Approval</h2><p>Ann approves travel. Bob approves hotels.</p>", title="Travel [bold]policy[/bold]"
    ),
    document(
        "2",
        "<table><tr><th>City</th><th>Limit</th></tr><tr><td>Berlin</td><td>140 zinnoberword</td></tr></table>",
        title="Hotel limits",
    ),
    document("3", "<p>The kitchen is cleaned on Fridays by marmaladeword people.</p>", space="OPS", title="Kitchen"),
)


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("DATA_DIR", "DATABASE_URL", "CHROMA_URL"):
        monkeypatch.delenv(f"WIKIWHY_{name}", raising=False)


@pytest.fixture(scope="session")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("synced")
    write_documents(folder / "documents", *DOCUMENTS)
    ran = wikiwhy("sync", "folder", folder / "documents", "--data-dir", folder / "data")
    assert ran.code == 0, ran.err
    return folder


@pytest.fixture(scope="session")
def synced_once(pristine: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One synced data directory for all tests that only ask."""
    return shutil.copytree(pristine, tmp_path_factory.mktemp("asked") / "own")


@pytest.fixture
def data(pristine: Path, tmp_path: Path) -> Path:
    """A synced data directory of its own; the documents are beside it."""
    shutil.copytree(pristine, tmp_path / "own")
    return tmp_path / "own" / "data"
