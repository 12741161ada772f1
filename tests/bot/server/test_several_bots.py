"""Two server processes on one PostgreSQL: what one does the other sees, and what one leaves the other finishes."""

from __future__ import annotations

import json
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.bot.cli.running import wikiwhy
from tests.conftest import SAMPLES
from tests.servers.serving import ServeProcess, serving, until
from tests.servers.slack import SlackWorld

QUESTION = "What is the hotel limit per night in the Netherlands in 2026?"
POLICY = "travel-and-expenses-policy-2026.json"


@dataclass
class Bots:
    """Two bots behind a load balancer, in one Slack. ``datas``: their data directories."""

    world: SlackWorld
    settings: dict[str, str]
    servers: list[ServeProcess]
    datas: list[Path]
    stack: ExitStack

    def deliver_to(self, *numbers: int) -> None:
        self.world.deliver_to(*(f"{self.servers[number].url}/slack/events" for number in numbers))

    def restart(self, number: int) -> None:
        self.servers[number] = self.stack.enter_context(serving(self.datas[number], **self.settings))


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name in (POLICY, "sick-leave.json"):
        shutil.copy(SAMPLES / "documents" / name, folder)
    return folder


@pytest.fixture
def more_settings() -> dict[str, str]:
    return {}


@pytest.fixture
def bots(tmp_path: Path, postgres_url: str, documents: Path, more_settings: dict[str, str]) -> Iterator[Bots]:
    with SlackWorld() as world, ExitStack() as stack:
        settings = {
            "database_url": postgres_url,
            "default_spaces": "*",
            "slack_api_url": world.api_url,
            "slack_bot_token": world.bot_token,
            "slack_signing_secret": world.signing_secret,
            **more_settings,
        }
        datas = [tmp_path / "one" / "data", tmp_path / "two" / "data"]
        for data in datas:
            data.parent.mkdir()
        first = stack.enter_context(serving(datas[0], **settings))
        assert wikiwhy("sync", "folder", documents, "--data-dir", datas[0]).code == 0
        servers = [first, stack.enter_context(serving(datas[1], **settings))]
        yield Bots(world, settings, servers, datas, stack)


def ask(bots: Bots, number: int, question: str = QUESTION) -> str:
    ran = wikiwhy("ask", question, "--data-dir", bots.datas[number])
    return ran.out + ran.err


def set_limit(documents: Path, euros: int) -> None:
    file = documents / POLICY
    page = json.loads(file.read_text("utf-8"))
    page["content"] = page["content"].replace("&euro;165", f"&euro;{euros}")
    file.write_text(json.dumps(page), "utf-8")


def test_what_one_bot_syncs_the_other_answers_from_at_once(bots: Bots, documents: Path) -> None:
    assert "€165" in ask(bots, 0)
    assert "€165" in ask(bots, 1)
    set_limit(documents, 171)
    assert wikiwhy("sync", "folder", documents, "--data-dir", bots.datas[0]).code == 0
    assert "€171" in ask(bots, 1)
    assert bots.servers[1].get("/readyz")[0] == 200
    assert wikiwhy("forget", "PEO", "--data-dir", bots.datas[1]).code == 0
    assert "€171" not in ask(bots, 0)


