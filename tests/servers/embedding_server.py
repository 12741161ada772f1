"""An embedding endpoint that speaks OpenAI's API and a fixed latency, for measurements.

Its vectors have no meaning: a text's hash chooses one of some vectors that were serialised before.
"""

from __future__ import annotations

import asyncio
import base64
import json
import zlib
from dataclasses import dataclass, field
from types import TracebackType

import numpy as np
from aiohttp import web

from tests.servers.threaded import ThreadedApplication

_VECTORS = 256


@dataclass
class EmbeddingServer:
    """``latency``: seconds that each response takes. ``at_once``: the most requests that were open at the same time."""

    latency: float = 0.02
    dimension: int = 384
    url: str = ""
    batches: int = 0
    texts: int = 0
    at_once: int = 0
    _open: int = 0
    _serialised: dict[str, list[str]] = field(default_factory=dict, repr=False)
    _server: ThreadedApplication = field(default_factory=ThreadedApplication, repr=False)

    def __enter__(self) -> EmbeddingServer:
        drawn = np.random.default_rng(0).normal(size=(_VECTORS, self.dimension)).astype("<f4")
        self._serialised = {
            "float": [json.dumps([round(float(value), 7) for value in row]) for row in drawn],
            "base64": [json.dumps(base64.b64encode(row.tobytes()).decode()) for row in drawn],
        }
        application = web.Application(client_max_size=2**26)
        application.router.add_post("/v1/embeddings", self._embed)
        self._server.start(application)
        self.url = f"{self._server.url}/v1"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.stop()

    async def _embed(self, request: web.Request) -> web.Response:
        self._open += 1
        self.at_once = max(self.at_once, self._open)
        body = await request.json()
        await asyncio.sleep(self.latency)
        self._open -= 1
        self.batches += 1
        self.texts += len(body["input"])
        vectors = self._serialised[body.get("encoding_format", "float")]
        data = ", ".join(
            f'{{"object": "embedding", "index": {index}, "embedding": {vectors[zlib.crc32(text.encode()) % _VECTORS]}}}'
            for index, text in enumerate(body["input"])
        )
        usage = '{"prompt_tokens": 0, "total_tokens": 0}'
        answer = f'{{"object": "list", "model": {json.dumps(body["model"])}, "data": [{data}], "usage": {usage}}}'
        return web.Response(text=answer, content_type="application/json")
