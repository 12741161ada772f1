"""Explains refusals and failures of Confluence, and what to do about each."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

import requests

_LONGEST_QUOTE = 200
_TITLE = re.compile(r"<title[^<>]*+>([^<]*+)</title>", re.IGNORECASE)
_LATER = "Sync again later. Pages that are already synced are kept."


class Refusal(Exception):
    """Confluence did not answer a request as its API describes.

    ``cause`` continues the sentence "Confluence at …". ``status``: of HTTP, None without a response. ``is_site_wide``:
    other requests would fail as well.
    """

    def __init__(self, cause: str, advice: str, status: int | None = None, is_site_wide: bool = False) -> None:
        super().__init__(f"{cause}. {advice}")
        self.cause = cause
        self.advice = advice
        self.status = status
        self.is_site_wide = is_site_wide


class NotAsListed(Refusal):
    """A page exists, but not as listed: it is in the trash or in another space, for example."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The failure of one attempt."""

    refusal: Refusal
    can_retry: bool = False  # another attempt may succeed
    overloaded: bool = False  # the server is only busy
    retry_after: float | None = None  # seconds that the server asks to wait


def explain_transport_error(error: Exception) -> Failure:
    """Explain why there was no response."""
    causes = list(_iterate_causes(error))
    certificate = next((cause for cause in causes if isinstance(cause, ssl.SSLCertVerificationError)), None)
    if certificate is not None:
        said = certificate.verify_message or "it cannot be verified"
        advice = (
            "If your company has its own certificate authority, set WIKIWHY_CONFLUENCE_CA_BUNDLE to the file with its "
            "certificate; otherwise have the server's certificate corrected."
        )
        return Failure(Refusal(f"uses an untrusted certificate: {said}", advice, is_site_wide=True))
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        advice = "Check whether WIKIWHY_CONFLUENCE_URL should begin with http:// or name another port."
        return Failure(Refusal("does not speak TLS as expected", advice, is_site_wide=True))
    if any(isinstance(cause, socket.gaierror) or type(cause).__name__ == "NameResolutionError" for cause in causes):
        advice = "Check the host in WIKIWHY_CONFLUENCE_URL, and this machine's network and DNS."
        return Failure(Refusal("has an unknown host name", advice, is_site_wide=True), can_retry=True)
    if isinstance(error, requests.exceptions.ProxyError):
        advice = "Check HTTPS_PROXY and NO_PROXY in the environment."
        return Failure(Refusal("cannot be reached through the proxy", advice, is_site_wide=True), can_retry=True)
    if isinstance(error, requests.exceptions.Timeout):
        advice = f"{_LATER} If it is always this slow, raise WIKIWHY_CONFLUENCE_TIMEOUT."
        return Failure(Refusal("did not answer in time", advice), can_retry=True)
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        advice = "Check that it is running and can be reached from here, or correct WIKIWHY_CONFLUENCE_URL."
        return Failure(Refusal("refuses the connection", advice, is_site_wide=True), can_retry=True)
    if isinstance(error, requests.exceptions.ConnectionError | requests.exceptions.ChunkedEncodingError):
        return Failure(Refusal("closed the connection unexpectedly", _LATER), can_retry=True)
    advice = "Check WIKIWHY_CONFLUENCE_URL."
    return Failure(Refusal(f"cannot be reached ({type(error).__name__})", advice, is_site_wide=True))


def explain_status(response: requests.Response) -> Failure:
    """Explain a status other than 200."""
    status, said = response.status_code, _read_message(response)
    match status:
        case 401:
            advice = (
                "Check WIKIWHY_CONFLUENCE_TOKEN, and on Cloud WIKIWHY_CONFLUENCE_EMAIL: "
                "tokens expire, and can be revoked."
            )
            return Failure(Refusal(f"refuses the credentials (401{said})", advice, status, is_site_wide=True))
        case 403 if "CAPTCHA" in response.headers.get("X-Authentication-Denied-Reason", ""):
            advice = "Log in with that account in a browser once and solve it, then check the credentials here."
            cause = "requires a CAPTCHA after too many failed logins (403)"
            return Failure(Refusal(cause, advice, status, is_site_wide=True))
        case 403:
            advice = "Give the token's account permission to use Confluence and to read this."
            return Failure(Refusal(f"forbids this (403{said})", advice, status))
        case 404 | 410:
            advice = "Check WIKIWHY_CONFLUENCE_URL and WIKIWHY_CONFLUENCE_FLAVOUR, and what the account may read."
            return Failure(Refusal(f"has no such resource for this account ({status}{said})", advice, status))
        case 429 | 503:
            what = "limits the number of requests" if status == 429 else "is not available now"
            refusal = Refusal(f"{what} ({status}{said})", _LATER, status, is_site_wide=True)
            return Failure(refusal, can_retry=True, overloaded=True)
        case 408 | 425 | 500 | 502 | 504:
            return Failure(Refusal(f"failed ({status}{said})", _LATER, status), can_retry=True)
        case _ if 300 <= status < 400:
            target = _remove_query(response.headers.get("Location", "")) or "nowhere"
            advice = "Set WIKIWHY_CONFLUENCE_URL to its actual address; if that is a login page, check the credentials."
            return Failure(Refusal(f"redirects to {target} ({status})", advice, status, is_site_wide=True))
    advice = "Check WIKIWHY_CONFLUENCE_URL and WIKIWHY_CONFLUENCE_FLAVOUR."
    return Failure(Refusal(f"refuses the request ({status}{said})", advice, status))


def explain_body(response: requests.Response) -> Failure:
    """Explain a response with status 200 that is not JSON."""
    start = response.text[:20_000].lstrip()
    if start.startswith("<"):
        title = _TITLE.search(start)
        named = f' titled "{_quote(title[1])}"' if title and title[1].strip() else ""
        advice = (
            "This may be a login page, a proxy or a maintenance page. Check the credentials and "
            "WIKIWHY_CONFLUENCE_URL, or sync again later."
        )
        return Failure(Refusal(f"returned a web page{named} instead of data", advice, 200), can_retry=True)
    return Failure(Refusal("returned truncated or broken JSON", _LATER, 200), can_retry=True)


def make_malformed_response_error(what: str) -> Refusal:
    """Make the error for data that the API does not describe."""
    advice = "Check WIKIWHY_CONFLUENCE_URL and WIKIWHY_CONFLUENCE_FLAVOUR; if they are right, please report this."
    return Refusal(f"returned data in an unknown format ({what})", advice, 200)


def _read_message(response: requests.Response) -> str:
    """Return the error message in a response of Cloud's v2 or of v1, or ""."""
    try:
        body = response.json()
    except ValueError:
        return ""
    if not isinstance(body, dict):
        return ""
    errors = body.get("errors")
    first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}
    text = first.get("detail") or first.get("title") or body.get("message") or ""
    return f": {_quote(text)}" if isinstance(text, str) and text.strip() else ""


def _quote(text: str) -> str:
    text = " ".join("".join(character for character in text if character.isprintable() or character == " ").split())
    return text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"


def _remove_query(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _iterate_causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the exception and all that it wraps; requests and urllib3 wrap in arguments and in ``reason``."""
    waiting: list[object] = [error]
    seen: set[int] = set()
    while waiting:
        at = waiting.pop()
        if not isinstance(at, BaseException) or id(at) in seen:
            continue
        seen.add(id(at))
        yield at
        waiting += [at.__cause__, at.__context__, getattr(at, "reason", None), *at.args]
