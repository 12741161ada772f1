"""Scoring a text over real HTTP, by servers with the endpoints of llama.cpp and vLLM."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import pytest

from adapters.llm.calls import CallLimits
from adapters.llm.chat import OpenAIChat
from adapters.llm.endpoint import Endpoint
from adapters.llm.scoring import ServerScorer
from core.errors import ContextTooLong, ModelRejected, ModelUnavailable, ScoringUnsupported, WikiWhyError
from core.ports.models import AnswerScorer, Score
from tests.adapters.llm.test_chat import KEY, Slept
from tests.contracts.answer_scorer import ANSWER, PROMPT, AnswerScorerContract, prompt
from tests.servers.scoring_server import LIKELY, UNLIKELY, ScoringServer, once
from tests.servers.scripted_model import CONTEXT_ERRORS, Reply, ScriptedModel

Kind = Literal["llama.cpp", "vLLM", "none"]
KINDS: list[Kind] = ["llama.cpp", "vLLM"]
SCORES_AT: dict[Kind, str] = {"llama.cpp": "/completion", "vLLM": "/v1/completions"}


@contextmanager
def serving(kind: Kind, **limits: Any) -> Iterator[tuple[ServerScorer, ScoringServer]]:
    scoring = ScoringServer()
    routes = {"llama.cpp": scoring.llama_cpp, "vLLM": scoring.vllm, "none": list}[kind]()
    with ScriptedModel("Yes.", routes=routes) as server:
        chat = OpenAIChat(Endpoint(server.base_url, KEY), "", CallLimits(**limits), Slept())
        yield ServerScorer(chat.calls), scoring


async def failure(scorer: ServerScorer) -> WikiWhyError:
    with pytest.raises(WikiWhyError) as raised:
        await scorer.score(PROMPT, ANSWER)
    assert KEY not in "".join(traceback.format_exception(raised.value))
    return raised.value


class TestServerScorer(AnswerScorerContract):
    @pytest.fixture(params=KINDS)
    def scorer(self, request: pytest.FixtureRequest) -> Iterator[AnswerScorer]:
        with serving(request.param) as (scorer, _):
            yield scorer


@pytest.mark.parametrize("kind", KINDS)
async def test_the_logarithms_of_the_answers_tokens_add_up(kind: Kind) -> None:
    with serving(kind) as (scorer, _):
        assert await scorer.score(prompt("Ada wrote it."), "Ada fell over") == Score(
            pytest.approx(3 * LIKELY + 2 * UNLIKELY), 5
        )


async def test_llama_cpp_is_made_to_write_just_these_tokens_after_the_templates_prompt() -> None:
    with serving("llama.cpp") as (scorer, server):
        await scorer.score(prompt("Ada."), "Ada Ada")
    (_, asked) = server.at("/completion")
    assert asked.body["prompt"].endswith("Ada.\nWho wrote it?\n<assistant>\n")
    tokens = [int(token[2:-2]) for token in asked.body["grammar"].removeprefix("root ::= ").split()]
    assert tokens[0] == tokens[2] != tokens[1]
    wanted = {"n_predict": 3, "temperature": 0, "n_probs": 1, "post_sampling_probs": False, "cache_prompt": True}
    assert {name: asked.body[name] for name in wanted} == wanted
    assert server.at("/tokenize")[-1].body == {"content": "Ada Ada", "add_special": False, "parse_special": False}
    assert {request.headers["Authorization"] for request in server.requests} == {f"Bearer {KEY}"}


async def test_vllm_reads_the_text_as_the_end_of_the_chats_prompt() -> None:
    with serving("vLLM") as (scorer, server):
        await scorer.score(prompt("Ada."), "Ada Ada")
    of_prompt, of_answer = (request.body for request in server.at("/tokenize")[-2:])
    assert of_prompt["messages"][-1] == {"role": "user", "content": "Ada.\nWho wrote it?"}
    assert of_prompt["add_generation_prompt"] is True
    assert of_answer == {"model": "scripted", "prompt": "Ada Ada", "add_special_tokens": False}
    asked = server.at("/v1/completions")[-1]
    assert {name: asked.body[name] for name in ("model", "max_tokens", "prompt_logprobs")} == {
        "model": "scripted",
        "max_tokens": 1,
        "prompt_logprobs": 1,
    }
    first, space, last = asked.body["prompt"][-3:]
    assert first == last != space
    assert {request.headers["Authorization"] for request in server.requests} == {f"Bearer {KEY}"}


@pytest.mark.parametrize("kind", KINDS)
async def test_how_a_server_scores_is_found_out_once(kind: Kind) -> None:
    with serving(kind) as (scorer, server):
        await asyncio.gather(*(scorer.score(PROMPT, ANSWER) for _ in range(4)))
    assert len(server.at(SCORES_AT[kind])) == 5


# Servers that cannot score.


async def test_a_server_that_cannot_score_is_said_to_be_one_and_what_to_set() -> None:
    with serving("none") as (scorer, _):
        error = await failure(scorer)
    assert isinstance(error, ScoringUnsupported)
    assert "WIKIWHY_EXPLAIN_METHOD=counterfactual" in str(error)
    assert "as llama.cpp does: status 404; as vLLM does: status 404" in str(error)


async def test_azure_is_not_even_asked() -> None:
    with ScriptedModel("Yes.") as server:
        chat = OpenAIChat(Endpoint(server.azure_endpoint, KEY, "2024-10-21"), "gpt")
        assert isinstance(await failure(ServerScorer(chat.calls)), ScoringUnsupported)
        assert server.requests == []


@pytest.mark.parametrize(
    ("path", "reply"),
    [
        ("/completion", Reply(status=400, body={"error": {"code": 400, "message": "failed to parse grammar"}})),
        ("/completion", Reply(status=501, body={"error": {"message": "This server does not support completions."}})),
        ("/completion", Reply(body={"content": "Yes."})),
        ("/completion", Reply(body={"completion_probabilities": [{"id": 77, "logprob": -1.0}]})),
        ("/completion", Reply(body={"completion_probabilities": [None]})),
        ("/apply-template", Reply(body={"error": "Unexpected endpoint"})),
        ("/apply-template", Reply(body="<html>Sign in</html>")),
        ("/apply-template", Reply(body=["prompt"])),
        ("/tokenize", Reply(body={"tokens": []})),
        ("/tokenize", Reply(body={"tokens": [{"id": 1, "piece": "Yes"}]})),
        ("/tokenize", Reply(status=403, body="<html>Forbidden</html>")),
    ],
)
async def test_an_old_or_hidden_llama_cpp_cannot_score(path: str, reply: Reply) -> None:
    with serving("llama.cpp") as (scorer, server):
        server.instead[path] = lambda request: reply
        assert isinstance(await failure(scorer), ScoringUnsupported)


@pytest.mark.parametrize(
    "choices", [[], [{"text": "!"}], [{"prompt_logprobs": None}], [{"prompt_logprobs": [None, {"1": {}}]}], "x"]
)
async def test_a_server_that_knows_nothing_of_prompts_probabilities_cannot_score(choices: Any) -> None:
    with serving("vLLM") as (scorer, server):
        server.instead["/v1/completions"] = lambda request: Reply(body={"choices": choices})
        assert isinstance(await failure(scorer), ScoringUnsupported)


# Failures.


@pytest.mark.parametrize("kind", KINDS)
async def test_a_wrong_key_is_said_to_be_wrong_not_the_server_unable(kind: Kind) -> None:
    with serving(kind) as (scorer, server):
        for path in ("/apply-template", "/tokenize"):
            server.instead[path] = lambda request: Reply(status=401, body={"error": {"message": f"Invalid key {KEY}"}})
        error = await failure(scorer)
    assert isinstance(error, ModelRejected)
    assert "WIKIWHY_LLM_API_KEY" in str(error)


@pytest.mark.parametrize("kind", KINDS)
async def test_what_may_pass_is_tried_again(kind: Kind) -> None:
    with serving(kind) as (scorer, server):
        for after in (0, 1):  # while it finds out how the server scores, and afterwards
            server.instead[SCORES_AT[kind]] = once(Reply(status=500, body={"error": {"message": "busy"}}), after=after)
            assert (await scorer.score(PROMPT, ANSWER)).tokens
        server.instead[SCORES_AT[kind]] = lambda request: Reply(status=503, body={"error": {"message": "busy"}})
        assert isinstance(await failure(scorer), ModelUnavailable)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_slow_server_is_unavailable_after_the_time_limit(kind: Kind) -> None:
    with serving(kind, seconds=0.3) as (scorer, server):
        server.instead[SCORES_AT[kind]] = once(Reply(body={}, delay=30), after=1)
        error = await failure(scorer)
    assert isinstance(error, ModelUnavailable)
    assert "WIKIWHY_LLM_TIMEOUT" in str(error)


@pytest.mark.parametrize("kind", KINDS)
async def test_an_answer_that_is_cut_off_is_no_score(kind: Kind) -> None:
    with serving(kind, retries=1) as (scorer, server):
        await scorer.load()
        server.cut.add(SCORES_AT[kind])
        assert isinstance(await failure(scorer), ModelUnavailable)
        assert len(server.at(SCORES_AT[kind])) == 3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [None, float("nan"), "-0.5", True])
async def test_a_token_without_a_probability_is_no_score(kind: Kind, value: object) -> None:
    with serving(kind, retries=0) as (scorer, server):
        await scorer.load()
        server.logprob = lambda _: value
        assert "no probability" in str(await failure(scorer))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [float("-inf"), -3.4028234663852886e38, -9999.0])
async def test_an_impossible_token_is_finite_in_all_forms(kind: Kind, value: float) -> None:
    with serving(kind) as (scorer, server):
        server.logprob = lambda usual: value if usual == UNLIKELY else usual
        assert await scorer.score(prompt("Ada."), "Grace Ada.") == Score(pytest.approx(-100 + 2 * LIKELY), 3)


@pytest.mark.parametrize("form", ["llama.cpp", "vLLM, decoder"])
async def test_a_prompt_that_is_too_long_is_said_so(form: str) -> None:
    kind: Kind = "llama.cpp" if form == "llama.cpp" else "vLLM"
    status, body = CONTEXT_ERRORS[form]
    with serving(kind) as (scorer, server):
        await scorer.load()
        server.instead[SCORES_AT[kind]] = lambda request: Reply(status=status, body=body)
        assert isinstance(await failure(scorer), ContextTooLong)


async def test_scoring_and_answering_share_their_slots() -> None:
    with serving("llama.cpp", concurrency=2) as (scorer, server):
        await asyncio.gather(*(scorer.score(PROMPT, ANSWER) for _ in range(8)))
    assert server.at_once == 2


async def test_nothing_of_keys_and_texts_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with serving("llama.cpp", retries=1) as (scorer, server):
        server.instead["/completion"] = lambda request: Reply(status=500, body={"error": {"message": f"bad {KEY}"}})
        await failure(scorer)
    assert "Trying again" in caplog.text
    assert KEY not in caplog.text
    assert ANSWER not in caplog.text
