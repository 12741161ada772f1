"""The address of a language model's server, and the connection to it."""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import httpx2
import openai

OPENAI_URL = "https://api.openai.com/v1"
_CONNECT_SECONDS = 10.0
_HIDDEN = "…"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server with OpenAI's chat API. An ``api_version`` other than "" selects Azure's classic paths.

    ``base_url`` may contain ``user:password@`` for a proxy with HTTP Basic authentication instead of a key.
    """

    base_url: str = field(default=OPENAI_URL, repr=False)
    api_key: str = field(default="", repr=False)
    api_version: str = ""

    @property
    def url(self) -> str:
        """The base URL for the client and for messages, without credentials and query."""
        parts = urlsplit(self.base_url)
        path = parts.path.rstrip("/").removesuffix("/chat/completions")
        if self.api_version:
            path = path.removesuffix("/openai")
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], path, "", ""))

    def hide_secrets(self, text: str) -> str:
        """Return a server's message with all credentials replaced."""
        login = urlsplit(self.base_url).netloc.rpartition("@")[0]
        for secret in (self.api_key, login, unquote(login.partition(":")[2]), _encode_basic(login)):
            text = text.replace(secret, _HIDDEN) if secret else text
        return text

    def make_client(self) -> openai.AsyncOpenAI:
        """Return a client for the running event loop. It does not retry, because :class:`Calls` decides about that."""
        login = urlsplit(self.base_url).netloc.rpartition("@")[0]
        options: dict[str, Any] = {
            # Never omit it, or the SDK sends the key in OPENAI_API_KEY to this server.
            "api_key": self.api_key or "none",
            "timeout": openai.Timeout(None, connect=_CONNECT_SECONDS),
            "max_retries": 0,
            # A redirect may lead to a login page, and would send the key to another server.
            "http_client": openai.DefaultAsyncHttpx2Client(follow_redirects=False, verify=_load_certificates()),
            "default_headers": {"Authorization": f"Basic {_encode_basic(login)}"} if login else None,
        }
        if self.api_version:
            return openai.AsyncAzureOpenAI(azure_endpoint=self.url, api_version=self.api_version, **options)
        return openai.AsyncOpenAI(base_url=self.url, **options)


class Connection:
    """A client and its free slots. They belong to one event loop and are closed with it."""

    def __init__(self, endpoint: Endpoint, concurrency: int) -> None:
        """Create it while the loop runs."""
        self.loop = asyncio.get_running_loop()
        self.client = endpoint.make_client()
        self.slots = asyncio.Semaphore(concurrency)
        self._until_end = _close_with_loop(self.client)

    async def hold(self) -> None:
        """Arrange that the client is closed when the loop ends (by asyncio.run or Runner)."""
        await anext(self._until_end)


async def _close_with_loop(client: openai.AsyncOpenAI) -> AsyncGenerator[None]:
    """Close the client when the event loop shuts down its suspended generators: it can only be closed in its loop."""
    try:
        yield
    finally:
        await client.close()


@cache
def _load_certificates() -> ssl.SSLContext:
    """Return the TLS context of all clients. Each event loop has a client, and loading the certificates takes 25 ms."""
    return httpx2.create_ssl_context()


def _encode_basic(login: str) -> str:
    return base64.b64encode(unquote(login).encode()).decode() if login else ""
