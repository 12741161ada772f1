"""What suggests follow-up questions: headings and rows (the embedded default), or a language model."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from core.answering.instructions import strip_evidences
from core.errors import WikiWhyError
from core.model import NoticeKind, Suggestion, Trace, TraceNotice, Turn, Usage
from core.timing import Clock, Stopwatch
from core.trace import Tracer

logger = logging.getLogger(__name__)

MAX_SUGGESTIONS = 3


class Suggester(Protocol):
    """Suggests what to ask next, once a turn is answered."""

    @property
    def name(self) -> str: ...

    async def suggest(self, turn: Turn, earlier: Sequence[str], tracer: Tracer) -> tuple[Suggestion, ...]:
        """Up to three questions, each found to retrieve its evidence within the turn's scope.

        ``earlier``: what was asked in the conversation before, none of which is suggested again. Every evidence is
        one of the turn's own. Raises what retrieval raises.
        """
        ...


async def add_suggestions(suggester: Suggester, turn: Turn, earlier: Sequence[str], clock: Clock) -> Turn:
    """The turn with suggestions, and with their calls, notices and time (``suggest``) added to its own.

    Where none can be made, a notice says why: the answer stands without them.
    """
    tracer, stopwatch = Tracer(clock), Stopwatch(clock)
    suggestions: tuple[Suggestion, ...] = ()
    evidences, _ = await asyncio.to_thread(strip_evidences, turn.evidences)
    with stopwatch.stage("suggest"):
        try:
            suggestions = await suggester.suggest(replace(turn, evidences=tuple(evidences)), earlier, tracer)
        except WikiWhyError as error:
            logger.warning("No follow-up questions could be made: %s", error)
            tracer.notice(TraceNotice(NoticeKind.NO_SUGGESTIONS, error.failure))
    return replace(
        turn,
        suggestions=suggestions,
        timings_ms={**turn.timings_ms, **stopwatch.timings_ms},
        usage=_sum(turn.usage, tracer.usage),
        trace=_joined(turn.trace, tracer.trace),
    )


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(
        one.calls + other.calls,
        one.prompt_tokens + other.prompt_tokens,
        one.completion_tokens + other.completion_tokens,
    )


def _joined(one: Trace, other: Trace) -> Trace:
    return Trace(one.candidates, one.calls + other.calls, one.notices + other.notices)
