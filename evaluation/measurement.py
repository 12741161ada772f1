"""One measurement: a configuration asked all questions, judged, and its answers attributed."""

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
from adapters.store.index_state import LayeredVectors, SqlVectorStore
from adapters.store.sqlite import sqlite_url
from adapters.store.token_vectors import LayeredTokenVectors, SqlTokenVectorStore
from bot.cli.options import errors, plain, run
from bot.cli.sync import sync_with_progress
from bot.explainers import by_likelihood, make_ablation_answerers
from bot.operations.operation import LocalOperations
from bot.operations.spaces import SyncSpaces
from bot.settings import Settings
from bot.storage.data_directory import DataDirectory
from bot.wiring import Application, open_application
from core.answering.answerer import is_written_by_model
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.attribution.attributors import CounterfactualAttributor
from core.indexing.report import all_errors
from core.model import Turn
from core.ports.models import Embedder
from core.ports.wiki import PageFailure
from evaluation.attribution import AttributedAnswer, AttributionParts, attribute_answers
from evaluation.configuration import over_documents
from evaluation.journal import FileJournal, code_digest, journal
from evaluation.relevance import Relevance
from evaluation.run import Evaluation, evaluate, with_relevance
from evaluation.sampling import Planned, QuestionForm

_INTERRUPTED = "interrupted; run the same command again, it goes on where it stopped"


@dataclass(frozen=True, slots=True)
class Measurement:
    """What is asked, over which documents, and what is done with the answers. ``anew``: goes on from nothing."""

    documents: Path
    plan: Sequence[Sequence[Planned]]
    form: QuestionForm
    judge: bool = False
    attribution: bool = False
    anew: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of it. ``failures``: documents that could not be read, so that the figures lack them."""

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
    """An embedder a model, for all measurements of a run: their questions and sources repeat, and are embedded once."""

    def __init__(self) -> None:
        self._by_model: dict[str, Embedder] = {}
        self._e5 = E5Embedder()

    def of(self, application: Application) -> Embedder:
        """The cached one of the application's model, whichever application it was made for."""
        model = application.settings.embedding
        if model not in self._by_model:
            self._by_model[model] = CachedEmbedder(application.embedder, most=math.inf)
        return self._by_model[model]

    def matcher_of(self, application: Application) -> E5WordMatcher:
        """One over the application's store."""
        return E5WordMatcher(self._e5, application.token_vectors)


def measure(settings: Settings, measurement: Measurement, embedders: Embedders) -> Measured:
    """Measures one configuration. An interrupted measurement goes on where it stopped, if nothing changed since."""
    own = over_documents(settings, measurement.documents)
    evaluations = DataDirectory(settings.data_dir).evaluations
    with open_application(own) as application, _shared_vectors(application, evaluations / "vectors.db"):
        application.embedder = embedders.of(application)
        application.matcher = embedders.matcher_of(application)
        return run(_measured(application, measurement, evaluations / "unfinished"), _INTERRUPTED)


@contextmanager
def _shared_vectors(application: Application, path: Path) -> Iterator[None]:
    """Lets the indexes of all configurations share vectors: most of their texts are the same."""
    database = Database.open(sqlite_url(path))
    try:
        application.vectors = LayeredVectors(application.vectors, SqlVectorStore(database))
        application.token_vectors = LayeredTokenVectors(application.token_vectors, SqlTokenVectorStore(database))
        yield
    finally:
        database.close()


async def _measured(application: Application, measurement: Measurement, unfinished: Path) -> Measured:
    model = application.language_model  # before anything that takes time: its settings may be wrong
    order = SyncSpaces("folder", str(measurement.documents), allow_mass_delete=True)
    failures = all_errors((await sync_with_progress(LocalOperations(application), order)).reports)
    for failure in failures:
        errors.print(plain(f"not read: {failure.title}: {failure.cause}"), markup=False, soft_wrap=True)
    with _journals(unfinished, _work(application, measurement), measurement.anew) as kept:
        with progress("asking", sum(len(conversation) for conversation in measurement.plan)) as advance:
            assistant = application.assistant()
            evaluation = await evaluate(measurement.plan, assistant, measurement.form, kept.turns, advance)
        if measurement.judge and model:
            with progress("judging", len(evaluation.answerable)) as advance:
                evaluation = await with_relevance(evaluation, model, kept.scores, advance)
        attributed: Sequence[AttributedAnswer] = ()
        if measurement.attribution:
            with progress("explaining", len(evaluation.judged)) as advance:
                parts_for = await _attribution_parts(application)
                attributed = await attribute_answers(evaluation.judged, parts_for, kept.attributed, advance)
    asked_with = {
        "completer": application.completer.name,
        "answerer": application.answerer.name,
        "judge": model.name if measurement.judge and model else None,
    }
    return Measured(evaluation, attributed, failures, asked_with)


def _work(application: Application, measurement: Measurement) -> list[str]:
    """All that the results of a measurement depend on."""
    settings, documents = application.settings.model_dump_json(), documents_digest(measurement.documents)
    return [code_digest(), settings, documents, measurement.form, str(measurement.plan)]


def documents_digest(documents: Path) -> str:
    """Differs when any of the documents does."""
    digest = hashlib.sha256()
    for path in sorted(documents.glob("*.json")):
        digest.update(f"{path.name}\x1f".encode() + path.read_bytes())
    return digest.hexdigest()


@contextmanager
def _journals(folder: Path, work: Sequence[str], anew: bool) -> Iterator[_Journals]:
    with (
        journal(folder, Turn, work, anew) as turns,
        journal(folder, Relevance, work, anew) as scores,
        journal(folder, AttributedAnswer, work, anew) as attributed,
    ):
        if len(turns):
            done = f"{len(turns)} questions were asked, {len(attributed)} answers explained before"
            errors.print(f"going on where it stopped: {done} (--anew starts from nothing)")
        yield _Journals(turns, scores, attributed)


async def _attribution_parts(application: Application) -> Callable[[Turn], AttributionParts]:
    """What attributes a turn: the answerer that gave its answer is the one to be asked again."""
    settings, model = application.settings, application.language_model
    by_model = application.answerer.name != ExtractiveAnswerer.name
    likelihood = None
    if model and by_model and settings.explain_method == "likelihood":
        likelihood = await by_likelihood(model, application.embedder, settings)

    embedder = application.embedder  # one that remembers
    extractive = ExtractiveAnswerer(application.matcher)

    def parts_for(turn: Turn) -> AttributionParts:
        use_model = model if is_written_by_model(turn) else None
        answerer_of = make_ablation_answerers(use_model, embedder) if use_model else lambda repetition: extractive
        repetitions, concurrency = settings.explain_repetitions, settings.explain_concurrency
        full = CounterfactualAttributor(answerer_of, embedder, repetitions, concurrency)
        more = [likelihood] if likelihood and use_model else []
        return AttributionParts(full, embedder, settings.explain_epsilon, more)

    return parts_for


@contextmanager
def progress(doing: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on standard error; what is given advances it by one."""
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as bars:
        bar = bars.add_task(doing, total=total)
        yield lambda: bars.advance(bar)
