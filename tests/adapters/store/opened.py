"""Every port of one database."""

from __future__ import annotations

from adapters.store.conversations import SqlConversationStore
from adapters.store.database import Database
from adapters.store.evidences import SqlEvidenceStore
from adapters.store.pages import SqlPageStore
from adapters.store.spaces import SqlSpaceStore
from adapters.store.stale import SqlStaleEntries
from adapters.store.turns import SqlTurnStore
from adapters.store.vectors import SqlVectorStore
from tests.contracts.stores import Stores


def stores_of(database: Database) -> Stores:
    return Stores(
        SqlPageStore(database),
        SqlSpaceStore(database),
        SqlStaleEntries(database),
        SqlEvidenceStore(database),
        SqlVectorStore(database),
        SqlTurnStore(database),
        SqlConversationStore(database),
    )
