"""The chat model against a real server with scripted answers."""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
import traceback
from collections.abc import Iterator
from typing import Any

import pytest

from adapters.llm.calls import CallLimits
from adapters.llm.chat import OpenAIChat
from adapters.llm.endpoint import Endpoint
from core.errors import ContextTooLong, ModelRejected, ModelUnavailable, WikiWhyError
from core.model import Prompt, PromptMessage, Usage
from core.ports.models import LanguageModel, Sampling
from tests.contracts.language_model import PROMPT, LanguageModelContract
from tests.servers.scripted_model import CONTEXT_ERRORS, Reply, ScriptedModel, Step, failing, refusing

TEXT = "Ada Lovelace wrote it in 1843. [1]"
KEY = "sk-very-secret-key"


class TestCompatibleServer(LanguageModelContract):
    @pytest.fixture
    def language_model(self) -> Iterator[LanguageModel]:
        with ScriptedModel(TEXT) as server:
            yield OpenAIChat(Endpoint(server.base_url), "scripted")


class TestAzure(LanguageModelContract):
    @pytest.fixture
    def language_model(self) -> Iterator[LanguageModel]:
        with ScriptedModel(TEXT) as server:
            yield OpenAIChat(Endpoint(server.azure_endpoint, KEY, "2024-10-21"), "gpt")
            assert {request.path for request in server.requests} <= {
                "/openai/deployments/gpt/chat/completions?api-version=2024-10-21"
            }
            assert {request.headers.get("api-key") for request in server.requests} <= {KEY}


