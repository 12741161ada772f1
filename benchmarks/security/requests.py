"""Malformed and forged requests to every endpoint of a real ``wikiwhy serve``: each is refused without effects.

    python -m benchmarks.security requests --cases 100000 --seed 1

None of the requests has a valid proof, so none may get a status of 500 or above, leave a traceback in the log, make
more than a few log lines per minute, change the database, start work, or make the server send a request to Slack,
Teams, Confluence or a language model; Microsoft's keys may be requested only as often as without them.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import random
import re
import sqlite3
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.chat.left import read_left_state
from benchmarks.chat.served import Server, serving
from benchmarks.child import WORK
from benchmarks.security._requests import Generator
from bot.storage.data_directory import find_running_server
from tests.servers.scripted_model import ScriptedModel
from tests.servers.slack import SlackWorld
from tests.servers.teams import FORGERIES, TeamsWorld

_AT_ONCE = 16
_SECONDS = 3.0  # to wait for an answer; incomplete requests are answered later
_LINES_A_MINUTE = 6 * 5  # five places log refusals: five lines per minute each, and one with the count of others
_COUNTERS = re.compile(r"^(wikiwhy_(?:questions|hints|model|explanations|space_syncs)\S*) ([0-9.e+]+)$", re.MULTILINE)
_STATUS = re.compile(rb"HTTP/1\.[01] ([0-9]{3}) ")


@dataclass
class Found:
    """The results. ``answers``: counts by status, 0 if the connection was closed without a response."""

    answers: Counter[int] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    lines: int = 0


@dataclass(frozen=True)
class Attacked:
    """A running server with all services that it could call."""

    server: Server
    slack: SlackWorld
    teams: TeamsWorld
    model: ScriptedModel

    def outside(self) -> tuple[int, int, int, int]:
        """Return the number of requests to Slack, Teams and the model, and of requests for keys."""
        return (
            len(self.slack.calls),
            len(self.teams.calls),
            len(self.model.requests),
            self.teams.identity.metadata_asked,
        )

    def counters(self) -> dict[str, str]:
        """Return the metrics that count work."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.server.port}/metrics", timeout=10) as answer:
            return dict(_COUNTERS.findall(answer.read().decode()))


@contextmanager
def start_attacked(name: str) -> Iterator[Attacked]:
    """Start a server with all endpoints."""
    with ExitStack() as stack:
        slack = stack.enter_context(SlackWorld())
        teams = stack.enter_context(TeamsWorld())
        model = stack.enter_context(ScriptedModel(["Nobody should ask me."]))
        environment = {
            **teams.environment,
            "WIKIWHY_SLACK_API_URL": slack.api_url,
            "WIKIWHY_SLACK_BOT_TOKEN": slack.bot_token,
            "WIKIWHY_SLACK_SIGNING_SECRET": slack.signing_secret,
            "WIKIWHY_TEAMS_APP_ID": teams.app_id,
            "WIKIWHY_TEAMS_APP_PASSWORD": teams.secret,
            "WIKIWHY_TEAMS_TENANT_ID": teams.tenant,
            "WIKIWHY_TEAMS_LOGIN_URL": teams.login_url,
            "WIKIWHY_TEAMS_METADATA_URL": teams.metadata_url,
            "WIKIWHY_CONFLUENCE_URL": "http://127.0.0.1:9/confluence",
            "WIKIWHY_CONFLUENCE_FLAVOUR": "datacenter",
            "WIKIWHY_CONFLUENCE_TOKEN": "of-nobody",
            "WIKIWHY_WEBHOOK_SECRET": "a secret of the webhooks",
            "WIKIWHY_METRICS_TOKEN": "a token of the metrics",
            "WIKIWHY_LLM_BASE_URL": model.base_url,
            "WIKIWHY_LLM_MODEL": "scripted",
        }
        server = stack.enter_context(serving(WORK / "security" / name, environment, lambda url: None))
        yield Attacked(server, slack, teams, model)


def run(cases: int, seed: int, name: str = "requests") -> Found:
    """Send ``count`` requests, and collect their effects."""
    with start_attacked(name) as target:
        data, found = target.server.data, Found()
        admin = find_running_server(data)
        ports = [target.server.port, *([admin.port] if admin else [])]
        before, outside, stored = target.counters(), target.outside(), _digest(data)
        log = data.with_suffix(".log")
        written = len(log.read_text("utf-8", "replace").splitlines())
        began = time.monotonic()
        asyncio.run(_send_all(ports, cases, seed, target, found))
        minutes = (time.monotonic() - began) / 60 + 1
        lines = log.read_text("utf-8", "replace").splitlines()[written:]
        found.lines = len(lines)
        _check(found, minutes, lines, before, target.counters(), outside, target.outside())
        if _digest(data) != stored:
            found.violations.append("the database is another one than before")
        target.server.stop()
        if began_work := read_left_state(data).started:
            found.violations.append(f"work was begun: {sorted(began_work)[:3]}")
    return found


