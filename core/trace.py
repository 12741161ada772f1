"""Records how a turn is made: model calls, completions, notices and plans, and the time of each stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from core.errors import ModelNotAskedAgain, ModelUnavailable, WikiWhyError
from core.model import (
    ClosestUnit,
    ModelCall,
    Prompt,
    ProposedCompletion,
    Rejection,
    Trace,
    TracedPlan,
    TraceNotice,
    Usage,
)
from core.ports.models import Generation, LanguageModel, Sampling, TextListener
from core.timing import Clock

_TOKEN_CHARS = 20
"""The longest text per token that is accepted, because a server may ignore ``max_tokens``."""


class Tracer:
    """Records the model calls, proposed completions and notices of one turn."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._proposed_completions: list[ProposedCompletion] = []
        self._calls: list[ModelCall] = []
        self._notices: list[TraceNotice] = []
        self._plans: list[TracedPlan] = []
        self._closest: tuple[ClosestUnit, ...] = ()
        self._unavailable = False

    async def generate(
        self, model: LanguageModel, prompt: Prompt, sampling: Sampling, on_text: TextListener | None = None
    ) -> Generation:
        """Call the model and record the call, even if it fails. Raises what the model raises.

        After a model was unavailable it is not called again in this turn, because each call would wait for a time-out.
        A text that is too long for its number of tokens is cut and counts as unfinished.
        """
        if self._unavailable:
            raise ModelNotAskedAgain("The language model was not asked again.")
        started = self._clock()
        most = sampling.max_tokens * _TOKEN_CHARS
        try:
            generation = await model.generate(prompt, sampling, _limit_text(on_text, most) if on_text else None)
        except WikiWhyError as error:
            self._unavailable = isinstance(error, ModelUnavailable)
            spent = self._measure_since(started)
            self._calls.append(ModelCall(prompt, "", Usage(calls=1), spent, False, str(error), error.failure))
            raise
        if len(generation.text) > most:
            generation = replace(generation, text=generation.text[:most], finished=False)
        spent = self._measure_since(started)
        self._calls.append(ModelCall(prompt, generation.text, generation.usage, spent, generation.finished))
        return generation

    def record_proposed_completion(
        self, text: str, rejected: Rejection | None = None, words: tuple[str, ...] = ()
    ) -> None:
        """Record a proposed completion; if it was rejected, with the reason and the words that it invents or drops."""
        self._proposed_completions.append(ProposedCompletion(text, rejected, words))

    def forget_proposed_completions(self) -> None:
        """Remove the proposed completions, because they name a page that the turn does not use."""
        self._proposed_completions.clear()

    def record_notice(self, notice: TraceNotice) -> None:
        """Record a notice, unless it is already recorded."""
        if notice not in self._notices:
            self._notices.append(notice)

    def record_plan(self, plan: TracedPlan) -> None:
        """Record a computation that the answer rests on."""
        self._plans.append(plan)

    def record_closest(self, units: Sequence[ClosestUnit]) -> None:
        """Record what comes closest to a question without an answer."""
        self._closest = tuple(units)

    @property
    def trace(self) -> Trace:
        return Trace(
            tuple(self._proposed_completions),
            tuple(self._calls),
            tuple(self._notices),
            tuple(self._plans),
            self._closest,
        )

    @property
    def usage(self) -> Usage:
        """The usage of all calls together."""
        return sum((call.usage for call in self._calls), Usage())

    def _measure_since(self, started: float) -> float:
        return round((self._clock() - started) * 1000, 3)


class Stopwatch:
    """Measures milliseconds per stage. Times of a repeated stage are added up."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.timings_ms: dict[str, float] = {}

    @contextmanager
    def measure_stage(self, name: str) -> Iterator[None]:
        started = self._clock()
        try:
            yield
        finally:
            self.add({name: (self._clock() - started) * 1000})

    def add(self, timings_ms: Mapping[str, float]) -> None:
        """Add times of stages that were measured elsewhere."""
        for name, spent in timings_ms.items():
            self.timings_ms[name] = round(self.timings_ms.get(name, 0.0) + spent, 3)


def _limit_text(on_text: TextListener, most: int) -> TextListener:
    """Return a listener that passes on at most ``most`` characters of the text."""
    return lambda text: on_text(text[:most])
