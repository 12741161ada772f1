"""Measure one configuration: ask all questions, judge the answers, and attribute them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from adapters.embedding.cached import CachedEmbedder
from adapters.embedding.e5 import E5Embedder
from adapters.embedding.late_interaction import E5WordMatcher
from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from adapters.store.wiki.index_state import LayeredTokenVectors, LayeredVectors, SqlTokenVectorStore, SqlVectorStore
from bot.cli.options import errors, run
from bot.cli.sync import sync_with_progress
from bot.explainers import make_ablation_answerers, make_likelihood_attributor
from bot.operations.operation import LocalOperations
from bot.operations.sync import SyncSpaces
from bot.settings import Settings
from bot.storage.data_directory import DataDirectory
from bot.wiring import Application, open_application
from core.answering.answerer import is_written_by_model
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.attribution.attributors import CounterfactualAttributor
from core.indexing.report import list_errors
from core.model import Turn
from core.ports.models import Embedder
from core.ports.wiki import PageFailure
from core.text import remove_controls
from evaluation.attribution import AttributedAnswer, AttributionParts, attribute_answers
from evaluation.configuration import use_documents
from evaluation.journal import FileJournal, digest_code, open_journal
from evaluation.relevance import Relevance
from evaluation.run import Evaluation, evaluate, judge_relevance
from evaluation.sampling import PlannedQuestion, QuestionForm

_INTERRUPTED = "Interrupted. Run the same command again to continue where it stopped."


@dataclass(frozen=True, slots=True)
class Measurement:
    """The questions and documents of a measurement, and the use of the answers. ``anew``: do not continue a run."""

    documents: Path
    plan: Sequence[Sequence[PlannedQuestion]]
    form: QuestionForm
    judge: bool = False
    attribution: bool = False
    anew: bool = False


@dataclass(frozen=True, slots=True)
class MeasurementResult:
    """The results of a measurement. ``failures``: documents that could not be read and that the figures lack."""

    evaluation: Evaluation
    attributed: Sequence[AttributedAnswer]
    failures: Sequence[PageFailure]
    asked_with: dict[str, str | None]


@dataclass(frozen=True, slots=True)
class _Journals:
    turns: FileJournal[Turn]
    scores: FileJournal[Relevance]
    attributed: FileJournal[AttributedAnswer]


class Embedders:
    """One caching embedder per model for all measurements of a run, whose questions and sources repeat."""

    def __init__(self) -> None:
        self._by_model: dict[str, Embedder] = {}
        self._e5 = E5Embedder()

    def of(self, application: Application) -> Embedder:
        """Return the caching embedder of the application's model; all applications of the model share it."""
        model = application.settings.embedding
        if model not in self._by_model:
            self._by_model[model] = CachedEmbedder(application.embedder, most=math.inf)
        return self._by_model[model]

    def matcher_of(self, application: Application) -> E5WordMatcher:
        """Return a matcher with the application's store."""
        return E5WordMatcher(self._e5, application.token_vectors)


def measure(settings: Settings, measurement: Measurement, embedders: Embedders) -> MeasurementResult:
    """Measure one configuration. Continues an interrupted measurement if nothing it depends on has changed."""
    own = use_documents(settings, measurement.documents)
    evaluations = DataDirectory(settings.data_dir).evaluations
    with open_application(own) as application, _shared_vectors(application, evaluations / "vectors.db"):
        application.embedder = embedders.of(application)
        application.matcher = embedders.matcher_of(application)
        return run(_measure(application, measurement, evaluations / "unfinished"), _INTERRUPTED)


@contextmanager
def _shared_vectors(application: Application, path: Path) -> Iterator[None]:
    """Let the indexes of all configurations share vectors, since most of their texts are the same."""
    database = Database.open(make_sqlite_url(path))
    try:
        application.vectors = LayeredVectors(application.vectors, SqlVectorStore(database))
        application.token_vectors = LayeredTokenVectors(application.token_vectors, SqlTokenVectorStore(database))
        yield
    finally:
        database.close()