def _check(
    found: Found,
    minutes: float,
    lines: list[str],
    before: dict[str, str],
    after: dict[str, str],
    outside: tuple[int, ...],
    outside_after: tuple[int, ...],
) -> None:
    broken = {status: count for status, count in found.answers.items() if status >= 500}
    if broken:
        found.violations.append(f"answered with {broken}")
    if any("Traceback" in line for line in lines):
        found.violations.append("a traceback in the log: " + next(line for line in lines if "Traceback" in line)[-400:])
    if len(lines) > _LINES_A_MINUTE * minutes:
        found.violations.append(f"{len(lines)} lines in the log in {minutes:.1f} minutes")
    if before != after:
        found.violations.append(f"counters changed: {before} {after}")
    # The keys are read for the first token, for the first unknown key, and then every 5 minutes.
    asked = outside_after[3] - outside[3]
    if outside[:3] != outside_after[:3] or asked > 2 + minutes / 5:
        found.violations.append(f"requests were sent: {outside} {outside_after}")


async def _send_all(ports: list[int], cases: int, seed: int, target: Attacked, found: Found) -> None:
    forged = [header(target.teams.tokens) or "" for header in FORGERIES.values()]
    tokens = [header.removeprefix("Bearer ") for header in forged]
    each = [cases // _AT_ONCE + (number < cases % _AT_ONCE) for number in range(_AT_ONCE)]
    async with asyncio.TaskGroup() as group:
        for number, count in enumerate(each):
            draw = random.Random(f"{seed}/{number}")  # noqa: S311  # no secret
            generator = Generator(draw, tokens, target.teams.tokens.service_url)
            group.create_task(_send(ports, count, generator, found))


async def _send(ports: list[int], count: int, generator: Generator, found: Found) -> None:
    """Send requests one after the other, over one connection while the server keeps it open."""
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    for _ in range(count):
        port = ports[-1] if generator.draw.random() < 0.15 else ports[0]
        if streams is None or port != ports[0] or generator.draw.random() < 0.2:
            if streams:
                streams[1].close()
            streams = await asyncio.open_connection("127.0.0.1", port)
        status, stays = await exchange(*streams, generator.request())
        found.answers[status] += 1
        if not stays or port != ports[0]:
            streams[1].close()
            streams = None
    if streams:
        streams[1].close()


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sent: bytes, seconds: float = _SECONDS
) -> tuple[int, bool]:
    """Send a request. Return the status of the response (0 for none), and whether the connection can be reused."""
    complete = True
    try:
        writer.write(sent)
        async with asyncio.timeout(seconds):
            try:
                async with asyncio.timeout(seconds / 10):
                    head = await reader.readuntil(b"\r\n\r\n")
            except TimeoutError:  # the server waits for the rest
                complete = False
                writer.write_eof()
                head = await reader.readuntil(b"\r\n\r\n")
            status = _STATUS.match(head)
            length = re.search(rb"\r\nContent-Length: ([0-9]+)", head, re.IGNORECASE)
            if status and int(status[1]) == 100:
                return 100, False
            if not sent.startswith(b"HEAD"):
                await reader.readexactly(int(length[1]) if length else 0)
    except TimeoutError:
        return -1, False
    except (asyncio.IncompleteReadError, OSError, asyncio.LimitOverrunError):
        return 0, False
    whole = complete and status is not None and int(status[1]) in {200, 401, 404, 405} and b"close" not in head.lower()
    return (int(status[1]) if status else 0), whole and not sent.startswith(b"HEAD")


def _digest(data: Path) -> str:
    """Return a digest of the store, while the server runs or not."""
    with closing(sqlite3.connect(f"file:{data / 'wikiwhy.db'}?mode=ro", uri=True)) as connection:
        digest = hashlib.sha256()
        for line in connection.iterdump():
            digest.update(line.encode("utf-8", "replace"))
    return digest.hexdigest()


def main(argv: list[str]) -> int:
    """Print the results. Return 1 for a violation."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.security requests")
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    began = time.perf_counter()
    found = run(options.cases, options.seed)
    for violation in found.violations:
        print(violation)
    print("requests   violations   log lines   seconds")
    total, seconds = sum(found.answers.values()), time.perf_counter() - began
    print(f"{total:8}   {len(found.violations):10}   {found.lines:9}   {seconds:7.0f}")
    print(
        "answers by status (0: closed without one, -1: waiting for the rest of the request):",
        dict(sorted(found.answers.items())),
    )
    return 1 if found.violations else 0
