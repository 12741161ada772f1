"""Where a language model is served, and the connection to it."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import openai

OPENAI_URL = "https://api.openai.com/v1"
_CONNECT_SECONDS = 10.0
_HIDDEN = "…"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server of OpenAI's chat API. ``api_version`` other than "" means Azure's classic paths.

    ``base_url`` may hold ``user:password@`` for a proxy that wants HTTP Basic authentication instead of a key.
    """

    base_url: str = field(default=OPENAI_URL, repr=False)
    api_key: str = field(default="", repr=False)
    api_version: str = ""

    @property
    def url(self) -> str:
        """The base URL as the client uses it and as people may see it: no credentials, no query."""
        parts = urlsplit(self.base_url)
        path = parts.path.rstrip("/").removesuffix("/chat/completions")
        if self.api_version:
            path = path.removesuffix("/openai")
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], path, "", ""))

    def hide_secrets(self, text: str) -> str:
        """A server's words, in which it may repeat the credentials."""
        login = urlsplit(self.base_url).netloc.rpartition("@")[0]
        for secret in (self.api_key, login, unquote(login.partition(":")[2]), _encode_basic(login)):
            text = text.replace(secret, _HIDDEN) if secret else text
        return text

    def client(self) -> openai.AsyncOpenAI:
        """A client for the running event loop. It tries once: whoever calls knows what is worth another try."""
        login = urlsplit(self.base_url).netloc.rpartition("@")[0]
        options: dict[str, Any] = {
            # Never left out, or the SDK takes the key from OPENAI_API_KEY and sends it to this server.
            "api_key": self.api_key or "none",
            "timeout": openai.Timeout(None, connect=_CONNECT_SECONDS),
            "max_retries": 0,
            # Not followed: a redirect to a login page would end in a page instead of an answer, and a key has one
            # receiver.
            "http_client": openai.DefaultAsyncHttpx2Client(follow_redirects=False),
            "default_headers": {"Authorization": f"Basic {_encode_basic(login)}"} if login else None,
        }
        if self.api_version:
            return openai.AsyncAzureOpenAI(azure_endpoint=self.url, api_version=self.api_version, **options)
        return openai.AsyncOpenAI(base_url=self.url, **options)


class Connection:
    """A client and its free slots, which belong to one event loop and end with it."""

    def __init__(self, endpoint: Endpoint, concurrency: int) -> None:
        """To be made while the loop runs."""
        self.loop = asyncio.get_running_loop()
        self.client = endpoint.client()
        self.slots = asyncio.Semaphore(concurrency)
        self._until_end = _close_with_loop(self.client)

    async def hold(self) -> None:
        """Has the client closed when the loop ends, however its owner ends it (asyncio.run and Runner both do so)."""
        await anext(self._until_end)


async def _close_with_loop(client: openai.AsyncOpenAI) -> AsyncGenerator[None]:
    """Closes the client at the end of its loop: only there can it, and that ends all generators left suspended."""
    try:
        yield
    finally:
        await client.close()


def _encode_basic(login: str) -> str:
    return base64.b64encode(unquote(login).encode()).decode() if login else ""