def test_a_delivery_that_reaches_both_is_answered_once_and_clicks_work_at_either(bots: Bots) -> None:
    world, ada = bots.world, bots.world.add_user("ada")
    channel = world.add_channel("peo", members=[ada])
    bots.deliver_to(0, 1)
    asked = [world.say(ada, channel, f"<@{world.bot}> {QUESTION}", deliveries=4) for _ in range(6)]
    for ts in asked:
        world.await_message(channel, ts, lambda message: "€165" in message.text)
    answer = world.answers(channel, asked[0])[0]
    for _ in range(4):  # two at each bot
        world.click(ada, channel, answer.ts, "explain")
    world.wait_until(lambda: sum("submit" in view.view for view in world.workspace.views.values()) == 4)
    for view in list(world.workspace.views.values()):
        world.submit(view, {})
    world.wait_until(lambda: len(world.answers(channel, asked[0])) > 1)
    time.sleep(3)
    assert [len(world.answers(channel, ts)) for ts in asked] == [2, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("more_settings", [{"limit_person": "3"}])
def test_what_a_person_may_ask_in_a_minute_is_counted_over_both(bots: Bots) -> None:
    world, ada = bots.world, bots.world.add_user("ada")
    channel = world.add_channel("peo", members=[ada])
    bots.deliver_to(0, 1)  # one after the other
    asked = [world.say(ada, channel, f"<@{world.bot}> {QUESTION}") for _ in range(6)]
    world.wait_until(lambda: all(world.answers(channel, ts) for ts in asked))
    answered = ["€165" in world.answers(channel, ts)[0].text for ts in asked]
    assert answered.count(True) == 3


def test_what_a_killed_bot_leaves_the_other_finishes(bots: Bots) -> None:
    world, ada = bots.world, bots.world.add_user("ada")
    channel = world.add_channel("peo", members=[ada])
    world.latency = 0.2
    world.retry_delays = (0.5,) * 100
    bots.deliver_to(0)
    asked = [world.say(ada, channel, f"<@{world.bot}> {QUESTION}") for _ in range(12)]
    world.wait_until(lambda: sum(bool(world.answers(channel, ts)) for ts in asked) >= 3)
    bots.servers[0].process.kill()
    bots.deliver_to(1)
    world.wait_until(lambda: all(world.answers(channel, ts) for ts in asked), 60)
    time.sleep(3)
    assert [len(world.answers(channel, ts)) for ts in asked] == [1] * len(asked)
    assert "workflows of a bot that ended" in bots.servers[1].messages
    bots.restart(0)
    assert "€165" in ask(bots, 0)


def test_a_bot_that_is_paused_posts_nothing_when_it_goes_on_and_ends(bots: Bots) -> None:
    world, ada = bots.world, bots.world.add_user("ada")
    channel = world.add_channel("peo", members=[ada])
    world.latency = 0.3
    world.retry_delays = (0.5,) * 100
    bots.deliver_to(0)
    asked = [world.say(ada, channel, f"<@{world.bot}> {QUESTION}") for _ in range(30)]
    world.wait_until(lambda: any(world.answers(channel, ts) for ts in asked))
    bots.servers[0].process.send_signal(signal.SIGSTOP)
    assert not all(world.answers(channel, ts) for ts in asked)
    bots.deliver_to(1)
    world.wait_until(lambda: all(world.answers(channel, ts) for ts in asked), 60)
    bots.servers[0].process.send_signal(signal.SIGCONT)
    assert bots.servers[0].process.wait(60) == 1
    assert "taken over" in bots.servers[0].log.read_text("utf-8")
    time.sleep(2)
    assert [len(world.answers(channel, ts)) for ts in asked] == [1] * len(asked)


def test_a_question_that_one_bot_answers_can_be_stopped_edited_and_deleted_at_the_other(bots: Bots) -> None:
    world, ada = bots.world, bots.world.add_user("ada")
    channel = world.add_channel("peo", members=[ada])
    world.latency = 1.0
    bots.deliver_to(0)
    stopped, edited, deleted = (world.say(ada, channel, f"<@{world.bot}> {QUESTION}") for _ in range(3))
    world.wait_until(lambda: sum("setStatus" in call.method for call in world.calls) >= 3)
    bots.deliver_to(1)
    world.stop(ada, channel, stopped)
    world.edit(channel, edited, f"<@{world.bot}> Who approves a hotel above the limit?")
    world.delete(channel, deleted)
    world.await_message(channel, edited, lambda message: "€165" not in message.text)
    time.sleep(6)
    assert [len(world.answers(channel, ts)) for ts in (stopped, edited, deleted)] == [0, 1, 0]


def test_each_bot_shows_how_many_are_alive_and_one_of_them_leads(bots: Bots) -> None:
    def read(name: str) -> list[str]:
        pages = [server.get("/metrics")[1] for server in bots.servers]
        return [line.split()[1] for page in pages for line in page.splitlines() if line.startswith(f"{name} ")]

    until(lambda: read("wikiwhy_bots") == ["2.0", "2.0"])
    assert sorted(read("wikiwhy_leader")) == ["0.0", "1.0"]
    bots.servers[0].process.kill()
    bots.servers[0].process.wait()
    del bots.servers[0]
    until(lambda: (read("wikiwhy_bots"), read("wikiwhy_leader")) == (["1.0"], ["1.0"]))
