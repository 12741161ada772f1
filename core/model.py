"""The data classes that all parts of WikiWhy exchange: pages, evidences, questions, answers, traces and turns.

All are frozen dataclasses. None has vectors (numpy float32 arrays) as a field: these are in the store and in the dense
index. Unless a field says otherwise, "" and () mean "none" or "unknown".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from itertools import pairwise
from typing import Literal

from core.languages import Language, LanguageCode, choose_catalogue, detect_language

EvidenceKind = Literal["passage", "list", "table", "table_row", "facts"]
INDEXED_KINDS: tuple[EvidenceKind, ...] = ("passage", "list", "table", "table_row")
EVIDENCE_KINDS: tuple[EvidenceKind, ...] = (*INDEXED_KINDS, "facts")
"""Facts are not indexed: they are alike on every page, so they would crowd out each other and the text of pages."""

NOT_FOUND = "The desired information cannot be found in the retrieved pool of evidence."
"""The text of an answer if the evidence does not answer the question (exact wording of RAGonite, section 4)."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What is known about a page besides its text. "", None and () mean "unknown" or "none".

    People are given by name; the ``…_account`` fields have their accounts, in the form of :class:`NamedPerson`.
    """

    owner: str = ""
    creator: str = ""
    created: date | None = None
    editor: str = ""  # who made the last change
    updated: date | None = None
    version: int | None = None  # increases with each change
    labels: tuple[str, ...] = ()
    files: tuple[str, ...] = ()  # names of attached files
    comments: int | None = None  # the number of comments
    commenters: tuple[str, ...] = ()
    licence: str = ""  # the text of the copyright or licence banner
    owner_account: str = ""
    creator_account: str = ""
    editor_account: str = ""
    # Of a space's home page only:
    space_name: str = ""
    space_owner_account: str = ""
    space_creator: str = ""
    space_creator_account: str = ""

    @property
    def accounts(self) -> tuple[str, ...]:
        """The known accounts, without duplicates."""
        of_page = (self.owner_account, self.creator_account, self.editor_account)
        known = (*of_page, self.space_owner_account, self.space_creator_account)
        return tuple(dict.fromkeys(account for account in known if account))


@dataclass(frozen=True, slots=True)
class NamedPerson:
    """A person whom a page mentions. ``account`` is the id as the page has it, with its kind: ``userkey:2c9d…``."""

    account: str
    name: str


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment: below a page (footer comment) or about a stretch of its text (inline comment)."""

    comment_id: str
    content: str  # Confluence storage format
    author: str = ""  # a name
    author_account: str = ""  # as in :class:`NamedPerson`
    date: str = ""  # when it was written, ISO 8601
    url: str = ""
    parent_id: str = ""  # the comment that this one replies to; "" for the first of a thread
    version: str = ""  # opaque: differs after every change, including when the comment is resolved
    marked: str = ""  # the stretch of the page's text that an inline comment is about
    resolved: bool = False


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file that is attached to a page."""

    file_id: str
    name: str
    version: str = ""  # opaque: differs after every change; "" if the next sync has to read the file again
    url: str = ""
    content: str = ""  # its text in Confluence storage format; "" if files of its kind are not read
    problem: str = ""  # why the file, or a part of it, could not be read


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a wiki.

    ``read_restrictions`` has one set of principals for each restricted page on the path from the space's root to this
    page. A reader needs at least one principal of EVERY set. Without restrictions, everybody who may read the space may
    read the page.
    """

    page_id: str
    space: str
    title: str
    url: str
    content: str  # Confluence storage format
    date: str = ""  # when it was last modified, ISO 8601
    read_restrictions: tuple[frozenset[str], ...] = ()
    author: str = ""  # an account
    labels: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()  # names of files
    version: str = ""  # version of this content, as in :class:`core.ports.wiki.ListedPage`; "" if unknown
    facts: PageFacts = field(default_factory=PageFacts)  # from the wiki; of a stored page also from its byline
    comments: tuple[Comment, ...] = ()  # in the order in which they were written
    posted: str = ""  # when a blog post was published, ISO 8601; "" for other pages
    files: tuple[AttachedFile, ...] = ()  # with their texts; () if files are not read


