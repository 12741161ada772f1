"""The data that moves between the parts: frozen dataclasses, named with the field's words.

Nothing here does I/O and nothing here reads a clock. Vectors are numpy float32 arrays and are
never fields of these classes: they live in the store and in the dense index.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

EvidenceKind = Literal["passage", "list", "table", "table_row"]
EVIDENCE_KINDS: tuple[EvidenceKind, ...] = ("passage", "list", "table", "table_row")

NOT_FOUND = "The desired information cannot be found in the retrieved pool of evidence."
"""What an answerer says when the evidence does not answer (RAGonite, section 4): exactly this."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a wiki, as its source gave it. ``author`` is an account, ``attachments`` are names of files.

    ``read_restrictions`` holds one set of principals per restricted page on the way from the space's
    root to this page; a reader needs one principal of EVERY set. Empty: whoever may read the space.
    """

    page_id: str
    space: str
    title: str
    url: str
    content: str  # Confluence storage format
    date: str = ""  # last modified, ISO 8601, "" if the source does not say
    read_restrictions: tuple[frozenset[str], ...] = ()
    author: str = ""
    labels: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """What surrounds an evidence on its page, and is indexed with it (RAGonite, section 3)."""

    title: str = ""
    heading_path: tuple[str, ...] = ()
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of a page that can answer a question by itself, with its context.

    ``text`` is the linearised piece without context. ``parts`` are its smallest quotable pieces, verbatim and in
    order: sentences, list items or table rows; ``rows`` are a table's rows, or the one row, as (header, value) pairs.
    """

    evidence_id: str
    page_id: str
    space: str
    kind: EvidenceKind
    ordinal: int  # position on the page, from 0, in document order
    text: str
    context: Context
    url: str  # of the page, with the heading's anchor where there is one
    parts: tuple[str, ...] = ()
    rows: tuple[tuple[tuple[str, str], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """What a question may see. ``spaces`` None means all; ``principals`` as ``user:…`` and ``group:…``."""

    spaces: frozenset[str] | None = None
    principals: frozenset[str] = frozenset()

    def admits(self, space: str, read_restrictions: tuple[frozenset[str], ...]) -> bool:
        """Whether a page of this space with these restrictions may be read. Unknown means no."""
        if self.spaces is not None and space not in self.spaces:
            return False
        return all(allowed & self.principals for allowed in read_restrictions)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Place and score in one ranked list; ranks count from 1."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class RankedEvidence:
    """An evidence with its place in the result and in each list that led there (None: not in that list)."""

    evidence: Evidence
    rank: int
    score: float
    lexical: Ranking | None = None
    dense: Ranking | None = None
    fused: Ranking | None = None
    reranked: Ranking | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    text: str
    name: str = ""  # of the person, where several people talk in one thread
    subject: str = ""  # of an answer: the title of the page it was found on


@dataclass(frozen=True, slots=True)
class Question:
    """A question as asked, and its intent-explicit form that stands without the conversation."""

    as_asked: str
    intent_explicit: str

    @property
    def completed(self) -> bool:
        return self.as_asked != self.intent_explicit


@dataclass(frozen=True, slots=True)
class Citation:
    """Source ``number`` of an answer: an evidence, and the words of it that the answer rests on."""

    number: int
    evidence_id: str
    page_id: str
    title: str
    heading: str
    url: str
    kind: EvidenceKind
    quote: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls to a language model and their tokens."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer's text with its citations. ``answered`` is False when the evidence does not answer."""

    text: str
    answered: bool
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a language model is asked. ``name``: of its template in ``prompts/``."""

    name: str
    messages: tuple[PromptMessage, ...]


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a language model: what it was asked and what it wrote, or why it failed."""

    prompt: Prompt
    text: str
    usage: Usage
    milliseconds: float
    finished: bool = True  # False: cut off, or failed
    error: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposed completion of a question. ``rejected``: why it was not taken, "" if it could be."""

    text: str
    rejected: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """How an answer came about, beyond its evidences. ``notices`` are for people: what was left out, or fell back."""

    candidates: tuple[Candidate, ...] = ()
    calls: tuple[ModelCall, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A follow-up question that the evidence ``evidence_id`` answers, as was checked by retrieving it."""

    question: str
    evidence_id: str


@dataclass(frozen=True, slots=True)
class Turn:
    """Everything needed to show, explain, repeat or judge one answer."""

    turn_id: str
    conversation_id: str
    asked_at: str  # ISO 8601, UTC
    question: Question
    evidences: tuple[RankedEvidence, ...]  # the snapshot that the answer was made from
    answer: Answer
    scope: Scope
    configuration: Mapping[str, str | int | float | bool]
    timings_ms: Mapping[str, float]
    usage: Usage = field(default_factory=Usage)
    trace: Trace = field(default_factory=Trace)
    suggestions: tuple[Suggestion, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """A thread of turns. A hidden one is not listed and not continued; it can be restored."""

    conversation_id: str
    started_at: str  # ISO 8601, UTC
    hidden: bool = False
