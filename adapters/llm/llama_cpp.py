"""Scoring at llama.cpp's server: it writes the text under a grammar that allows nothing else, token by token.

Its logarithms are those before the grammar and all other sampling (``post_sampling_probs`` false). Checked with a
server of llama.cpp (by xllamacpp, 2026) and Qwen2.5. API: tools/server/README.md and grammars/README.md of llama.cpp.
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

    Raises NotAnAnswer where the server is no llama.cpp, StreamBroken, and what the SDK raises.
    """
    template = await post(client, at_root(calls.endpoint, "/apply-template"), {"messages": messages_of(prompt)})
    text = template.get("prompt")
    if not isinstance(text, str) or not text:
        raise NotAnAnswer("no prompt from /apply-template")
    # A text that names a mark of the chat template is not that mark.
    wanted = {"content": answer, "add_special": False, "parse_special": False}
    tokens = tokens_in(await post(client, at_root(calls.endpoint, "/tokenize"), wanted))
    return _score(await post(client, at_root(calls.endpoint, "/completion"), _forced(calls, text, tokens)), tokens)


def _forced(calls: Calls, text: str, tokens: Sequence[int]) -> dict[str, Any]:
    return {
        "model": calls.model,  # for a router in front of several servers
        "prompt": text,
        "n_predict": len(tokens),
        # Token ids, since a text may be cut into tokens in several ways.
        "grammar": "root ::= " + " ".join(f"<[{token}]>" for token in tokens),
        "temperature": 0,
        "n_probs": 1,
        "post_sampling_probs": False,
        "cache_prompt": True,  # ablations begin alike
    }


def _score(answer: dict[str, Any], tokens: Sequence[int]) -> Score:
    items = answer.get("completion_probabilities")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise NotAnAnswer("no probabilities")
    if [item.get("id") for item in items] != list(tokens):
        raise NotAnAnswer("the probabilities of another text")
    return sum_logprobs(item.get("logprob") for item in items)
