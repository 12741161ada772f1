"""Conversations and their turns: question, answer with citations, suggestions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from core.languages import Language, LanguageCode, choose_catalogue, detect_language
from core.model.evidences import EvidenceKind, PagePart, RankedEvidence, Scope
from core.model.traces import Trace, Usage

NOT_FOUND = "The desired information cannot be found in the retrieved pool of evidence."
"""The text of an answer if the evidence does not answer the question (exact wording of RAGonite, section 4)."""


@dataclass(frozen=True, slots=True)
class HistoryMessage:
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    text: str
    name: str = ""  # the person's name, in threads with several people
    subject: str = ""  # of an answer: the title of the page that was found first, or of the only one that it cites
    cited: str = ""  # of an answer: the title of another page that was found or cited first
    answered: bool = True  # of an answer: False if it is "not found", so that its pages are only the closest ones


@dataclass(frozen=True, slots=True)
class Provenance:
    """The parts of pages that a question may have words from, besides those of the person who asked it.

    ``suggestion``: those of the suggestion that the person chose, or of the text of a form in which the person
    wrote the question. Any text of the turn may have words from them.
    ``history``: those of the conversation before the question, and of the earlier questions that the suggestions
    were made with. The completed question, the prompts of the completion and the suggestions may have words from them,
    and if the question is completed, a model's answer too.
    """

    suggestion: frozenset[PagePart] = frozenset()
    history: frozenset[PagePart] = frozenset()

    @property
    def page_ids(self) -> frozenset[str]:
        return frozenset(part.page_id for part in self.suggestion | self.history)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as asked, and its intent-explicit form, which can be understood without the conversation."""

    as_asked: str
    intent_explicit: str
    suggested_in: str = ""  # the id of the turn whose suggestion the person chose; such a question has words of a page
    erased: bool = False  # both texts were erased together with that page
    kept_language: LanguageCode | None = None  # of an erased question, or of the asker if the words do not tell
    # The id of a page that completion found by its title although no earlier answer used it. Not stored: the completed
    # question is kept only if that page is among the turn's evidences, and then the page is in ``provenance.history``.
    found_page: str = ""
    provenance: Provenance = field(default_factory=Provenance)

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
    asker: str = ""  # key of the chat user (core.model.make_person_key); "" for the command line, or unknown

    @property
    def day(self) -> date | None:
        """The day on which it was asked, in the time zone of its configuration, else UTC; None if unknown."""
        return find_day(self.asked_at, self.configuration)

    @property
    def page_ids(self) -> frozenset[str]:
        """The ids of all pages that the evidences and words of the question are from."""
        of_evidences = (page_id for ranked in self.evidences for page_id in ranked.evidence.page_ids)
        return frozenset((*of_evidences, *self.question.provenance.page_ids))


def find_day(moment: str, configuration: Mapping[str, object]) -> date | None:
    """Return the day of a time in ISO 8601, in the configuration's ``timezone``; None for a text that is no time."""
    try:
        parsed, zone = datetime.fromisoformat(moment), ZoneInfo(str(configuration.get("timezone", "UTC")))
    except (ValueError, ZoneInfoNotFoundError):
        return None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(zone).date()


@dataclass(frozen=True, slots=True)
class Conversation:
    """A thread of turns. Queries do not return the turns of a hidden conversation."""

    conversation_id: str
    started_at: str  # ISO 8601, UTC
    hidden: bool = False
