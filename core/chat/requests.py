"""Requests that start workflows: their keys and their stored form.

A request is stored as JSON when its workflow starts, and read after a restart, possibly by a later version of WikiWhy.
The names in the JSON must not change. A repeated delivery has the same key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, Self

from core.languages import Language
from core.ports.chat import Place

Json = dict[str, Any]

QuestionKind = Literal["message", "correction", "suggestion", "command"]
"""Where a question comes from: a message, the form that corrects one, the button of a suggestion, or a command."""


@dataclass(frozen=True, slots=True)
class QuestionRequest:
    """A request to answer a question.

    ``message_id``: of the message that asks; for a suggestion ``{turn}.{index}``, for a correction the id of the form
    submission, for a command the id of its run. A command has no thread: its question is posted, and answered below
    that. ``text``: the question, shortened to the maximum length. "" for a suggestion, because its words come from a
    page: they are stored in the turn only, which is erased with the page. ``characters``: length of the text before
    shortening. ``notice``: name of the reason why the question is not answered, or "". ``follows``: the thread whose
    conversation the question continues, "" for its own.
    """

    workflow: ClassVar[str] = "ask"

    key: str
    place: Place
    message_id: str
    user: str
    text: str
    spoken: Language
    kind: QuestionKind = "message"
    characters: int = 0
    notice: str = ""
    follows: str = ""

    @property
    def turn_id(self) -> str:
        """Id of the turn that answers the question."""
        return turn_id_of(self.key)

    def to_json(self) -> Json:
        stored = asdict(self)
        return stored if self.follows else {name: value for name, value in stored.items() if name != "follows"}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**{**stored, "place": Place(**stored["place"])})


@dataclass(frozen=True, slots=True)
class RevisionRequest:
    """A request to update an answer after its question was edited, or to remove it after the question was deleted.

    ``of``: the key of the question. ``text``: the new text, None if the message was deleted. ``edition``: time of the
    change by the platform's clock; it increases with each change.
    """

    workflow: ClassVar[str] = "revise"

    of: str
    place: Place
    message_id: str
    user: str
    edition: str
    text: str | None
    spoken: Language

    @property
    def key(self) -> str:
        return f"revise:{self.edition}:{self.of}"

    def to_json(self) -> Json:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**{**stored, "place": Place(**stored["place"])})


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
        return explain_key(self.turn_id, self.click.action_id if self.click else "")

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

    ``place``, ``user`` and ``spoken``: from the command in a chat; None, "" and "en" for a schedule.
    """

    workflow: ClassVar[str] = "sync"

    key: str
    spaces: tuple[str, ...]
    reason: str
    place: Place | None = None
    user: str = ""
    spoken: Language = "en"

    def to_json(self) -> Json:
        stored: Json = {"spaces": list(self.spaces), "reason": self.reason, "key": self.key}
        if self.place:
            stored |= {"place": asdict(self.place), "user": self.user, "spoken": self.spoken}
        return stored

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        place = Place(**stored["place"]) if "place" in stored else None
        spaces, reason = tuple(stored["spaces"]), stored["reason"]
        return cls(stored["key"], spaces, reason, place, stored.get("user", ""), stored.get("spoken", "en"))


def ask_key(place: Place, message_id: str, with_team: bool = True) -> str:
    """Return the key of the question that a message asks. All kinds of events for one message have the same key.

    ``with_team``: False on a platform whose channel ids are unique across teams.
    """
    team = (place.team,) if with_team else ()
    return ":".join(("ask", place.platform, *team, place.channel, message_id))


def question_message_key(key: str) -> str:
    """Return the key of the message that shows the question of a command. ``key``: of the question."""
    return f"{key}:question"


def explain_key(turn_id: str, action_id: str = "") -> str:
    """Return the key of a turn's public explanation; with a click's id, of the private explanation for that click."""
    return f"explain:{turn_id}:{action_id}" if action_id else f"explain:{turn_id}"


def sync_key(space: str, run: str) -> str:
    """Return the key of one run of a space's sync. ``run``: a time, or the id of the message that requested it."""
    return f"sync:{space}:{run}"


def turn_id_of(key: str) -> str:
    """Return the id of the turn for the question with this key. It is opaque, and the same on each attempt."""
    return hashlib.sha256(key.encode()).hexdigest()[:16]


def mark_of(key: str) -> str:
    """Return the mark that is stored in a message, so that the message can be found by its key."""
    return f"ww-{hashlib.sha256(key.encode()).hexdigest()[:24]}"
