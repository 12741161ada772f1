"""Requests that start workflows, with their keys; the outcome of an answer; and how both are stored.

A request is stored as JSON when its workflow starts, and read after a restart, possibly by a later version of
WikiWhy. The names in the JSON must not change. A repeated delivery has the same key.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, Self, get_args

from core.languages import Language
from core.model.reasons import AccountReason, NoReason, NoticeReason
from core.ports.chat import Place

logger = logging.getLogger(__name__)

_STORED_NAMES = {"language": "spoken", "changed_at": "edition"}
"""Fields that are stored by another name, since version 0.1."""

_REASONS: Mapping[str, NoticeReason] = {name: name for name in get_args(NoticeReason)}

Json = dict[str, Any]

QuestionKind = Literal["message", "correction", "page", "suggestion", "command"]
"""Where a question comes from: a message, the form that corrects a question, the form about a page, the button of a
suggestion, or a command."""


@dataclass(frozen=True, slots=True)
class SuggestionReference:
    """A suggestion of a turn, by its position among the turn's suggestions."""

    turn_id: str
    index: int

    @property
    def asking_id(self) -> str:
        """Id in the key of the question that asks the suggestion; also stored, so its form must not change."""
        return f"{self.turn_id}.{self.index}"

    @classmethod
    def parse(cls, asking_id: str) -> Self:
        turn_id, _, index = asking_id.rpartition(".")
        return cls(turn_id, int(index))


@dataclass(frozen=True, slots=True)
class QuestionRequest:
    """A request to answer a question.

    ``message_id``: of the message that asks; for a form the id of its submission, for a command the id of its run, ""
    for a suggestion. A command has no thread: its question is posted, and answered below that. ``text``: the question,
    shortened to the maximum length. "" for a suggestion, because its words come from a page: they are stored in the
    turn only, which is erased with the page. ``characters``: length of the text before shortening. ``notice``: why the
    question is not answered, or "". ``follows``: the thread whose conversation the question continues, "" for its own.
    ``corrects``, ``page_id``: the turn that a form corrects, and the page that a form asks about, since the form's text
    has words from them; "" for none. A form about a page becomes a "command" if the bot may not post where it was
    opened. ``suggestion``: of a suggestion.
    """

    workflow: ClassVar[str] = "ask"

    key: str
    place: Place
    message_id: str
    user: str
    text: str
    language: Language
    kind: QuestionKind = "message"
    characters: int = 0
    notice: NoticeReason | NoReason = ""
    follows: str = ""
    corrects: str = ""
    page_id: str = ""
    suggestion: SuggestionReference | None = None

    @property
    def is_from_page(self) -> bool:
        """Whether the question may have words of pages that the person did not write."""
        return bool(self.kind == "suggestion" or self.corrects or self.page_id)

    @property
    def turn_id(self) -> str:
        """Id of the turn that answers the question."""
        return make_turn_id(self.key)

    def to_json(self) -> Json:
        """Return what is stored. Earlier versions have no kind "page", and a suggestion only as id of the message."""
        added = {"follows", "corrects", "page_id"}  # unknown to earlier versions, so only stored if set
        stored = {name: value for name, value in _store(self).items() if value or name not in added}
        stored.pop("suggestion", None)
        if self.suggestion:
            stored["message_id"] = self.suggestion.asking_id
        return {**stored, "kind": "correction"} if self.kind == "page" else stored

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        read = {**_read(stored), "notice": parse_reason(stored.get("notice", ""))}
        if stored.get("kind") == "suggestion":
            read |= {"message_id": "", "suggestion": SuggestionReference.parse(stored["message_id"])}
        if stored.get("kind") == "correction" and stored.get("page_id"):
            read["kind"] = "page"
        return cls(**read)


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """Outcome of the step that answers: a turn, or the reason why there is none (``notice``).

    ``reason``: as in :class:`core.access.Access`. ``unread``: as in :class:`core.history.History`.
    """

    turn_id: str = ""
    reason: AccountReason | None = None
    notice: NoticeReason | NoReason = ""
    unread: bool = False

    def to_json(self) -> Json:
        if self.notice:
            return {"notice": self.notice}
        stored: Json = {"turn": self.turn_id, "reason": self.reason}
        return {**stored, "unread": True} if self.unread else stored

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        reason, notice = stored.get("reason"), parse_reason(stored.get("notice", ""))
        return cls(stored.get("turn", ""), reason, notice, stored.get("unread", False))


@dataclass(frozen=True, slots=True)
class RevisionRequest:
    """A request to update an answer after its question was edited, or to remove it after the question was deleted.

    ``of``: the key of the question. ``text``: the new text, shortened to the maximum length, None if the message was
    deleted. ``changed_at``: time of the change by the platform's clock; it increases with each change. ``characters``:
    length of the text before shortening, 0 if it was not shortened.
    """

    workflow: ClassVar[str] = "revise"

    of: str
    place: Place
    message_id: str
    user: str
    changed_at: str
    text: str | None
    language: Language
    characters: int = 0

    @property
    def key(self) -> str:
        return f"revise:{self.changed_at}:{self.of}"

    def to_json(self) -> Json:
        stored = _store(self)
        return stored if self.characters else {name: value for name, value in stored.items() if name != "characters"}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**_read(stored))


