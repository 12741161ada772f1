"""Checks that load or use the network: models, Confluence, and the file of accounts."""

from __future__ import annotations

import asyncio
import time
from contextlib import closing

from bot.admin_files import AccountsFile
from bot.models import embedder_for, language_model_for, reranker_for
from bot.operations.finding import Finding
from bot.settings import Settings
from bot.wikis import confluence_for, jira_for
from core.model import Prompt, PromptMessage
from core.ports.models import Sampling

_SLOW_RERANKING_MS = 5_000
_MODEL_SECONDS, _MODEL_TOKENS = 60.0, 40  # a server may have to load its model first


def embedder(settings: Settings) -> Finding:
    embedder = embedder_for(settings)
    started = time.perf_counter()
    name = embedder.name
    loaded = time.perf_counter()
    asyncio.run(embedder.embed_queries(["Who approves travel?"]))
    asyncio.run(embedder.embed_queries(["Who approves travel abroad?"]))
    spent = (time.perf_counter() - loaded) * 500
    found = f"{name}, loads in {loaded - started:.1f} s, a sentence takes {spent:.0f} ms"
    if name.endswith("own-engine"):
        advice = "The fast engine does not load: pip install --force-reinstall onnx onnxruntime"
        return Finding("embedder", "note", found, advice)
    return Finding("embedder", "works", found)


def language_model(settings: Settings) -> Finding:
    """Asks for a few words, once, with a short timeout."""
    part = "language model"
    patience = {"llm_timeout": min(settings.llm_timeout, _MODEL_SECONDS), "llm_retries": 0}
    model = language_model_for(settings.model_copy(update=patience))
    if model is None:
        return Finding(part, "works", "none configured: answers are the wiki's own sentences")
    times: list[float] = []
    prompt = Prompt("doctor", (PromptMessage("user", "Count from one to ten, in words."),))
    started = time.perf_counter()
    generation = asyncio.run(
        model.generate(prompt, Sampling(_MODEL_TOKENS), lambda text: times.append(time.perf_counter()))
    )
    if not times:
        advice = "If it is a reasoning model, that may be its thinking. Ask it something, or set WIKIWHY_LLM_MODEL."
        return Finding(part, "note", f"{model.name} wrote nothing in {_MODEL_TOKENS} tokens", advice)
    found = f"{model.name}, writes after {times[0] - started:.1f} s"
    spent = times[-1] - times[0]
    if spent > 0 and generation.usage.completion_tokens > 1:
        found += f", then {(generation.usage.completion_tokens - 1) / spent:.0f} tokens a second"
    return Finding(part, "works", found)


def reranker(settings: Settings) -> Finding:
    reranker = reranker_for(settings)
    if reranker is None:
        return Finding("reranker", "note", "none is set")
    started = time.perf_counter()
    name = reranker.name
    loaded = time.perf_counter()
    texts = ["Travel is approved by the head of the team, by e-mail, before it is booked. " * 5] * 10
    asyncio.run(reranker.rerank("Who approves travel?", texts))
    spent = (time.perf_counter() - loaded) * 100 * settings.rerank_candidates
    found = (
        f"{name}, loads in {loaded - started:.1f} s, {settings.rerank_candidates} candidates take about {spent:.0f} ms"
    )
    if spent > _SLOW_RERANKING_MS:
        advice = "Every answer waits for that: set WIKIWHY_RERANK_CANDIDATES lower, or use a machine with a GPU."
        return Finding("reranker", "note", found, advice)
    return Finding("reranker", "works", found)


def confluence(settings: Settings) -> Finding:
    with closing(confluence_for(settings, patience="none")) as wiki:
        keys = sorted(asyncio.run(wiki.spaces()))
        if not keys:
            advice = "Give the account that the token belongs to permission to view the spaces to sync."
            return Finding("Confluence", "note", f"{wiki.source} shows the account no space", advice)
        shown = ", ".join(keys[:5]) + (", …" if len(keys) > 5 else "")
        return Finding("Confluence", "works", f"{wiki.source}, {len(keys)} spaces that the account may read: {shown}")


def jira(settings: Settings) -> Finding:
    tracker = jira_for(settings, attempts=1)
    asyncio.run(tracker.check())
    return Finding("Jira", "works", f"{tracker.host}, for projects {', '.join(sorted(settings.jira_project_keys))}")


def chat_accounts(settings: Settings) -> Finding:
    accounts = AccountsFile(settings.accounts).read()
    usable = sum(len(each) == 1 for each in accounts.of.values())
    found = f"{settings.accounts} names the account of {usable} chat users"
    if accounts.errors:
        more = f", and {len(accounts.errors) - 5} lines more" if len(accounts.errors) > 5 else ""
        advice = "Correct the file; who stands in these lines sees only what is open to everybody."
        return Finding("chat accounts", "note", f"{found}; {' '.join(accounts.errors[:5])}{more}", advice)
    return Finding("chat accounts", "works", found)
