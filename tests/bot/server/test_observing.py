"""What a real server process shows of a question that was asked in Slack: its trace, its metrics, its log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.servers.collector import collecting
from tests.servers.serving import serving, until
from tests.servers.slack import SlackWorld

pytestmark = pytest.mark.slow


def test_a_question_in_slack_is_a_trace_with_steps_and_no_words(data: Path) -> None:
    with SlackWorld() as world, collecting() as collector:
        settings = {
            "default_spaces": "*",
            "slack_api_url": world.api_url,
            "slack_bot_token": world.bot_token,
            "slack_signing_secret": world.signing_secret,
            "otlp_endpoint": collector.url,
        }
        with serving(data, **settings) as server:
            world.deliver_to(f"{server.url}/slack/events")
            ada = world.add_user("ada")
            channel = world.add_channel("ops", members=[ada])
            asked = world.say(ada, channel, f"<@{world.bot}> Who cleans the kitchen on Fridays?")
            world.await_message(channel, asked, lambda message: "marmaladeword" in message.text)
            answer = world.answers(channel, asked)[0]
            world.click(ada, channel, answer.ts, "explain")
            until(lambda: 'explanations_total{outcome="explained"} 1.0' in server.get("/metrics")[1])
            metrics = server.get("/metrics")[1]
            assert server.end() == 0
    ask, question, explain = (collector.named(name) for name in ("ask", "question", "explain"))
    steps = {span.name: span for span in collector.spans if span.parent == ask.span}
    assert set(steps) == {"step placeholder", "step answer", "step show"}
    assert question.parent == steps["step answer"].span
    assert question.attributes["wikiwhy.turn"] == ask.attributes["wikiwhy.turn"] == explain.attributes["wikiwhy.turn"]
    assert collector.named("explanation").trace == explain.trace
    for word in (b"kitchen", b"marmalade", b"Friday", ada.encode(), channel.encode()):
        assert word not in collector.raw
    for stage in ("wait", "embed", "answer", "suggest", "post"):
        assert f'wikiwhy_stage_seconds_count{{stage="{stage}"}} 1.0' in metrics
    assert 'wikiwhy_space_age_seconds{space="OPS"}' in metrics
    lines = [json.loads(line) for line in server.log.read_text("utf-8").splitlines() if line.startswith("{")]
    assert {line["turn"] for line in lines if "turn" in line} <= {ask.attributes["wikiwhy.turn"]}