@dataclass(frozen=True, slots=True)
class PageReference:
    """A page as another page refers to it: by space key and title."""

    space: str
    title: str


@dataclass(frozen=True, slots=True)
class PageTree:
    """The pages below a root page, down to ``levels`` levels; the root page itself for 0 levels."""

    root: str | PageReference  # a page id, or a reference
    levels: int


@dataclass(frozen=True, slots=True)
class PageQuery:
    """The pages that a report, a page list or a smart link selects."""

    labels: tuple[frozenset[str], ...]  # a page needs one label of each set; lower case
    spaces: frozenset[str]  # empty for any space if ``tree`` is given
    tree: PageTree | None = None  # only pages of this tree


@dataclass(frozen=True, slots=True)
class Context:
    """The text around an evidence on its page, which is indexed with it (RAGonite, section 3).

    A shortened ``before`` or ``after`` has no line breaks. ``before_breaks`` and ``after_breaks`` are the positions in
    it where lines begin, except the first; () for evidences stored by early versions.
    """

    title: str = ""
    heading_path: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    before_breaks: tuple[int, ...] = ()
    after_breaks: tuple[int, ...] = ()

    @property
    def lines_before(self) -> list[str]:
        """Return the lines of ``before``."""
        return _split_lines(self.before, self.before_breaks)

    @property
    def lines_after(self) -> list[str]:
        """Return the lines of ``after``."""
        return _split_lines(self.after, self.after_breaks)


def _split_lines(text: str, breaks: tuple[int, ...]) -> list[str]:
    if not breaks:
        return text.strip().split("\n")
    lines = (text[start:end].strip() for start, end in pairwise((0, *breaks, len(text))))
    return [line for line in lines if line]


@dataclass(frozen=True, slots=True)
class Structure:
    """The position of an evidence in its table or list, from which the whole can be reassembled.

    ``numbers``, ``depths`` and ``labels`` have one entry per part of the evidence.
    """

    block: int  # the number of the table (or list) among the tables (or lists) of the page, from 1
    total: int  # rows or items of the whole table or list
    numbers: tuple[int, ...]  # row or item numbers, from 1; all parts of one long row have the same number
    depths: tuple[int, ...]  # nesting of list items, from 0; 0 for rows
    labels: tuple[str, ...]  # the section of a row, or the marker of an item: ``-``, ``1.``, ``[x]``
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of a page that can answer a question, with its context.

    ``origin`` and ``via`` describe evidences that this page shows of another one: ``origin`` is the id of the page that
    the text is from ("" for this page), ``via`` the ids of the pages in between if an included page includes another.
    Only readers of all these pages may read the evidence.
    """

    evidence_id: str
    page_id: str
    space: str
    kind: EvidenceKind
    ordinal: int  # position on the page, from 0, in document order
    text: str  # linearised, without context
    context: Context
    url: str  # of the page, with the heading's anchor if there is one
    parts: tuple[str, ...] = ()  # the smallest quotable pieces, verbatim, in order: sentences, list items or table rows
    rows: tuple[tuple[tuple[str, str], ...], ...] = ()  # of a table or table row: (header, value) pairs per row
    structure: Structure | None = None  # of tables, rows and lists; None for evidences stored by early versions
    facts: PageFacts | None = None  # of evidences of kind "facts"
    people: tuple[NamedPerson, ...] = ()  # the people mentioned in ``text``, with the names used there
    thread: str = ""  # of a comment: the id of its thread's first comment; of an attached file: the file's id
    origin: str = ""
    via: tuple[str, ...] = ()

    @property
    def page_ids(self) -> frozenset[str]:
        """The ids of all pages that a reader of this evidence must be able to read."""
        return frozenset({self.page_id, self.origin or self.page_id, *self.via})

    @property
    def inclusion_path(self) -> tuple[str, ...]:
        """The ids of the included pages that lead to the text, its origin last; () for the page's own text."""
        return (*self.via, self.origin) if self.origin else ()

    @property
    def heading(self) -> str:
        """The heading that a citation names; for a comment or file, its name and the heading inside it."""
        path = self.context.heading_path
        return " › ".join(path[:2] if self.thread else path[-1:])


