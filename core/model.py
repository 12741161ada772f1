"""The data that moves between the parts, as frozen dataclasses.

Vectors (numpy float32 arrays) are never fields of these classes: they are in the store and in the dense index.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Literal

from core.languages import Language, LanguageCode, choose_catalogue, detect_language

EvidenceKind = Literal["passage", "list", "table", "table_row", "facts"]
INDEXED_KINDS: tuple[EvidenceKind, ...] = ("passage", "list", "table", "table_row")
EVIDENCE_KINDS: tuple[EvidenceKind, ...] = (*INDEXED_KINDS, "facts")
"""Facts are in no index: every page's are alike, so they would displace each other and what pages say."""

NOT_FOUND = "The desired information cannot be found in the retrieved pool of evidence."
"""The answer when the evidence does not answer, exactly in these words (RAGonite, section 4)."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What is known of a page besides its text. "", None and () mean unknown, or that there are none.

    ``owner``, ``creator``, ``editor`` (who changed it last) and ``commenters`` are names of people, ``files`` names of
    attached files; ``version`` counts up with each change; ``licence`` is the banner that says who holds the copyright.
    ``…_account``: of the person, as in :class:`NamedPerson`.
    """

    owner: str = ""
    creator: str = ""
    created: date | None = None
    editor: str = ""
    updated: date | None = None
    version: int | None = None
    labels: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    comments: int | None = None
    commenters: tuple[str, ...] = ()
    licence: str = ""
    owner_account: str = ""
    creator_account: str = ""
    editor_account: str = ""

    @property
    def accounts(self) -> tuple[str, ...]:
        """The accounts that are known."""
        known = (self.owner_account, self.creator_account, self.editor_account)
        return tuple(dict.fromkeys(account for account in known if account))


@dataclass(frozen=True, slots=True)
class NamedPerson:
    """A person that a page mentions. ``account``: the id with its kind, as the page has it: ``userkey:2c9d…``."""

    account: str
    name: str


@dataclass(frozen=True, slots=True)
class Comment:
    """What somebody wrote below a page, or about a stretch of its text.

    ``parent_id``: the comment that it replies to, "" for the first of a thread. ``date``: when it was written.
    ``marked``: the text of the page that an inline comment is about. ``version`` is opaque: it changes whenever the
    comment does, also when it is resolved.
    """

    comment_id: str
    content: str  # Confluence storage format
    author: str = ""  # a name
    author_account: str = ""  # as in :class:`NamedPerson`
    date: str = ""  # ISO 8601
    url: str = ""
    parent_id: str = ""
    version: str = ""
    marked: str = ""
    resolved: bool = False


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file that is attached to a page.

    ``version`` is opaque: it changes whenever the file does; "" where the file is to be read again by the next sync.
    ``content``: its text, "" for a kind that is not read. ``problem``: why it, or a part of it, could not be read.
    """

    file_id: str
    name: str
    version: str = ""
    url: str = ""
    content: str = ""  # Confluence storage format
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a wiki. ``author`` is an account, ``attachments`` are names of files.

    ``facts``: what the wiki says of the page; of a stored page also what its first lines say.

    ``read_restrictions``: one set of principals per restricted page on the path from the space's root to this page. A
    reader needs one principal of EVERY set. Empty: everybody who may read the space.
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
    version: str = ""  # as :class:`core.ports.wiki.ListedPage` has it, of this content; "" where the source did not say
    facts: PageFacts = field(default_factory=PageFacts)
    comments: tuple[Comment, ...] = ()  # in the order in which they were written
    posted: str = ""  # of a blog post: when it was published, ISO 8601; "" for other pages
    files: tuple[AttachedFile, ...] = ()  # with their texts; none where these are not to be read


@dataclass(frozen=True, slots=True)
class PageReference:
    """A page as another one names it: by the key of its space, and its title."""

    space: str
    title: str


@dataclass(frozen=True, slots=True)
class PageTree:
    """The pages below another one: so many ``levels`` of them. ``root``: its id, or how a page names it."""

    root: str | PageReference
    levels: int


@dataclass(frozen=True, slots=True)
class PageQuery:
    """The pages that a report or a list asks for: of these spaces, with a label of every set, and below a page.

    Labels are in small letters. ``spaces``: none for pages of any space, where ``tree`` says which.
    """

    labels: tuple[frozenset[str], ...]
    spaces: frozenset[str]
    tree: PageTree | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """The text around an evidence on its page, which is indexed with it (RAGonite, section 3)."""

    title: str = ""
    heading_path: tuple[str, ...] = ()
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Structure:
    """The table or list that an evidence is a piece of, so that it can be put together again.

    ``block`` counts the tables, or the lists, of a page from 1; ``total``: its rows or items. The others have an entry
    for each part of the evidence: ``numbers``: of the row or item in its block, from 1 (a long row has several parts of
    the same number); ``depths``: 0, and more for nested items; ``labels``: the section of a row, "" for none, or the
    marker of an item (``-``, ``1.``, ``[x]``).
    """

    block: int
    total: int
    numbers: tuple[int, ...]
    depths: tuple[int, ...]
    labels: tuple[str, ...]
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of a page that can answer a question, with its context.

    ``text`` is the linearised piece without context. ``parts`` are its smallest quotable pieces, verbatim and in
    order: sentences, list items or table rows; ``rows`` are a table's rows, or the one row, as (header, value) pairs.
    ``structure``: of a table, its rows and a list; None for passages, and for evidences of before it was stored.
    ``facts``: of an evidence of that kind. ``people``: those that the page mentions in ``text``, by the names there.
    ``thread``: of one from a comment the id of the first in the thread, of one from an attached file that file's id, ""
    for the page's own text. ``origin``: the id of the page that the text comes from, "" for this one; ``via``: those
    of the pages between, where the page includes one that includes another. Who reads the evidence has to be a reader
    of all of them.
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
    structure: Structure | None = None
    facts: PageFacts | None = None
    people: tuple[NamedPerson, ...] = ()
    thread: str = ""
    origin: str = ""
    via: tuple[str, ...] = ()

    @property
    def page_ids(self) -> frozenset[str]:
        """The pages all of which its readers have to be readers of."""
        return frozenset({self.page_id, self.origin or self.page_id, *self.via})

    @property
    def way(self) -> tuple[str, ...]:
        """The ids of the pages over which the text came, the one that it is from last; () for the page's own."""
        return (*self.via, self.origin) if self.origin else ()

    @property
    def heading(self) -> str:
        """The heading that a citation names, "" for none; of a comment or a file which one, and the part of it."""
        path = self.context.heading_path
        return " › ".join(path[:2] if self.thread else path[-1:])


