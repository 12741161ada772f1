"""The network embedder against a real HTTP server, whose vectors are made from the characters of a text."""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import numpy as np
import pytest
from aiohttp import web

from adapters.embedding.openai_api import EmbeddingServer, OpenAIEmbedder
from core.errors import EmbedderUnavailable
from tests.contracts.embedder import EmbedderContract
from tests.servers.threaded import ThreadedApplication

KEY = "sk-a-secret-key"


@dataclass
class Server:
    """An OpenAI-compatible server in a thread. ``statuses``: answers to the first requests, one for each."""

    url: str = ""
    limit: int = 100_000  # most characters of a text
    width: int = 16
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    answer: Any = None  # returned instead of embeddings
    base64: str = "sends"  # "sends" vectors in base64 where that is asked for, "ignores" or "refuses" it
    waits_for: int = 1  # requests that have to be open before the first is answered
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    async def embeddings(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.bodies.append(body)
        self.keys.append(request.headers.get("Authorization", ""))
        texts: list[str] = body["input"]
        if self.statuses:
            error = {"message": f"No, {self.keys[-1]}: you may not."}
            return web.json_response({"error": error}, status=self.statuses.pop(0), headers={"Retry-After": "0.01"})
        if len(self.bodies) >= self.waits_for:
            self.opened.set()
        await asyncio.wait_for(self.opened.wait(), 10)
        if self.base64 == "refuses" and body["encoding_format"] == "base64":
            return web.json_response({"error": {"message": "encoding_format: unexpected value"}}, status=422)
        if self.answer is not None:
            return web.json_response(self.answer)
        if not all(texts):
            return web.json_response({"error": {"message": "input cannot be an empty string"}}, status=400)
        if any(len(text) > self.limit for text in texts):
            message = f"This model's maximum context length is {self.limit} tokens."
            return web.json_response({"error": {"message": message}}, status=400)
        encoded = self.base64 == "sends" and body["encoding_format"] == "base64"
        data = [
            {"object": "embedding", "index": i, "embedding": self.encode(text) if encoded else self.vector(text)}
            for i, text in enumerate(texts)
        ]
        return web.json_response({"object": "list", "model": body["model"], "data": data[::-1]})

    def vector(self, text: str) -> list[float]:
        counts = np.zeros(self.width)
        for place, character in enumerate(text):
            counts[(ord(character) * 31 + place) % self.width] += 1
        return [float(count) for count in counts * 3]

    def encode(self, text: str) -> str:
        return base64.b64encode(np.array(self.vector(text), "<f4").tobytes()).decode()

    @property
    def inputs(self) -> list[str]:
        return [text for body in self.bodies for text in body["input"]]


@pytest.fixture
def server() -> Iterator[Server]:
    server, threaded = Server(), ThreadedApplication()
    application = web.Application(client_max_size=2**26)
    application.router.add_post("/v1/embeddings", server.embeddings)
    threaded.start(application)
    server.url = f"{threaded.url}/v1"
    yield server
    threaded.stop()


def embedder_of(server: Server, **changes: str) -> OpenAIEmbedder:
    settings = {"base_url": server.url, "model": "tiny", "api_key": KEY, **changes}
    return OpenAIEmbedder(EmbeddingServer(**settings))


class TestOpenAIEmbedder(EmbedderContract):
    """The contract for an embedder over the network."""

    @pytest.fixture
    def embedder(self, server: Server) -> OpenAIEmbedder:
        return embedder_of(server)


def test_the_dimension_is_learnt_by_one_request_when_first_asked(server: Server) -> None:
    embedder = embedder_of(server)
    assert server.bodies == []
    assert (embedder.dimension, embedder.dimension) == (16, 16)
    assert len(server.bodies) == 1


async def test_the_dimension_needs_no_request_of_its_own_after_an_embedding(server: Server) -> None:
    embedder = embedder_of(server)
    await embedder.embed_queries(["a"])
    assert embedder.dimension == 16
    assert len(server.bodies) == 1


def test_the_name_holds_model_and_server_but_no_credentials(server: Server) -> None:
    place = server.url.removeprefix("http://")
    assert embedder_of(server).name == f"tiny@{place}"
    assert embedder_of(server, base_url=f"http://user:word@{place}/?key=1").name == f"tiny@{place}"
    prefixed = embedder_of(server, query_prefix="query: ").name
    assert prefixed.startswith(f"tiny@{place}/")
    assert prefixed != embedder_of(server, passage_prefix="query: ").name
    assert server.bodies == []


def test_the_key_is_not_shown() -> None:
    server = EmbeddingServer("http://127.0.0.1/v1", "tiny", KEY)
    assert KEY not in repr(server) + str(server)


async def test_the_key_and_the_model_are_sent_and_nothing_of_the_environments_account(server: Server) -> None:
    with mock.patch.dict(os.environ, {"OPENAI_API_KEY": "sk-of-another", "OPENAI_BASE_URL": "http://127.0.0.1:1"}):
        await embedder_of(server).embed_queries(["a"])
        await embedder_of(server, api_key="").embed_queries(["a"])
    assert server.keys == [f"Bearer {KEY}", "Bearer none"]
    assert {body["model"] for body in server.bodies} == {"tiny"}


async def test_prefixes_stand_before_each_text(server: Server) -> None:
    embedder = embedder_of(server, query_prefix="query: ", passage_prefix="passage: ")
    await embedder.embed_queries(["one"])
    await embedder.embed_passages(["two", ""])
    assert server.inputs == ["query: one", "passage: two", "passage: ."]


async def test_many_texts_go_in_batches_and_come_back_in_order(server: Server) -> None:
    texts = [f"text number {number}" for number in range(70)]
    vectors = await embedder_of(server).embed_passages(texts)
    assert sorted(len(body["input"]) for body in server.bodies) == [6, 32, 32]
    expected = np.array([server.vector(text) for text in texts])
    np.testing.assert_allclose(vectors, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-6)


async def test_several_batches_of_passages_are_under_way_at_the_same_time(server: Server) -> None:
    server.waits_for = 3
    vectors = await embedder_of(server).embed_passages([f"text number {number}" for number in range(70)])
    assert vectors.shape == (70, 16)


async def test_a_batch_that_fails_ends_the_call_and_batches_that_wait_are_not_sent(server: Server) -> None:
    server.statuses = [401] * 100
    with pytest.raises(EmbedderUnavailable, match="401"):
        await embedder_of(server).embed_passages([f"text number {number}" for number in range(3200)])
    await asyncio.sleep(0.2)
    assert len(server.bodies) < 50


@pytest.mark.parametrize(("base64", "asked"), [("sends", 1), ("ignores", 1), ("refuses", 2)])
async def test_vectors_come_in_base64_or_as_numbers_whichever_the_server_knows(
    server: Server, base64: str, asked: int
) -> None:
    server.base64 = base64
    embedder = embedder_of(server)
    for number in (1, 2):
        expected = np.array([server.vector("a text")])
        vectors = await embedder.embed_queries(["a text"])
        np.testing.assert_allclose(vectors, expected / np.linalg.norm(expected), atol=1e-6)
        assert len(server.bodies) == asked + number - 1


@pytest.mark.parametrize("base64", ["sends", "ignores", "refuses"])
async def test_a_text_that_is_too_long_is_cut_before_the_encoding_is_known(server: Server, base64: str) -> None:
    server.base64, server.limit = base64, 300
    embedder = embedder_of(server)
    expected = np.array([server.vector("0123456789" * 25)])
    vectors = await embedder.embed_passages(["0123456789" * 100])
    np.testing.assert_allclose(vectors, expected / np.linalg.norm(expected), atol=1e-6)


async def test_what_the_server_finds_too_long_is_cut_and_the_rest_is_not(server: Server) -> None:
    server.limit = 300
    short, long = "a short text", "0123456789" * 100
    vectors = await embedder_of(server, passage_prefix="p: ").embed_passages([short, long, short])
    expected = np.array([server.vector("p: " + text) for text in (short, long[:250], short)])
    np.testing.assert_allclose(vectors, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-6)


async def test_a_text_that_is_too_long_however_short_is_an_error(server: Server) -> None:
    server.limit = 2
    with pytest.raises(EmbedderUnavailable, match=r"status 400.*maximum context length is 2 tokens"):
        await embedder_of(server).embed_passages(["a text that cannot be cut any more"])


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_passing_failures_are_tried_again(server: Server, status: int) -> None:
    server.statuses = [status, status]
    assert (await embedder_of(server).embed_queries(["a"])).shape == (1, 16)
    assert len(server.bodies) == 3


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (401, "WIKIWHY_EMBEDDING_API_KEY"),
        (403, "WIKIWHY_EMBEDDING_API_KEY"),
        (404, r"WIKIWHY_EMBEDDING_MODEL \(tiny\)"),
        (429, "overloaded"),
        (400, "It said: .*you may not"),
        (500, "It said: .*you may not"),
    ],
)
async def test_a_refusal_says_what_to_do_and_never_the_key(server: Server, status: int, says: str) -> None:
    server.statuses = [status] * 10
    with pytest.raises(EmbedderUnavailable, match=f"refused with status {status}.*{says}") as raised:
        await embedder_of(server).embed_queries(["a"])
    assert KEY not in str(raised.value)