@dataclass(frozen=True, slots=True)
class PrivateClick:
    """A click whose result is shown only to the person who clicked. ``message_id``: of the message with the button.

    ``trigger``: token that allows opening a window for a few seconds, "" on a platform without windows.
    """

    action_id: str
    message_id: str
    trigger: str = ""


@dataclass(frozen=True, slots=True)
class ExplanationRequest:
    """A request to explain a turn. ``user``: who clicked first.

    ``click``: set if only this person sees the explanation; None if it is posted in the thread for everybody.
    """

    workflow: ClassVar[str] = "explain"

    place: Place
    turn_id: str
    user: str
    click: PrivateClick | None = None

    @property
    def key(self) -> str:
        return make_explain_key(self.turn_id, self.click.action_id if self.click else "")

    def to_json(self) -> Json:
        stored: Json = {"place": asdict(self.place), "turn": self.turn_id, "user": self.user, "key": self.key}
        return {**stored, "click": asdict(self.click)} if self.click else stored

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        click = PrivateClick(**stored["click"]) if "click" in stored else None
        return cls(Place(**stored["place"]), stored["turn"], stored["user"], click)


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """A request to sync spaces.

    ``place``, ``user`` and ``language``: from the command in a chat; None, "" and "en" for a schedule.
    """

    workflow: ClassVar[str] = "sync"

    key: str
    spaces: tuple[str, ...]
    reason: str
    place: Place | None = None
    user: str = ""
    language: Language = "en"

    def to_json(self) -> Json:
        stored: Json = {"spaces": list(self.spaces), "reason": self.reason, "key": self.key}
        if self.place:
            stored |= {"place": asdict(self.place), "user": self.user, "spoken": self.language}
        return stored

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        place = Place(**stored["place"]) if "place" in stored else None
        spaces, reason = tuple(stored["spaces"]), stored["reason"]
        return cls(stored["key"], spaces, reason, place, stored.get("user", ""), stored.get("spoken", "en"))


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """A request to remove a space, given by a command in a chat. ``run``: id of the message with the command."""

    workflow: ClassVar[str] = "forget"

    space: str
    run: str
    place: Place
    user: str
    language: Language

    @property
    def key(self) -> str:
        return f"forget:{self.space}:{self.run}"

    def to_json(self) -> Json:
        return _store(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**_read(stored))


def _store(request: QuestionRequest | RevisionRequest | ForgetRequest) -> Json:
    """Return the fields of a request under the names that they are stored by."""
    return {_STORED_NAMES.get(name, name): value for name, value in asdict(request).items()}


def _read(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a stored request."""
    names = {stored_name: name for name, stored_name in _STORED_NAMES.items()}
    read = {names.get(name, name): value for name, value in stored.items()}
    return {**read, "place": Place(**stored["place"])}


def parse_reason(stored: str) -> NoticeReason | NoReason:
    """Return the reason that was stored, "" if it is "", and "failed" for one that only a later version knows."""
    if not stored:
        return ""
    if stored not in _REASONS:
        logger.warning("A workflow has the reason %r, which this version does not know.", stored)
    return _REASONS.get(stored, "failed")


def make_ask_key(place: Place, message_id: str, with_team: bool = True) -> str:
    """Return the key of the question that a message asks. All kinds of events for one message have the same key.

    ``with_team``: False on a platform whose channel ids are unique across teams.
    """
    team = (place.team,) if with_team else ()
    return ":".join(("ask", place.platform, *team, place.channel, message_id))


def make_question_message_key(key: str) -> str:
    """Return the key of the message that shows the question of a command. ``key``: of the question."""
    return f"{key}:question"


def make_explain_key(turn_id: str, action_id: str = "") -> str:
    """Return the key of a turn's public explanation; with a click's id, of the private explanation for that click."""
    return f"explain:{turn_id}:{action_id}" if action_id else f"explain:{turn_id}"


def make_sync_key(space: str, run: str) -> str:
    """Return the key of one run of a space's sync. ``run``: a time, or the id of the message that requested it."""
    return f"sync:{space}:{run}"


def make_turn_id(key: str) -> str:
    """Return the id of the turn for the question with this key. It is opaque, and the same on each attempt."""
    return hashlib.sha256(key.encode()).hexdigest()[:16]


_MARK = "ww-"


def get_message_mark(key: str) -> str:
    """Return the mark that is stored in a message, so that the message can be found by its key."""
    return f"{_MARK}{hashlib.sha256(key.encode()).hexdigest()[:24]}"


def is_message_mark(text: str) -> bool:
    """Whether a text is the mark of a message."""
    return text.startswith(_MARK)
