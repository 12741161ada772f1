"""The places of the indexes: PostgreSQL beside the store, files in the data directory, or a Chroma server."""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

from adapters.index.dense import ChromaDenseIndex
from adapters.index.lexical import SqliteLexicalIndex
from adapters.index.pgvector import PgvectorDenseIndex
from adapters.index.postgres import IndexDatabase
from adapters.index.postgres_lexical import PostgresLexicalIndex
from adapters.postgres import Guard, parse_postgres_url
from bot.settings import Settings
from bot.storage.data_directory import DataDirectory, delete
from core.ports.indexes import DenseIndex, LexicalIndex


class Indexes(Protocol):
    """Both indexes. They can be rebuilt from the store."""

    def open_dense(self, embedder: str) -> DenseIndex:
        """Open the dense index for the vectors of an embedder. Raises IndexDamaged and DatabaseUnavailable."""
        ...

    def open_lexical(self) -> LexicalIndex:
        """Open the full-text index. Raises IndexDamaged and DatabaseUnavailable."""
        ...

    def find_missing_dense(self) -> str:
        """Return a sentence if the dense index does not exist, else "". Creates nothing."""
        ...

    def find_missing_lexical(self) -> str:
        """Return a sentence if the full-text index does not exist, else "". Creates nothing."""
        ...

    def delete(self) -> None:
        """Delete both indexes, damaged or not, before a rebuild. Data on a Chroma server is not deleted."""
        ...

    def guard_writes(self, guard: Guard) -> None:
        """Call ``guard`` before each change of entries from now on. If it raises, nothing is changed."""
        ...

    def close(self) -> None:
        """Close connections, and record that the files are intact."""
        ...


def make_indexes(settings: Settings, directory: DataDirectory) -> Indexes:
    """Return the indexes that the settings name."""
    if parse_postgres_url(settings.database_url):
        return PostgresIndexes(IndexDatabase(settings.database_url), settings.chroma_url)
    return EmbeddedIndexes(directory, settings.chroma_url)


class EmbeddedIndexes:
    """Indexes in files of the data directory. With ``chroma_url`` the dense index is on a Chroma server."""

    def __init__(self, directory: DataDirectory, chroma_url: str) -> None:
        self._directory = directory
        self._chroma_url = chroma_url
        self._opened: ChromaDenseIndex | None = None

    def open_dense(self, embedder: str) -> DenseIndex:
        if self._chroma_url:
            return ChromaDenseIndex.connect(self._chroma_url, embedder)
        self._opened = ChromaDenseIndex.open(self._directory.dense_index, embedder)
        return self._opened

    def open_lexical(self) -> LexicalIndex:
        return SqliteLexicalIndex.open(self._directory.lexical_index)

    def find_missing_dense(self) -> str:
        file = self._directory.dense_index / "chroma.sqlite3"
        return "" if self._chroma_url or file.exists() else f"{file} does not exist"

    def find_missing_lexical(self) -> str:
        file = self._directory.lexical_index
        return "" if file.exists() else f"{file} does not exist"

    def delete(self) -> None:
        """Raises DataDirectoryUnusable."""
        lexical = self._directory.lexical_index
        for path in [lexical, *(lexical.with_name(lexical.name + name) for name in ("-wal", "-shm", "-journal"))]:
            delete(path)
        if not self._chroma_url:
            delete(self._directory.dense_index)

    def guard_writes(self, guard: Guard) -> None:
        """Do nothing: only one bot uses files."""

    def close(self) -> None:
        """Record that the files are intact, so that the next process need not check them."""
        if self._opened:
            self._opened.close()


class PostgresIndexes:
    """Indexes in a schema of the store's database. With ``chroma_url`` the dense index is on a Chroma server."""

    def __init__(self, database: IndexDatabase, chroma_url: str = "") -> None:
        self._database = database
        self._chroma_url = chroma_url

    @classmethod
    def open_reader(cls, url: str, bot: str) -> PostgresIndexes:
        """Open the indexes of a bot that has created them. Writing fails. ``bot``: its id."""
        return cls(IndexDatabase.open_reader(url, bot))

    @cached_property
    def _prepared(self) -> IndexDatabase:
        self._database.prepare()
        return self._database

    def open_dense(self, embedder: str) -> DenseIndex:
        if self._chroma_url:
            return ChromaDenseIndex.connect(self._chroma_url, embedder)
        return PgvectorDenseIndex(self._prepared, embedder)

    def open_lexical(self) -> LexicalIndex:
        return PostgresLexicalIndex.open(self._prepared)

    def find_missing_dense(self) -> str:
        return "" if self._chroma_url else self.find_missing_lexical()

    def find_missing_lexical(self) -> str:
        return "" if self._database.exists() else f"{self._database.place} has no indexes"

    def delete(self) -> None:
        self._database.drop()

    def guard_writes(self, guard: Guard) -> None:
        self._database.guard_writes(guard)

    def close(self) -> None:
        self._database.close()
