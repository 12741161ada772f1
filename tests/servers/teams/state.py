"""State of a tenant: people, chats, teams with channels, messages.

https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/conversation-basics
"""

from __future__ import annotations

import itertools
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from tests.servers.chat_server import Json

APP_ID = "3a1f6f0c-7d55-4a0e-9c58-6d1d3b0c9e21"
BOT = f"28:{APP_ID}"
TENANT = "7e0a4b7e-52f1-4d5f-8a53-0c2d1f6b9a10"
SECRET = "client-secret-of-the-bot"

Kind = Literal["personal", "groupChat", "channel"]


class RequestError(Exception):
    """An error response. ``code``: Teams' error code."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status, self.code, self.message = status, code, message

    def answer(self) -> Json:
        return {"error": {"code": self.code, "message": self.message}}


@dataclass
class User:
    """``id``: the person's id for this bot (``29:…``); ``object_id``: the id in Entra."""

    id: str
    name: str
    object_id: str
    email: str | None = None
    tenant: str = TENANT
    role: Literal["user", "guest", "anonymous"] = "user"
    robot: bool = False
    locale: str = "en-GB"


@dataclass(frozen=True)
class Update:
    """A change of a message. ``at``: monotonic seconds."""

    at: float
    text: str
    activity: Json


@dataclass
class Stream:
    """A stream with its informative line, and the texts after it. ``started``: monotonic seconds."""

    informed: str
    texts: list[str] = field(default_factory=list)
    sequence: int = 1
    started: float = field(default_factory=time.monotonic)
    state: Literal["streaming", "final", "cancelled"] = "streaming"


@dataclass
class Message:
    """A message as people see it now.

    ``conversation``: the full id, with ``;messageid=`` in channels. ``activity``: the last one sent or received.
    ``at``: monotonic seconds of its first appearance; ``updates``: all changes after it.
    """

    conversation: str
    id: str
    user: str
    activity: Json
    at: float = field(default_factory=time.monotonic)
    updates: list[Update] = field(default_factory=list)
    deleted: bool = False
    stream: Stream | None = None
    only_for: str = ""
    """The only person who sees a targeted message."""
    seen_by: dict[str, Json] = field(default_factory=dict)
    """Per user, the card that replaces the message for them: the response to their Action.Execute."""

    @property
    def text(self) -> str:
        return str(self.activity.get("text") or "")

    @property
    def cards(self) -> list[Json]:
        """The adaptive cards among the attachments."""
        attached = self.activity.get("attachments") or []
        return [one["content"] for one in attached if one.get("contentType") == ADAPTIVE]

    @property
    def root_entity(self) -> Json:
        """The entity with the AI label and the citations, {} if there is none."""
        entities = self.activity.get("entities") or []
        return next((one for one in entities if one.get("type") == "https://schema.org/Message"), {})

    @property
    def citations(self) -> list[Json]:
        """The appearances of citations, with ``position``."""
        given = self.root_entity.get("citation") or []
        return [one["appearance"] | {"position": one["position"]} for one in given]

    @property
    def ai_generated(self) -> bool:
        return "AIGeneratedContent" in (self.root_entity.get("additionalType") or [])

    @property
    def feedback_loop(self) -> str:
        """``default``, ``custom`` or ""."""
        data = self.activity.get("channelData") or {}
        loop = data.get("feedbackLoop") or {}
        return str(loop.get("type") or ("default" if data.get("feedbackLoopEnabled") else ""))

    @property
    def root(self) -> str:
        """In channels, the id of the thread's first message."""
        return self.conversation.partition(";messageid=")[2]

    def change(self, activity: Json) -> None:
        self.activity = activity
        self.updates.append(Update(time.monotonic(), self.text, activity))


ADAPTIVE = "application/vnd.microsoft.card.adaptive"


@dataclass
class Conversation:
    """A chat or channel. ``messages``: those of all threads by id, in order. ``team``: the channel's team.

    ``with_bot``: whether the app is installed there. ``gone``: whether the conversation was deleted.
    ``shared``: whether a channel is shared with other organisations.
    """

    id: str
    kind: Kind
    name: str
    members: set[str]
    team: str = ""
    with_bot: bool = True
    shared: bool = False
    gone: bool = False
    messages: dict[str, Message] = field(default_factory=dict)
    typing: list[tuple[float, str]] = field(default_factory=list)
    """Typing indicators: when, and in which thread (full conversation id)."""

    def full_id(self, root: str) -> str:
        """Return the id as in activities: in channels with the thread's first message."""
        return f"{self.id};messageid={root}" if self.kind == "channel" and root else self.id


class Directory:
    """Looks up people and conversations, and makes ids."""

    def __init__(self) -> None:
        self.users: dict[str, User] = {}
        self.conversations: dict[str, Conversation] = {}
        self._numbers: Iterator[int] = itertools.count(1)
        self._last = 0

    def new_user_id(self) -> str:
        return f"29:1{uuid.uuid4().hex}{next(self._numbers):06d}"

    def new_conversation_id(self, kind: Kind) -> str:
        unique = uuid.uuid4().hex
        return {
            "personal": f"a:1{unique}",
            "groupChat": f"19:{unique}@thread.v2",
            "channel": f"19:{unique}@thread.tacv2",
        }[kind]

    def new_message_id(self) -> str:
        """Return milliseconds of the epoch, later than all previous ids."""
        self._last = max(int(time.time() * 1000), self._last + 1)
        return str(self._last)

    def wait(self, hours: float) -> None:
        """Let the next message come so much later."""
        self._last = max(int(time.time() * 1000), self._last) + round(hours * 3_600_000)

    def user(self, given: str) -> User:
        """Return a user by either id. Raises RequestError."""
        found = self.users.get(given) or next((one for one in self.users.values() if one.object_id == given), None)
        if found is None:
            raise RequestError(404, "MemberNotFoundInConversation", "Member not found in conversation.")
        return found

    def conversation(self, given: str) -> tuple[Conversation, str]:
        """Return a conversation and its id's thread; for a user id the personal chat. Raises RequestError."""
        base, _, root = given.partition(";messageid=")
        if base in self.users:
            return self.personal(base), ""
        found = self.conversations.get(base)
        if found is None or found.gone:
            raise RequestError(404, "ConversationNotFound", "Conversation not found.")
        return found, root

    def personal(self, user: str) -> Conversation:
        for there in self.conversations.values():
            if there.kind == "personal" and user in there.members:
                return there
        made = Conversation(self.new_conversation_id("personal"), "personal", "", {user})
        self.conversations[made.id] = made
        return made

    def message(self, there: Conversation, message_id: str) -> Message:
        """Return a message. Raises RequestError."""
        found = there.messages.get(message_id)
        if found is None or found.deleted:
            raise RequestError(404, "ActivityNotFoundInConversation", "Activity not found in conversation.")
        return found