async def _measure(application: Application, measurement: Measurement, unfinished: Path) -> MeasurementResult:
    model = application.language_model  # first, since wrong settings raise here
    order = SyncSpaces("folder", str(measurement.documents), allow_mass_delete=True)
    failures = list_errors((await sync_with_progress(LocalOperations(application), order)).reports)
    for failure in failures:
        errors.print(remove_controls(f"not read: {failure.title}: {failure.cause}"), markup=False, soft_wrap=True)
    with _journals(unfinished, _list_dependencies(application, measurement), measurement.anew) as kept:
        with show_progress("asking", sum(len(conversation) for conversation in measurement.plan)) as advance:
            assistant = application.make_assistant()
            evaluation = await evaluate(measurement.plan, assistant, measurement.form, kept.turns, advance)
        if measurement.judge and model:
            with show_progress("judging", len(evaluation.answerable)) as advance:
                evaluation = await judge_relevance(evaluation, model, kept.scores, advance)
        attributed: Sequence[AttributedAnswer] = ()
        if measurement.attribution:
            with show_progress("explaining", len(evaluation.judged)) as advance:
                parts_for = await _make_attribution_parts(application)
                attributed = await attribute_answers(evaluation.judged, parts_for, kept.attributed, advance)
    asked_with = {
        "completer": application.completer.name,
        "answerer": application.answerer.name,
        "judge": model.name if measurement.judge and model else None,
    }
    return MeasurementResult(evaluation, attributed, failures, asked_with)


def _list_dependencies(application: Application, measurement: Measurement) -> list[str]:
    """Return all that the results of a measurement depend on."""
    settings, documents = application.settings.model_dump_json(), digest_documents(measurement.documents)
    return [digest_code(), settings, documents, measurement.form, str(measurement.plan)]


def digest_documents(documents: Path) -> str:
    """Return a digest of all documents."""
    digest = hashlib.sha256()
    for path in sorted(documents.glob("*.json")):
        digest.update(f"{path.name}\x1f".encode() + path.read_bytes())
    return digest.hexdigest()


@contextmanager
def _journals(folder: Path, work: Sequence[str], anew: bool) -> Iterator[_Journals]:
    with (
        open_journal(folder, Turn, work, anew) as turns,
        open_journal(folder, Relevance, work, anew) as scores,
        open_journal(folder, AttributedAnswer, work, anew) as attributed,
    ):
        if len(turns):
            done = f"{len(turns)} questions were asked and {len(attributed)} answers explained before"
            errors.print(f"Continuing an interrupted run: {done}. To start over, use --anew.")
        yield _Journals(turns, scores, attributed)


async def _make_attribution_parts(application: Application) -> Callable[[Turn], AttributionParts]:
    """Return a function that gives the attribution parts of a turn, with the answerer that gave its answer."""
    settings, model = application.settings, application.language_model
    by_model = application.answerer.name != ExtractiveAnswerer.name
    extractive, likelihood = ExtractiveAnswerer(application.matcher), None
    if model and by_model and settings.explain_method == "likelihood":
        likelihood = await make_likelihood_attributor(model, application.embedder, extractive, settings)

    embedder = application.embedder  # caches all texts, see measure()

    def parts_for(turn: Turn) -> AttributionParts:
        use_model = model if is_written_by_model(turn) else None
        answerer_of = (
            make_ablation_answerers(use_model, embedder, extractive) if use_model else lambda repetition: extractive
        )
        repetitions, concurrency = settings.explain_repetitions, settings.explain_concurrency
        counterfactual = CounterfactualAttributor(answerer_of, embedder, repetitions, concurrency)
        more = [likelihood] if likelihood and use_model else []
        return AttributionParts(counterfactual, embedder, settings.explain_epsilon, more)

    return parts_for


@contextmanager
def show_progress(doing: str, total: int) -> Iterator[Callable[[], None]]:
    """Show a progress bar on standard error. Yields a function that advances it by one."""
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as bars:
        bar = bars.add_task(doing, total=total)
        yield lambda: bars.advance(bar)
