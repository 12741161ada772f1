"""``python -m benchmarks.model``: completion and answers by the configured language model (``WIKIWHY_LLM_…``).

The model's texts are cached in the user's cache folder, so that an interrupted run can continue.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from adapters.embedding.cache_folder import find_cache_folder
from benchmarks.cached_model import CachedModel
from benchmarks.child import MeasurementFailed
from benchmarks.completions import by_model, follow_ups, format_completions
from benchmarks.corpus import ROOT, Corpus
from benchmarks.figure import Figure, at_least
from benchmarks.fitting import conversations, run_on_index
from benchmarks.report import main
from bot.settings import Settings, load_settings
from bot.wiring import Application
from core.errors import WikiWhyError
from core.model import NOT_FOUND
from evaluation.journal import MemoryJournal
from evaluation.markdown import format_answers
from evaluation.measures import (
    JudgedQuestion,
    citation_precision,
    fell_back,
    mean,
    measure_unsupported_statements,
    p_at_1,
    summarise_judgements,
    token_f1,
)
from evaluation.run import Evaluation, evaluate, judge_relevance
from evaluation.sampling import plan_questions

FIGURES = "completion and answers by a language model"
_BUILD = ROOT / "build"


@dataclass(frozen=True, slots=True)
class Options:
    """How much is measured. ``fresh``: ignore cached texts of the model."""

    follow_ups: int = 40
    questions: int = 20
    judge: bool = True
    fresh: bool = False


def measure(corpus: Corpus, options: Options | None = None) -> list[Figure]:
    """Measure with the configured language model, if there is one. Texts to read are written to ``build/``."""
    settings = load_settings()
    if not settings.has_language_model:
        note = "no language model is configured: set WIKIWHY_LLM_BASE_URL, then python -m benchmarks.model"
        return [Figure(FIGURES, "", None, None, note)]
    figures: list[Figure] = []
    chosen = options or Options()

    async def work(application: Application) -> None:
        model = await add_cache(application, chosen.fresh)
        figures.extend(await _completion(application, corpus, chosen.follow_ups))
        figures.extend(await _answers(application, corpus, chosen))
        say(f"{model.name} answered {model.asked} calls, the others were known")

    try:
        run_on_index(corpus.documents, work, **of_model(settings))
    except WikiWhyError as error:
        raise MeasurementFailed(str(error)) from error
    return figures


def of_model(settings: Settings) -> dict[str, Any]:
    """Return the settings that this benchmark uses: those of the language model, and the number of evidences."""
    kept = [name for name in Settings.model_fields if name.startswith("llm_") or name == "evidences"]
    return {name: getattr(settings, name) for name in kept}


async def add_cache(application: Application, fresh: bool) -> CachedModel:
    """Put the cache between the application and its model, before any part uses the model."""
    model = application.language_model
    assert model is not None
    load = getattr(model, "load", None)
    if load:  # without a name in the settings, the name is only known from the server
        await load()
    cached = CachedModel(model, find_cache_folder() / "benchmarks", application.settings.llm_base_url, fresh)
    application.__dict__["language_model"] = cached  # the cached property
    return cached


async def _completion(application: Application, corpus: Corpus, count: int) -> list[Figure]:
    cases = await follow_ups(application, conversations(corpus.questions), count)
    found = await by_model(application, cases, _counting("completed", len(cases)))
    written = _BUILD / "completions.md"
    written.write_text(format_completions(cases, found), "utf-8")
    by_heuristic = p_at_1([case.by_heuristic for case in cases])
    own = sum(_took_the_models(item) for item in found)
    failed = fell_back(item.turn for item in found)
    note = f"{len(cases)} follow-ups, {own} as the model proposed, {failed} without it as it failed"
    return [
        Figure("completion P@1, heuristic", "", by_heuristic, None, f"{len(cases)} follow-ups"),
        Figure("completion P@1, model", "", p_at_1(found), corpus.required(at_least(by_heuristic)), note),
    ]


def _took_the_models(item: JudgedQuestion) -> bool:
    """Whether the completion is one of the model's texts, and not the heuristic's."""
    texts = [" ".join(call.text.split()) for call in item.turn.trace.calls]
    completions = [completion.text for completion in item.turn.trace.proposed_completions if not completion.rejected]
    return bool(completions) and any(completions[-1] and completions[-1] in text for text in texts)


async def _answers(application: Application, corpus: Corpus, options: Options) -> list[Figure]:
    plan = plan_questions(conversations(corpus.questions), "human", options.questions)
    on_question = _counting("answered", sum(map(len, plan)))
    evaluation = await evaluate(plan, application.make_assistant(), "human", MemoryJournal(), on_question)
    model = application.language_model
    if options.judge and model:
        evaluation = await judge_relevance(
            evaluation, model, MemoryJournal(), _counting("judged", len(evaluation.judged))
        )
    (_BUILD / "answers.md").write_text(format_answers(evaluation.judged), "utf-8")
    return _answer_figures(evaluation, corpus)


def _answer_figures(evaluation: Evaluation, corpus: Corpus) -> list[Figure]:
    judged = evaluation.answerable
    answered = [item for item in judged if item.turn.answer.answered]
    refusals = [item.turn.answer.text == NOT_FOUND for item in evaluation.judged if not item.turn.answer.answered]
    right = mean([any(item.is_gold(cited.url) for cited in item.turn.answer.citations) for item in answered])
    of_all = f"{len(answered)} of {len(judged)} answered, {evaluation.fell_back} without the model as it failed"
    scores = summarise_judgements(judged)
    by_judge = f"{scores['judged']} judged, {scores['unjudged']} not; read build/answers.md and judge yourself"
    return [
        Figure("answers with a right citation", "", right, corpus.required(at_least(0.7)), of_all),
        Figure("citation precision", "", citation_precision(judged)),
        Figure("statements without a source", "", measure_unsupported_statements(evaluation.judged)),
        Figure("answers, token F1", "", token_f1(judged)),
        Figure("answers, judged by the model", "", scores["mean"], None, by_judge),
        Figure(
            "refusals with the exact sentence",
            "",
            mean(refusals) if refusals else None,
            at_least(1) if refusals else None,
            f"{len(refusals)} refusals",
        ),
    ]


def _counting(done: str, total: int) -> Callable[[], None]:
    """Return a function that prints progress, since a call may take minutes."""
    count = 0

    def advance() -> None:
        nonlocal count
        count += 1
        say(f"{done} {count} of {total}")

    return advance


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.model", description=__doc__)
    parser.add_argument("--follow-ups", type=int, default=40, metavar="N", help="follow-ups to complete (40)")
    parser.add_argument("--questions", type=int, default=20, metavar="N", help="questions to answer (20)")
    parser.add_argument("--no-judge", action="store_true", help="no judging of the answers by the model")
    parser.add_argument("--fresh", action="store_true", help="ask the model again what it was asked before")
    given = parser.parse_args()
    return Options(given.follow_ups, given.questions, not given.no_judge, given.fresh)


def _chosen(corpus: Corpus) -> list[Figure]:
    return measure(corpus, _options())


if __name__ == "__main__":
    main(_chosen)
