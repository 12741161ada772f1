"""Collecting, while a turn is made, how it comes about."""

from __future__ import annotations

from dataclasses import replace

from core.errors import ModelNotAskedAgain, ModelUnavailable, WikiWhyError
from core.model import Candidate, ModelCall, Prompt, Rejection, Trace, TraceNotice, Usage
from core.ports import Generation, LanguageModel, Sampling, TextListener
from core.timing import Clock

_TOKEN_CHARS = 20
"""Characters of a token that are counted on. A server that ignores the limit of tokens may send any number of them."""


class Tracer:
    """Takes note of model calls, candidates and notices; one a turn. The clock gives seconds, monotonic."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._candidates: list[Candidate] = []
        self._calls: list[ModelCall] = []
        self._notices: list[TraceNotice] = []
        self._unavailable = False

    async def generate(
        self, model: LanguageModel, prompt: Prompt, sampling: Sampling, on_text: TextListener | None = None
    ) -> Generation:
        """Calls the model; a call that fails is noted too. Raises what the model raises.

        A model that is unavailable once is not called again in this turn: people would wait for each time-out in turn.
        Of a text that is longer than its tokens can be, the beginning counts, as unfinished.
        """
        if self._unavailable:
            raise ModelNotAskedAgain("The language model was not asked again.")
        started = self._clock()
        most = sampling.max_tokens * _TOKEN_CHARS
        try:
            generation = await model.generate(prompt, sampling, _bounded(on_text, most) if on_text else None)
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
        """Notes a proposed completion; ``rejected``: why it was not taken, with the words that it invents or drops."""
        self._candidates.append(Candidate(text, rejected, words))

    def notice(self, notice: TraceNotice) -> None:
        """Notes something that people should know of this answer, once."""
        if notice not in self._notices:
            self._notices.append(notice)

    @property
    def trace(self) -> Trace:
        return Trace(tuple(self._candidates), tuple(self._calls), tuple(self._notices))

    @property
    def usage(self) -> Usage:
        """The sum over all calls."""
        return sum((call.usage for call in self._calls), Usage())

    def _since(self, started: float) -> float:
        return round((self._clock() - started) * 1000, 3)


def _bounded(on_text: TextListener, most: int) -> TextListener:
    """The listener, which hears so many characters of a text at most."""
    return lambda text: on_text(text[:most])
