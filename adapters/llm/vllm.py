"""Scoring at vLLM's server: the text is read as the end of the prompt, and the prompt's probabilities are asked for.

Reads in one go, without writing the text. Written after vLLM's own protocol (``entrypoints/serve/tokenize`` and
``entrypoints/openai/completion``, versions 0.15 to 2026) and tested with a server that speaks it, not with vLLM itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import openai

from adapters.llm.calls import Calls
from adapters.llm.failures import NotAnAnswer
from adapters.llm.native import at_root, messages_of, post, sum_logprobs, tokens_in
from core.model import Prompt
from core.ports import Score


async def score(client: openai.AsyncOpenAI, calls: Calls, prompt: Prompt, answer: str) -> Score:
    """Scores a text that is not empty.

    Raises NotAnAnswer where the server is no vLLM, StreamBroken, and what the SDK raises.
    """
    tokenize = at_root(calls.endpoint, "/tokenize")
    asked = {"model": calls.model, "messages": messages_of(prompt), "add_generation_prompt": True}
    before = tokens_in(await post(client, tokenize, asked))
    said = {"model": calls.model, "prompt": answer, "add_special_tokens": False}
    tokens = tokens_in(await post(client, tokenize, said))
    body = {
        "model": calls.model,
        "prompt": [*before, *tokens],
        "max_tokens": 1,  # it refuses 0
        "temperature": 0,
        "prompt_logprobs": 1,
    }
    return _score(await post(client, "/completions", body), len(before), tokens)


def _score(answer: dict[str, Any], start: int, tokens: Sequence[int]) -> Score:
    """``start``: how many tokens of the prompt come before the scored ones."""
    try:
        of_prompt = answer["choices"][0]["prompt_logprobs"]
        if len(of_prompt) != start + len(tokens):
            raise NotAnAnswer("the probabilities of another text")
        # At each place the likeliest token and the one that stands there, by id.
        found = [place[str(token)]["logprob"] for place, token in zip(of_prompt[start:], tokens, strict=True)]
    except (KeyError, IndexError, TypeError):
        raise NotAnAnswer("no probabilities of the prompt") from None
    return sum_logprobs(found)
