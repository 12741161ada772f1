"""Reading the responses of a server of the chat API."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import openai

from adapters.llm.failures import NotAnAnswer, StreamBroken
from core.model import Usage
from core.ports.models import TextListener

_OPEN, _CLOSE = "<think>", "</think>"  # around the thinking of a reasoning model, before its answer
_MOST_CHARS = 1_000_000  # of thinking and answer, more than any window
_GROWTH = 256  # the listener is called when the text has grown by 1/256


@dataclass(frozen=True, slots=True)
class Response:
    """A whole response. ``raw`` includes the thinking of a reasoning model. ``usage``: None if the server omits it."""

    raw: str
    finish_reason: str
    usage: Usage | None

    @property
    def text(self) -> str:
        return remove_thinking(_join_surrogates(self.raw)).rstrip()


async def read_response(stream: openai.AsyncStream[object], on_text: TextListener | None) -> Response:
    """Read a response to its end, and call ``on_text`` with the text so far.

    Raises StreamBroken if it ends early, NotAnAnswer if it is no response of the chat API, and the SDK's errors.
    """
    if "event-stream" not in stream.response.headers.get("content-type", "event-stream"):
        written = read_whole(await stream.response.aread())
        if on_text and written.text:
            on_text(written.text)
        return written
    return await _read_events(stream, on_text)


async def _read_events(stream: openai.AsyncStream[object], on_text: TextListener | None) -> Response:
    raw, shown, read_to, finish_reason, usage = "", "", 0, "", None
    try:
        async for chunk in _iterate_chunks(stream):
            raw += _read_content(chunk)
            if len(raw) > _MOST_CHARS:
                raise StreamBroken(f"it does not end within {_MOST_CHARS} characters")
            finish_reason = _read_finish_reason(chunk) or finish_reason
            usage = _read_usage(chunk.get("usage")) or usage
            # The whole text is processed each time. Doing that for every chunk would take quadratic time.
            if on_text is None or (len(raw) - read_to <= read_to // _GROWTH and not finish_reason):
                continue
            text, read_to = remove_thinking(_join_surrogates(raw)), len(raw)
            if text != shown:
                on_text(text)
                shown = text
    except StreamBroken:
        if not finish_reason:  # otherwise only the token counts are missing
            raise
    if not finish_reason:
        raise StreamBroken("the connection ended before the answer did")
    return Response(raw, finish_reason, usage)


def read_whole(content: bytes) -> Response:
    """Read the response of a server that does not stream. Raises NotAnAnswer."""
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
    return Response(str(raw), choice.get("finish_reason") or "stop", _read_usage(body.get("usage")))


async def _iterate_chunks(stream: openai.AsyncStream[object]) -> AsyncIterator[Mapping[str, Any]]:
    """Yield the stream's chunks that are JSON objects. Raises StreamBroken if one cannot be read."""
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
        if isinstance(chunk, Mapping):
            yield chunk


def _list_choices(chunk: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the choices of a chunk. Servers omit fields that the API requires, or send null."""
    choices = chunk.get("choices")
    return [choice for choice in choices if isinstance(choice, Mapping)] if isinstance(choices, list) else []


def _read_content(chunk: Mapping[str, Any]) -> str:
    deltas = [choice.get("delta") for choice in _list_choices(chunk)]
    contents = [delta.get("content") for delta in deltas if isinstance(delta, Mapping)]
    return "".join(content for content in contents if isinstance(content, str))


def _join_surrogates(raw: str) -> str:
    """Join surrogate pairs that came in two chunks, and drop single surrogates, which cannot be stored."""
    return raw.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")


def _read_finish_reason(chunk: Mapping[str, Any]) -> str:
    reasons = [choice.get("finish_reason") for choice in _list_choices(chunk)]
    return next((reason for reason in reasons if isinstance(reason, str) and reason), "")


def _read_usage(said: Any) -> Usage | None:
    values = said if isinstance(said, Mapping) else {}
    prompt, completion = values.get("prompt_tokens"), values.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    return Usage(1, prompt, completion)


def remove_thinking(text: str) -> str:
    """Return the answer in a text that may still grow, "" while the model thinks or may begin to.

    Some chat templates put the opening tag into the prompt, so that the text has only the closing tag.
    """
    begun = text.lstrip()
    thought, closed, answer = begun.removeprefix(_OPEN).partition(_CLOSE)
    if closed and _OPEN not in thought:
        return answer.lstrip()
    if begun.startswith(_OPEN) or _OPEN.startswith(begun):
        return ""
    return begun