@dataclass(frozen=True, slots=True)
class Scope:
    """The pages that a question may use."""

    spaces: frozenset[str] | None = None  # None for all spaces
    principals: frozenset[str] = frozenset()  # ``user:…`` and ``group:…``

    def admits(self, space: str, read_restrictions: tuple[frozenset[str], ...]) -> bool:
        """Whether the scope includes a page of this space with these read restrictions."""
        if self.spaces is not None and space not in self.spaces:
            return False
        return all(allowed & self.principals for allowed in read_restrictions)


@dataclass(frozen=True, slots=True)
class Ranking:
    """A place in one ranked list."""

    rank: int  # from 1
    score: float


@dataclass(frozen=True, slots=True)
class RankedEvidence:
    """An evidence with its final rank, and its place in each contributing ranking (None if it is not in that one)."""

    evidence: Evidence
    rank: int
    score: float
    lexical: Ranking | None = None
    dense: Ranking | None = None
    fused: Ranking | None = None
    reranked: Ranking | None = None
    read: Ranking | None = None  # among the sources given to a language model, which include the sections around hits


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    text: str
    name: str = ""  # the person's name, in threads with several people
    subject: str = ""  # of an answer: the title of the page that it is from


@dataclass(frozen=True, slots=True)
class Question:
    """A question as asked, and its intent-explicit form, which can be understood without the conversation."""

    as_asked: str
    intent_explicit: str
    suggested_in: str = ""  # the id of the turn whose suggestion the person chose; such a question has words of a page
    erased: bool = False  # both texts were erased together with that page
    kept_language: LanguageCode | None = None  # of an erased question, or of the asker if the words do not tell
    # The id of a page that completion found by its title although no earlier answer used it. Not stored: the question
    # is kept only if that page is among the turn's evidences.
    found_page: str = ""

    @property
    def completed(self) -> bool:
        return self.as_asked != self.intent_explicit

    @property
    def asked_language(self) -> LanguageCode:
        """The language of the question, which is also the language of a generated answer."""
        return self.kept_language or detect_language(self.as_asked)

    @property
    def language(self) -> Language:
        """The language of the bot's own texts around the answer."""
        return choose_catalogue(self.asked_language)


@dataclass(frozen=True, slots=True)
class Citation:
    """Citation ``number`` of an answer: an evidence, and the words of it that support the answer."""

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
    """The number of calls to a language model, and of their tokens."""

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
    """The author of an answer's text. The values are stored."""

    WIKI = "wiki"  # quoted from the wiki
    MODEL = "model"
    NOBODY = "nobody"  # no answer


@dataclass(frozen=True, slots=True)
class Answer:
    """The text of an answer with its citations. Quoted text of the wiki is never rendered as markup."""

    text: str
    answered: bool  # False if the evidence does not answer the question
    citations: tuple[Citation, ...] = ()
    author: Author = Author.WIKI
    model: str = ""  # the name of the language model that wrote the text
    erased: bool = False  # ``text`` is "" because a page that it quoted was removed


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """The messages that are sent to a language model."""

    name: str  # of the template in ``prompts/``
    messages: tuple[PromptMessage, ...]


