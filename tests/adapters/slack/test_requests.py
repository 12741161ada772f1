from __future__ import annotations

import hashlib
import hmac
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

from adapters.slack.requests import bolt_request, is_certificate_check, is_signed

SECRET = "a-signing-secret"
BODY = '{"type": "event_callback", "text": "Größe"}'.encode()


def signed(body: bytes, at: float | None = None, secret: str = SECRET) -> CIMultiDict[str]:
    timestamp = str(int(time.time() if at is None else at))
    digest = hmac.new(secret.encode(), b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256).hexdigest()
    return CIMultiDict({"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": f"v0={digest}"})


def test_what_slack_signed_is_taken() -> None:
    assert is_signed(SECRET, signed(BODY), BODY)
    request = bolt_request("", signed(BODY), BODY)
    assert request is not None
    assert request.body["text"] == "Größe"


def test_what_is_not_signed_with_our_secret_now_is_not() -> None:
    assert not is_signed(SECRET, signed(BODY, secret="guessed"), BODY)
    assert not is_signed(SECRET, signed(BODY), BODY + b" ")
    assert not is_signed(SECRET, signed(BODY, at=time.time() - 301), BODY)
    assert not is_signed("", signed(BODY, secret=""), BODY)
    twice = signed(BODY)
    twice.add("X-Slack-Signature", "v0=" + "0" * 64)
    assert not is_signed(SECRET, twice, BODY)


@pytest.mark.parametrize("timestamp", ["", "9" * 5000, "-1", "1e9", "\u0663", "\xb2", "0x10", " 1", "nan"])
@pytest.mark.parametrize("signature", ["", "v0=\xe4", "v0=" + "g" * 64, "\udcff", "v0=" + "0" * 64])
def test_odd_headers_are_refused_and_nothing_is_raised(timestamp: str, signature: str) -> None:
    headers = CIMultiDict({"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": signature})
    assert not is_signed(SECRET, headers, BODY)


@given(st.text(), st.text(), st.binary())
def test_nothing_is_signed_by_chance(timestamp: str, signature: str, body: bytes) -> None:
    headers = CIMultiDict({"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": signature})
    assert not is_signed(SECRET, headers, body)


@given(st.binary())
def test_whatever_is_signed_it_is_taken_or_not_and_nothing_is_raised(body: bytes) -> None:
    if is_signed(SECRET, signed(body), body):
        bolt_request("a=%ff", signed(body), body)


@pytest.mark.parametrize("body", [b"{", b"[" * 100_000, b"[1]", b"payload=%7B", b'{"authorizations": [1]}', b"7"])
def test_a_signed_body_of_another_form_is_no_request(body: bytes) -> None:
    assert is_signed(SECRET, signed(body), body)
    headers = {**signed(body), "Content-Type": "application/json"}
    assert bolt_request("", headers, body) is None


def test_a_look_at_the_certificate_is_told_from_everything_else() -> None:
    assert is_certificate_check(b"ssl_check=1&token=x")
    assert is_certificate_check(b"token=x&ssl_check=1")
    assert not is_certificate_check(b"ssl_check=0")
    assert not is_certificate_check(b'{"ssl_check": "1"}')
    assert not is_certificate_check(b"ssl_check=1&x=" + b"y" * 5000)
    assert not is_certificate_check(b"\xff\xfe")
