"""The measurements of the bot in Slack, as far as they take no process that is killed: ``.ci/run`` has those."""

from __future__ import annotations

from benchmarks.figure import Figure
from benchmarks.slack import refused
from benchmarks.slack.asking import kind_of
from benchmarks.slack.burst import TooFast
from tests.servers.slack import Message


def short(figures: list[Figure]) -> list[Figure]:
    return [figure for figure in figures if figure.verdict != "ok"]


def test_generated_answers_are_not_refused() -> None:
    assert short(refused.measure_refused(20, seed=4)) == []


def message(*kinds: str) -> Message:
    return Message("C1", "1.0", "U1", "", [{"type": kind} for kind in kinds])


def test_answers_explanations_and_orphans_are_told_apart() -> None:
    messages = [message("section", "context_actions"), message("section", "context"), message("context")]

    assert [kind_of(each) for each in [*messages, message("section")]] == [
        "answer", "explanation", "orphan", "other",
    ]  # fmt: skip


def test_a_bucket_gives_as_many_tokens_as_it_holds() -> None:
    too_fast = TooFast(2, 3_600.0, "channel")

    assert [too_fast({"channel": "C1"}) for _ in range(3)] == [False, False, True]
    assert not too_fast({"channel": "C2"})
