"""Every port of one database."""

from __future__ import annotations

from adapters.store.conversations import SqlConversationStore
from adapters.store.counterfactuals import SqlCounterfactualStore
from adapters.store.database import Database
from adapters.store.evidences import SqlEvidenceStore
from adapters.store.feedback import SqlFeedbackStore
from adapters.store.pages import SqlPageStore
from adapters.store.posts import SqlPostStore
from adapters.store.references import SqlReferenceStore
from adapters.store.spaces import SqlSpaceStore
from adapters.store.stale import SqlStaleEntries
from adapters.store.threads import SqlThreadStore
from adapters.store.tokens import SqlTokenStore
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
        SqlCounterfactualStore(database),
        SqlPostStore(database),
        SqlReferenceStore(database),
        SqlThreadStore(database),
        SqlFeedbackStore(database),
        SqlTokenStore(database),
    )
