"""All ports of one empty store, the type of the fixture ``stores`` (see all_stores.py)."""

from __future__ import annotations

from dataclasses import dataclass

from core.model import Scope
from core.ports.chat_stores import AskedQuestionStore, FeedbackStore, PostStore, ThreadStore, TokenStore
from core.ports.pages import (
    PageStore,
    PeopleStore,
    SpaceStore,
    StaleEntries,
    StaleEntry,
)
from core.ports.store import (
    ConversationStore,
    CounterfactualStore,
    EvidenceStore,
    TokenVectorStore,
    TurnStore,
    VectorStore,
)
from core.ports.teams import ReferenceStore

EVERYTHING = Scope()
ONLY_ANN = (frozenset({"user:ann"}),)
ANN = Scope(principals=frozenset({"user:ann"}))


@dataclass
class Stores:
    pages: PageStore
    spaces: SpaceStore
    people: PeopleStore
    stale: StaleEntries
    evidences: EvidenceStore
    vectors: VectorStore
    token_vectors: TokenVectorStore
    turns: TurnStore
    conversations: ConversationStore
    counterfactuals: CounterfactualStore
    posts: PostStore
    references: ReferenceStore
    threads: ThreadStore
    feedback: FeedbackStore
    tokens: TokenStore
    asked_questions: AskedQuestionStore


def stale_of(keys: set[str], space: str = "DOC") -> set[StaleEntry]:
    return {StaleEntry(key, space) for key in keys}
