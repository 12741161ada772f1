"""The JSON in which operations and their results pass between a command and the server.

The body of a request has the operation's arguments. A response has one line per event (``{"event": type, "value": …}``)
and a last line with a result (``{"result": …}``), an error of ``core.errors`` (``{"error": class, "message": …}``), or
any other exception (``{"failure": …}``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from bot.operations.operation import Event, Operation
from bot.operations.questions import AskQuestion, BeginConversation, ExplainAnswer, SuggestQuestions
from bot.operations.records import ExportFeedback, ExportPerson, ForgetPerson, ReadAuditLog
from bot.operations.spaces import CheckIndexes, ForgetSpace, ListSpaces
from bot.operations.sync import SyncSpaces
from core import errors
from core.errors import WikiWhyError
from core.model import Question
from core.ports.wiki import Traffic
from core.timing import Progress

VERSION_HEADER = "X-WikiWhy-Version"
ACTOR_HEADER = "X-WikiWhy-Actor"
"""The actor of a command, for the audit log. The server trusts it, because only its own user knows its token."""

OPERATIONS: Mapping[str, type[Operation[Any]]] = {
    kind.__name__: kind
    for kind in (
        BeginConversation, AskQuestion, SuggestQuestions, ExplainAnswer,
        ListSpaces, SyncSpaces, ForgetSpace, CheckIndexes,
        ExportFeedback, ReadAuditLog, ExportPerson, ForgetPerson,
    )
}  # fmt: skip
"""The operations that a server executes for commands, by their name in the route."""

_EVENTS: Mapping[str, Any] = {kind.__name__: kind for kind in (Question, str, Progress, Traffic)}


class ServerFailed(Exception):
    """An unexpected exception in the server. The server's log has the traceback."""


def dump_value(kind: Any, value: object) -> str:
    """Return a value of a type as JSON on one line."""
    return _dump_line(_dump_plain(kind, value))


def load_value(kind: Any, text: str | bytes) -> Any:
    """Parse what :func:`dump_value` returned. Raises ValueError if the text is not a value of the type."""
    return _make_adapter(kind).validate_python(json.loads(text))


def dump_event(event: Event) -> str:
    """Return the line of an event."""
    return _dump_line({"event": type(event).__name__, "value": _dump_plain(type(event), event)})


def dump_result(operation: Operation[Any], result: object) -> str:
    """Return the last line of an operation that succeeded."""
    return _dump_line({"result": _dump_plain(operation.find_result_type(), result)})


def dump_error(error: Exception) -> str:
    """Return the last line of an operation that failed."""
    if isinstance(error, WikiWhyError):
        return json.dumps({"error": type(error).__name__, "message": str(error)})
    return json.dumps({"failure": f"{type(error).__name__}: {error}"})


def parse_event(line: Mapping[str, Any]) -> Event | None:
    """Return the event of a line; None for the last line."""
    if "event" not in line:
        return None
    event: Event = _make_adapter(_EVENTS[line["event"]]).validate_python(line["value"])
    return event


def parse_result(operation: Operation[Any], line: Mapping[str, Any]) -> Any:
    """Return the result in a last line. If the line has an error, raises it with the class it had in the server."""
    if "result" in line:
        return _make_adapter(operation.find_result_type()).validate_python(line["result"])
    if "error" in line:
        raised = getattr(errors, line["error"], WikiWhyError)
        raise (raised if isinstance(raised, type) and issubclass(raised, WikiWhyError) else WikiWhyError)(
            line["message"]
        )
    raise ServerFailed(f"in the server: {line['failure']}")


@cache
def _make_adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _dump_plain(kind: Any, value: object) -> Any:
    # Not pydantic's own JSON, which writes infinite numbers and NaN as null.
    return _make_adapter(kind).dump_python(value, warnings=False)


def _dump_line(value: object) -> str:
    return json.dumps(value, default=_convert_to_json_type)


def _convert_to_json_type(value: object) -> object:
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Mapping):  # one that is not a dict
        return dict(value)
    if isinstance(value, date):  # includes datetime
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be sent to another process")