@dataclass(frozen=True, slots=True)
class Scope:
    """The pages that a question may use. ``spaces`` None means all; ``principals``: ``user:…`` and ``group:…``."""

    spaces: frozenset[str] | None = None
    principals: frozenset[str] = frozenset()

    def admits(self, space: str, read_restrictions: tuple[frozenset[str], ...]) -> bool:
        """Whether a page of this space with these restrictions may be read. Unknown means no."""
        if self.spaces is not None and space not in self.spaces:
            return False
        return all(allowed & self.principals for allowed in read_restrictions)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Rank (from 1) and score in one ranked list."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class RankedEvidence:
    """An evidence with its rank in the result and in each ranking behind it (None: not in that ranking).

    ``read``: in what a language model is given to read, which also has what stands around the retrieved evidences.
    """

    evidence: Evidence
    rank: int
    score: float
    lexical: Ranking | None = None
    dense: Ranking | None = None
    fused: Ranking | None = None
    reranked: Ranking | None = None
    read: Ranking | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    text: str
    name: str = ""  # of the person, where several people talk in one thread
    subject: str = ""  # of an answer: the title of the page it was found on


@dataclass(frozen=True, slots=True)
class Question:
    """A question as asked, and its intent-explicit form, which stands without the conversation.

    ``suggested_in``: the turn that suggested it, if a person chose a suggestion: its words are those of a page.
    ``erased``: it was removed with that page, and both texts are ""; ``kept_language``: the language it was asked in.
    ``found_page``: the id of a page that completion looked up and named by its title, though no answer before was from
    it; "" for none. It is not stored: such a question is only kept where that page is among the turn's evidences.
    """

    as_asked: str
    intent_explicit: str
    suggested_in: str = ""
    erased: bool = False
    kept_language: LanguageCode | None = None
    found_page: str = ""

    @property
    def completed(self) -> bool:
        return self.as_asked != self.intent_explicit

    @property
    def spoken(self) -> LanguageCode:
        """The language it was asked in; a language model answers in it."""
        return self.kept_language or detect_language(self.as_asked)

    @property
    def language(self) -> Language:
        """The language of the bot's own texts around the answer."""
        return choose_catalogue(self.spoken)


@dataclass(frozen=True, slots=True)
class Citation:
    """Source ``number`` of an answer: an evidence, and its words that the answer rests on."""

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

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


