"""``wikiwhy evaluate``: gold questions over a folder of documents, as a table, JSON and a plot."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from adapters.folder.wiki import FolderWiki
from bot.cli.json_views import failure_json
from bot.cli.options import DataDir, errors, output, plain, run, say, settings_for
from bot.cli.plots import FORMATS, plot_evaluation
from bot.cli.sync import sync_wiki
from bot.data_directory import DataDirectory
from bot.settings import Settings, load_settings
from bot.wiring import Application, opened
from core.errors import QuestionSetUnreadable, SettingsInvalid, WikiUnavailable
from core.evaluation.questions import GoldQuestion, read
from core.evaluation.run import Evaluation, QuestionForm
from core.evaluation.run import evaluate as run_evaluation
from core.indexing.synchroniser import all_errors
from core.ports import PageFailure


def evaluate(
    context: typer.Context,
    qa: Annotated[Path, typer.Option("--qa", help="The gold questions.", metavar="FILE")],
    documents: Annotated[Path, typer.Option("--documents", help="The pages they are about.", metavar="DIR")],
    language: Annotated[Literal["en", "de", "both"], typer.Option("--language")] = "both",
    questions: Annotated[
        Literal["human", "system", "raw"],
        typer.Option("--questions", help="Completed by people, by us from the conversation, or not at all."),
    ] = "human",
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="A setting for this run, e.g. context=NONE.", metavar="KEY=VALUE")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures here.", metavar="FILE")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Write a plot here.", metavar="FILE.png")] = None,
    data_dir: DataDir = None,
) -> None:
    """Measure retrieval and answers on gold questions."""
    started = time.perf_counter()
    _check_outputs(json_file, plot)
    conversations = _read(qa, language)
    settings = over_documents(_changed(settings_for(context, data_dir), changes or []), documents)
    with opened(settings) as application:
        evaluation, failures = run(_evaluate(application, documents, conversations, questions))
    figures = {**evaluation.summary(), "seconds": round(time.perf_counter() - started, 3)}
    figures["errors"] = [failure_json(failure) for failure in failures]
    figures["settings"] = {"questions": questions, "language": language, "set": changes or [], "qa": str(qa)}
    output.print(_table(figures))
    _write(figures, json_file, plot)
    if failures:  # figures over another corpus than the one that was named are no success
        say("wikiwhy:", "bold red", f"{len(failures)} documents could not be read, see above; the figures lack them.")
        raise typer.Exit(1)


async def _evaluate(
    application: Application, documents: Path, conversations: Sequence[Sequence[GoldQuestion]], form: QuestionForm
) -> tuple[Evaluation, list[PageFailure]]:
    reports = await sync_wiki(application, FolderWiki(documents), allow_mass_delete=True)
    failures = all_errors(reports)
    for failure in failures:
        errors.print(plain(f"not read: {failure.title}: {failure.cause}"), markup=False, soft_wrap=True)
    columns = (TextColumn("asking"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True) as bars:
        bar = bars.add_task("asking", total=sum(len(conversation) for conversation in conversations))
        assistant = application.assistant()
        return await run_evaluation(conversations, assistant, form, lambda: bars.advance(bar)), failures


def _check_outputs(json_file: Path | None, plot: Path | None) -> None:
    """Raises SettingsInvalid if a result could not be written: a run may take minutes."""
    if plot and plot.suffix.lower() not in FORMATS:
        raise SettingsInvalid(f"--plot {plot}: name a file that ends in {', '.join(FORMATS)}.")
    for option, path in (("--json", json_file), ("--plot", plot)):
        if path:
            _check_output(option, path)


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


def over_documents(settings: Settings, documents: Path) -> Settings:
    """The same settings over an index of its own, by documents and by what the index depends on."""
    if not documents.is_dir():
        raise WikiUnavailable(f"{documents} is not a folder. Name the folder that holds the documents' JSON files.")
    indexed = (str(documents.resolve()), settings.sync().fingerprint, settings.embedding)
    key = hashlib.sha256("\x1f".join(indexed).encode()).hexdigest()[:16]
    return settings.model_copy(
        update={"data_dir": DataDirectory(settings.data_dir).evaluations / key, "database_url": "", "chroma_url": ""}
    )


def _table(figures: dict[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", "questions", "P@1", "hit@10", "refused"):
        table.add_column(name, justify="left" if not name else "right")
    if figures["answerable"]:
        total = {**figures, "questions": figures["answerable"], "refused": figures["answer"]["refused"]}
        table.add_row("[bold]all[/]", *_row(total))
        for name, values in figures["by"].items():
            for value, group in values.items():
                table.add_row(f"{name} {value}", *_row(group))
        table.add_row("MRR@10", "", f"{figures['mrr_at_10']:.3f}", "", "")
        table.add_row("P@1, literal URLs", "", f"{figures['p_at_1_literal']:.3f}", "", "")
        table.add_row("first citation is gold", "", f"{figures['answer']['cited_gold']:.3f}", "", "")
        table.add_row("gold answer's words given", "", f"{figures['answer']['contains_gold_words']:.3f}", "", "")
    unanswerable = figures["answer"]["unanswerable"]
    if unanswerable["questions"]:
        refused = f"{unanswerable['refused']:.3f}"
        table.add_row("[bold]not in the wiki[/]", str(unanswerable["questions"]), "", "", refused)
        for name, values in unanswerable["by"].items():
            for value, share in values.items():
                table.add_row(f"  {name} {value}", "", "", "", f"{share:.3f}")
    return table


def _row(group: dict[str, Any]) -> tuple[str, ...]:
    return (str(group["questions"]), f"{group['p_at_1']:.3f}", f"{group['hit_at_10']:.3f}", f"{group['refused']:.3f}")


def _write(figures: dict[str, Any], json_file: Path | None, plot: Path | None) -> None:
    if json_file:
        json_file.write_text(json.dumps(figures, ensure_ascii=False, indent=2) + "\n", "utf-8")
    if plot:
        plot_evaluation(figures, plot)
