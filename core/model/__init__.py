"""The data that all parts of WikiWhy exchange: pages, evidences, traces and turns. Import it from this package.

All are frozen dataclasses. None has vectors (numpy float32 arrays) as a field: these are in the store and in the dense
index. Unless a field says otherwise, "" and () mean "none" or "unknown".
"""

from core.model.evidences import (
    EVIDENCE_KINDS,
    INDEXED_KINDS,
    Context,
    Evidence,
    EvidenceKind,
    RankedEvidence,
    Ranking,
    Scope,
    Structure,
    append_evidences,
)
from core.model.pages import AttachedFile, Comment, NamedPerson, Page, PageFacts, PageQuery, PageReference, PageTree
from core.model.traces import (
    Candidate,
    Failure,
    ModelCall,
    NoticeKind,
    Prompt,
    PromptMessage,
    Rejection,
    Trace,
    TracedPlan,
    TraceNotice,
    Usage,
)
from core.model.turns import NOT_FOUND, Answer, Author, Citation, Conversation, Message, Question, Suggestion, Turn

__all__ = [
    "EVIDENCE_KINDS",
    "INDEXED_KINDS",
    "NOT_FOUND",
    "Answer",
    "AttachedFile",
    "Author",
    "Candidate",
    "Citation",
    "Comment",
    "Context",
    "Conversation",
    "Evidence",
    "EvidenceKind",
    "Failure",
    "Message",
    "ModelCall",
    "NamedPerson",
    "NoticeKind",
    "Page",
    "PageFacts",
    "PageQuery",
    "PageReference",
    "PageTree",
    "Prompt",
    "PromptMessage",
    "Question",
    "RankedEvidence",
    "Ranking",
    "Rejection",
    "Scope",
    "Structure",
    "Suggestion",
    "Trace",
    "TraceNotice",
    "TracedPlan",
    "Turn",
    "Usage",
    "append_evidences",
]
