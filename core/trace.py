"""Records how a turn is made: model calls, completions, notices and plans."""

from __future__ import annotations

from dataclasses import replace

from core.errors import ModelNotAskedAgain, ModelUnavailable, WikiWhyError
from core.model import Candidate, ModelCall, Prompt, Rejection, Trace, TracedPlan, TraceNotice, Usage
from core.ports.models import Generation, LanguageModel, Sampling, TextListener
from core.timing import Clock

_TOKEN_CHARS = 20
"""The maximum characters per token: a server that ignores the limit of tokens may send any number of them."""


class Tracer:
    """Records the model calls, candidates and notices of one turn."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._candidates: list[Candidate] = []
        self._calls: list[ModelCall] = []
        self._notices: list[TraceNotice] = []
        self._plans: list[TracedPlan] = []
        self._unavailable = False

    async def generate(
        self, model: LanguageModel, prompt: Prompt, sampling: Sampling, on_text: TextListener | None = None
    ) -> Generation:
        """Calls the model and records the call, also a failed one. Raises what the model raises.

        A model that was unavailable is not called again in this turn: people would wait for each time-out in turn. A
        text that is too long for its tokens is cut, and counts as unfinished.
        """
        if self._unavailable:
            raise ModelNotAskedAgain("The language model was not asked again.")
        started = self._clock()
        most = sampling.max_tokens * _TOKEN_CHARS
        try:
            generation = await model.generate(prompt, sampling, _limit_text(on_text, most) if on_text else None)
        except WikiWhyError as error:
            self._unavailable = isinstance(error, ModelUnavailable)
            spent = self._since(started)
            self._calls.append(ModelCall(prompt, "", Usage(calls=1), spent, False, str(error), error.failure))
            raise
        if len(generation.text) > most:
            generation = replace(generation, text=generation.text[:most], finished=False)
        spent = self._since(started)
        self._calls.append(ModelCall(prompt, generation.text, generation.usage, spent, generation.finished))
        return generation

    def candidate(self, text: str, rejected: Rejection | None = None, words: tuple[str, ...] = ()) -> None:
        """Records a proposed completion; ``rejected``: why it was rejected, with the words that it invents or drops."""
        self._candidates.append(Candidate(text, rejected, words))

    def forget_candidates(self) -> None:
        """Removes the proposed completions: they name a page that the turn does not rest on."""
        self._candidates.clear()

    def notice(self, notice: TraceNotice) -> None:
        """Records something that people should know about this answer, once."""
        if notice not in self._notices:
            self._notices.append(notice)

    def plan(self, plan: TracedPlan) -> None:
        """Records what was computed for the answer."""
        self._plans.append(plan)

    @property
    def trace(self) -> Trace:
        return Trace(tuple(self._candidates), tuple(self._calls), tuple(self._notices), tuple(self._plans))

    @property
    def usage(self) -> Usage:
        """The sum over all calls."""
        return sum((call.usage for call in self._calls), Usage())

    def _since(self, started: float) -> float:
        return round((self._clock() - started) * 1000, 3)


def _limit_text(on_text: TextListener, most: int) -> TextListener:
    """The listener, called with at most so many characters of the text."""
    return lambda text: on_text(text[:most])
