"""The counts of rate limits, retries and errors, with real clients and test servers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from adapters.counts import Counts, read_model_errors, read_rate_limits, read_retries
from adapters.llm.chat import OpenAIChat
from adapters.llm.endpoint import Endpoint
from adapters.slack.calls import SlackCalls
from core.errors import ModelRejected
from core.model import Prompt
from core.ports.models import Sampling
from tests.servers.scripted_model import Reply, ScriptedModel
from tests.servers.slack import Fault, SlackWorld


def increase(read: Callable[[], Mapping[str, int]], before: Mapping[str, int]) -> dict[str, int]:
    return {name: count - before.get(name, 0) for name, count in read().items() if count != before.get(name, 0)}


def test_counts_are_read_as_they_are_at_that_moment() -> None:
    counts = Counts()
    counts.add("slack")
    seen = counts.read()
    counts.add("slack")
    assert (seen, counts.read()) == ({"slack": 1}, {"slack": 2})


async def test_slacks_limit_and_what_is_sent_again_are_counted() -> None:
    limits, retries = read_rate_limits(), read_retries()
    with SlackWorld() as slack:
        calls = SlackCalls(slack.bot_token, slack.api_url)
        slack.faults.add("auth.test", Fault(status=429, retry_after=0))
        slack.faults.add("auth.test", Fault(status=500))
        await calls.read("auth.test")
    assert increase(read_rate_limits, limits) == {"slack": 1}
    assert increase(read_retries, retries) == {"slack": 2}


async def test_a_call_of_a_model_that_fails_is_counted_by_what_it_means() -> None:
    limits, errors = read_rate_limits(), read_model_errors()
    no_quota = Reply(status=429, body={"error": {"message": "None.", "code": "insufficient_quota", "type": "x"}})
    with ScriptedModel([no_quota]) as server, pytest.raises(ModelRejected):
        await OpenAIChat(Endpoint(server.base_url), "m").generate(Prompt("answer", ()), Sampling())
    assert increase(read_rate_limits, limits) == {"model": 1}
    assert increase(read_model_errors, errors) == {"ModelRejected": 1}
