"""``wikiwhy evaluate``: gold questions over a folder of documents, as a table, JSON and a plot."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from adapters.folder.wiki import FolderWiki
from bot.cli.answers_file import answers_markdown
from bot.cli.evaluation_table import evaluation_table
from bot.cli.json_views import failure_json
from bot.cli.options import DataDir, errors, output, plain, run, say, settings_for
from bot.cli.plots import FORMATS, plot_evaluation
from bot.cli.sync import sync_wiki
from bot.data_directory import DataDirectory
from bot.settings import Settings, load_settings
from bot.wiring import Application, opened
from core.errors import QuestionSetUnreadable, SettingsInvalid, WikiUnavailable
from core.evaluation.questions import GoldQuestion, read
from core.evaluation.run import Evaluation, with_relevance
from core.evaluation.run import evaluate as run_evaluation
from core.evaluation.sampling import Planned, QuestionForm, planned
from core.indexing.synchroniser import all_errors
from core.ports import PageFailure

# Keys, and addresses that may hold a password.
_SECRET = ("llm_api_key", "llm_base_url", "embedding_api_key", "embedding_base_url", "database_url", "chroma_url")


@dataclass(frozen=True, slots=True)
class _Files:
    """Where the results go."""

    json: Path | None
    plot: Path | None
    answers: Path | None

    def check(self) -> None:
        """Raises SettingsInvalid if a result could not be written: a run may take hours."""
        if self.plot and self.plot.suffix.lower() not in FORMATS:
            raise SettingsInvalid(f"--plot {self.plot}: name a file that ends in {', '.join(FORMATS)}.")
        for option, path in (("--json", self.json), ("--plot", self.plot), ("--answers", self.answers)):
            if path:
                _check_output(option, path)

    def write(self, evaluation: Evaluation, figures: dict[str, Any]) -> None:
        if self.json:
            self.json.write_text(json.dumps(figures, ensure_ascii=False, indent=2) + "\n", "utf-8")
        if self.answers:
            self.answers.write_text(answers_markdown(evaluation.judged), "utf-8")
        if self.plot:
            plot_evaluation(figures, self.plot)


def evaluate(
    context: typer.Context,
    qa: Annotated[Path, typer.Option("--qa", help="The gold questions.", metavar="FILE")],
    documents: Annotated[Path, typer.Option("--documents", help="The pages they are about.", metavar="DIR")],
    language: Annotated[Literal["en", "de", "both"], typer.Option("--language")] = "both",
    questions: Annotated[
        Literal["human", "system", "raw"],
        typer.Option("--questions", help="Completed by people, by us from the conversation, or not at all."),
    ] = "human",
    sample: Annotated[
        int | None, typer.Option("--sample", help="Only so many, spread evenly over the set.", metavar="N", min=1)
    ] = None,
    judge: Annotated[
        bool, typer.Option("--judge", help="Let the language model judge each answer against the gold answer.")
    ] = False,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="A setting for this run, e.g. context=NONE.", metavar="KEY=VALUE")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures here.", metavar="FILE")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Write a plot here.", metavar="FILE.png")] = None,
    answers: Annotated[
        Path | None, typer.Option("--answers", help="Write every answer here, to read.", metavar="FILE.md")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Measure retrieval and answers on gold questions."""
    started = time.perf_counter()
    files = _Files(json_file, plot, answers)
    files.check()
    conversations = _read(qa, language)
    settings = over_documents(_changed(settings_for(context, data_dir), changes or []), documents)
    if judge and not settings.has_language_model:
        raise SettingsInvalid("--judge needs a language model: set WIKIWHY_LLM_BASE_URL, or leave --judge out.")
    plan = planned(conversations, questions, sample)
    with opened(settings) as application:
        evaluation, failures = run(_evaluate(application, documents, plan, questions, judge))
        asked_with = _asked_with(application, judge)
    figures = {**evaluation.summary(), "seconds": round(time.perf_counter() - started, 3)}
    figures["errors"] = [failure_json(failure) for failure in failures]
    shown = [_without_secret(change) for change in changes or []]
    figures["settings"] = {"questions": questions, "language": language, "set": shown, "qa": str(qa), "sample": sample}
    figures["settings"] |= asked_with
    output.print(evaluation_table(figures))
    files.write(evaluation, figures)
    _conclude(figures)