class Slept:
    """Replaces sleeping between attempts."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def model_at(server: ScriptedModel, name: str = "scripted", slept: Slept | None = None, **limits: Any) -> OpenAIChat:
    return OpenAIChat(Endpoint(server.base_url, KEY), name, CallLimits(**limits), slept or Slept())


async def answer(script: list[Step] | Step, heard: list[str] | None = None, **limits: Any) -> tuple[str, ScriptedModel]:
    with ScriptedModel(script) as server:
        generation = await model_at(server, **limits).generate(
            PROMPT, Sampling(), heard.append if heard is not None else None
        )
    return generation.text, server


async def failure(script: list[Step] | Step, **limits: Any) -> tuple[WikiWhyError, ScriptedModel]:
    with ScriptedModel(script) as server:
        with pytest.raises(WikiWhyError) as raised:
            await model_at(server, **limits).generate(PROMPT, Sampling())
        assert KEY not in "".join(traceback.format_exception(raised.value))
    return raised.value, server


async def test_the_prompt_and_how_to_draw_arrive() -> None:
    with ScriptedModel(TEXT) as server:
        await model_at(server).generate(PROMPT, Sampling(77, 0.5, 3))
    (request,) = server.requests
    assert request.messages == [{"role": message.role, "content": message.text} for message in PROMPT.messages]
    wanted = {"model": "scripted", "max_tokens": 77, "temperature": 0.5, "seed": 3}
    assert {name: request.body[name] for name in wanted} == wanted
    assert request.headers["Authorization"] == f"Bearer {KEY}"


async def test_tokens_are_the_servers_where_it_says_them_else_estimated() -> None:
    with ScriptedModel([Reply(TEXT, usage=(31, 9)), Reply(TEXT, usage=None)]) as server:
        model = model_at(server)
        assert (await model.generate(PROMPT, Sampling())).usage == Usage(1, 31, 9)
        estimated = (await model.generate(PROMPT, Sampling())).usage
    assert estimated.calls == 1
    assert estimated.completion_tokens == model.count_tokens(TEXT)
    assert estimated.prompt_tokens >= sum(model.count_tokens(message.text) for message in PROMPT.messages)


async def test_an_answer_cut_by_its_length_is_not_finished() -> None:
    with ScriptedModel(Reply(TEXT, finish_reason="length")) as server:
        assert not (await model_at(server).generate(PROMPT, Sampling())).finished


@pytest.mark.parametrize(
    ("reply", "written"),
    [
        (Reply(""), []),
        (Reply(pieces=[None, "Ada ", None, "", "L."]), ["Ada ", "Ada L."]),
        (Reply(TEXT, streams=False), [TEXT]),
        (Reply(pieces=["<th", "ink>Who ", "was it?</th", "ink>\n\n", "Ada ", "L."]), ["Ada ", "Ada L."]),
    ],
    ids=["empty", "pieces without text", "a server that does not stream", "thinking"],
)
async def test_only_what_is_answered_is_heard(reply: Reply, written: list[str]) -> None:
    heard: list[str] = []
    assert (await answer(reply, heard))[0] == "".join(written[-1:])
    assert heard == written


@pytest.mark.parametrize("cut_after", [0, 3])
async def test_a_stream_that_breaks_starts_over(cut_after: int) -> None:
    heard: list[str] = []
    text, server = await answer([Reply("Grace Hopper wrote it.", cut_after=cut_after), TEXT], heard)
    assert text == heard[-1] == TEXT
    assert heard[:cut_after] == ["Grace ", "Grace Hopper ", "Grace Hopper wrote "][:cut_after]
    assert heard[cut_after] == "Ada "
    assert len(server.requests) == 2


async def test_a_stream_that_ends_without_its_end_starts_over() -> None:
    assert (await answer([Reply("Grace", finish_reason=None), TEXT]))[0] == TEXT


async def test_a_stream_that_always_breaks_is_unavailable_after_the_tries() -> None:
    error, server = await failure(Reply(TEXT, cut_after=2), retries=2)
    assert isinstance(error, ModelUnavailable)
    assert server.base_url in str(error)
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_what_may_pass_is_tried_again(status: int) -> None:
    assert (await answer([failing(status, "busy"), failing(status, "busy"), TEXT]))[0] == TEXT


@pytest.mark.parametrize(("status", "setting"), [(400, "MODEL"), (401, "API_KEY"), (403, "API_KEY"), (404, "MODEL")])
async def test_what_will_not_pass_is_not_tried_again_and_names_the_setting(status: int, setting: str) -> None:
    error, server = await failure(failing(status, f"No, not with {KEY}."))
    assert isinstance(error, ModelRejected)
    assert f"WIKIWHY_LLM_{setting}" in str(error)
    assert "not with …" in str(error)
    assert len(server.requests) == 1


async def test_an_unknown_model_is_told_which_there_are() -> None:
    error, _ = await failure(failing(404, "The model does not exist."))
    assert "That server has: scripted." in str(error)


async def test_no_quota_is_not_tried_again() -> None:
    body = {"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota", "type": "x"}}
    error, server = await failure(Reply(status=429, body=body))
    assert isinstance(error, ModelRejected)
    assert len(server.requests) == 1


async def test_pauses_grow_and_follow_the_servers_wish() -> None:
    slept = Slept()
    script = [failing(500, "x"), failing(500, "x"), failing(429, "x", Retry_After="7"), TEXT]
    with ScriptedModel(script) as server:
        await model_at(server, slept=slept).generate(PROMPT, Sampling())
    first, second, wished = slept.seconds
    assert 0.25 <= first <= 0.5 <= second <= 1
    assert 7 < wished <= 9


@pytest.mark.parametrize("wish", ["3600", "30"])
async def test_a_wish_for_more_patience_than_there_is_fails_at_once(wish: str) -> None:
    error, server = await failure(failing(429, "slow down", Retry_After=wish), seconds=20)
    assert isinstance(error, ModelUnavailable)
    assert "429: slow down" in str(error)
    assert len(server.requests) == 1


async def test_a_server_that_is_down_is_unavailable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        slept = Slept()
        with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1:\d+/v1 cannot be reached.*WIKIWHY_LLM_BASE_URL"):
            await OpenAIChat(Endpoint(url), "m", CallLimits(), slept).generate(PROMPT, Sampling())
    assert len(slept.seconds) == 3


@pytest.mark.parametrize("slow", [Reply(TEXT, delay=30), Reply(TEXT, pause=30)], ids=["server", "stream"])
async def test_a_slow_server_and_a_stream_that_stalls_are_unavailable_after_the_time_limit(slow: Reply) -> None:
    error, _ = await failure(slow, seconds=0.2)
    assert isinstance(error, ModelUnavailable)
    assert "WIKIWHY_LLM_TIMEOUT" in str(error)


async def test_waiting_for_a_slot_is_outside_the_time_limit_and_slots_are_few() -> None:
    with ScriptedModel(Reply(TEXT, delay=0.3)) as server:
        model = model_at(server, concurrency=2, seconds=1.3)
        calls = [model.generate(PROMPT, Sampling()) for _ in range(10)]
        assert [generation.text for generation in await asyncio.gather(*calls)] == [TEXT] * 10
    assert server.at_once == 2


@pytest.mark.parametrize("form", CONTEXT_ERRORS)
async def test_a_prompt_that_is_too_long_is_said_so_in_all_forms(form: str) -> None:
    status, body = CONTEXT_ERRORS[form]
    error, server = await failure(Reply(status=status, body=body))
    assert isinstance(error, ContextTooLong)
    assert "WIKIWHY_LLM_CONTEXT_TOKENS" in str(error)
    assert len(server.requests) == 1


async def test_a_prompt_that_is_found_too_long_in_the_stream_is_said_so() -> None:
    body = {"error": {"code": 400, "message": "Context size has been exceeded."}}
    assert isinstance((await failure(Reply("A", body=body, as_event=True)))[0], ContextTooLong)


async def test_an_error_in_the_stream_is_tried_again() -> None:
    broken = Reply("Grace", body={"error": {"message": "worker died"}}, as_event=True)
    assert (await answer([broken, TEXT]))[0] == TEXT
    assert "worker died" in str((await failure(broken))[0])


@pytest.mark.parametrize("parameter", ["max_tokens", "temperature", "seed", "stream_options"])
async def test_a_parameter_that_is_refused_is_left_out_from_then_on(parameter: str) -> None:
    with ScriptedModel(refusing(parameter, TEXT)) as server:
        model = model_at(server)
        for _ in range(2):
            assert (await model.generate(PROMPT, Sampling(50, seed=1))).text == TEXT
    assert [parameter in request.body for request in server.requests] == [True, False, False]
    assert [request.body.get("max_completion_tokens") for request in server.requests][1:] == (
        [50, 50] if parameter == "max_tokens" else [None, None]
    )


async def test_several_parameters_may_be_refused_one_after_the_other() -> None:
    script = refusing("max_tokens", TEXT), refusing("temperature", TEXT)
    with ScriptedModel([*script, TEXT]) as server:
        assert (await model_at(server).generate(PROMPT, Sampling())).text == TEXT
    assert not {"max_tokens", "temperature"} & server.requests[-1].body.keys()


async def test_a_content_filter_rejects() -> None:
    error, _ = await failure(Reply("I", finish_reason="content_filter"))
    assert isinstance(error, ModelRejected)
    assert "content filter" in str(error)


@pytest.mark.parametrize(
    ("body", "named"), [("<html><body>Sign in</body></html>", "a web page"), ("", "nothing"), ({"ok": 1}, "no answer")]
)
async def test_what_is_no_answer_is_rejected(body: Any, named: str) -> None:
    error, _ = await failure(Reply(body=body))
    assert isinstance(error, ModelRejected)
    assert named in str(error)


async def test_a_proxys_error_page_is_not_repeated() -> None:
    error, _ = await failure(Reply(status=502, body="<html><h1>Bad gateway</h1></html>"))
    assert isinstance(error, ModelUnavailable)
    assert "502" in str(error)
    assert "<" not in str(error)


async def test_a_redirect_is_not_followed_but_named() -> None:
    reply = Reply(status=302, body="", headers={"location": "https://login.example/sso?token=abc"})
    error, server = await failure(reply)
    assert isinstance(error, ModelRejected)
    assert "https://login.example/sso. " in str(error)
    assert len(server.requests) == 1


async def test_the_only_model_is_found_out() -> None:
    with ScriptedModel(TEXT, models=["llama"]) as server:
        model = model_at(server, "")
        assert server.base_url in model.name
        await model.load()
        assert model.name == "llama"
        await model.generate(PROMPT, Sampling())
    assert server.requests[0].body["model"] == "llama"


@pytest.mark.parametrize(("models", "named"), [(["b", "a"], "a, b"), ([], "no model")])
async def test_which_of_several_models_has_to_be_said(models: list[str], named: str) -> None:
    with ScriptedModel(TEXT, models=models) as server, pytest.raises(ModelRejected) as raised:
        await model_at(server, "").generate(PROMPT, Sampling())
    assert named in str(raised.value)
    assert "WIKIWHY_LLM_MODEL" in str(raised.value)


async def test_a_list_of_models_that_is_a_web_page_is_rejected() -> None:
    with ScriptedModel(TEXT) as server:
        server.models_reply = Reply(body="<html></html>")
        with pytest.raises(ModelRejected, match="no list of models"):
            await model_at(server, "").generate(PROMPT, Sampling())


async def test_the_environments_key_goes_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-openai-only")
    with ScriptedModel(TEXT) as server:
        await OpenAIChat(Endpoint(server.base_url), "m").generate(PROMPT, Sampling())
    assert "sk-for-openai-only" not in str(server.requests)


async def test_credentials_in_the_url_are_used_and_never_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with ScriptedModel([failing(500, "busy"), failing(401, "No entry for ann:p@ss, Basic YW5uOnBAc3M=.")]) as server:
        endpoint = Endpoint(server.base_url.replace("//", "//ann:p%40ss@"), KEY)
        with pytest.raises(ModelRejected) as raised:
            await OpenAIChat(endpoint, "m", sleep=Slept()).generate(PROMPT, Sampling())
    assert server.requests[0].headers["Authorization"] == "Basic YW5uOnBAc3M="
    for shown in (str(raised.value), repr(endpoint), caplog.text):
        assert not [secret for secret in ("p%40ss", "p@ss", "YW5uOnBAc3M=", KEY) if secret in shown]


def test_connections_close_with_their_event_loop() -> None:
    async def ask() -> OpenAIChat:
        model = model_at(server)
        await model.generate(PROMPT, Sampling())
        return model

    with ScriptedModel(TEXT) as server:
        model = asyncio.run(ask())
        assert model.calls._connection is not None
        assert model.calls._connection.client.is_closed()
    gc.collect()


async def test_a_prompt_in_any_script_arrives() -> None:
    text = "Wer schrieb „das“? 日本語 😀 \u2028 <|im_end|>"
    with ScriptedModel(lambda request: request.question) as server:
        prompt = Prompt("test", (PromptMessage("user", text),))
        assert (await model_at(server).generate(prompt, Sampling())).text == text
