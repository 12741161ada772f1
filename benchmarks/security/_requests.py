"""Malformed and forged requests as bytes. None of them has a valid proof."""

from __future__ import annotations

import base64
import gzip
import hashlib
import hmac
import json
import random
import time
from dataclasses import dataclass, field

from bot.operations.serialisation import OPERATIONS

PATHS = (
    "/slack/events", "/api/messages", "/webhooks/confluence/datacenter", "/webhooks/confluence/relay", "/metrics",
    "/healthz", "/readyz", *(f"/work/{name}" for name in OPERATIONS), "/", "/slack/events/", "/admin",
    "/api/messages?x=%ff", "/webhooks/confluence/../../metrics", "//metrics", "/%2e%2e/metrics", "*", "http://x/metrics",
)  # fmt: skip
_METHODS = ("POST", "POST", "POST", "POST", "GET", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "CONNECT",
            "post", "GE T", "\x00", "BREW")  # fmt: skip
_HOSTS = ("127.0.0.1", "localhost", "attacker.example", "", "[::1", "127.0.0.1\t", "localhost:99999999", "\xff")
_ACTIVITY = {
    "type": "message", "id": "1", "channelId": "msteams", "text": "What is the hotel limit?", "from": {"id": "29:1"},
    "recipient": {"id": "28:bot"}, "channelData": {"tenant": {"id": "t"}},
    "conversation": {"id": "a:1", "conversationType": "personal", "tenantId": "t"},
}  # fmt: skip
_EVENT = {
    "type": "event_callback", "team_id": "T1", "api_app_id": "A1", "event_id": "Ev1",
    "event": {"type": "app_mention", "channel": "C1", "user": "U1", "ts": "1.1", "text": "<@U0> What is the limit?"},
}  # fmt: skip
_ODD = (
    "\xff\xfe", "9" * 5000, "-1", "1e309", "NaN", "\xb2", "0x10", "\xed\xa0\x80", "v0=" + "0" * 64, "Bearer",
    "v0=" + "\xe4" * 64, "Bearer ", "Bearer a.b.c", "", " ", "\t", "a" * 8000,
)  # fmt: skip
_MORE = (
    ("Expect", "100-continue"), ("Expect", "x"), ("Upgrade", "websocket"), ("Connection", "close"), ("X", "y" * 9000),
    ("Origin", "https://attacker.example"), ("X-Forwarded-For", "127.0.0.1"), ("Cookie", "a=\xff"), ("", "x"),
    ("Range", "bytes=0-"), ("X-Slack-Bolt-Lazy-Only", "1"),
)  # fmt: skip


