from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from adapters.index import copied
from adapters.index.copied import CopiedDenseIndex
from adapters.index.dense import ChromaDenseIndex
from bot.threads import run_in_this_thread
from core.ports.indexes import AccessFilter, Hit
from core.ports.models import Vectors
from tests.contracts.examples import entry, unit_vectors
from tests.contracts.indexes import DOC, DenseIndexContract, MakeIndex, keys


class Copied(CopiedDenseIndex):
    """Over an index whose calls another thread makes, instead of another process. Notes changes before each search."""

    def __init__(self, dense: ChromaDenseIndex) -> None:
        super().__init__(self._call_in_thread)
        self.dense = dense
        self.calls: list[str] = []

    def _call_in_thread(self, method: str, *arguments: Any) -> Any:
        self.calls.append(method)
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(run_in_this_thread, partial(getattr(self.dense, method), *arguments)).result()

    async def search(self, vector: Vectors, access_filter: AccessFilter, limit: int) -> list[Hit]:
        self.note_changes(self.dense.changes)
        return await super().search(vector, access_filter, limit)


class TestCopiedDenseIndex(DenseIndexContract):
    @pytest.fixture
    def make_index(self, tmp_path: Path) -> MakeIndex:
        return lambda embedder: Copied(ChromaDenseIndex.open(tmp_path / "dense", embedder))


@pytest.fixture
def index(tmp_path: Path) -> Copied:
    return Copied(ChromaDenseIndex.open(tmp_path / "dense", "hash"))


async def test_a_second_search_asks_nobody(index: Copied) -> None:
    await index.dense.add([entry(f"k{i}") for i in range(20)], unit_vectors(20))
    await index.search(unit_vectors(20)[3], DOC, 3)
    index.calls.clear()
    assert keys(await index.search(unit_vectors(20)[7], DOC, 1)) == ["k7"]
    assert index.calls == []


async def test_only_spaces_that_changed_are_copied_again(index: Copied) -> None:
    await index.dense.add([entry("a", space="ONE"), entry("b", space="TWO")], unit_vectors(2))
    both = AccessFilter(("ONE", "TWO"))
    await index.search(unit_vectors(2)[0], both, 5)
    index.calls.clear()
    await index.dense.add([entry("c", space="TWO")], unit_vectors(3)[2:])
    await index.dense.remove("TWO", ["b"])
    assert set(keys(await index.search(unit_vectors(3)[2], both, 5))) == {"a", "c"}
    assert index.calls == ["count", "load_vectors"]


async def test_more_than_can_be_copied_is_searched_by_the_other_process(
    index: Copied, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copied, "MOST_COPIED", 20)
    await index.dense.add([entry(f"a{i}", space="ONE") for i in range(15)], unit_vectors(15))
    await index.dense.add([entry(f"b{i}", space="TWO") for i in range(15)], unit_vectors(15, seed=1))
    assert keys(await index.search(unit_vectors(15)[4], AccessFilter(("ONE",)), 1)) == ["a4"]
    index.calls.clear()
    assert keys(await index.search(unit_vectors(15, seed=1)[4], AccessFilter(("ONE", "TWO")), 1)) == ["b4"]
    assert index.calls == ["count", "search"]
