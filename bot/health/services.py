"""Checks of models, Confluence, Jira and the accounts file."""

from __future__ import annotations

import asyncio
import time
from contextlib import closing

from bot.admin_files import AccountsFile
from bot.models import make_embedder, make_language_model, make_reranker
from bot.operations.finding import Finding
from bot.settings import Settings
from bot.wikis import make_confluence, make_jira
from core.model import Prompt, PromptMessage
from core.ports.models import Sampling

_SLOW_RERANKING_MS = 5_000
_MODEL_SECONDS, _MODEL_TOKENS = 60.0, 40  # long enough for a server that loads its model first


def check_embedder(settings: Settings) -> Finding:
    embedder = make_embedder(settings)
    started = time.perf_counter()
    name = embedder.name
    loaded = time.perf_counter()
    asyncio.run(embedder.embed_queries(["Who approves travel?"]))
    asyncio.run(embedder.embed_queries(["Who approves travel abroad?"]))
    spent = (time.perf_counter() - loaded) * 500
    found = f"{name}, loads in {loaded - started:.1f} s, a sentence takes {spent:.0f} ms"
    if name.endswith("own-engine"):
        advice = "The fast engine does not load. Run: pip install --force-reinstall onnx onnxruntime"
        return Finding("embedder", "note", found, advice)
    return Finding("embedder", "works", found)


def check_language_model(settings: Settings) -> Finding:
    """Generate a few words, once, with a short timeout."""
    part = "language model"
    patience = {"llm_timeout": min(settings.llm_timeout, _MODEL_SECONDS), "llm_retries": 0}
    model = make_language_model(settings.model_copy(update=patience))
    if model is None:
        return Finding(part, "works", "none configured; answers are sentences of the wiki")
    times: list[float] = []
    prompt = Prompt("doctor", (PromptMessage("user", "Count from one to ten, in words."),))
    started = time.perf_counter()
    generation = asyncio.run(
        model.generate(prompt, Sampling(_MODEL_TOKENS), lambda text: times.append(time.perf_counter()))
    )
    if not times:
        advice = "A reasoning model may need more tokens. Try a question, or set WIKIWHY_LLM_MODEL to another model."
        return Finding(part, "note", f"{model.name} wrote nothing in {_MODEL_TOKENS} tokens", advice)
    found = f"{model.name}, first token after {times[0] - started:.1f} s"
    spent = times[-1] - times[0]
    if spent > 0 and generation.usage.completion_tokens > 1:
        found += f", then {(generation.usage.completion_tokens - 1) / spent:.0f} tokens a second"
    return Finding(part, "works", found)


def check_reranker(settings: Settings) -> Finding:
    reranker = make_reranker(settings)
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
        advice = "Every answer waits for the reranker. Lower WIKIWHY_RERANK_CANDIDATES, or use a machine with a GPU."
        return Finding("reranker", "note", found, advice)
    return Finding("reranker", "works", found)


def check_confluence(settings: Settings) -> Finding:
    with closing(make_confluence(settings, patience="none")) as wiki:
        keys = sorted(asyncio.run(wiki.list_spaces()))
        if not keys:
            advice = "Give the token's account permission to view the spaces to sync."
            return Finding("Confluence", "note", f"the account can view no space of {wiki.name}", advice)
        shown = ", ".join(keys[:5]) + (", …" if len(keys) > 5 else "")
        return Finding("Confluence", "works", f"{wiki.name}, the account can view {len(keys)} spaces: {shown}")


def check_jira(settings: Settings) -> Finding:
    tracker = make_jira(settings, attempts=1)
    asyncio.run(tracker.check())
    return Finding("Jira", "works", f"{tracker.host}, projects {', '.join(sorted(settings.jira_project_keys))}")


def check_chat_accounts(settings: Settings) -> Finding:
    accounts = AccountsFile(settings.accounts).read()
    usable = sum(len(each) == 1 for each in accounts.of.values())
    found = f"{settings.accounts} has the accounts of {usable} chat users"
    if accounts.errors:
        more = f", and {len(accounts.errors) - 5} more lines" if len(accounts.errors) > 5 else ""
        advice = "Correct these lines. Until then their chat users see only pages that are open to everybody."
        return Finding("chat accounts", "note", f"{found}; {' '.join(accounts.errors[:5])}{more}", advice)
    return Finding("chat accounts", "works", found)
