from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.index.bm25 import Words, compute_rarity
from adapters.index.lexical import SqliteLexicalIndex
from core.errors import IndexDamaged
from core.ports.indexes import AccessFilter
from tests.contracts.examples import entry
from tests.contracts.indexes import DOC, LexicalIndexContract, keys

WORDS = ("backup", "plan", "travel", "berlin", "hotel", "limit", "leave", "week")


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SqliteLexicalIndex]:
    opened = SqliteLexicalIndex.open(tmp_path / "lexical.db")
    yield opened
    opened.close()


class TestSqliteLexicalIndex(LexicalIndexContract):
    pass


async def test_entries_outlive_the_process_that_added_them(tmp_path: Path) -> None:
    first = SqliteLexicalIndex.open(tmp_path / "lexical.db")
    await first.add([entry("a", "backup plan")])
    first.close()
    again = SqliteLexicalIndex.open(tmp_path / "lexical.db")
    assert keys((await again.search("backup", DOC, 10)).words) == ["a"]
    again.close()


async def test_a_gram_of_most_entries_still_finds_an_entry_that_has_nothing_else(index: SqliteLexicalIndex) -> None:
    rare = [entry(f"r{i}", "policy zanzibar", space="HR") for i in range(3)]
    await index.add([*rare, *(entry(f"k{i}", "policy", space="HR") for i in range(20)), entry("in", "policy")])
    assert keys((await index.search("policy zanzibar", DOC, 10)).grams) == ["in"]


_OLD_SCHEMA = """
CREATE TABLE entries (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, space TEXT NOT NULL, access TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 (
    title, heading, text, surroundings, tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE grams USING fts5 (text, tokenize = "unicode61 remove_diacritics 0 tokenchars '_'");
CREATE VIRTUAL TABLE grams_terms USING fts5vocab ('grams', 'row');
CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), generation INTEGER, entries INTEGER);
INSERT INTO entries VALUES (7, 'a', 'DOC', ''), (9, 'b', 'DOC', 'A'), (10, 'c', 'HR', '');
INSERT INTO words (rowid, title, heading, text, surroundings) VALUES
    (7, 'Backups', '', 'the backup plan', ''), (9, '', 'Secret', 'the backup key', ''), (10, '', '', 'a plan', '');
"""


async def test_an_index_of_an_earlier_version_is_upgraded_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "lexical.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(_OLD_SCHEMA)
    index = SqliteLexicalIndex.open(path)
    assert [await index.count(space) for space in ("DOC", "HR", "NONE")] == [2, 1, 0]
    assert keys((await index.search("backups", DOC, 10)).words) == ["a"]
    assert keys((await index.search("secret", AccessFilter(("DOC",), frozenset({"A"})), 10)).words) == ["b"]
    assert await index.compact()
    assert b"backup" not in path.read_bytes()
    index.close()


@given(
    texts=st.lists(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), min_size=1, max_size=40),
    sizes=st.lists(st.integers(1, 7), min_size=1, max_size=9),
    asked=st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join),
)
async def test_scores_are_those_of_bm25_however_entries_are_spread_over_blocks(
    texts: list[str], sizes: list[int], asked: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    index = SqliteLexicalIndex.open(tmp_path_factory.mktemp("index") / "lexical.db")
    entries = [entry(f"k{at:02}", text) for at, text in enumerate(texts)]
    start = 0
    for size in [*sizes, len(entries)]:
        await index.add(entries[start : start + size])
        start += size
    words, terms = Words(), Words().find_terms(asked, frozenset(), 64)
    weights = dict(zip((each.key for each in entries), words.weigh(entries), strict=True))
    rarity = {term: compute_rarity(sum(term in each for each in weights.values()), len(entries)) for term in terms}
    scores = {key: sum(rarity[term] * of[term] for term in terms if term in of) for key, of in weights.items()}
    found = {hit.key: hit.score for hit in (await index.search(asked, DOC, 100)).words}
    assert found == pytest.approx({key: score for key, score in scores.items() if score > 0}, rel=2e-3)
    index.close()


async def test_many_small_additions_are_merged_into_few_blocks(tmp_path: Path) -> None:
    index = SqliteLexicalIndex.open(tmp_path / "lexical.db")
    for at in range(100):
        await index.add([entry(f"k{at}", f"backup {at}")])
    with closing(sqlite3.connect(tmp_path / "lexical.db")) as connection:
        assert connection.execute("SELECT count(*) FROM blocks").fetchone()[0] <= 17
        await index.tidy(10)
        assert connection.execute("SELECT count(*) FROM blocks").fetchone()[0] == 1
    assert len((await index.search("backup", DOC, 200)).words) == 100
    index.close()


async def test_gram_frequencies_follow_the_entries(index: SqliteLexicalIndex) -> None:
    await index.add([entry("a", "zanzibar")])
    assert keys((await index.search("kubernetes", DOC, 10)).grams) == []
    await index.add([entry("b", "kubernetes")])
    assert keys((await index.search("kubernetes", DOC, 10)).grams) == ["b"]


@pytest.mark.parametrize("start", [0, 4096])
async def test_garbage_in_the_file_is_reported_as_damage_with_the_way_out(tmp_path: Path, start: int) -> None:
    path = tmp_path / "lexical.db"
    index = SqliteLexicalIndex.open(path)
    await index.add([entry(f"k{i}", f"backup plan {i}") for i in range(300)])
    index.close()
    with path.open("r+b") as file:
        size = file.seek(0, 2)
        file.seek(start)
        file.write(b"\xa5" * (size - start))
    with pytest.raises(IndexDamaged, match="wikiwhy db rebuild-index"):
        await SqliteLexicalIndex.open(path).search("backup", DOC, 10)


def test_a_folder_in_place_of_the_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(IndexDamaged, match="rebuild-index"):
        SqliteLexicalIndex.open(tmp_path)
