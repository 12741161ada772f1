"""The benchmark of a language model, on the samples with a scripted one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import model as benchmark
from benchmarks.cached_model import CachedModel
from benchmarks.completions import by_model, follow_ups, format_completions
from benchmarks.corpus import ROOT, Corpus
from benchmarks.fitting import conversations
from benchmarks.streaming import Clocked
from bot.wiring import Application
from core.completion.generative import GenerativeCompleter
from core.completion.heuristic import HeuristicCompleter
from core.errors import ModelUnavailable
from core.model import Prompt, PromptMessage
from core.ports.models import Generation, Sampling
from tests.core.scripted import ScriptedModel

SAMPLES = Corpus("samples", ROOT / "samples" / "documents", ROOT / "samples" / "questions.json", False)
PROMPT = Prompt("answer", (PromptMessage("user", "Who?"),))


def test_without_a_model_the_figures_are_left_out_and_say_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("WIKIWHY_LLM_BASE_URL", "WIKIWHY_LLM_MODEL", "WIKIWHY_LLM_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    (figure,) = benchmark.measure(SAMPLES)
    assert figure.verdict == "left out"
    assert "set WIKIWHY_LLM_BASE_URL" in figure.note


async def test_what_was_asked_before_is_known_to_the_next_run(tmp_path: Path) -> None:
    first = ScriptedModel(Generation("Ada.", finished=False))
    said = await CachedModel(first, tmp_path, "here").generate(PROMPT, Sampling(10))

    heard: list[str] = []
    again = CachedModel(ScriptedModel("Bob."), tmp_path, "here")
    assert await again.generate(PROMPT, Sampling(10), heard.append) == said
    assert heard == ["Ada."]
    assert again.asked == 0


@pytest.mark.parametrize(
    ("prompt", "sampling", "served_by"),
    [
        (Prompt("answer", (PromptMessage("user", "Whom?"),)), Sampling(10), "here"),
        (PROMPT, Sampling(10, seed=1), "here"),
        (PROMPT, Sampling(10), "there"),
    ],
)
async def test_another_prompt_sampling_or_server_is_asked(
    tmp_path: Path, prompt: Prompt, sampling: Sampling, served_by: str
) -> None:
    await CachedModel(ScriptedModel("Ada."), tmp_path, "here").generate(PROMPT, Sampling(10))
    other = CachedModel(ScriptedModel("Bob."), tmp_path, served_by)
    assert (await other.generate(prompt, sampling)).text == "Bob."
    assert other.asked == 1


async def test_a_fresh_run_asks_again_and_keeps_the_new_answer(tmp_path: Path) -> None:
    await CachedModel(ScriptedModel("Ada."), tmp_path, "here").generate(PROMPT, Sampling())
    assert (
        await CachedModel(ScriptedModel("Bob."), tmp_path, "here", True).generate(PROMPT, Sampling())
    ).text == "Bob."
    assert (await CachedModel(ScriptedModel("Cy."), tmp_path, "here").generate(PROMPT, Sampling())).text == "Bob."


async def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    model = CachedModel(ScriptedModel(ModelUnavailable("down"), "Ada."), tmp_path, "here")
    with pytest.raises(ModelUnavailable):
        await model.generate(PROMPT, Sampling())
    assert (await model.generate(PROMPT, Sampling())).text == "Ada."


async def test_both_completers_get_the_same_follow_ups(
    sample_wiki: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that is down leaves every completion to the heuristic: the same questions, and the same pages."""
    heuristic = HeuristicCompleter(sample_wiki.retriever)
    down = GenerativeCompleter(ScriptedModel(ModelUnavailable("The model is down.")), heuristic)
    monkeypatch.setitem(sample_wiki.__dict__, "completer", down)
    done: list[None] = []
    cases = await follow_ups(sample_wiki, conversations(SAMPLES.questions), 4)
    found = await by_model(sample_wiki, cases, lambda: done.append(None))

    assert len(cases) == len(done) == 4
    assert all(case.gold.turn > 1 and len(case.history) == 2 * (case.gold.turn - 1) for case in cases)
    assert [item.turn.question for item in found] == [case.by_heuristic.turn.question for case in cases]
    assert [item.rank for item in found] == [case.by_heuristic.rank for case in cases]
    assert format_completions(cases, found).count("The language model is not answering right now.") == 4


def test_a_reply_tells_when_it_began_to_be_sent() -> None:
    pieces = Clocked(["a", " b"])
    assert pieces.began == 0.0
    assert list(enumerate(pieces)) == [(0, "a"), (1, " b")]
    assert pieces.began > 0
