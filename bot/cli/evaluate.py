"""``wikiwhy evaluate``: gold questions over a folder of documents, as a table, JSON and a plot."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from adapters.folder.wiki import FolderWiki
from bot.cli.options import DataDir, errors, output, run, settings_for
from bot.cli.plots import plot_evaluation
from bot.cli.sync import sync_wiki
from bot.settings import Settings, load_settings
from bot.wiring import Application, opened
from core.errors import QuestionSetUnreadable, SettingsInvalid, WikiUnavailable
from core.evaluation.questions import GoldQuestion, read
from core.evaluation.run import Evaluation, QuestionForm
from core.evaluation.run import evaluate as run_evaluation
from core.indexing.synchroniser import all_errors


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
    conversations = _read(qa, language)
    settings = over_documents(_changed(settings_for(context, data_dir), changes or []), documents)
    with opened(settings) as application:
        evaluation = run(_evaluate(application, documents, conversations, questions))
    figures = {**evaluation.summary(), "seconds": round(time.perf_counter() - started, 3)}
    figures["settings"] = {"questions": questions, "language": language, "set": changes or [], "qa": str(qa)}
    output.print(_table(figures))
    _write(figures, json_file, plot)


async def _evaluate(
    application: Application, documents: Path, conversations: Sequence[Sequence[GoldQuestion]], form: QuestionForm
) -> Evaluation:
    reports = await sync_wiki(application, FolderWiki(documents), allow_mass_delete=True)
    for failure in all_errors(reports):
        errors.print(f"not read: {failure.title}: {failure.cause}", markup=False)
    columns = (TextColumn("asking"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True) as bars:
        bar = bars.add_task("asking", total=sum(len(conversation) for conversation in conversations))
        assistant = application.assistant()
        return await run_evaluation(conversations, assistant, form, lambda: bars.advance(bar))


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
    indexed = (str(documents.resolve()), settings.sync().fingerprint, settings.embedder)
    key = hashlib.sha256("\x1f".join(indexed).encode()).hexdigest()[:16]
    return settings.model_copy(
        update={"data_dir": settings.data_dir / "evaluate" / key, "database_url": "", "chroma_url": ""}
    )


def _table(figures: dict[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", "questions", "P@1", "hit@10", "refused"):
        table.add_column(name, justify="left" if not name else "right")
    answerable = figures["questions"] - figures["answer"]["unanswerable"]["questions"]
    if answerable:
        total = {**figures, "questions": answerable, "refused": figures["answer"]["refused"]}
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
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(json.dumps(figures, ensure_ascii=False, indent=2) + "\n")
    if plot:
        plot.parent.mkdir(parents=True, exist_ok=True)
        plot_evaluation(figures, plot)
