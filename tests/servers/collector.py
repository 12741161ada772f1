"""A collector of OpenTelemetry traces over real HTTP, which reads what it gets as the protocol says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.servers.threaded import ThreadedApplication


@dataclass(frozen=True)
class Span:
    """``parent``: empty of a trace's first. ``error``: its status' text, None if it did not fail."""

    name: str
    span: bytes
    parent: bytes
    trace: bytes
    attributes: Mapping[str, object]
    events: int
    error: str | None


@dataclass
class Collector:
    """``raw``: all bytes that came."""

    url: str = ""
    spans: list[Span] = field(default_factory=list)
    services: set[object] = field(default_factory=set)
    raw: bytes = b""

    def named(self, name: str) -> Span:
        (span,) = (each for each in self.spans if each.name == name)
        return span

    async def take(self, request: web.Request) -> web.Response:
        assert request.content_type == "application/x-protobuf"
        body = await request.read()
        self.raw += body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.services |= {
                each.value.string_value for each in resource.resource.attributes if each.key == "service.name"
            }
            for scope in resource.scope_spans:
                for span in scope.spans:
                    values = {each.key: _value(each.value) for each in span.attributes}
                    error = span.status.message if span.status.code == 2 else None
                    ids = (span.span_id, span.parent_span_id, span.trace_id)
                    self.spans.append(Span(span.name, *ids, values, len(span.events), error))
        return web.Response(content_type="application/x-protobuf")


def _value(value: object) -> object:
    return getattr(value, value.WhichOneof("value"))  # type: ignore[attr-defined]


@contextmanager
def collecting() -> Iterator[Collector]:
    collector, server, application = Collector(), ThreadedApplication(), web.Application()
    application.add_routes([web.post("/v1/traces", collector.take)])
    server.start(application)
    collector.url = server.url
    try:
        yield collector
    finally:
        server.stop()
