"""The benchmark of stability: what it makes of its cases, and on the samples with a scripted model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import stability as benchmark
from benchmarks.cached_model import CachedModel
from benchmarks.child import MeasurementFailed
from benchmarks.corpus import ROOT, Corpus
from benchmarks.fitting import conversations
from benchmarks.stability import Case, Options
from bot.wiring import Application
from core.errors import ModelUnavailable
from core.model import NOT_FOUND, AblationResult, Cluster
from tests.core.scripted import ScriptedModel

SAMPLES = Corpus("samples", ROOT / "samples" / "documents", ROOT / "samples" / "questions.json", False)
REQUIRED = Corpus("pages", Path("documents"), Path("questions.json"), is_confquestions=True)
CLUSTERS: list[Cluster] = [(0,), (1, 2)]


def case(*contributions: tuple[float, float]) -> Case:
    """With one explanation for each pair: how much each of two clusters contributed to it."""
    explanations = tuple(
        tuple(
            AblationResult(cluster, value, 1 - value, ("Ann.",)) for cluster, value in zip(CLUSTERS, pair, strict=True)
        )
        for pair in contributions
    )
    return Case("Who?", "Ann. [1]", (("Travel",), ("Kitchen", "Tower")), explanations)


SAME = case((0.1, 0.0), (0.2, 0.1), (0.1, 0.01))
ONE_DIFFERS = case((0.1, 0.0), (0.2, 0.3), (0.1, 0.01))
NOTHING_ONCE = case((0.1, 0.0), (0.0, 0.0), (0.1, 0.01))


def test_a_turn_counts_only_where_all_its_explanations_agree() -> None:
    strict, pairs, chance = benchmark.figures([SAME, SAME, ONE_DIFFERS], Options(), REQUIRED)
    assert strict.measured == pytest.approx(2 / 3, abs=1e-4)
    assert strict.verdict == "short"
    assert pairs.measured == pytest.approx((1 + 1 + 1 / 3) / 3, abs=1e-4)
    assert chance.measured == pytest.approx(1 / 4)


def test_greedy_answers_do_not_show_what_is_required_of_sampled_ones() -> None:
    strict, *_ = benchmark.figures([SAME], Options(temperature=0.0), REQUIRED)
    assert strict.verdict == "no target"


def test_that_nothing_moved_the_answer_is_another_result_than_a_top_cluster() -> None:
    assert NOTHING_ONCE.tops == [(0,), None, (0,)]
    assert not NOTHING_ONCE.all_same


def test_people_can_read_what_each_explanation_found() -> None:
    text = benchmark.format_stability([ONE_DIFFERS])
    assert "different top clusters. The answer: Ann. [1]" in text
    assert "- 0.000 0.300 0.010 without Kitchen; Tower" in text


def test_without_an_answered_question_there_is_no_figure() -> None:
    with pytest.raises(MeasurementFailed, match="answered none"):
        benchmark.figures([], Options(), REQUIRED)


def test_questions_are_spread_and_the_spare_ones_come_last() -> None:
    found = benchmark.candidates(conversations(SAMPLES.questions), 3)
    order = [gold.conversation for gold in found]
    assert len({(gold.conversation, gold.turn, gold.language) for gold in found}) == 6
    assert order[:3] == sorted(order[:3])
    assert all(gold.answerable for gold in found)


@pytest.fixture(autouse=True)
def _left_as_it_was(sample_wiki: Application) -> Iterator[None]:
    """The wiki is the whole session's; here it gets a language model."""
    before = dict(sample_wiki.__dict__)
    yield
    sample_wiki.__dict__.clear()
    sample_wiki.__dict__.update(before)


ANSWER = "Carmen Eilers gives out the key. [1]"


async def explained(application: Application, model: ScriptedModel, folder: Path, options: Options) -> Case | None:
    application.__dict__["language_model"] = CachedModel(model, folder, "here")
    gold = next(gold for gold in conversations(SAMPLES.questions)[0] if gold.answerable)
    return await benchmark._case(application, gold, options)


async def test_each_explanation_draws_anew_and_an_interrupted_run_goes_on(
    sample_wiki: Application, tmp_path: Path
) -> None:
    options = Options(explanations=3, repetitions=2, max_tokens=30, counterfactuals=0.7)
    model = ScriptedModel(ANSWER)
    found = await explained(sample_wiki, model, tmp_path, options)
    assert found is not None
    assert {sampling.temperature for sampling in model.samplings} == {0.7}
    assert {sampling.max_tokens for sampling in model.samplings} == {30}
    seeds = [sampling.seed for sampling in model.samplings]
    assert set(seeds) == {0, 1000, 1001, 2000, 2001, 3000, 3001}
    assert len(seeds) == 1 + len(found.clusters) * 3 * 2

    again = ScriptedModel("Another.")
    assert await explained(sample_wiki, again, tmp_path, options) == found
    assert again.samplings == []


async def test_counterfactual_answers_are_asked_for_as_explain_does(sample_wiki: Application, tmp_path: Path) -> None:
    model = ScriptedModel(ANSWER)
    found = await explained(sample_wiki, model, tmp_path, Options(explanations=1, repetitions=2))
    assert found is not None
    answer, *counterfactuals = [(sampling.seed, sampling.temperature) for sampling in model.samplings]
    assert answer == (0, 0.7)
    assert set(counterfactuals) == {(1000, 0.0), (1001, 0.7)}


async def test_a_question_without_an_answer_is_left_out(sample_wiki: Application, tmp_path: Path) -> None:
    assert await explained(sample_wiki, ScriptedModel(NOT_FOUND), tmp_path, Options()) is None


async def test_a_model_that_fails_ends_the_measurement(sample_wiki: Application, tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable):
        await explained(sample_wiki, ScriptedModel(ModelUnavailable("down")), tmp_path, Options())


def test_without_a_model_the_figure_is_left_out_and_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("WIKIWHY_LLM_BASE_URL", "WIKIWHY_LLM_MODEL", "WIKIWHY_LLM_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    (figure,) = benchmark.measure(SAMPLES)
    assert figure.verdict == "left out"
    assert "python -m benchmarks.stability" in figure.note
