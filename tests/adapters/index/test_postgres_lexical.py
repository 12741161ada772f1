from __future__ import annotations

import asyncio
import zlib
from pathlib import Path

import pytest
from sqlalchemy import text

from adapters.index import bm25
from adapters.index.bm25 import Words, weigh_grams
from adapters.index.lexical import SqliteLexicalIndex
from adapters.index.postgres import SCHEMA, IndexDatabase
from adapters.index.postgres_lexical import PostgresLexicalIndex
from core.model import IndexEntry
from tests.contracts.examples import entry
from tests.contracts.indexes import DOC, LexicalIndexContract, keys


class TestPostgresLexicalIndex(LexicalIndexContract):
    @pytest.fixture
    def index(self, index_database: IndexDatabase) -> PostgresLexicalIndex:
        return PostgresLexicalIndex.open(index_database)


class TestPostgresByRarestTerms(LexicalIndexContract):
    """The contract for an index that never scores all entries of a scope."""

    @pytest.fixture
    def index(self, index_database: IndexDatabase) -> PostgresLexicalIndex:
        return by_rarest_terms(index_database, 0)


def by_rarest_terms(database: IndexDatabase, candidates: int) -> PostgresLexicalIndex:
    PostgresLexicalIndex.open(database)
    return PostgresLexicalIndex(database, weighed=0, candidates=candidates)


def wiki() -> list[IndexEntry]:
    words = ["release", "backup", "vacation", "hotel", "laptop", "invoice", "server", "deploy", "review", "badge"]
    return [
        entry(f"k{at:03}", f"{words[at % 10]} of the {words[at % 7]} {words[at % 3]} number{at}", title=words[at % 9])
        for at in range(200)
    ]


async def test_hits_and_scores_are_those_of_the_embedded_index(index_database: IndexDatabase, tmp_path: Path) -> None:
    ours, embedded = PostgresLexicalIndex.open(index_database), SqliteLexicalIndex.open(tmp_path / "lexical.db")
    for index in (ours, embedded):
        await index.add(wiki())
    for question in ("Who reviews the deployment of servers?", "hotels and invoices", "number17", "Urlaubsantrag"):
        mine, theirs = await ours.search(question, DOC, 20), await embedded.search(question, DOC, 20)
        assert keys(mine.words)[:1] == keys(theirs.words)[:1]
        assert len(mine.words) == len(theirs.words)
        assert len(mine.grams) == len(theirs.grams)
    embedded.close()


async def test_few_candidates_have_the_best_entry(index_database: IndexDatabase) -> None:
    all_weighed, some = PostgresLexicalIndex.open(index_database), by_rarest_terms(index_database, 10)
    await all_weighed.add(wiki())
    for question in ("backup number17", "the hotel of number 199", "laptop number42 review"):
        assert (
            keys((await some.search(question, DOC, 10)).words)[0]
            == (keys((await all_weighed.search(question, DOC, 10)).words)[0])
        )


@pytest.mark.parametrize(
    "question", ["release backup", "the server of the badge", "hotel laptop invoice", "review vacation"]
)
async def test_of_frequent_words_the_entry_with_several_is_first(index_database: IndexDatabase, question: str) -> None:
    """Each word alone has more entries than are scored."""
    all_weighed, some = PostgresLexicalIndex.open(index_database), by_rarest_terms(index_database, 5)
    await all_weighed.add(wiki())
    best = (await all_weighed.search(question, DOC, 1)).words
    assert (await some.search(question, DOC, 1)).words == best


async def test_what_frequent_words_alone_find_is_found(index_database: IndexDatabase) -> None:
    index = by_rarest_terms(index_database, 1)
    await index.add(wiki())
    assert len((await index.search("release backup number17", DOC, 50)).words) == 50


async def test_the_entries_of_each_term_are_counted(index_database: IndexDatabase) -> None:
    index = PostgresLexicalIndex.open(index_database)
    await index.add([entry("a", "backup"), entry("b", "backup plan"), entry("c", "plan", access="A")])
    await index.remove("DOC", ["a", "c"])
    assert [hit.key for hit in (await index.search("backup plan", DOC, 10)).words] == ["b"]
    await index.remove("DOC", ["b"])
    assert (await index.search("backup plan", DOC, 10)).words == []
    assert await index.count("DOC") == 0


async def test_terms_that_no_entry_has_any_more_are_removed(index_database: IndexDatabase) -> None:
    index = PostgresLexicalIndex.open(index_database)
    await index.add([entry("a", "backup"), entry("b", "backup plan", title="")])
    before = known_terms(index_database)
    await index.add([entry("c", "plan of the salary", title="Dismissals")])
    await index.remove("DOC", ["c"])
    assert known_terms(index_database) == before
    await index.remove("DOC", ["a", "b"])
    assert known_terms(index_database) == {"words": {}, "grams": {}}


def known_terms(database: IndexDatabase) -> dict[str, dict[int, int]]:
    """Return term to the number of entries with it, by ranking."""
    return {
        name: database.run(
            lambda connection, name=name: {
                row.term: row.entries for row in connection.execute(text(f"SELECT * FROM {SCHEMA}.{name}_terms"))
            }
        )
        for name in ("words", "grams")
    }


async def test_terms_may_have_small_numbers(index_database: IndexDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25, "hash_term", lambda term: zlib.crc32(term.encode()) % 30_000 + 1)
    index = by_rarest_terms(index_database, 10)
    await index.add(wiki())
    found = await index.search("backup number17", DOC, 10)
    assert keys(found.words)[0] == keys(found.grams)[0] == "k017"
    await index.remove("DOC", ["k017"])
    assert "k017" not in keys((await index.search("backup number17", DOC, 10)).words)


async def test_a_text_of_very_many_words_is_found(index_database: IndexDatabase) -> None:
    index = PostgresLexicalIndex.open(index_database)
    await index.add([entry("long", " ".join(f"word{at}" for at in range(20_000)), title="Inventory")])
    assert keys((await index.search("inventory", DOC, 10)).words) == ["long"]


async def test_two_processes_may_add_and_remove_at_once(index_database: IndexDatabase) -> None:
    indexes = [PostgresLexicalIndex.open(index_database) for _ in range(3)]
    parts = [wiki()[start::3] for start in range(3)]
    await asyncio.gather(*(index.add(part) for index, part in zip(indexes, parts, strict=True)))
    await asyncio.gather(
        *(index.remove("DOC", [each.key for each in part]) for index, part in zip(indexes, parts, strict=True))
    )
    assert await indexes[0].load_keys("DOC") == set()
    assert (await indexes[0].search("release", DOC, 10)).words == []


def test_an_entry_has_the_same_weights_whatever_stands_beside_it() -> None:
    alone, words = wiki()[3], Words()
    assert words.weigh([alone])[0] == words.weigh(wiki())[3]
    assert weigh_grams([alone])[0] == weigh_grams(wiki())[3]


@pytest.mark.parametrize("text", ["naïve café", "NAIVE CAFE"])
def test_words_are_those_of_the_embedded_index(text: str) -> None:
    words = Words()
    assert set(words.find_terms(text, frozenset(), 10)) == words.weigh([entry("a", "naive cafes", title="")])[0].keys()
