"""The server's log: text on a terminal, else one JSON object per line, without secrets.

Anybody who can reach the server can send requests that it refuses. The metrics count each of them. The log has only
the first few per minute, and then the number of the others.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
import traceback
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from typing import TextIO
from urllib.parse import quote, quote_plus, unquote, urlsplit

from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web import RequestPayloadError
from pydantic import SecretStr

from bot.settings import Settings
from bot.tracing import TURN
from core.text import escape_controls, remove_controls

_LEFT_OUT = "[redacted]"
_SHORTEST = 4  # characters of a secret, since redacting single letters would make the log unreadable
_PATTERNS = (
    (re.compile(r"\bxox[a-z]{1,2}-[A-Za-z0-9-]+|\bxapp-[A-Za-z0-9-]+"), _LEFT_OUT),
    (re.compile(r"\b(Bearer|Basic)\s+[^\s'\",]+", re.IGNORECASE), rf"\1 {_LEFT_OUT}"),
    (re.compile(r"(://)[^\s/@:]+:[^\s/@]+@"), rf"\1{_LEFT_OUT}@"),
    # The keys of personal spaces contain the id of a person. Metrics and traces use the same word for them.
    (re.compile(r"(?:~|%7[Ee])[^\W_](?:[\w.@+-]*\w)?"), "personal"),
)
_QUIET = (
    "aiohttp", "alembic", "atlassian", "chromadb", "dbos", "httpcore", "httpx", "httpx2", "openai", "opentelemetry",
    "slack_bolt", "slack_sdk", "sqlalchemy", "urllib3",
)  # fmt: skip
_REFUSAL_LINES = 5
_REFUSAL_SECONDS = 60.0
_OF_EVERY_RECORD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


def log_to(stream: TextIO, settings: Settings, level: str) -> None:
    """Send the log of the whole program to a stream. ``level``: the name of a level of ``logging``."""
    as_json = settings.log_format == "json" or (settings.log_format == "auto" and not stream.isatty())
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_JsonFormatter() if as_json else _TextFormatter())
    handler.addFilter(_TurnName())
    handler.addFilter(Redaction(collect_secrets(settings)))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _QUIET:
        library = logging.getLogger(name)
        library.setLevel(max(logging.WARNING, root.level))
        # A library's own handler would bypass the redaction. DBOS adds one to a logger that has none.
        library.handlers[:] = [logging.NullHandler()]
        library.propagate = True
    logging.captureWarnings(True)


def log_to_stderr(settings: Settings, level: str) -> None:
    """Send the log of the whole program to standard error."""
    log_to(sys.stderr, settings, level)


def collect_secrets(settings: Settings) -> frozenset[str]:
    """Return the secrets of the settings: tokens, keys, and passwords in addresses, as errors may write them."""
    found = {value.get_secret_value() for value in dict(settings).values() if isinstance(value, SecretStr)}
    for value in dict(settings).values():
        if isinstance(value, str) and "://" in value:
            found |= {_find_password(value), unquote(_find_password(value))}
    stripped = {secret.strip() for secret in found}
    return frozenset(
        written for secret in found | stripped if len(secret) >= _SHORTEST for written in _list_writings(secret)
    )


def _list_writings(secret: str) -> Iterator[str]:
    """Yield a secret as it is, and as it stands in Python's and JSON's texts, in bytes and in addresses."""
    yield secret
    yield repr(secret)[1:-1]
    yield repr(secret.encode(errors="replace"))[2:-1]
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield from (write(secret, safe=safe, errors="replace") for write in (quote, quote_plus) for safe in ("", "/"))


class Redaction(logging.Filter):
    """Replaces secrets and keys of personal spaces in a record's message, traceback and extra fields."""

    def __init__(self, secrets: Collection[str]) -> None:
        super().__init__()
        self._secrets = sorted(secrets, key=len, reverse=True)  # longest first, since one may be a prefix of another

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self.redact(record.getMessage()), ()
        if record.exc_info and record.exc_info[0]:
            record.exc_text = self.redact("".join(traceback.format_exception(*record.exc_info)).rstrip())
        if record.stack_info:
            record.stack_info = self.redact(record.stack_info)
        for name in vars(record).keys() - _OF_EVERY_RECORD:
            setattr(record, name, self._redact_field(getattr(record, name)))
        return True

    def redact(self, text: str) -> str:
        """Return a text without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, _LEFT_OUT)
        for pattern, instead in _PATTERNS:
            text = pattern.sub(instead, text)
        return text

    def _redact_field(self, value: object) -> object:
        return value if value is None or isinstance(value, bool | int | float) else self.redact(str(value))


class _TurnName(logging.Filter):
    """Adds the id of the turn that the current task works on."""

    def filter(self, record: logging.LogRecord) -> bool:
        if turn := TURN.get():
            record.turn = turn
        return True


class _JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in sorted(vars(record).keys() - _OF_EVERY_RECORD)}
        if record.exc_text:
            line["traceback"] = record.exc_text
        return escape_controls(json.dumps(line, ensure_ascii=False))


class _TextFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S")
        level = "" if record.levelno <= logging.INFO else f"{record.levelname} "
        turn = f" (turn {record.turn})" if hasattr(record, "turn") else ""
        line = f"{at} {level}{record.getMessage()}{turn}"
        # Texts of others may have line breaks: only a record's own line begins without spaces.
        return "\n    ".join(remove_controls(f"{line}\n{record.exc_text}" if record.exc_text else line).split("\n"))


def _find_password(url: str) -> str:
    try:
        return urlsplit(url).password or ""
    except ValueError:
        return ""


class RefusalLog:
    """Logs at most ``lines`` lines per ``seconds``, and then one line with the number of those left out.

    ``what``: what each line is about, for the line with the number.
    """

    def __init__(
        self,
        logger: logging.Logger,
        lines: int = _REFUSAL_LINES,
        seconds: float = _REFUSAL_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        what: str = "requests were refused",
    ) -> None:
        self._logger = logger
        self._what = what
        self._lines = lines
        self._seconds = seconds
        self._clock = clock
        self._since = float("-inf")
        self._written = self._left_out = 0

    def warn(self, text: str, *values: object) -> None:
        """Log a warning, or count it as left out. No value may contain text of the sender."""
        if self.may_write():
            self._logger.warning(text, *values)

    def may_write(self) -> bool:
        """Whether another line may be written. Counts the line either way."""
        now = self._clock()
        if now - self._since >= self._seconds:
            left_out, self._left_out = self._left_out, 0
            self._since, self._written = now, 0
            if left_out:
                self._logger.warning("%d more %s and not logged one by one.", left_out, self._what)
        if self._written >= self._lines:
            self._left_out += 1
            return False
        self._written += 1
        return True


class ParserErrors(logging.Filter):
    """Shortens the errors of aiohttp's parser: a request that is not HTTP is the sender's fault, not a defect."""

    def __init__(self, refusals: RefusalLog) -> None:
        super().__init__()
        self._refusals = refusals

    def filter(self, record: logging.LogRecord) -> bool:
        """Remove the traceback of a malformed request. Drop the record if there are too many."""
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, HttpProcessingError | RequestPayloadError | ConnectionError):
            return True
        if not self._refusals.may_write():
            return False
        record.msg, record.args = "A request that is not HTTP was refused: %s.", (type(error).__name__,)
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.exc_info, record.exc_text = None, None
        return True


def make_http_logger(name: str) -> logging.Logger:
    """Return a logger for one of aiohttp's servers."""
    logger = logging.getLogger(name)
    logger.filters[:] = [ParserErrors(RefusalLog(logging.getLogger(__name__)))]
    return logger
