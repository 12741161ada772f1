from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adapters.index import damage
from adapters.index.dense import ChromaDenseIndex
from core.errors import IndexDamaged
from tests.contracts.examples import entry, unit_vectors
from tests.contracts.indexes import DOC, DenseIndexContract, MakeIndex, keys
from tests.new_databases import really_made_index


class TestChromaDenseIndex(DenseIndexContract):
    @pytest.fixture
    def make_index(self, tmp_path: Path) -> MakeIndex:
        return lambda embedder: ChromaDenseIndex.open(tmp_path / "dense", embedder)


async def test_the_hundred_nearest_of_thousands_are_nearly_all_found(tmp_path: Path) -> None:
    index = ChromaDenseIndex.open(tmp_path, "hash")
    vectors = unit_vectors(3000, 64)
    await index.add([entry(f"k{i}") for i in range(3000)], vectors)
    found = 0
    for query in unit_vectors(10, 64, seed=1):
        nearest = {f"k{i}" for i in np.argsort(-(vectors @ query))[:100]}
        found += len(nearest & set(keys(await index.search(query, DOC, 100))))
    assert found >= 990


def test_the_files_that_other_tests_get_at_once_are_the_same(tmp_path: Path) -> None:
    ChromaDenseIndex.open(tmp_path / "copied", "hash")
    with really_made_index():
        ChromaDenseIndex.open(tmp_path / "made", "hash")
    queries = ("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2", "SELECT filename FROM migrations")
    copied, made = (sqlite3.connect(tmp_path / name / "chroma.sqlite3") for name in ("copied", "made"))
    for query in queries:
        assert copied.execute(query).fetchall() == made.execute(query).fetchall() != []
    copied.close()
    made.close()


def fill(folder: Path) -> None:
    """Run in a child process, because an open chromadb keeps its files in memory."""
    code = (
        "import asyncio, sys; from pathlib import Path; from adapters.index.dense import ChromaDenseIndex;"
        "from tests.contracts.examples import entry, unit_vectors;"
        "index = ChromaDenseIndex.open(Path(sys.argv[1]), 'hash');"
        "asyncio.run(index.add([entry(f'k{i}') for i in range(1500)], unit_vectors(1500)))"
    )
    subprocess.run([sys.executable, "-c", code, str(folder)], check=True)


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled") / "dense"
    fill(folder)
    return folder


HARM = [("garbage", "chroma.sqlite3"), ("garbage", "header.bin"), ("missing", "data_level0.bin")]
MORE_HARM = [
    ("garbage", "data_level0.bin"), ("garbage", "index_metadata.pickle"), ("garbage", "link_lists.bin"),
    ("empty", "header.bin"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("harm", "name"), [*HARM, *(pytest.param(*each, marks=pytest.mark.slow) for each in MORE_HARM)]
)
async def test_damaged_files_are_reported_with_the_way_out(tmp_path: Path, filled: Path, name: str, harm: str) -> None:
    folder = tmp_path / "dense"
    shutil.copytree(filled, folder)
    [path] = folder.rglob(name)
    if harm == "missing":
        path.unlink()
    else:
        path.write_bytes(np.random.default_rng(0).bytes(path.stat().st_size) if harm == "garbage" else b"")
    if name == "link_lists.bin":  # without its links, a search still finds the same entries
        with suppress(IndexDamaged):
            hits = await ChromaDenseIndex.open(folder, "hash").search(unit_vectors(1)[0], DOC, 10)
            assert hits == await ChromaDenseIndex.open(filled, "hash").search(unit_vectors(1)[0], DOC, 10)
        return
    # Before anything is searched: chromadb reads a segment when it is searched, and may end the process then.
    with pytest.raises(IndexDamaged, match="wikiwhy db rebuild-index"):
        ChromaDenseIndex.open(folder, "hash")


def test_files_are_checked_once_and_not_after_a_clean_end(tmp_path: Path, filled: Path) -> None:
    folder = tmp_path / "dense"
    shutil.copytree(filled, folder)
    (folder / "checked.json").unlink(missing_ok=True)
    started: list[object] = []

    def start(command: object, **options: Any) -> Any:
        started.append(command)
        return subprocess.CompletedProcess([], 0, "", "")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(damage.subprocess, "run", start)
        assert damage.find_damage(folder) is damage.find_damage(folder) is None
        assert len(started) == 1
        [data] = folder.glob("*/data_level0.bin")
        data.write_bytes(data.read_bytes())
        damage.record_files(folder)
        assert damage.find_damage(folder) is None
        assert len(started) == 1
        data.write_bytes(b"changed")
        assert damage.find_damage(folder) is None
        assert len(started) == 2


async def test_a_missing_segment_is_reported(tmp_path: Path, filled: Path) -> None:
    folder = tmp_path / "dense"
    shutil.copytree(filled, folder)
    for segment in [path for path in folder.iterdir() if path.is_dir()]:
        shutil.rmtree(segment)
    with pytest.raises(IndexDamaged, match="wikiwhy db rebuild-index"):
        await ChromaDenseIndex.open(folder, "hash").search(unit_vectors(1)[0], DOC, 100)


def test_a_server_that_does_not_answer_is_reported() -> None:
    with pytest.raises(IndexDamaged, match=r"127\.0\.0\.1:9"):
        ChromaDenseIndex.connect("http://127.0.0.1:9", "hash")
