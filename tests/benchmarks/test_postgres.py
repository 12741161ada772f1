from __future__ import annotations

import asyncio

from adapters.index.postgres import IndexDatabase
from adapters.index.postgres_lexical import PostgresLexicalIndex
from benchmarks.postgres import SyntheticWiki, fill, measure, recall


def test_what_is_copied_at_once_is_found(empty_postgres_url: str) -> None:
    database, wiki = IndexDatabase.open(empty_postgres_url), SyntheticWiki(400, 10)
    fill(database, wiki)
    assert asyncio.run(PostgresLexicalIndex.open(database).count("S003")) == 40
    assert len(asyncio.run(measure(database, wiki, 0.5, 3))) == 3
    assert asyncio.run(recall(database, wiki, 0.5, 3)) == (1.0, 1.0)
    database.close()
