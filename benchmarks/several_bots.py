"""Two bots on one PostgreSQL and one Slack, while they are killed and restarted in turn.

``python -m benchmarks.several_bots`` prints how many questions were lost or answered twice, and the time of those that
were in progress at a kill. Exit code 1 if one was lost or double, or took longer than allowed. It needs the PostgreSQL
of the tests (``tests/servers/postgres.py``).
"""

from __future__ import annotations

import argparse
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from benchmarks.chat.served import Server
from benchmarks.chat.talk import Asked, conversations, in_flight
from benchmarks.child import WORK, wikiwhy
from benchmarks.corpus import ROOT
from benchmarks.slack.served import CHANNELS, PEOPLE, Workplace
from tests.servers import postgres
from tests.servers.slack import SlackWorld

LONGEST_SECONDS = 35.0
"""Seconds from a kill to the answer: 30 for the takeover, and the answer itself."""

_DOWN_SECONDS = 5.0
_QUIET_SECONDS = 10.0
_FOLDER = WORK / "several_bots"


@dataclass
class Killer:
    """Kills and restarts the bots in turn, one at each interval, until the ``with`` block ends."""

    servers: list[Server]
    seconds: float
    kills: list[float] = field(default_factory=list)
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Killer:
        self._thread = threading.Thread(target=self._kill_in_turn)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def _kill_in_turn(self) -> None:
        while not self._over.wait(self.seconds):
            server = self.servers[len(self.kills) % len(self.servers)]
            server.kill()
            server.gone()
            self.kills.append(time.monotonic())
            self._over.wait(_DOWN_SECONDS)
            server.start()


@contextmanager
def two_bots() -> Iterator[tuple[Workplace, list[Server]]]:
    """Start two bots with the samples synced. Events go to them in turn, and to the other one after a failure."""
    programs = postgres.find_programs()
    if programs is None:
        sys.exit("There is no PostgreSQL for this machine.")
    with ExitStack() as stack:
        database = stack.enter_context(postgres.running(programs)).url("postgres")
        world = stack.enter_context(SlackWorld())
        people = [world.add_user(f"person{number}") for number in range(PEOPLE)]
        channels = [world.add_channel(f"channel{number}", members=people) for number in range(CHANNELS)]
        world.patience, world.retry_delays = 30.0, (0.5,) * 400
        environment = {
            "WIKIWHY_DATABASE_URL": database,
            "WIKIWHY_SLACK_API_URL": world.api_url,
            "WIKIWHY_SLACK_BOT_TOKEN": world.bot_token,
            "WIKIWHY_SLACK_SIGNING_SECRET": world.signing_secret,
        }
        servers = [Server(_FOLDER / f"bot{number}", environment, lambda url: None) for number in range(2)]
        _FOLDER.mkdir(parents=True, exist_ok=True)
        for server in servers:
            server.start()
            stack.callback(server.stop)
        wikiwhy("sync", "folder", ROOT / "samples" / "documents", "--data-dir", servers[0].data)
        world.deliver_to(*(f"http://127.0.0.1:{server.port}/slack/events" for server in servers))
        yield Workplace(world, servers[0], channels, people), servers


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--every", type=float, default=20.0, help="seconds between a start and the next kill")
    parser.add_argument("--in-flight", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance = random.Random(options.seed)  # noqa: S311 - no secret
    texts = [gold.human_completed for turns in conversations() for gold in turns]
    answered: list[tuple[Asked, float]] = []
    with two_bots() as (chat, servers), Killer(servers, options.every) as killer:
        end = time.monotonic() + options.minutes * 60

        def asking() -> Iterator[Callable[[], Asked]]:
            while time.monotonic() < end:
                yield chat.asking(chance, chance.choice(texts), chance.randint(1, 3))

        for asked, reply in in_flight(chat, asking(), options.in_flight):
            answered.append((asked, reply.at))
        time.sleep(_QUIET_SECONDS)
        double = sum(len(chat.replies(asked)) > 1 for asked, _ in answered)
    hit = [at - kill for kill in killer.kills for asked, at in answered if asked.at < kill < at]
    longest = max(hit, default=0.0)
    print(f"{len(killer.kills)} kills in {options.minutes:g} minutes, {len(answered)} questions answered, 0 lost")
    print(f"answered twice: {double}")
    print(f"under way at a kill: {len(hit)}, the longest answered {longest:.1f} s after it")
    return int(bool(double) or longest > LONGEST_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
