"""Log lines that strangers cause: enough to see what happens, and never as many as they like.

Anybody who reaches the server can send it requests that are refused. Each is counted in the metrics; the log gets the
first few of a minute, and then how many more there were.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web import RequestPayloadError

_LINES = 5
_SECONDS = 60.0


class RefusalLog:
    """At most ``lines`` lines in so many ``seconds``, and one that says how many were left out."""

    def __init__(
        self,
        logger: logging.Logger,
        lines: int = _LINES,
        seconds: float = _SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._logger = logger
        self._lines = lines
        self._seconds = seconds
        self._clock = clock
        self._since = float("-inf")
        self._written = self._left_out = 0

    def warn(self, text: str, *values: object) -> None:
        """Logs a warning, or counts it as left out. Nothing that a sender wrote may be among the values."""
        if self.may_write():
            self._logger.warning(text, *values)

    def may_write(self) -> bool:
        """Whether another line may be written; if so, it counts as written."""
        now = self._clock()
        if now - self._since >= self._seconds:
            left_out, self._left_out = self._left_out, 0
            self._since, self._written = now, 0
            if left_out:
                self._logger.warning("%d more requests were refused, which were not logged one by one.", left_out)
        if self._written >= self._lines:
            self._left_out += 1
            return False
        self._written += 1
        return True


class ParserErrors(logging.Filter):
    """For the logger that aiohttp's server writes to: what is no HTTP is the sender's error, and no defect of ours."""

    def __init__(self, refusals: RefusalLog) -> None:
        super().__init__()
        self._refusals = refusals

    def filter(self, record: logging.LogRecord) -> bool:
        """Leaves out the traceback of a malformed request, and the record where there are too many."""
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, HttpProcessingError | RequestPayloadError | ConnectionError):
            return True
        if not self._refusals.may_write():
            return False
        record.msg, record.args = "A request that is not HTTP was refused: %s.", (type(error).__name__,)
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.exc_info, record.exc_text = None, None
        return True


def http_logger(name: str) -> logging.Logger:
    """A logger of that name for one of aiohttp's servers."""
    logger = logging.getLogger(name)
    logger.filters[:] = [ParserErrors(RefusalLog(logging.getLogger(__name__)))]
    return logger
