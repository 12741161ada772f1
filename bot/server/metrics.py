"""The server's metrics for Prometheus. docs/operations.md describes each of them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from adapters.retries import read_model_errors, read_rate_limits, read_retries
from bot.tracing import describe, trace
from core.model import Turn, Usage

_REQUEST_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_STAGE_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_LAG_SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)
_WORK_SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160)


class Metrics:
    """The instruments of one server, in their own registry."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # an extra series for each metric
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)

        def counter(name: str, about: str, *labels: str) -> Counter:
            return Counter(f"wikiwhy_{name}", about, labels, registry=registry)

        def gauge(name: str, about: str, *labels: str) -> Gauge:
            return Gauge(f"wikiwhy_{name}", about, labels, registry=registry)

        def histogram(name: str, about: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
            return Histogram(f"wikiwhy_{name}", about, labels, buckets=buckets, registry=registry)

        self.requests = counter("http_requests", "HTTP requests answered", "route", "method", "status")
        self.request_seconds = histogram("http_request_seconds", "Time to answer a request", _REQUEST_SECONDS, "route")
        self.requests_in_flight = gauge("http_requests_in_flight", "HTTP requests being answered")
        self.questions_asked = counter("questions_asked", "Questions asked")
        self.questions = counter("questions", "Questions done", "outcome")  # answered, not_found, failed
        self.question_seconds = histogram("question_seconds", "Time to answer a question", _WORK_SECONDS)
        self.stage_seconds = histogram("stage_seconds", "Time of a stage of a question", _STAGE_SECONDS, "stage")
        self.questions_in_flight = gauge("questions_in_flight", "Questions being answered")
        self.explanations = counter("explanations", "Explanations done", "outcome")  # explained, failed
        self.explanation_seconds = histogram("explanation_seconds", "Time to explain an answer", _WORK_SECONDS)
        self.explanations_in_flight = gauge("explanations_in_flight", "Answers being explained")
        self.model_calls = counter("model_calls", "Calls of the language model")
        self.tokens = counter("model_tokens", "Tokens of the language model", "kind")  # prompt, completion
        self.syncs = counter("space_syncs", "Syncs of a space", "reason", "outcome")  # synced, stopped, failed
        self.sync_seconds = histogram("sync_seconds", "Time of a sync of one or several spaces", _WORK_SECONDS)
        self.syncs_in_flight = gauge("syncs_in_flight", "Syncs under way")
        self.hints = counter("hints", "Hints of webhooks that a page changed")
        self.hints_waiting = gauge("hints_waiting", "Pages and spaces named by hints that were not followed yet")
        self.workflows = gauge("workflows_unfinished", "Workflows that have not ended", "workflow")
        self.oldest_workflow = gauge("workflow_oldest_seconds", "Age of the oldest workflow that has not ended")
        self.answer_processes = gauge("answer_processes", "Processes that answer questions beside the server")
        self.bots = gauge("bots", "Bots on the database that are alive")
        self.leader = gauge("leader", "1 if this bot is the leader")
        self.lag_seconds = histogram("event_loop_lag_seconds", "Delay of the event loop", _LAG_SECONDS)
        self.spaces = SpaceAges()
        registry.register(self.spaces)
        registry.register(_ServiceCounts())
        self.ready = gauge("ready", "1 if every part works")

    @contextmanager
    def count_question(self) -> Iterator[Outcome]:
        """Count a question. The block sets the turn of the outcome; an exception counts as failed."""
        self.questions_asked.inc()
        measured = _measure_time(self.questions_in_flight, self.question_seconds)
        with trace("question"), measured, _count_failures(self.questions) as outcome:
            yield outcome
            if outcome.turn is not None:
                self.questions.labels("answered" if outcome.turn.answer.answered else "not_found").inc()
                self.count_tokens(outcome.turn.usage)
                self.observe_stages(outcome.turn.timings_ms)
                _describe_turn(outcome.turn)

    def observe_stages(self, timings_ms: Mapping[str, float]) -> None:
        """Observe the stages of a turn that took time."""
        for stage, spent in timings_ms.items():
            if spent and stage != "total":
                self.stage_seconds.labels(stage).observe(spent / 1000)

    @contextmanager
    def measure_stage(self, stage: str) -> Iterator[None]:
        """Measure a stage of a question that is not part of its turn."""
        with self.stage_seconds.labels(stage).time():
            yield

    @contextmanager
    def count_explanation(self) -> Iterator[None]:
        measured = _measure_time(self.explanations_in_flight, self.explanation_seconds)
        with trace("explanation"), measured, _count_failures(self.explanations):
            yield
            self.explanations.labels("explained").inc()

    @contextmanager
    def measure_sync(self) -> Iterator[None]:
        """Measure a sync. Its spaces are counted from their reports by :meth:`count_sync`."""
        with trace("space sync"), _measure_time(self.syncs_in_flight, self.sync_seconds):
            yield

    def count_sync(self, reason: str, refusal: str) -> None:
        """Count the sync of a space. ``refusal``: the one in its report."""
        self.syncs.labels(reason, "stopped" if refusal else "synced").inc()

    def count_tokens(self, usage: Usage) -> None:
        """Count calls of the language model and their tokens."""
        self.model_calls.inc(usage.calls)
        self.tokens.labels("prompt").inc(usage.prompt_tokens)
        self.tokens.labels("completion").inc(usage.completion_tokens)


class SpaceAges(Collector):
    """Seconds since the last complete sync of each space, computed when the metrics are read."""

    def __init__(self) -> None:
        self.synced_at: Mapping[str, float] = {}
        """Space key to seconds since 1970."""

    def collect(self) -> Iterator[Metric]:
        ages = GaugeMetricFamily("wikiwhy_space_age_seconds", "Time since a space was last synced", labels=["space"])
        now, oldest = time.time(), dict[str, float]()
        for key, synced_at in self.synced_at.items():
            name = name_space(key)
            oldest[name] = min(synced_at, oldest.get(name, now))
        for name, synced_at in oldest.items():
            ages.add_metric([name], now - synced_at)
        yield ages


def name_space(key: str) -> str:
    """Return a space's name in metrics and traces: its key, or "personal", since those keys contain a person's id."""
    return "personal" if key.startswith("~") else key


class _ServiceCounts(Collector):
    """The adapters' counts of responses and retries of other services."""

    def collect(self) -> Iterator[Metric]:
        for name, about, label, counts in (
            ("rate_limits", "Responses of other services with status 429", "service", read_rate_limits()),
            ("retries", "Requests to other services that were sent again", "service", read_retries()),
            ("model_errors", "Calls of the language model that failed", "kind", read_model_errors()),
        ):
            family = CounterMetricFamily(f"wikiwhy_{name}", about, labels=[label])
            for value, count in counts.items():
                family.add_metric([value], count)
            yield family


@dataclass(slots=True)
class Outcome:
    """The result of a question. ``turn``: None until it is answered."""

    turn: Turn | None = None


def _describe_turn(turn: Turn) -> None:
    stages = {f"{stage}_ms": spent for stage, spent in turn.timings_ms.items()}
    describe(
        turn=turn.turn_id,
        answered=int(turn.answer.answered),
        evidences=len(turn.evidences),
        model_calls=turn.usage.calls,
        prompt_tokens=turn.usage.prompt_tokens,
        completion_tokens=turn.usage.completion_tokens,
        **stages,
    )


@contextmanager
def _measure_time(in_flight: Gauge, seconds: Histogram) -> Iterator[None]:
    started = time.perf_counter()
    with in_flight.track_inprogress():
        try:
            yield
        finally:
            seconds.observe(time.perf_counter() - started)


@contextmanager
def _count_failures(counter: Counter) -> Iterator[Outcome]:
    try:
        yield Outcome()
    except Exception:  # does not include cancellations
        counter.labels("failed").inc()
        raise