async def _evaluate(
    application: Application, documents: Path, plan: Sequence[Sequence[Planned]], form: QuestionForm, judge: bool
) -> tuple[Evaluation, list[PageFailure]]:
    model = application.language_model  # before anything that takes time: its settings may be wrong
    reports = await sync_wiki(application, FolderWiki(documents), application.synchroniser(allow_mass_delete=True))
    failures = all_errors(reports)
    for failure in failures:
        errors.print(plain(f"not read: {failure.title}: {failure.cause}"), markup=False, soft_wrap=True)
    with _progress("asking", sum(len(conversation) for conversation in plan)) as advance:
        evaluation = await run_evaluation(plan, application.assistant(), form, advance)
    if judge and model:
        with _progress("judging", len(evaluation.answerable)) as advance:
            evaluation = await with_relevance(evaluation, model, advance)
    return evaluation, failures


@contextmanager
def _progress(doing: str, total: int) -> Iterator[Callable[[], None]]:
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True) as bars:
        bar = bars.add_task(doing, total=total)
        yield lambda: bars.advance(bar)


def _asked_with(application: Application, judge: bool) -> dict[str, str | None]:
    """What made and judged the answers: figures of different ones do not compare."""
    model = application.language_model
    return {
        "completer": application.completer.name,
        "answerer": application.answerer.name,
        "judge": model.name if judge and model else None,
    }


def _conclude(figures: dict[str, Any]) -> None:
    """Says what the figures are not about; exit code 1 where they are not those that were asked for."""
    fell_back, judged = figures["answer"]["fell_back"], figures["answer"].get("judge", {})
    if fell_back:
        text = f"{fell_back} turns were made without the language model, which failed them; the figures include them."
        say("wikiwhy:", "bold yellow", text)
    if judged.get("unjudged"):
        reason = next(iter(judged["reasons"]))
        text = f"{judged['unjudged']} answers were not judged and do not count for relevance, most of them: {reason}"
        say("wikiwhy:", "bold yellow", text)
    failures = len(figures["errors"])
    if failures:  # figures over another corpus than the one that was named are no success
        say("wikiwhy:", "bold red", f"{failures} documents could not be read, see above; the figures lack them.")
    if failures or (judged.get("unjudged") and not judged["judged"]):
        raise typer.Exit(1)


def _check_output(option: str, path: Path) -> None:
    there = path.parent
    try:
        there.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise SettingsInvalid(f"{option} {path} is a folder. Name a file.")
        place = path if path.exists() else there
    except OSError as error:
        raise SettingsInvalid(f"{option} {path} cannot be written: {error.strerror}. Name another file.") from error
    if not os.access(place, os.W_OK):
        raise SettingsInvalid(f"{option} {path} cannot be written: you may not write {place}. Name another file.")


def _read(qa: Path, language: Literal["en", "de", "both"]) -> list[list[GoldQuestion]]:
    try:
        return read(qa.read_text("utf-8-sig"), language)
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionSetUnreadable(f"The question set {qa} cannot be read: {error}.") from error


def _changed(settings: Settings, changes: Sequence[str]) -> Settings:
    """The settings with ``KEY=VALUE`` changes. Raises SettingsInvalid for an unknown key or a wrong value."""
    values: dict[str, Any] = {"data_dir": settings.data_dir}
    for change in changes:
        key, separator, value = change.partition("=")
        name = key.strip().lower().removeprefix("wikiwhy_")
        if not separator or name not in Settings.model_fields:
            known = ", ".join(sorted(Settings.model_fields))
            raise SettingsInvalid(f"--set {change}: give KEY=VALUE with one of these keys: {known}.")
        values[name] = value.strip()
    return load_settings(**values)


def _without_secret(change: str) -> str:
    """``KEY=VALUE`` as it may be written to a file."""
    key = change.partition("=")[0]
    secret = key.strip().lower().removeprefix("wikiwhy_") in _SECRET
    return f"{key}=…" if secret else change


def over_documents(settings: Settings, documents: Path) -> Settings:
    """The same settings over an index of its own, by documents and by what the index depends on."""
    if not documents.is_dir():
        raise WikiUnavailable(f"{documents} is not a folder. Name the folder that holds the documents' JSON files.")
    indexed = (str(documents.resolve()), settings.sync().fingerprint, settings.embedding)
    key = hashlib.sha256("\x1f".join(indexed).encode()).hexdigest()[:16]
    return settings.model_copy(
        update={"data_dir": DataDirectory(settings.data_dir).evaluations / key, "database_url": "", "chroma_url": ""}
    )
