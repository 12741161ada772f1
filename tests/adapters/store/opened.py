"""All stores of one database."""

from __future__ import annotations

from adapters.store.chats.chat_stores import (
    SqlAskedQuestionStore,
    SqlFeedbackStore,
    SqlPostStore,
    SqlReferenceStore,
    SqlThreadStore,
    SqlTokenStore,
)
from adapters.store.chats.turns import SqlConversationStore, SqlCounterfactualStore, SqlTurnStore
from adapters.store.database import Database
from adapters.store.wiki.evidences import SqlEvidenceStore
from adapters.store.wiki.index_state import SqlStaleEntries, SqlTokenVectorStore, SqlVectorStore
from adapters.store.wiki.pages import SqlPageStore
from adapters.store.wiki.people import SqlPeopleStore
from adapters.store.wiki.spaces import SqlSpaceStore
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
