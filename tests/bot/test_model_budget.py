"""Every call of the language model is in the day's tokens: of answers, suggestions, explanations, and refused ones."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from adapters.embedding.e5 import E5Embedder
from bot.operations.operation import LocalOperations
from bot.operations.questions import AskQuestion, BeginConversation, ExplainAnswer, SuggestQuestions
from bot.settings import load_settings
from bot.wiring import now, open_application, today
from core.chat.limits import ChatLimits, LimitSettings
from core.errors import WikiWhyError
from core.model import Prompt, PromptMessage
from core.ports.models import Sampling
from tests.contracts.examples import indexed_page
from tests.servers.scripted_model import Reply, Request, ScriptedModel

replies = st.lists(
    st.builds(
        Reply,
        text=st.sampled_from(["", "Yes.", "One two three."]),
        finish_reason=st.sampled_from(["stop", "length", "content_filter"]),
        usage=st.tuples(st.integers(0, 500), st.integers(0, 500)),
        streams=st.booleans(),
    ),
    max_size=6,
)


@settings(max_examples=15, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(replies=replies)
async def test_what_the_server_says_was_used_is_counted_however_the_answer_ended(
    tmp_path_factory: pytest.TempPathFactory, replies: list[Reply]
) -> None:
    with ScriptedModel(replies or [Reply()]) as model:
        given: dict[str, Any] = {"llm_base_url": model.base_url, "llm_api_key": "k", "llm_model": "scripted"}
        with open_application(load_settings(data_dir=tmp_path_factory.mktemp("data"), **given)) as application:
            limits = ChatLimits(LimitSettings(), application.recent_questions, application.tokens, today)
            application.on_usage = limits.note_usage
            assert application.language_model
            for _ in replies:
                with suppress(WikiWhyError):
                    await application.language_model.generate(Prompt("p", (PromptMessage("user", "Hm?"),)), Sampling(5))
            assert await limits.count_tokens_today() == sum(sum(reply.usage or ()) for reply in replies)


def replied(request: Request) -> Reply:
    return Reply("Ann approves travel. [1]", usage=(11, 7))


async def test_answers_suggestions_and_explanations_are_counted_to_the_last_call(
    tmp_path: Path, embedder: E5Embedder
) -> None:
    with ScriptedModel([replied]) as model:
        given: dict[str, Any] = {"llm_base_url": model.base_url, "llm_api_key": "k", "llm_model": "scripted"}
        with open_application(load_settings(data_dir=tmp_path, **given)) as application:
            application.__dict__["embedder"] = embedder
            await application.indexer.put(
                [indexed_page("1", ("Ann approves travel.", "Bob approves hotels."))], lambda embedded: None
            )
            await application.spaces.finish_sync("DOC", "folder x", now(), "")
            limits = ChatLimits(LimitSettings(), application.recent_questions, application.tokens, today)
            application.on_usage = limits.note_usage
            execute = LocalOperations(application).execute
            turn = await execute(AskQuestion(await execute(BeginConversation()), "Who approves travel?"))
            await execute(SuggestQuestions(turn.turn_id))
            asked = len(model.requests)
            await execute(ExplainAnswer(turn.turn_id))
            assert len(model.requests) > asked > 0
            assert await limits.count_tokens_today() == 18 * len(model.requests)
