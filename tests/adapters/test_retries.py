"""Pauses before retries; and the counts of rate limits, retries and errors, with real clients and test servers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.llm.chat import OpenAIChat
from adapters.llm.endpoint import Endpoint
from adapters.retries import (
    Counts,
    compute_pause,
    read_model_errors,
    read_rate_limits,
    read_retries,
    read_retry_after,
)
from adapters.slack.calls import SlackCalls
from core.errors import ModelRejected
from core.model import Prompt
from core.ports.models import Sampling
from tests.servers.scripted_model import Reply, ScriptedModel
from tests.servers.slack import Fault, SlackWorld

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
SOON = NOW + timedelta(seconds=90)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After": "-3"}, 0),
        ({"Retry-After": format_datetime(SOON, usegmt=True)}, 90),
        ({"Retry-After": format_datetime(NOW - timedelta(hours=1), usegmt=True)}, 0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After-Ms": "1500", "Retry-After": "9"}, 1.5),
        ({"X-RateLimit-Reset": "2026-11-22T12:01Z"}, 60),
        ({"X-RateLimit-Reset": "2026-11-22T12:01:30"}, 90),
        ({"X-RateLimit-Reset": "tomorrow"}, None),
        ({"Retry-After": "2", "X-RateLimit-Reset": "2026-11-22T12:01Z"}, 2),
    ],
)
def test_the_server_says_how_long_in_seconds_as_a_date_or_not_at_all(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert read_retry_after(headers, NOW) == seconds


@given(tries=st.integers(1, 5000))
def test_waits_double_up_to_the_longest_and_half_of_each_is_chance(tries: int) -> None:
    whole = min(60.0, 2.0 ** min(tries - 1, 30))
    assert whole / 2 <= compute_pause(tries, 1, 60) <= whole


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
