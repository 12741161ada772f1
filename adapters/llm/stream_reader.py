"""Reading what a server of the chat API sends back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import openai

from adapters.llm.failures import NotAnAnswer, StreamBroken
from core.model import Usage
from core.ports.models import TextListener

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk

_OPEN, _CLOSE = "<think>", "</think>"  # around what a reasoning model writes before its answer
_MOST_CHARS = 1_000_000  # of an answer with what was thought before it; no window holds more
_TELLINGS = 256  # a text is told again when it has grown by one part of so many


@dataclass(frozen=True, slots=True)
class Written:
    """A whole response. ``raw`` still has what a reasoning model thinks; ``usage`` None: the server does not say."""

    raw: str
    finish_reason: str
    usage: Usage | None

    @property
    def text(self) -> str:
        return remove_thinking(_join_surrogates(self.raw)).rstrip()


async def read(stream: openai.AsyncStream[ChatCompletionChunk], on_text: TextListener | None) -> Written:
    """Reads a response to its end, telling the text so far.

    Raises StreamBroken if it ends too early, NotAnAnswer if it is something else, and what the SDK raises.
    """
    if "event-stream" not in stream.response.headers.get("content-type", "event-stream"):
        written = read_whole(await stream.response.aread())
        if on_text and written.text:
            on_text(written.text)
        return written
    return await _read_events(stream, on_text)


async def _read_events(stream: openai.AsyncStream[ChatCompletionChunk], on_text: TextListener | None) -> Written:
    raw, shown, read_to, finish_reason, usage = "", "", 0, "", None
    try:
        async for chunk in _iterate_chunks(stream):
            raw += _read_content(chunk)
            if len(raw) > _MOST_CHARS:
                raise StreamBroken(f"it does not end within {_MOST_CHARS} characters")
            finish_reason = _read_finish_reason(chunk) or finish_reason
            usage = _read_usage(getattr(chunk, "usage", None)) or usage
            # A text is read as a whole: at every piece of a long one that would take time by its length squared.
            if on_text is None or (len(raw) - read_to <= read_to // _TELLINGS and not finish_reason):
                continue
            text, read_to = remove_thinking(_join_surrogates(raw)), len(raw)
            if text != shown:
                on_text(text)
                shown = text
    except StreamBroken:
        if not finish_reason:  # else only the token counts are missing
            raise
    if not finish_reason:
        raise StreamBroken("the connection ended before the answer did")
    return Written(raw, finish_reason, usage)


def read_whole(content: bytes) -> Written:
    """Reads the response of a server that does not stream. Raises NotAnAnswer."""
    try:
        body = json.loads(content)
    except ValueError:
        kind = "a web page" if content.lstrip()[:1] == b"<" else "something that is not JSON"
        raise NotAnAnswer(kind if content.strip() else "nothing") from None
    try:
        choice = body["choices"][0]
        raw = choice["message"]["content"] or ""
    except (KeyError, IndexError, TypeError):
        raise NotAnAnswer("JSON that holds no answer") from None
    return Written(str(raw), choice.get("finish_reason") or "stop", _read_usage(body.get("usage")))


async def _iterate_chunks(stream: openai.AsyncStream[ChatCompletionChunk]) -> AsyncIterator[ChatCompletionChunk]:
    """The stream's chunks; what cannot be read ends in StreamBroken."""
    chunks = aiter(stream)
    while True:
        try:
            chunk = await anext(chunks)
        except StopAsyncIteration:
            return
        except openai.APIConnectionError as cause:
            raise StreamBroken(str(cause.__cause__ or cause)) from cause
        except (ValueError, TypeError, AttributeError) as cause:
            raise StreamBroken("it is not readable from some point on") from cause
        yield chunk


def _read_content(chunk: ChatCompletionChunk) -> str:
    """The text that a chunk adds. What there is of it differs from server to server, whatever its type says."""
    deltas = [getattr(choice, "delta", None) for choice in getattr(chunk, "choices", None) or ()]
    contents = [getattr(delta, "content", None) for delta in deltas]
    return "".join(content for content in contents if isinstance(content, str))


def _join_surrogates(raw: str) -> str:
    """The text with halves of characters joined, as they come in two pieces; alone they cannot be stored."""
    return raw.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")


def _read_finish_reason(chunk: ChatCompletionChunk) -> str:
    return next((choice.finish_reason for choice in getattr(chunk, "choices", None) or () if choice.finish_reason), "")


def _read_usage(said: Any) -> Usage | None:
    values = said if isinstance(said, dict) else getattr(said, "__dict__", {})
    prompt, completion = values.get("prompt_tokens"), values.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    return Usage(1, prompt, completion)


def remove_thinking(text: str) -> str:
    """The answer in a text that may still be growing; "" while the model thinks, or may be about to.

    Some chat templates put the opening tag into the prompt, so that the text has the closing one only.
    """
    begun = text.lstrip()
    thought, closed, answer = begun.removeprefix(_OPEN).partition(_CLOSE)
    if closed and _OPEN not in thought:
        return answer.lstrip()
    if begun.startswith(_OPEN) or _OPEN.startswith(begun):
        return ""
    return begun
