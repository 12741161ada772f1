from __future__ import annotations

from dataclasses import replace

from bot.cli.json_views import make_turn_json
from core.model import Ranking, Suggestion
from tests.contracts.examples import indexed_page, trace, turn


def test_an_evidence_has_its_rank_by_every_signal() -> None:
    made = turn(used=(indexed_page(),))
    first = replace(made.evidences[0], dense=Ranking(3, 0.5), reranked=Ranking(4, 0.5))
    one, two = make_turn_json(replace(made, evidences=(first, made.evidences[1])))["evidences"]
    assert list(one)[-4:] == ["lexical_rank", "dense_rank", "fused_rank", "rerank_rank"]
    assert list(one.values())[-4:] == [1, 3, 1, 4]
    assert list(two.values())[-4:] == [2, None, 2, None]


def test_a_turn_has_its_trace_without_prompts_and_its_suggestions() -> None:
    made = replace(turn(), trace=trace("secret words"), suggestions=(Suggestion("Why?", "1-0"),))
    shown = make_turn_json(made)
    assert list(shown) == [
        "turn_id", "question", "completed_question", "answer", "answered", "author", "erased", "citations",
        "evidences", "timings_ms", "usage", "trace", "suggestions",
    ]  # fmt: skip
    assert shown["suggestions"] == [{"question": "Why?", "evidence_id": "1-0"}]
    refused, used = shown["trace"]["candidates"][1], shown["trace"]["candidates"][0]
    assert (used["rejection"], refused["rejection"], refused["words"]) == (None, "invents_words", ["secret words"])
    assert refused["rejected"] == "it adds words that nobody used: secret words"
    assert [(call["name"], call["finished"], call["failure"]) for call in shown["trace"]["calls"]] == [
        ("answer", True, None), ("complete", False, "rejected"),
    ]  # fmt: skip
    assert not any({"prompt", "prompts", "messages", "text"} & call.keys() for call in shown["trace"]["calls"])
    (notice,) = shown["trace"]["notice_kinds"]
    assert (notice["kind"], notice["count"], notice["total"]) == ("evidences_left_out", 2, 10)
    assert shown["trace"]["notices"][0].startswith("2 of 10 sources were left out")
    (plan,) = shown["trace"]["plans"]
    assert list(plan) == ["operation", "relation", "conditions", "columns", "rows", "sql"]