@dataclass
class Generator:
    """Generates requests. ``tokens``: forged Bot Framework tokens. ``service_url``: as in a valid activity."""

    draw: random.Random
    tokens: list[str] = field(default_factory=list)
    service_url: str = "http://127.0.0.1:9/"

    def request(self) -> bytes:
        """Return a request, possibly with changed bytes, so that it often is not HTTP any more."""
        draw = self.draw
        if draw.random() < 0.6:
            return self._whole()
        path, method = draw.choice(PATHS), draw.choice(_METHODS)
        body = self._body()
        headers = self._headers(path, body)
        version = draw.choice(["HTTP/1.1"] * 12 + ["HTTP/1.0", "HTTP/2.0", "HTTP/9", "ICY"])
        lines = [f"{method} {path} {version}", *(f"{name}: {value}" for name, value in headers)]
        sent = "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + body
        return self._mutated(sent) if draw.random() < 0.25 else sent

    def _whole(self) -> bytes:
        """Return a valid HTTP request to an existing route, with wrong content."""
        draw, body = self.draw, self._body()
        kind = draw.choice(["application/json", "application/json", "application/x-www-form-urlencoded", "text/plain"])
        headers = [("Host", "127.0.0.1"), ("Content-Type", kind), ("Content-Length", str(len(body)))]
        headers += self._proofs(body)
        draw.shuffle(headers)
        lines = [f"POST {draw.choice(PATHS[:4])} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
        return "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + body

    def _body(self) -> bytes:
        draw = self.draw
        kind = draw.randrange(16)
        if kind < 6:
            value = draw.choice([_EVENT, _ACTIVITY | {"serviceUrl": self.service_url}, {"page": {"id": 7}}, [], 7])
            return json.dumps(value).encode()
        if kind < 8:
            form = draw.choice(["payload=%7B%7D", "payload={", "ssl_check=1&token=x", "command=/wikiwhy&text=sync"])
            return form.encode()
        choices = (
            b"", b"{", b"\xff\xfe\x00{", b"[" * 100_000, b'{"a":' * 20_000, b"9" * 6000, b'{"id":1e999999}',
            draw.randbytes(draw.randint(1, 300)), gzip.compress(b"0" * 2_000_000), b"x" * 1_200_000,
        )  # fmt: skip
        return choices[draw.choices(range(len(choices)), [3, 4, 4, 2, 1, 2, 2, 6, 2, 0.3])[0]]

    def _headers(self, path: str, body: bytes) -> list[tuple[str, str]]:
        draw = self.draw
        headers = [("Host", draw.choice(_HOSTS) if draw.random() < 0.2 else "127.0.0.1")]
        length = str(len(body))
        if draw.random() < 0.1:
            length = draw.choice(["0", "-1", "abc", "1e3", "9" * 30, str(len(body) + 1), f"{len(body)}, 3", "+5"])
        if draw.random() < 0.07:
            headers.append(("Transfer-Encoding", draw.choice(["chunked", "chunked, gzip", "gzip", "identity", "xx"])))
        if draw.random() < 0.9:
            headers.append(("Content-Length", length))
        kinds = ["application/json", "application/x-www-form-urlencoded", "text/plain; charset=nope",
                 "application/json; charset=utf-16", "multipart/form-data; boundary=", "\xff", ""]  # fmt: skip
        headers.append(("Content-Type", draw.choice(kinds)))
        if draw.random() < 0.1:
            headers.append(("Content-Encoding", draw.choice(["gzip", "deflate", "br", "zstd", "x", "gzip, gzip"])))
        headers += self._proofs(body)
        if draw.random() < 0.1:
            headers.append(draw.choice(_MORE))
        draw.shuffle(headers)
        return headers

    def _proofs(self, body: bytes) -> list[tuple[str, str]]:
        """Return headers that would prove the request if they were valid."""
        draw = self.draw
        now = str(int(time.time()) + draw.choice([0, 0, 0, -200, -400, 10**6]))
        wrong = hmac.new(b"guessed", b"v0:" + now.encode() + b":" + body, hashlib.sha256).hexdigest()
        found = []
        if draw.random() < 0.6:
            found.append(("X-Slack-Request-Timestamp", draw.choice([now, now, now, *_ODD])))
            found.append(("X-Slack-Signature", draw.choice([f"v0={wrong}", f"v0={wrong}", *_ODD])))
        if draw.random() < 0.6:
            tokens = [f"Bearer {token}" for token in self.tokens] or [""]
            found.append(("Authorization", draw.choice([self._odd_token(), draw.choice(tokens), draw.choice(_ODD)])))
        if draw.random() < 0.3:
            found.append(("X-Hub-Signature", draw.choice([f"sha256={wrong}", *_ODD])))
        if draw.random() < 0.3:
            found.append(("X-WikiWhy-Secret", draw.choice(["guessed", *_ODD])))
        if found and draw.random() < 0.1:
            found.append(draw.choice(found))
        return found

    def _odd_token(self) -> str:
        """Return a Bot Framework token with an unknown key or an invalid form."""
        draw = self.draw
        claims = {
            "iss": "https://api.botframework.com",
            "aud": "a",
            "exp": 9**10,
            "serviceurl": self.service_url,
        }
        payloads = [json.dumps(claims).encode(), b"[" * 5000, b'{"iss":' * 900, b"\xff", b"{}", b"9" * 5000, b"null"]
        header = {"alg": draw.choice(["RS256", "none", "HS256"]), "kid": f"key-{draw.random()}",
                  "jku": "http://attacker.example/", "x5u": "http://attacker.example/"}  # fmt: skip
        heads = [json.dumps(header).encode(), json.dumps(header).encode(), b"[" * 3000, b"{", b"7"]
        return "Bearer " + ".".join([_encoded(draw.choice(heads)), _encoded(draw.choice(payloads)), "AAAA"])

    def _mutated(self, sent: bytes) -> bytes:
        draw, changed = self.draw, bytearray(sent)
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(min(len(changed), draw.choice([40, 400, 4000]))) if changed else 0
            match draw.randrange(4):
                case 0:
                    changed[at : at + 1] = draw.randbytes(1)
                case 1:
                    del changed[at : at + draw.randint(1, 20)]
                case 2:
                    changed[at:at] = draw.choice([b"\r\n", b"\n", b"\x00", b"\r", b" ", b":", draw.randbytes(5)])
                case _:
                    del changed[at:]
        return bytes(changed)


def _encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).decode().rstrip("=")
