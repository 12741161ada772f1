"""The trace of a turn: model calls, candidates and notices; times of stages, by a clock that is passed in."""

from collections.abc import Iterator

import pytest

from core.errors import ModelUnavailable
from core.model import Failure, NoticeKind, Prompt, PromptMessage, ProposedCompletion, Rejection, TraceNotice, Usage
from core.ports.models import Generation, Sampling, TextListener
from core.trace import Stopwatch, Tracer

PROMPT = Prompt("answer", (PromptMessage("user", "Who?"),))


class Model:
    """Returns the same text each time, or fails."""

    name = "same"
    context_tokens = 100

    def __init__(self, error: ModelUnavailable | None = None) -> None:
        self._error = error

    def count_tokens(self, text: str) -> int:
        return len(text)

    async def generate(self, prompt: Prompt, sampling: Sampling, on_text: TextListener | None = None) -> Generation:
        if self._error:
            raise self._error
        return Generation("Ada.", usage=Usage(1, 10, 2))


async def test_every_call_is_kept_with_its_prompt_text_tokens_and_time() -> None:
    ticks = iter((1.0, 1.5, 2.0, 2.25))
    tracer = Tracer(lambda: next(ticks))
    for _ in range(2):
        await tracer.generate(Model(), PROMPT, Sampling())
    assert [(call.prompt, call.text, call.milliseconds) for call in tracer.trace.calls] == [
        (PROMPT, "Ada.", 500.0),
        (PROMPT, "Ada.", 250.0),
    ]
    assert tracer.usage == Usage(2, 20, 4)


async def test_a_failed_call_is_kept_with_its_reason_and_fails() -> None:
    tracer = Tracer(lambda: 0.0)
    with pytest.raises(ModelUnavailable):
        await tracer.generate(Model(ModelUnavailable("It is down.")), PROMPT, Sampling())
    (call,) = tracer.trace.calls
    assert (call.error, call.failure, call.finished) == ("It is down.", Failure.UNAVAILABLE, False)
    assert tracer.usage.calls == 1


def test_candidates_keep_their_order_and_a_notice_is_said_once() -> None:
    tracer = Tracer(lambda: 0.0)
    tracer.record_proposed_completion("a", Rejection.DROPS_WORDS, ("own",))
    tracer.record_proposed_completion("b")
    tracer.record_notice(TraceNotice(NoticeKind.EVIDENCES_LEFT_OUT, count=2, total=3))
    tracer.record_notice(TraceNotice(NoticeKind.EVIDENCES_LEFT_OUT, count=2, total=3))
    assert tracer.trace.proposed_completions == (
        ProposedCompletion("a", Rejection.DROPS_WORDS, ("own",)),
        ProposedCompletion("b"),
    )
    assert tracer.trace.notices == (TraceNotice(NoticeKind.EVIDENCES_LEFT_OUT, count=2, total=3),)


async def test_a_model_that_was_unavailable_is_not_called_again_in_the_same_turn() -> None:
    tracer = Tracer(lambda: 0.0)
    with pytest.raises(ModelUnavailable):
        await tracer.generate(Model(ModelUnavailable("down")), PROMPT, Sampling())
    with pytest.raises(ModelUnavailable, match="not asked again"):
        await tracer.generate(Model(), PROMPT, Sampling())
    assert len(tracer.trace.calls) == 1


class Endless(Model):
    """A server that ignores the limit of tokens."""

    async def generate(self, prompt: Prompt, sampling: Sampling, on_text: TextListener | None = None) -> Generation:
        if on_text:
            on_text("a " * 100_000)
        return Generation("a " * 100_000)


async def test_a_text_that_is_longer_than_its_tokens_can_be_is_cut_and_unfinished() -> None:
    tracer = Tracer(lambda: 0.0)
    heard: list[str] = []
    generation = await tracer.generate(Endless(), PROMPT, Sampling(max_tokens=10), heard.append)
    assert (len(generation.text), generation.finished) == (200, False)
    assert heard == [generation.text]
    assert tracer.trace.calls[0].text == generation.text


def ticking(*seconds: float) -> Stopwatch:
    ticks: Iterator[float] = iter(seconds)
    return Stopwatch(lambda: next(ticks))


def test_a_stage_is_timed_in_milliseconds() -> None:
    stopwatch = ticking(10.0, 10.25)
    with stopwatch.measure_stage("embed"):
        pass
    assert stopwatch.timings_ms == {"embed": 250.0}


def test_a_stage_measured_twice_adds_up_and_stages_keep_their_order() -> None:
    stopwatch = ticking(0.0, 0.1, 1.0, 1.5, 2.0, 2.2)
    for name in ("lexical", "dense", "lexical"):
        with stopwatch.measure_stage(name):
            pass
    assert list(stopwatch.timings_ms.items()) == [("lexical", pytest.approx(300.0)), ("dense", 500.0)]


def test_a_stage_that_fails_is_timed_and_its_error_goes_on() -> None:
    stopwatch = ticking(0.0, 0.5)
    with pytest.raises(KeyError), stopwatch.measure_stage("answer"):
        raise KeyError("x")
    assert stopwatch.timings_ms == {"answer": 500.0}
