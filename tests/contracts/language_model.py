"""The contract of :class:`core.ports.models.LanguageModel`.

A test class that inherits it provides the fixture ``language_model``, a model that answers any
question with at least two words.
"""

from __future__ import annotations

import asyncio
import itertools

import pytest

from core.model import Prompt, PromptMessage
from core.ports.models import LanguageModel, Sampling

PROMPT = Prompt(
    "contract",
    (PromptMessage("system", "You answer in one sentence."), PromptMessage("user", "Who wrote the first program?")),
)
TEXTS = [
    "",
    "a",
    "Who approves travel?",
    "Wer genehmigt Reisen über 500 €?",
    "for i in range(10): total += i",
    "日本語 😀",
]


class LanguageModelContract:
    def test_names_itself_and_its_window(self, language_model: LanguageModel) -> None:
        assert language_model.name.strip() == language_model.name != ""
        assert language_model.context_tokens > 0

    @pytest.mark.parametrize("text", TEXTS)
    def test_counts_no_tokens_for_nothing_and_more_for_more(self, language_model: LanguageModel, text: str) -> None:
        count = language_model.count_tokens(text)
        assert count >= len(text.split())
        assert language_model.count_tokens(f"{text}\n{text} more") > count

    async def test_answers_and_counts_its_tokens(self, language_model: LanguageModel) -> None:
        generation = await language_model.generate(PROMPT, Sampling())
        assert generation.text.strip() == generation.text != ""
        assert generation.usage.calls == 1
        assert generation.usage.prompt_tokens > 0
        assert generation.usage.completion_tokens > 0

    async def test_is_heard_writing_and_ends_with_what_it_gives(self, language_model: LanguageModel) -> None:
        heard: list[str] = []
        generation = await language_model.generate(PROMPT, Sampling(), heard.append)
        assert len(heard) > 1
        assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(heard))
        assert heard[-1].rstrip() == generation.text

    async def test_says_the_same_heard_or_not(self, language_model: LanguageModel) -> None:
        heard = await language_model.generate(PROMPT, Sampling(seed=1), lambda text: None)
        assert (await language_model.generate(PROMPT, Sampling(seed=1))).text == heard.text

    async def test_serves_concurrent_calls(self, language_model: LanguageModel) -> None:
        generations = await asyncio.gather(*(language_model.generate(PROMPT, Sampling(8)) for _ in range(6)))
        assert all(generation.text for generation in generations)

    async def test_what_its_listener_raises_comes_back(self, language_model: LanguageModel) -> None:
        def fail(text: str) -> None:
            raise ValueError("nobody listens")

        with pytest.raises(ValueError, match="nobody listens"):
            await language_model.generate(PROMPT, Sampling(), fail)

    def test_serves_one_event_loop_after_the_other(self, language_model: LanguageModel) -> None:
        for _ in range(2):
            assert asyncio.run(language_model.generate(PROMPT, Sampling(8))).text

    async def test_can_be_cancelled_and_called_again(self, language_model: LanguageModel) -> None:
        call = asyncio.create_task(language_model.generate(PROMPT, Sampling()))
        await asyncio.sleep(0.01)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        assert (await language_model.generate(PROMPT, Sampling(8))).text
