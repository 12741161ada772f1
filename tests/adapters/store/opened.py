"""All stores of one database."""

from __future__ import annotations

from adapters.store.chat import (
    SqlAskedQuestionStore,
    SqlFeedbackStore,
    SqlPostStore,
    SqlReferenceStore,
    SqlThreadStore,
    SqlTokenStore,
)
from adapters.store.database import Database
from adapters.store.evidences import SqlEvidenceStore
from adapters.store.index_state import SqlStaleEntries, SqlTokenVectorStore, SqlVectorStore
from adapters.store.pages import SqlPageStore
from adapters.store.people import SqlPeopleStore
from adapters.store.spaces import SqlSpaceStore
from adapters.store.turns import SqlConversationStore, SqlCounterfactualStore, SqlTurnStore
from tests.contracts.stores import Stores


def stores_of(database: Database) -> Stores:
    return Stores(
        SqlPageStore(database),
        SqlSpaceStore(database),
        SqlPeopleStore(database),
        SqlStaleEntries(database),
        SqlEvidenceStore(database),
        SqlVectorStore(database),
        SqlTokenVectorStore(database),
        SqlTurnStore(database),
        SqlConversationStore(database),
        SqlCounterfactualStore(database),
        SqlPostStore(database),
        SqlReferenceStore(database),
        SqlThreadStore(database),
        SqlFeedbackStore(database),
        SqlTokenStore(database),
        SqlAskedQuestionStore(database),
    )
