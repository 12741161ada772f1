"""``python -m benchmarks.stability``: whether repeated explanations find the same top cluster if the model samples.

The answer of a turn is sampled at temperature 0.7. The counterfactual answers are those of ``wikiwhy explain``: at m =
1 greedy ones, generated again for each explanation. With ``--counterfactuals 0.7`` they are sampled too, with other
seeds for each explanation, as from a server that ignores the requested temperature. The model's texts are cached in
the user's cache folder by prompt and seed, so that an interrupted run can continue. Texts to read are written to
``build/stability.md``.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from adapters.embedding.cached import CachedEmbedder
from benchmarks.child import MeasurementFailed
from benchmarks.corpus import ROOT, Corpus
from benchmarks.figure import Figure, at_least
from benchmarks.fitting import run_on_index
from benchmarks.model import add_cache, of_model, say
from benchmarks.report import main
from bot.settings import load_settings
from bot.wiring import Application
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.generative.answerer import GenerativeAnswerer
from core.attribution.attributors import AnswererOf, CounterfactualAttributor
from core.attribution.steps import NO_CONTRIBUTION, AnswerToExplain, cluster_evidences
from core.errors import WikiWhyError
from core.model import AblationResult, Answer, Cluster, RankedEvidence, Scope
from core.ports.models import Sampling
from core.trace import Stopwatch, Tracer
from evaluation.measures import mean
from evaluation.questions import GoldQuestion, read_questions
from evaluation.sampling import choose_spread

FIGURES = "stability with a sampling model"
DRAWN = 0.7
_SEEDS_APART = 1000  # between the seeds of two explanations, more than the possible repetitions


@dataclass(frozen=True, slots=True)
class Options:
    """How much is measured. ``max_tokens``: of an answer; ``fresh``: ignore cached texts of the model.

    ``temperature``: of the turn's answer; ``counterfactuals``: of the first repetition of the others.
    """

    turns: int = 5
    explanations: int = 3
    repetitions: int = 1
    evidences: int = 5
    max_tokens: int = 80
    temperature: float = DRAWN
    counterfactuals: float = 0.0
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """An answered turn with the results of its explanations: one result per cluster, in the order of the clusters."""

    question: str
    answer: str
    clusters: tuple[tuple[str, ...], ...]  # the locations of each cluster's evidences
    explanations: tuple[tuple[AblationResult, ...], ...]

    @property
    def tops(self) -> list[Cluster | None]:
        """The cluster with the highest share of each explanation; None if no cluster changed the answer."""
        return [_top(results) for results in self.explanations]

    @property
    def all_same(self) -> bool:
        return len(set(self.tops)) == 1

    @property
    def pairs_same(self) -> float:
        """The share of pairs of explanations with the same top cluster."""
        return mean([one == other for one, other in combinations(self.tops, 2)])


def measure(corpus: Corpus, options: Options | None = None) -> list[Figure]:
    """Measure with the configured language model, if there is one. Texts to read are written to ``build/``."""
    settings = load_settings()
    if not settings.has_language_model:
        note = "no language model is configured: set WIKIWHY_LLM_BASE_URL, then python -m benchmarks.stability"
        return [Figure(FIGURES, "", None, None, note)]
    chosen = options or Options(repetitions=settings.explain_repetitions)
    cases: list[Case] = []

    async def work(application: Application) -> None:
        model = await add_cache(application, chosen.fresh)
        for gold in candidates(read_questions(corpus.questions.read_text("utf-8"), "en"), chosen.turns):
            if len(cases) < chosen.turns and (case := await _case(application, gold, chosen)):
                cases.append(case)
                say(f"explained {len(cases)} of {chosen.turns}")
        say(f"{model.name} answered {model.asked} calls, the others were known")

    changes: dict[str, Any] = of_model(settings) | {"evidences": chosen.evidences}
    try:
        run_on_index(corpus.documents, work, **changes)
    except WikiWhyError as error:
        raise MeasurementFailed(str(error)) from error
    (ROOT / "build" / "stability.md").write_text(format_stability(cases), "utf-8")
    return figures(cases, chosen, corpus)


def candidates(conversations: Sequence[Sequence[GoldQuestion]], count: int) -> list[GoldQuestion]:
    """Return twice ``count`` questions, evenly spread. The second half replaces questions without an answer."""
    questions = [gold for conversation in conversations for gold in conversation if gold.answerable]
    found = [questions[at] for at in choose_spread(questions, 2 * count)]
    return found[::2] + found[1::2]


def figures(cases: Sequence[Case], options: Options, corpus: Corpus) -> list[Figure]:
    """Return the share of turns whose explanations all agree, and of pairs of explanations that agree."""
    if not cases:
        raise MeasurementFailed("The language model answered none of the questions.")
    drawn = f"m = {options.repetitions}, temperature {options.temperature:g}, then {options.counterfactuals:g}"
    of = f"{len(cases)} turns explained {options.explanations} times, {drawn}"
    sizes = ", ".join(str(len(case.clusters)) for case in cases)
    same = mean([case.all_same for case in cases])
    required = corpus.required(at_least(0.8)) if options.temperature else None  # only required of a model that samples
    return [
        Figure("stability, same top cluster in all", "", same, required, of),
        Figure(
            "stability, same top cluster in pairs",
            "",
            mean([case.pairs_same for case in cases]),
            None,
            f"clusters: {sizes}",
        ),
        Figure("stability, same by chance", "", mean([by_chance(case, options.explanations) for case in cases])),
    ]


def by_chance(case: Case, explanations: int) -> float:
    """Return the probability that all explanations agree if each picked a cluster at random."""
    return float(len(case.clusters)) ** (1 - explanations)


async def _case(application: Application, gold: GoldQuestion, options: Options) -> Case | None:
    """Explain a turn repeatedly. None if the answer is "not found" or all evidences are one cluster."""
    question, embedder = gold.human_completed, CachedEmbedder(application.embedder, most=math.inf)
    evidences = await application.retriever.retrieve(question, Scope(), Stopwatch(lambda: 0.0))
    clusters = await cluster_evidences(evidences, embedder, application.settings.explain_epsilon)
    answer = await _answerers(application, embedder, options, 0)(0).answer(question, evidences, _silent())
    if not answer.answered or len(clusters) < 2:
        return None
    attributors = [
        CounterfactualAttributor(
            _answerers(application, embedder, options, number), embedder, options.repetitions, concurrency=10
        )
        for number in range(1, options.explanations + 1)
    ]
    found = await _explanations(_subject(question, answer, evidences), clusters, attributors)
    titles = [tuple(_describe_location(evidences[index]) for index in cluster) for cluster in clusters]
    return Case(question, answer.text, tuple(titles), found)


def _answerers(application: Application, embedder: CachedEmbedder, options: Options, number: int) -> AnswererOf:
    """Return the answerers of explanation ``number`` (0: of the turn's answer), with seeds of their own."""
    model, extractive = application.language_model, ExtractiveAnswerer(application.matcher)
    assert model is not None

    def answerer_of(repetition: int) -> GenerativeAnswerer:
        seed = number * _SEEDS_APART + repetition
        of_first = options.counterfactuals if number else options.temperature
        temperature = DRAWN if repetition else of_first  # as in Explain, further repetitions are always sampled
        sampling = Sampling(options.max_tokens, temperature, seed)
        return GenerativeAnswerer(model, embedder, extractive, sampling, falls_back=False)

    return answerer_of


async def _explanations(
    subject: AnswerToExplain, clusters: Sequence[Cluster], attributors: Sequence[CounterfactualAttributor]
) -> tuple[tuple[AblationResult, ...], ...]:
    """Return the results of each attributor. Equal prompts follow each other, so that the server's prompt cache helps.

    From the last cluster: the prompts of two neighbours begin alike.
    """
    found = {}
    for cluster in reversed(clusters):
        for number, attributor in enumerate(attributors):
            found[number, cluster] = _known(
                await attributor.attribute_cluster(subject, cluster, {}, lambda result: None)
            )
    return tuple(tuple(found[number, cluster] for cluster in clusters) for number in range(len(attributors)))


def _subject(question: str, answer: Answer, evidences: Sequence[RankedEvidence]) -> AnswerToExplain:
    return AnswerToExplain(question, answer.text, evidences, tuple(cited.evidence_id for cited in answer.citations))


def _known(result: AblationResult) -> AblationResult:
    """Return the result. Raises MeasurementFailed if the model failed, since agreement is then unknown."""
    if result.contribution is None:
        raise MeasurementFailed(result.error)
    return result


def _top(results: Sequence[AblationResult]) -> Cluster | None:
    best = max(results, key=lambda result: result.contribution or 0.0)
    return best.cluster if (best.contribution or 0.0) > NO_CONTRIBUTION else None


def _describe_location(ranked: RankedEvidence) -> str:
    return " › ".join((ranked.evidence.context.title, *ranked.evidence.context.heading_path))


def _silent() -> Tracer:
    return Tracer(lambda: 0.0)


def format_stability(cases: Sequence[Case]) -> str:
    """Return each turn with its explanations as Markdown."""
    lines = ["# Explanations of the same turns", ""]
    for case in cases:
        verdict = "the same top cluster" if case.all_same else "different top clusters"
        lines += [f"## {case.question}", "", f"{verdict}. The answer: {case.answer}", ""]
        for at, locations in enumerate(case.clusters):
            moved = " ".join(f"{results[at].contribution or 0.0:.3f}" for results in case.explanations)
            lines.append(f"- {moved} without {'; '.join(locations)}")
            for number, results in enumerate(case.explanations, start=1):
                lines += [f"  - {number}: {' '.join(answer.split())}" for answer in results[at].answers]
        lines.append("")
    return "\n".join(lines)


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stability", description=__doc__)
    default = Options()
    parser.add_argument("--turns", type=int, default=default.turns, metavar="N", help="turns to explain (5)")
    parser.add_argument("--repetitions", type=int, default=default.repetitions, metavar="M", help="of each answer (1)")
    parser.add_argument("--temperature", type=float, default=default.temperature, metavar="T", help="of answers (0.7)")
    parser.add_argument(
        "--counterfactuals", type=float, default=default.counterfactuals, metavar="T", help="of these answers (0)"
    )
    parser.add_argument("--max-tokens", type=int, default=default.max_tokens, metavar="N", help="of an answer (80)")
    parser.add_argument("--fresh", action="store_true", help="ask the model again what it was asked before")
    given = parser.parse_args()
    return Options(
        given.turns,
        repetitions=given.repetitions,
        max_tokens=given.max_tokens,
        temperature=given.temperature,
        counterfactuals=given.counterfactuals,
        fresh=given.fresh,
    )


def _chosen(corpus: Corpus) -> list[Figure]:
    return measure(corpus, _options())


if __name__ == "__main__":
    main(_chosen)
