"""The seams between the method and the outside: one small Protocol per outside system.

Ports are async, except pure computation. Implementations live in ``adapters/`` and are joined in
``bot/wiring.py``; each port has a contract suite in ``tests/contracts/`` that every implementation inherits.
"""

from core.ports.audit import ACTIONS, Action, AuditEntry, AuditStore, Outcome, SettingsSeen
from core.ports.chat import Audience, ChatPlatform, Member, Place, Platform, ThreadMessage, View
from core.ports.chat_store import (
    Feedback,
    FeedbackStore,
    Post,
    PostStore,
    Reaction,
    Reference,
    ReferenceStore,
    TeamsUser,
    ThreadStore,
    TokenStore,
)
from core.ports.embedding import Embedder, Vectors
from core.ports.identity import Account, Directory, Emails, SpaceReaders
from core.ports.indexes import AccessFilter, DenseIndex, Hit, IndexEntry, LexicalHits, LexicalIndex
from core.ports.language_model import Generation, LanguageModel, Sampling, TextListener
from core.ports.persons import HeardMessage, PersonalData, PersonStore, Removed, RetentionStore
from core.ports.progress import Progress, ProgressListener
from core.ports.reranking import Reranker
from core.ports.scoring import AnswerScorer, Score
from core.ports.store import (
    NOT_STORED,
    ConversationStore,
    EvidenceStore,
    IndexedEvidence,
    IndexedPage,
    NamedPage,
    PagesReplaced,
    PageStore,
    SpaceStore,
    SpaceSummary,
    StaleEntries,
    StaleEntry,
    TurnStore,
    VectorStore,
)
from core.ports.wiki import ListedPage, PageFailure, Traffic, Wiki

__all__ = [
    "ACTIONS",
    "NOT_STORED",
    "AccessFilter",
    "Account",
    "Action",
    "AnswerScorer",
    "Audience",
    "AuditEntry",
    "AuditStore",
    "ChatPlatform",
    "ConversationStore",
    "DenseIndex",
    "Directory",
    "Emails",
    "Embedder",
    "EvidenceStore",
    "Feedback",
    "FeedbackStore",
    "Generation",
    "HeardMessage",
    "Hit",
    "IndexEntry",
    "IndexedEvidence",
    "IndexedPage",
    "LanguageModel",
    "LexicalHits",
    "LexicalIndex",
    "ListedPage",
    "Member",
    "NamedPage",
    "Outcome",
    "PageFailure",
    "PageStore",
    "PagesReplaced",
    "PersonStore",
    "PersonalData",
    "Place",
    "Platform",
    "Post",
    "PostStore",
    "Progress",
    "ProgressListener",
    "Reaction",
    "Reference",
    "ReferenceStore",
    "Removed",
    "Reranker",
    "RetentionStore",
    "Sampling",
    "Score",
    "SettingsSeen",
    "SpaceReaders",
    "SpaceStore",
    "SpaceSummary",
    "StaleEntries",
    "StaleEntry",
    "TeamsUser",
    "TextListener",
    "ThreadMessage",
    "ThreadStore",
    "TokenStore",
    "Traffic",
    "TurnStore",
    "VectorStore",
    "Vectors",
    "View",
    "Wiki",
]
