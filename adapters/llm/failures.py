"""Interpreting the refusals and failures of a server: the error to raise, and whether to retry."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit, urlunsplit

import openai

from adapters.llm.endpoint import Endpoint
from adapters.retries import read_retry_after
from core.errors import ContextTooLong, ModelRejected, ModelUnavailable, WikiWhyError

_LONGEST_QUOTE = 300
_FOR_NOW = frozenset({408, 409, 425, 429})

# The messages of OpenAI, Azure, vLLM, llama.cpp, Ollama, LM Studio, TGI, Mistral and Gemini.
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|context[ _](?:length|size|window)|maximum model length"
    r"|(?:prompt|input)\b.{0,60}\btoo long|max context|input token count|max_new_tokens. must be",
    re.IGNORECASE | re.DOTALL,
)


class StreamBroken(Exception):
    """A response that ended early or became unreadable. A retry may succeed."""


class NotAnAnswer(Exception):
    """A successful response that is not one of the chat API, for example a web page."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The error to raise, whether to retry, and the seconds that the server asks to wait before (None: it does not)."""

    error: WikiWhyError
    again: bool = False
    wait: float | None = None


def interpret_failure(cause: Exception, endpoint: Endpoint, model: str) -> Failure:
    """Return the failure for an exception of the SDK, or of reading its stream."""
    place = f"The language model at {endpoint.url}"
    if isinstance(cause, NotAnAnswer):
        return Failure(
            ModelRejected(
                f"{place} did not answer as a chat server does, but with {cause}. Check WIKIWHY_LLM_BASE_URL (most "
                "servers' ends in /v1), and whether a proxy or a login page stands in between."
            )
        )
    if isinstance(cause, openai.APIStatusError):
        return _interpret_status(cause, place, endpoint, model)
    said = _quote(cause, endpoint)
    if isinstance(cause, openai.APIError) and not isinstance(cause, openai.APIConnectionError):
        return _interpret_event(cause, place, said)
    if isinstance(cause, openai.APIConnectionError):
        advice = "See to it that the server runs and can be reached from here, or correct WIKIWHY_LLM_BASE_URL."
        return Failure(ModelUnavailable(f"{place} cannot be reached{said}. {advice}"), again=True)
    return Failure(ModelUnavailable(f"{place} broke off in the middle of its answer{said}. Ask again."), again=True)


def read_refusal(cause: openai.APIError) -> str:
    """Return the whole text of a server's refusal."""
    return f"{cause.message} {json.dumps(cause.body, default=str)}"


def _interpret_status(cause: openai.APIStatusError, place: str, endpoint: Endpoint, model: str) -> Failure:
    status, said = cause.status_code, _quote(cause, endpoint)
    if is_too_long(cause, status):
        return Failure(_make_too_long_error(place, said))
    if 300 <= status < 400:
        target = _remove_login(cause.response.headers.get("location", ""))
        advice = "Set WIKIWHY_LLM_BASE_URL to where it really is; if that is a login page, to a way around it."
        return Failure(ModelRejected(f"{place} redirects ({status}) to {target or 'nowhere'}. {advice}"))
    if status == 429 and cause.code == "insufficient_quota":
        return Failure(ModelRejected(f"{place} has no quota left{said}. Renew it with the provider, or use another."))
    if status in _FOR_NOW or status >= 500:
        state = "has too much to do" if status == 429 else "fails"
        error = ModelUnavailable(f"{place} {state} at the moment ({status}{said}). Try again later.")
        return Failure(error, again=True, wait=read_retry_after(cause.response.headers, datetime.now(UTC)))
    return Failure(ModelRejected(f"{place} refuses ({status}{said}). {_advise(status, read_refusal(cause), model)}"))


def _interpret_event(cause: openai.APIError, place: str, said: str) -> Failure:
    """Return the failure for an error event in a stream, after a successful status."""
    code = int(cause.code) if cause.code and cause.code.isdecimal() else 500
    if is_too_long(cause, code):
        return Failure(_make_too_long_error(place, said))
    if 400 <= code < 500 and code not in _FOR_NOW:
        return Failure(ModelRejected(f"{place} refuses{said}. Correct the setting that it names."))
    return Failure(ModelUnavailable(f"{place} broke off in the middle of its answer{said}. Ask again."), again=True)


def is_too_long(cause: openai.APIError, status: int) -> bool:
    """Whether a server refused a prompt for its length."""
    return status == 413 or (status in {400, 422, 500} and bool(_TOO_LONG.search(read_refusal(cause))))


def _make_too_long_error(place: str, said: str) -> ContextTooLong:
    return ContextTooLong(
        f"{place} refuses the prompt because it does not fit into its window{said}. "
        "Set WIKIWHY_LLM_CONTEXT_TOKENS to its real window, or give it a larger one."
    )


def _advise(status: int, said: str, model: str) -> str:
    if status == 401:
        return "Check WIKIWHY_LLM_API_KEY."
    if status == 403:
        return f"Check that the key in WIKIWHY_LLM_API_KEY may use {model or 'this server'}."
    if status == 404:
        return f"Check WIKIWHY_LLM_MODEL (now {model or 'unset'}) and WIKIWHY_LLM_BASE_URL (most servers' ends in /v1)."
    if "content_filter" in said or "content management policy" in said:
        return (
            "Its content filter takes offence at the question or a page: ask differently, or change the filter there."
        )
    return "Check WIKIWHY_LLM_MODEL and, with Azure, WIKIWHY_LLM_API_VERSION."


def _quote(cause: Exception, endpoint: Endpoint) -> str:
    """Return ": " and the server's or network's message, shortened and without credentials, "" for a web page."""
    said = _find_message(cause)
    if not said or said.lstrip().startswith("<"):
        return ""
    said = " ".join(endpoint.hide_secrets(said).split()).rstrip(".")
    return f": {said[:_LONGEST_QUOTE]}{'…' if len(said) > _LONGEST_QUOTE else ''}"


def _find_message(cause: Exception) -> str:
    if isinstance(cause, openai.APITimeoutError):
        return "no connection in time"
    if isinstance(cause, openai.APIConnectionError):
        return str(cause.__cause__ or cause.message)
    if not isinstance(cause, openai.APIError):
        return str(cause)
    body = cause.body
    if isinstance(body, Mapping):
        inner = body.get("message") or body.get("detail") or body.get("error")
        return inner if isinstance(inner, str) else json.dumps(inner or body, ensure_ascii=False)
    return body if isinstance(body, str) else cause.message


def _remove_login(location: str) -> str:
    """Return a redirect's target without credentials, query and fragment."""
    parts = urlsplit(location)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
