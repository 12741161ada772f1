"""The trace of a turn: calls of language models, proposed completions, notices and computations."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from core.languages import LanguageCode


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
class ProposedCompletion:
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
    BROKEN_OFF = "broken_off"  # failure: only the beginning of the answer, which was already shown, is there
    COMPLETED_WITHOUT_MODEL = "completed_without_model"  # failure
    OTHER_LANGUAGE = "other_language"  # language: of the quoted page, which differs from the question's
    NO_VERDICT = "no_verdict"  # neither a sentence nor a cell says yes or no to a yes-or-no question
    UNSURE = "unsure"  # the quoted text may not answer the question
    SUGGESTED_WITHOUT_MODEL = "suggested_without_model"  # failure
    NO_SUGGESTIONS = "no_suggestions"  # failure
    OTHER = "other"  # written by another version

    @classmethod
    def _missing_(cls, value: object) -> NoticeKind:
        return cls.OTHER  # a newer version wrote it, on the same database during an upgrade


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
    """A computation over the rows of a table or list that an answer rests on (:mod:`core.reading.plans.plan`)."""

    operation: str
    relation: str
    conditions: tuple[str, ...]
    columns: tuple[str, ...]
    rows: int  # the number of rows that the answer is from
    sql: str  # the same as an SQL query, for display; it is never executed


@dataclass(frozen=True, slots=True)
class ClosestUnit:
    """A sentence, item or row that comes close to a question without an answer. ``index``: of the evidence's parts."""

    evidence_id: str
    index: int


@dataclass(frozen=True, slots=True)
class Trace:
    """How an answer was made, besides its evidences.

    ``notices`` are shown to people. ``closest``: for "not found", the unit of each page that comes closest, best first.
    """

    proposed_completions: tuple[ProposedCompletion, ...] = ()
    calls: tuple[ModelCall, ...] = ()
    notices: tuple[TraceNotice, ...] = ()
    plans: tuple[TracedPlan, ...] = ()
    closest: tuple[ClosestUnit, ...] = ()

    def __add__(self, other: Trace) -> Trace:
        return Trace(
            self.proposed_completions + other.proposed_completions,
            self.calls + other.calls,
            self.notices + other.notices,
            self.plans + other.plans,
            self.closest + other.closest,
        )
