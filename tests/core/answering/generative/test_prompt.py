"""Prompts that fit: evidences are left out whole, from the last."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering.generative.prompt import answer_prompt, fit_prompt, sources_of, tokens_of
from core.errors import ContextTooLong
from core.model import Prompt
from tests.core.answering.examples import evidence, ranked
from tests.core.scripted import ScriptedModel

SOURCES = sources_of(ranked(*(evidence(f"Bell {number} rings. " * 20, page_id=str(number)) for number in range(8))))


def prompt(sources: object) -> Prompt:
    return answer_prompt("Which bell rings?", sources, "en")  # type: ignore[arg-type]


@given(st.integers(600, 4000))
def test_as_many_sources_as_fit_each_of_them_whole(context_tokens: int) -> None:
    model = ScriptedModel("", context_tokens=context_tokens)
    try:
        made, count = fit_prompt(SOURCES, prompt, model, 100)
    except ContextTooLong:
        assert tokens_of(prompt(SOURCES[:1]), model) > context_tokens - 100
        return
    assert made == prompt(SOURCES[:count])
    assert tokens_of(made, model) <= context_tokens - 100
    assert count == len(SOURCES) or tokens_of(prompt(SOURCES[: count + 1]), model) > context_tokens - 100
    assert all(source.text in made.messages[1].text for source in SOURCES[:count])


def test_a_window_too_small_for_one_source_says_which_setting_to_look_at() -> None:
    with pytest.raises(ContextTooLong, match="WIKIWHY_LLM_CONTEXT_TOKENS"):
        fit_prompt(SOURCES, prompt, ScriptedModel("", context_tokens=200), 100)
