"""Requests that come to us: whether Slack sent them, and what bolt makes of them.

bolt and the SDK read a body before they look at its signature, and raise on much that is no request of Slack's. So the
signature is checked here, over the bytes as they came: https://docs.slack.dev/authentication/verifying-requests-from-slack/
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qs

from multidict import MultiMapping
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.signature import SignatureVerifier

_TIMESTAMP = re.compile("[0-9]{1,12}")
_SIGNATURE = re.compile("v0=[0-9a-f]{64}")
_CHECK_BYTES = 1000


def is_signed(secret: str, headers: MultiMapping[str], body: bytes) -> bool:
    """Whether the body is signed with our secret, and not five minutes ago. Never raises."""
    timestamps, signatures = headers.getall("X-Slack-Request-Timestamp", []), headers.getall("X-Slack-Signature", [])
    if len(timestamps) != 1 or len(signatures) != 1 or not secret:
        return False
    # What the verifier cannot take is nothing that Slack sends.
    if not _TIMESTAMP.fullmatch(timestamps[0]) or not _SIGNATURE.fullmatch(signatures[0]):
        return False
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return False
    return SignatureVerifier(secret).is_valid(text, timestamps[0], signatures[0])


def is_certificate_check(body: bytes) -> bool:
    """Whether this is Slack's look at our certificate, which is not signed and is answered with nothing.

    https://docs.slack.dev/interactivity/implementing-slash-commands/#best-practices
    """
    if len(body) > _CHECK_BYTES or not body.startswith((b"ssl_check=", b"token=")):
        return False
    return parse_qs(body.decode("latin-1")).get("ssl_check") == ["1"]


def bolt_request(query: str, headers: Mapping[str, str], body: bytes) -> AsyncBoltRequest | None:
    """What bolt makes of a signed request, None where it can make nothing of it."""
    try:
        return AsyncBoltRequest(body=body.decode(), query=query, headers=dict(headers))
    except Exception:  # it raises whatever comes up: ValueError, RecursionError, TypeError, AttributeError
        return None
