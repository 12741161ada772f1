"""Work as it crosses between a command and the server: requests in JSON, answers as lines of JSON.

An answer's lines are events (``{"event": name, "value": …}``), and one last line: a result (``{"result": …}``), an
error of ``core.errors`` (``{"error": class, "message": …}``), or an error that nobody thought of (``{"failure": …}``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from bot.health.finding import Finding
from bot.operations.operations import AskRequest, ForgetPerson, Judged, Spaces, Synced, SyncOrder
from bot.privacy import PersonExport, PersonForgotten
from core import errors
from core.attribution.explainer import Explanation
from core.errors import WikiWhyError
from core.identity.person import PersonId
from core.model import Question, Turn
from core.ports import AuditEntry, Progress, Traffic

VERSION_HEADER = "X-WikiWhy-Version"
ACTOR_HEADER = "X-WikiWhy-Actor"
"""Who gives a command, for the audit log: the server believes it, for whoever knows its token is its own user."""


@dataclass(frozen=True, slots=True)
class Suggesting:
    """What :meth:`bot.operations.operations.Operations.suggest` is asked."""

    turn_id: str
    earlier: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Method:
    """The types of a method's argument and of its result."""

    argument: Any
    result: Any


METHODS: Mapping[str, Method] = {
    "begin": Method(tuple[str, ...], str),
    "ask": Method(AskRequest, Turn),
    "suggest": Method(Suggesting, Turn),
    "explain": Method(str, tuple[Turn, Explanation]),
    "spaces": Method(None, Spaces),
    "sync": Method(SyncOrder, Synced),
    "forget": Method(str, None),
    "feedback": Method(None, list[Judged]),
    "export_person": Method(PersonId, PersonExport),
    "forget_person": Method(ForgetPerson, PersonForgotten),
    "audit": Method(str, list[AuditEntry]),
    "check_indexes": Method(None, list[Finding]),
}
EVENTS: Mapping[str, Any] = {"question": Question, "text": str, "progress": Progress, "traffic": Traffic}


class ServerFailed(Exception):
    """Something that nobody thought of went wrong in the server; its log has where."""


def dump_value(kind: Any, value: object) -> str:
    """A value of a type as JSON on one line."""
    return json.dumps(_plain(kind, value), default=_of_no_json_type)


def load_value(kind: Any, text: str | bytes) -> Any:
    """The value again, equal to what was dumped. Raises ValueError where it is no such value."""
    return _adapter(kind).validate_python(json.loads(text))


def event_line(name: str, value: object) -> str:
    """An event, named as in ``EVENTS``."""
    return json.dumps({"event": name, "value": _plain(EVENTS[name], value)}, default=_of_no_json_type)


def result_line(kind: Any, value: object) -> str:
    """The last line of work that was done."""
    return json.dumps({"result": _plain(kind, value)}, default=_of_no_json_type)


def error_line(error: Exception) -> str:
    """The last line of work that failed."""
    if isinstance(error, WikiWhyError):
        return json.dumps({"error": type(error).__name__, "message": str(error)})
    return json.dumps({"failure": f"{type(error).__name__}: {error}"})


def event_of(line: Mapping[str, Any]) -> tuple[str, Any] | None:
    """The event that a line tells of; None if it is a last line."""
    if "event" not in line:
        return None
    name = line["event"]
    return name, _adapter(EVENTS[name]).validate_python(line["value"])


def result_of(kind: Any, line: Mapping[str, Any]) -> Any:
    """The result in a last line. Raises the error that is there instead, of the class that it was."""
    if "result" in line:
        return _adapter(kind).validate_python(line["result"])
    if "error" in line:
        raised = getattr(errors, line["error"], WikiWhyError)
        raise (raised if isinstance(raised, type) and issubclass(raised, WikiWhyError) else WikiWhyError)(
            line["message"]
        )
    raise ServerFailed(f"in the server: {line['failure']}")


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _plain(kind: Any, value: object) -> Any:
    # Not pydantic's own JSON, which has no numbers that are infinite or none.
    return _adapter(kind).dump_python(value, warnings=False)


def _of_no_json_type(value: object) -> object:
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Mapping):  # of another kind than dict
        return dict(value)
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} does not cross to another process")
