"""OpenTelemetry traces of the server's work, and the current turn's id for the log.

A trace has ids, counts and durations. It never has the text of a question or a page, nor an error message, which may
quote both. The tracer provider is private to this module, so libraries that use the global provider add no spans.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from opentelemetry.trace import NoOpTracer, Status, StatusCode, Tracer, get_current_span

_TIMEOUT_SECONDS = 3

TURN: ContextVar[str] = ContextVar("turn", default="")
"""The id of the turn that the current task works on, "" if none."""

_tracer: Tracer = NoOpTracer()


@contextmanager
def export_traces(endpoint: str) -> Iterator[None]:
    """Send traces to a collector during the block, by OTLP over HTTP with protobuf.

    ``endpoint``: for example ``http://localhost:4318``; "" sends none. OpenTelemetry's own environment variables, such
    as ``OTEL_EXPORTER_OTLP_HEADERS`` and ``OTEL_RESOURCE_ATTRIBUTES``, apply too.
    """
    global _tracer
    if not endpoint:
        yield
        return
    # Imported here because the import is slow, and only needed with a collector.
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
    """Open a span for the block, as a child of the current span. An exception is recorded by its type only."""
    with _tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as span:
        try:
            yield
        except BaseException as error:
            span.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise


def describe(**attributes: str | int | float) -> None:
    """Set ids, counts and durations as attributes ``wikiwhy.NAME`` of the current span."""
    get_current_span().set_attributes({f"wikiwhy.{name}": value for name, value in attributes.items()})


@contextmanager
def work_on(turn_id: str) -> Iterator[None]:
    """Name the turn in the current span, and in each log record of the block. "": there is no turn."""
    token = TURN.set(turn_id)
    if turn_id:
        describe(turn=turn_id)
    try:
        yield
    finally:
        TURN.reset(token)
