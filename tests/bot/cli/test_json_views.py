from __future__ import annotations

from dataclasses import replace

from bot.cli.json_views import turn_json
from core.model import Ranking, Suggestion
from tests.contracts.examples import indexed_page, trace, turn


def test_an_evidence_has_its_rank_by_every_signal() -> None:
    made = turn(used=(indexed_page(),))
    first = replace(made.evidences[0], dense=Ranking(3, 0.5), reranked=Ranking(4, 0.5))
    one, two = turn_json(replace(made, evidences=(first, made.evidences[1])))["evidences"]
    assert list(one)[-4:] == ["lexical_rank", "dense_rank", "fused_rank", "rerank_rank"]
    assert list(one.values())[-4:] == [1, 3, 1, 4]
    assert list(two.values())[-4:] == [2, None, 2, None]


def test_a_turn_has_its_trace_without_prompts_and_its_suggestions() -> None:
    made = replace(turn(), trace=trace("secret words"), suggestions=(Suggestion("Why?", "1-0"),))
    shown = turn_json(made)
    assert list(shown) == [
        "turn_id", "question", "completed_question", "answer", "answered", "author", "erased", "citations",
        "evidences", "timings_ms", "usage", "trace", "suggestions",
    ]  # fmt: skip
    assert shown["suggestions"] == [{"question": "Why?", "evidence_id": "1-0"}]
    assert shown["trace"] == {
        "candidates": [
            {"text": "What then?", "rejected": "", "rejection": None, "words": []},
            {"text": "What of secret words?", "rejected": "it adds words that nobody used: secret words",
             "rejection": "invents_words", "words": ["secret words"]},
        ],
        "calls": [
            {"name": "answer", "prompt_tokens": 20, "completion_tokens": 3, "milliseconds": 1234.5, "finished": True,
             "error": "", "failure": None},
            {"name": "complete", "prompt_tokens": 0, "completion_tokens": 0, "milliseconds": 10.0, "finished": False,
             "error": "It refused: secret words", "failure": "rejected"},
        ],
        "notices": ["2 of 10 evidences were left out: no more fit into the language model's context window."],
        "notice_kinds": [{"kind": "evidences_left_out", "failure": None, "count": 2, "total": 10}],
    }  # fmt: skip