async def test_a_server_that_is_not_there_is_named_without_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.embedding.openai_api._RETRIES", 0)
    embedder = OpenAIEmbedder(EmbeddingServer("http://user:word@127.0.0.1:1/v1", "tiny", KEY))
    with pytest.raises(EmbedderUnavailable, match=r"127.0.0.1:1/v1 does not answer") as raised:
        await embedder.embed_queries(["a"])
    assert KEY not in str(raised.value)
    assert "word" not in str(raised.value)


@pytest.mark.parametrize(
    "answer",
    [
        {},
        [],
        "hello",
        {"data": None},
        {"data": []},
        {"data": [{"index": 0}]},
        {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 0, "embedding": None}]},
        {"data": [{"index": 0, "embedding": [[1.0], [2.0]]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [0.0, 0.0]}]},
    ],
)
async def test_an_answer_of_another_shape_is_an_error(server: Server, answer: Any) -> None:
    server.answer = answer
    with pytest.raises(EmbedderUnavailable, match=r"embedding (endpoint|model)"):
        await embedder_of(server).embed_queries(["a"])


async def test_vectors_of_another_width_than_before_are_an_error(server: Server) -> None:
    embedder = embedder_of(server)
    await embedder.embed_queries(["a"])
    server.width = 8
    with pytest.raises(EmbedderUnavailable, match="embedding endpoint"):
        await embedder.embed_queries(["a"])


@pytest.mark.parametrize("url", ["not a url", "http://[::1", "ftp://127.0.0.1/v1", "http://", "http://a:99999/v1"])
def test_an_address_that_is_none_is_named_by_its_setting(url: str) -> None:
    with pytest.raises(EmbedderUnavailable, match="WIKIWHY_EMBEDDING_BASE_URL"):
        EmbeddingServer(url, "tiny")


def test_serves_one_event_loop_after_another(server: Server) -> None:
    embedder = embedder_of(server)
    for _ in range(3):
        assert asyncio.run(embedder.embed_queries(["a"])).shape == (1, 16)
