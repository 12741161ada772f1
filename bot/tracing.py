"""Traces of what the server does, by OpenTelemetry, and the turn that a task works on, for each line of the log.

A trace has ids, counts and durations, never text of a question or a page: nor that of an error, which may name both.
The provider is this module's own: libraries that trace by the global one add nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from opentelemetry.trace import NoOpTracer, Status, StatusCode, Tracer, get_current_span

_TIMEOUT_SECONDS = 3

TURN: ContextVar[str] = ContextVar("turn", default="")
"""The id of the turn that this task works on, "" if none."""

_tracer: Tracer = NoOpTracer()


@contextmanager
def export_traces(endpoint: str) -> Iterator[None]:
    """Sends traces to a collector during the block, if there is one: OTLP over HTTP, with protobuf.

    ``endpoint``: as ``http://localhost:4318``, "" for none. OpenTelemetry's own variables count too, as
    ``OTEL_EXPORTER_OTLP_HEADERS`` and ``OTEL_RESOURCE_ATTRIBUTES``.
    """
    global _tracer
    if not endpoint:
        yield
        return
    # Importing these takes a moment, which is not needed without a collector.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": "wikiwhy"}), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(f"{endpoint.rstrip('/')}/v1/traces", timeout=_TIMEOUT_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    _tracer = provider.get_tracer("wikiwhy")
    try:
        yield
    finally:
        _tracer = NoOpTracer()
        provider.shutdown()


@contextmanager
def trace(name: str) -> Iterator[None]:
    """A span during the block, below the one that surrounds it. Of an exception it has the type only."""
    with _tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as span:
        try:
            yield
        except BaseException as error:
            span.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise


def describe(**attributes: str | int | float) -> None:
    """Adds ids, counts and durations to the span that surrounds the caller, as ``wikiwhy.NAME``."""
    get_current_span().set_attributes({f"wikiwhy.{name}": value for name, value in attributes.items()})


@contextmanager
def work_on(turn_id: str) -> Iterator[None]:
    """Names the turn in the surrounding span, and in what is logged during the block. "": there is none."""
    token = TURN.set(turn_id)
    if turn_id:
        describe(turn=turn_id)
    try:
        yield
    finally:
        TURN.reset(token)
