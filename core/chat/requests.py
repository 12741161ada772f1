"""Requests for durable work: their keys, and how they are stored.

A request is stored as JSON when its workflow starts, and read again after a restart, also by a later version of
WikiWhy: the names in the JSON stay as they are. Whatever is delivered twice has the same key.
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
"""How a question is asked: by a message, in the form that corrects one, by the button of a suggested one, or after the
name of a command, which no message shows."""


@dataclass(frozen=True, slots=True)
class QuestionRequest:
    """Answer a question.

    ``message_id``: of the message that asks; of a suggestion ``{turn}.{index}``; of a correction the form's id, of a
    command its run's. A command is in no thread: we post its question, and its answer below that.
    ``text``: at most as long as a question may be. That of a suggestion is "": its words are a page's, so they stay in
    the turn only, where they are erased with the page. ``characters``: of the text as it was written.
    ``notice``: the name of the reason why the question is not to be answered, "" if it is. ``follows``: the thread
    whose conversation it goes on with, "" for its own.
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
        """Of the turn that the question becomes."""
        return turn_id_of(self.key)

    def to_json(self) -> Json:
        stored = asdict(self)
        return stored if self.follows else {name: value for name, value in stored.items() if name != "follows"}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**{**stored, "place": Place(**stored["place"])})


@dataclass(frozen=True, slots=True)
class RevisionRequest:
    """Let the answer to a question follow its message, which was edited or deleted (``text`` None).

    ``of``: the key of the question. ``edition``: when that was, as the platform counts time; it rises with each change.
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
    """A click whose result only the person who clicked sees. ``message_id``: of the message with the button.

    ``trigger``: what opens a window for a few seconds, "" on a platform without windows.
    """

    action_id: str
    message_id: str
    trigger: str = ""


@dataclass(frozen=True, slots=True)
class ExplanationRequest:
    """Explain a turn. ``user``: who clicked first.

    ``click``: where only this person sees it; None where it is posted for everybody in the thread.
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
    """Sync spaces. ``place``, ``user`` and ``spoken``: of the command in a chat; None and "" of a schedule."""

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
    """Of the question that a message asks, whatever kinds of events deliver it.

    ``with_team``: False on a platform whose channel ids are unique among all teams.
    """
    team = (place.team,) if with_team else ()
    return ":".join(("ask", place.platform, *team, place.channel, message_id))


def question_message_key(key: str) -> str:
    """Of the message that shows the question of a command. ``key``: of the question."""
    return f"{key}:question"


def explain_key(turn_id: str, action_id: str = "") -> str:
    """Of a turn's explanation for everybody, however often it is asked for; with a click's id, of the clicker's own."""
    return f"explain:{turn_id}:{action_id}" if action_id else f"explain:{turn_id}"


def sync_key(space: str, run: str) -> str:
    """Of one run of a space's sync. ``run``: a time, or the id of the message that asked for it."""
    return f"sync:{space}:{run}"


def turn_id_of(key: str) -> str:
    """The id of the turn that a question with this key becomes: opaque, and the same at each try."""
    return hashlib.sha256(key.encode()).hexdigest()[:16]


def mark_of(key: str) -> str:
    """What a message of ours carries, so that it can be found by its key."""
    return f"ww-{hashlib.sha256(key.encode()).hexdigest()[:24]}"