class Author(StrEnum):
    """Who wrote an answer's text. The values are stored."""

    WIKI = "wiki"  # its own words, quoted
    MODEL = "model"
    NOBODY = "nobody"  # there is no answer


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer's text with its citations. ``answered`` is False when the evidence does not answer.

    The wiki's words are never shown as markup. ``model``: the name of the language model that wrote it. ``erased``: a
    page that it repeated was removed, and ``text`` is "".
    """

    text: str
    answered: bool
    citations: tuple[Citation, ...] = ()
    author: Author = Author.WIKI
    model: str = ""
    erased: bool = False


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """The messages to a language model. ``name``: of the template in ``prompts/``."""

    name: str
    messages: tuple[PromptMessage, ...]


class Failure(StrEnum):
    """Why something was done without a language model, or not at all. The values are stored."""

    UNAVAILABLE = "unavailable"
    REJECTED = "rejected"
    CONTEXT_TOO_LONG = "context_too_long"
    NOT_ASKED_AGAIN = "not_asked_again"  # it was unavailable a moment ago
    EMPTY = "empty"  # it gave no answer
    OTHER_LANGUAGE = "other_language"
    UNSUPPORTED = "unsupported"  # what it wrote is not in the sources
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a language model: the prompt and the text, or the error.

    ``error`` is for administrators: it may name servers, so it is not shown in chats.
    """

    prompt: Prompt
    text: str
    usage: Usage
    milliseconds: float
    finished: bool = True  # False: cut off, or failed
    error: str = ""
    failure: Failure | None = None


class Rejection(StrEnum):
    """Why a proposed completion of a question was rejected. The values are stored."""

    NOT_ONE_QUESTION = "not_one_question"
    INVENTS_WORDS = "invents_words"
    DROPS_WORDS = "drops_words"
    REPEATS = "repeats"
    OTHER_LANGUAGE = "other_language"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposed completion of a question. ``rejected``: why, None if it was accepted.

    ``words``: those that it invents or drops.
    """

    text: str
    rejected: Rejection | None = None
    words: tuple[str, ...] = ()


class NoticeKind(StrEnum):
    """What people should know about how an answer was made. The values are stored."""

    INSTRUCTIONS_LEFT_OUT = "instructions_left_out"  # count: sentences that talk to a language model
    EVIDENCES_LEFT_OUT = "evidences_left_out"  # count, total: more do not fit into the model's window
    QUOTED_INSTEAD = "quoted_instead"  # failure: the wiki's own words stand in for the model's
    NOT_FOUND_INSTEAD = "not_found_instead"  # failure: nor do the wiki's own words answer
    COMPLETED_WITHOUT_MODEL = "completed_without_model"  # failure
    OTHER_LANGUAGE = "other_language"  # language: the page is quoted, and is not in the question's language
    UNSURE = "unsure"  # the wiki's own words may not answer the question
    SUGGESTED_WITHOUT_MODEL = "suggested_without_model"  # failure
    NO_SUGGESTIONS = "no_suggestions"  # failure
    OTHER = "other"  # of an older version


@dataclass(frozen=True, slots=True)
class TraceNotice:
    """One notice: its kind and values, without words of pages, servers or settings.

    The words for it, in each language, are in :mod:`core.views.notices`.
    """

    kind: NoticeKind
    failure: Failure | None = None
    count: int = 0
    total: int = 0
    language: LanguageCode = ""


@dataclass(frozen=True, slots=True)
class TracedPlan:
    """What was computed for an answer: an operation on the rows of a table or list (:mod:`core.reading.plan`).

    ``rows``: how many the answer comes from. ``sql`` says the same as the other fields; nothing runs it.
    """

    operation: str
    relation: str
    conditions: tuple[str, ...]
    columns: tuple[str, ...]
    rows: int
    sql: str


@dataclass(frozen=True, slots=True)
class Trace:
    """How an answer was made, beyond its evidences. ``notices`` are for people."""

    candidates: tuple[Candidate, ...] = ()
    calls: tuple[ModelCall, ...] = ()
    notices: tuple[TraceNotice, ...] = ()
    plans: tuple[TracedPlan, ...] = ()

    def __add__(self, other: Trace) -> Trace:
        return Trace(
            self.candidates + other.candidates,
            self.calls + other.calls,
            self.notices + other.notices,
            self.plans + other.plans,
        )


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A follow-up question that retrieves the evidence ``evidence_id``."""

    question: str
    evidence_id: str


@dataclass(frozen=True, slots=True)
class Turn:
    """Everything needed to show, explain, repeat or judge one answer.

    ``erased``: words that the answer was made from were removed with a page.
    """

    turn_id: str
    conversation_id: str
    asked_at: str  # ISO 8601, UTC
    question: Question
    evidences: tuple[RankedEvidence, ...]  # a snapshot
    answer: Answer
    scope: Scope
    configuration: Mapping[str, str | int | float | bool]
    timings_ms: Mapping[str, float]
    usage: Usage = field(default_factory=Usage)
    trace: Trace = field(default_factory=Trace)
    suggestions: tuple[Suggestion, ...] = ()
    erased: bool = False
    asker: str = ""  # the key of a chat user (core.person.person_key); "": the command line, or unknown

    @property
    def page_ids(self) -> frozenset[str]:
        """Of all pages that the evidences come from."""
        return frozenset(page_id for ranked in self.evidences for page_id in ranked.evidence.page_ids)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A thread of turns. The turns of a hidden one are not found."""

    conversation_id: str
    started_at: str  # ISO 8601, UTC
    hidden: bool = False