class Failure(StrEnum):
    """The reason why something was done without a language model, or not at all. The values are stored."""

    UNAVAILABLE = "unavailable"
    REJECTED = "rejected"
    CONTEXT_TOO_LONG = "context_too_long"
    NOT_ASKED_AGAIN = "not_asked_again"  # it was unavailable earlier in the same turn
    EMPTY = "empty"  # it returned no text
    OTHER_LANGUAGE = "other_language"
    UNSUPPORTED = "unsupported"  # the sources do not support what it wrote
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call of a language model: the prompt, and the generated text or the error."""

    prompt: Prompt
    text: str
    usage: Usage
    milliseconds: float
    finished: bool = True  # False if the text was cut off, or the call failed
    error: str = ""  # for administrators only: it may contain server names
    failure: Failure | None = None


class Rejection(StrEnum):
    """The reason why a proposed completion of a question was rejected. The values are stored."""

    NOT_ONE_QUESTION = "not_one_question"
    INVENTS_WORDS = "invents_words"
    DROPS_WORDS = "drops_words"
    REPEATS = "repeats"
    OTHER_LANGUAGE = "other_language"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposed completion of a question."""

    text: str
    rejected: Rejection | None = None  # None if it was accepted
    words: tuple[str, ...] = ()  # the words that it invents or drops


class NoticeKind(StrEnum):
    """What people should know about how an answer was made. The values are stored.

    The comments name the fields of :class:`TraceNotice` that a kind uses.
    """

    INSTRUCTIONS_LEFT_OUT = "instructions_left_out"  # count: omitted sentences that address a language model
    EVIDENCES_LEFT_OUT = "evidences_left_out"  # count, total: the others do not fit into the model's window
    QUOTED_INSTEAD = "quoted_instead"  # failure: the wiki is quoted, because the model failed
    NOT_FOUND_INSTEAD = "not_found_instead"  # failure: the model failed, and quoting the wiki does not answer either
    COMPLETED_WITHOUT_MODEL = "completed_without_model"  # failure
    OTHER_LANGUAGE = "other_language"  # language: of the quoted page, which differs from the question's
    UNSURE = "unsure"  # the quoted text may not answer the question
    NO_VERDICT = "no_verdict"  # neither a sentence nor a cell says yes or no to a yes-or-no question
    SUGGESTED_WITHOUT_MODEL = "suggested_without_model"  # failure
    NO_SUGGESTIONS = "no_suggestions"  # failure
    OTHER = "other"  # written by another version


@dataclass(frozen=True, slots=True)
class TraceNotice:
    """One notice: its kind and values, without words of pages, servers or settings.

    :mod:`core.views.notices` has the words for it, in each language.
    """

    kind: NoticeKind
    failure: Failure | None = None
    count: int = 0
    total: int = 0
    language: LanguageCode = ""


@dataclass(frozen=True, slots=True)
class TracedPlan:
    """A computation over the rows of a table or list that an answer rests on (:mod:`core.reading.plan`)."""

    operation: str
    relation: str
    conditions: tuple[str, ...]
    columns: tuple[str, ...]
    rows: int  # the number of rows that the answer is from
    sql: str  # the same as an SQL query, for display; it is never executed


@dataclass(frozen=True, slots=True)
class Trace:
    """How an answer was made, besides its evidences. ``notices`` are shown to people."""

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
    """A suggested follow-up question, which retrieves the evidence ``evidence_id``."""

    question: str
    evidence_id: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One question with its answer, and everything needed to show, explain, repeat or judge it."""

    turn_id: str
    conversation_id: str
    asked_at: str  # ISO 8601, UTC
    question: Question
    evidences: tuple[RankedEvidence, ...]  # a copy from the time of the answer
    answer: Answer
    scope: Scope
    configuration: Mapping[str, str | int | float | bool]
    timings_ms: Mapping[str, float]
    usage: Usage = field(default_factory=Usage)
    trace: Trace = field(default_factory=Trace)
    suggestions: tuple[Suggestion, ...] = ()
    erased: bool = False  # some words that the answer was made from were erased with a page
    asker: str = ""  # key of the chat user (core.person.person_key); "" for the command line, or unknown

    @property
    def page_ids(self) -> frozenset[str]:
        """The ids of all pages that the evidences are from."""
        return frozenset(page_id for ranked in self.evidences for page_id in ranked.evidence.page_ids)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A thread of turns. Queries do not return the turns of a hidden conversation."""

    conversation_id: str
    started_at: str  # ISO 8601, UTC
    hidden: bool = False
