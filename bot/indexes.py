"""Where the indexes are: in PostgreSQL with the store, else in files of the data directory or on a Chroma server."""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

from adapters.index.dense import ChromaDenseIndex
from adapters.index.lexical import Fts5LexicalIndex
from adapters.index.pgvector import PgvectorDenseIndex
from adapters.index.postgres import IndexDatabase
from adapters.index.postgres_lexical import PostgresLexicalIndex
from adapters.postgres import Guard, parse_postgres_url
from bot.data_directory import DataDirectory, delete
from bot.settings import Settings
from core.ports.indexes import DenseIndex, LexicalIndex


class Indexes(Protocol):
    """Both indexes, which are made from the store."""

    def open_dense(self, embedder: str) -> DenseIndex:
        """The dense index for the vectors of an embedder. Raises IndexDamaged and DatabaseUnavailable."""
        ...

    def open_lexical(self) -> LexicalIndex:
        """The full-text index. Raises as :meth:`open_dense`."""
        ...

    def find_missing_dense(self) -> str:
        """What is not there as long as the dense index has not been made, "" if it has. Makes nothing."""
        ...

    def find_missing_lexical(self) -> str:
        """The same of the full-text index."""
        ...

    def delete(self) -> None:
        """Removes both, damaged or not, before they are made anew. What is on a Chroma server stays."""
        ...

    def guard_writes(self, guard: Guard) -> None:
        """From now on each change of entries begins with this check, and does nothing where that raises."""
        ...

    def close(self) -> None:
        """Ends connections, and notes that the files are whole."""
        ...


def indexes_for(settings: Settings, directory: DataDirectory) -> Indexes:
    """Those that the settings name."""
    if parse_postgres_url(settings.database_url):
        return PostgresIndexes(settings.database_url, settings.chroma_url)
    return EmbeddedIndexes(directory, settings.chroma_url)


class EmbeddedIndexes:
    """Files of the data directory; of the dense one with ``chroma_url`` a Chroma server."""

    def __init__(self, directory: DataDirectory, chroma_url: str) -> None:
        self._directory = directory
        self._chroma_url = chroma_url
        self._opened: ChromaDenseIndex | None = None

    def open_dense(self, embedder: str) -> DenseIndex:
        """See :class:`Indexes`."""
        if self._chroma_url:
            return ChromaDenseIndex.connect(self._chroma_url, embedder)
        self._opened = ChromaDenseIndex.open(self._directory.dense_index, embedder)
        return self._opened

    def open_lexical(self) -> LexicalIndex:
        """See :class:`Indexes`."""
        return Fts5LexicalIndex.open(self._directory.lexical_index)

    def find_missing_dense(self) -> str:
        """See :class:`Indexes`."""
        file = self._directory.dense_index / "chroma.sqlite3"
        return "" if self._chroma_url or file.exists() else f"{file} does not exist"

    def find_missing_lexical(self) -> str:
        """See :class:`Indexes`."""
        file = self._directory.lexical_index
        return "" if file.exists() else f"{file} does not exist"

    def delete(self) -> None:
        """See :class:`Indexes`. Raises DataDirectoryUnusable."""
        lexical = self._directory.lexical_index
        for path in [lexical, *(lexical.with_name(lexical.name + name) for name in ("-wal", "-shm", "-journal"))]:
            delete(path)
        if not self._chroma_url:
            delete(self._directory.dense_index)

    def guard_writes(self, guard: Guard) -> None:
        """Nothing: files have one bot."""

    def close(self) -> None:
        """See :class:`Indexes`: the next process need not check the files then."""
        if self._opened:
            self._opened.close()


class PostgresIndexes:
    """A schema of the store's database; of the dense one with ``chroma_url`` a Chroma server."""

    def __init__(self, url: str, chroma_url: str) -> None:
        self._database = IndexDatabase(url)
        self._chroma_url = chroma_url

    @cached_property
    def _prepared(self) -> IndexDatabase:
        self._database.prepare()
        return self._database

    def open_dense(self, embedder: str) -> DenseIndex:
        """See :class:`Indexes`."""
        if self._chroma_url:
            return ChromaDenseIndex.connect(self._chroma_url, embedder)
        return PgvectorDenseIndex(self._prepared, embedder)

    def open_lexical(self) -> LexicalIndex:
        """See :class:`Indexes`."""
        return PostgresLexicalIndex.open(self._prepared)

    def find_missing_dense(self) -> str:
        """See :class:`Indexes`."""
        return "" if self._chroma_url else self.find_missing_lexical()

    def find_missing_lexical(self) -> str:
        """See :class:`Indexes`."""
        return "" if self._database.exists() else f"{self._database.place} has no indexes"

    def delete(self) -> None:
        """See :class:`Indexes`."""
        self._database.drop()

    def guard_writes(self, guard: Guard) -> None:
        """From now on each change of entries begins with this check, and does nothing where that raises."""
        self._database.guard_writes(guard)

    def close(self) -> None:
        """See :class:`Indexes`."""
        self._database.close()
