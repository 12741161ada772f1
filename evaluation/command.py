"""``wikiwhy evaluate``: ask gold questions about a folder of documents; show results as table, JSON and plot."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from bot.cli.json_views import make_failure_json
from bot.cli.options import DataDir, load_command_settings, output, say
from bot.settings import Settings
from core.errors import SettingsInvalid, WikiWhyError
from evaluation import markdown, plots, tables
from evaluation.attribution import summarise_attribution
from evaluation.configuration import change_settings, hide_secret
from evaluation.measurement import Embedders, Measurement, MeasurementResult, measure
from evaluation.questions import GoldQuestion, QuestionSetUnreadable, read_questions
from evaluation.sampling import QuestionForm, plan_questions
from evaluation.table_view import draw_evaluation

Figures = dict[str, Any]


class ExtraMissing(WikiWhyError):
    """The extra ``evaluation`` is not installed."""


def require_extra() -> None:
    """Raise ExtraMissing without the extra ``evaluation``, before a run that may take hours."""
    if find_spec("matplotlib") is None:
        raise ExtraMissing(
            "wikiwhy evaluate needs the extra `evaluation`, which is not installed. To install it, run: "
            "pip install 'wikiwhy[evaluation]' (in a checkout: make setup)"
        )


class Table(StrEnum):
    """A table of the paper."""

    CONTEXTS = "2"
    ATTRIBUTION = "3"
    PARTS = "4"


@dataclass(frozen=True, slots=True)
class _Files:
    """The files for the results."""

    json: Path | None
    plot: Path | None
    answers: Path | None

    def check(self) -> None:
        """Raise SettingsInvalid if a result cannot be written, before a run that may take hours."""
        if self.plot and self.plot.suffix.lower() not in plots.FORMATS:
            raise SettingsInvalid(f"--plot {self.plot}: name a file that ends in {', '.join(plots.FORMATS)}.")
        for option, path in (("--json", self.json), ("--plot", self.plot), ("--answers", self.answers)):
            if path:
                _check_output(option, path)

    def write_json(self, figures: Figures) -> None:
        if self.json:
            self.json.write_text(json.dumps(figures, ensure_ascii=False, indent=2) + "\n", "utf-8")


def evaluate(
    context: typer.Context,
    qa: Annotated[Path, typer.Option("--qa", help="A JSON file of gold questions.", metavar="FILE")],
    documents: Annotated[Path, typer.Option("--documents", help="The pages of the questions.", metavar="DIR")],
    language: Annotated[
        Literal["en", "de", "both"], typer.Option("--language", help="The language of the questions.")
    ] = "both",
    questions: Annotated[
        Literal["human", "system", "raw"],
        typer.Option("--questions", help="Follow-ups completed by people, by WikiWhy, or not at all."),
    ] = "human",
    table: Annotated[
        Table | None,
        typer.Option("--table", help="A table of the RAGonite paper: 2 contexts, 3 attribution, 4 parts."),
    ] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", help="Ask only N questions, spread evenly.", metavar="N", min=1)
    ] = None,
    judge: Annotated[
        bool, typer.Option("--judge", help="Let the language model compare each answer with the gold answer.")
    ] = False,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="A setting for this run, e.g. context=NONE.", metavar="KEY=VALUE")
    ] = None,
    anew: Annotated[bool, typer.Option("--anew", help="Start over instead of continuing an interrupted run.")] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the figures to this file.", metavar="FILE")
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Write a plot to this file.", metavar="FILE.png")] = None,
    answers: Annotated[
        Path | None, typer.Option("--answers", help="Write all answers to this file.", metavar="FILE.md")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Measure retrieval, answers and explanations on gold questions.

    To continue an interrupted run, give the same command again.
    """
    started = time.perf_counter()
    require_extra()
    files = _Files(json_file, plot, answers)
    files.check()
    conversations = _read(qa, language)
    base = load_command_settings(context, data_dir)
    settings = change_settings(base, changes or [])
    if judge and not settings.has_language_model:
        raise SettingsInvalid("--judge needs a language model. Set WIKIWHY_LLM_BASE_URL, or leave out --judge.")
    attribution = table == Table.ATTRIBUTION
    measurement = Measurement(
        documents,
        plan_questions(conversations, questions, sample),
        questions,
        judge,
        attribution=attribution,
        anew=anew,
    )
    if table in {Table.CONTEXTS, Table.PARTS}:
        if answers:
            raise SettingsInvalid(
                f"--answers is for one configuration, and --table {table} measures many. Leave out one of the two."
            )
        run_of_table = tables.TableRun(base, changes or [], conversations, sample, measurement, _figures)
        rows = _make_rows(table, settings, conversations)
        figures, found = tables.run_table(run_of_table, rows)
        figures |= {"table": int(table), "rows": [row.json() for row in found]}
    else:
        measured = measure(settings, measurement, Embedders())
        figures, found = _figures(measured), []
        if answers:
            answers.write_text(markdown.format_answers(measured.evaluation.judged), "utf-8")
    figures["seconds"] = round(time.perf_counter() - started, 3)
    shown = [hide_secret(change) for change in changes or []]
    figures["settings"] |= {
        "questions": questions,
        "language": language,
        "set": shown,
        "qa": str(qa),
        "sample": sample,
    }
    _print(table, figures, found, questions)
    files.write_json(figures)
    if plot:
        _plot(table, figures, found, plot)
    _conclude(figures)


def _make_rows(
    table: Table | None, settings: Settings, conversations: Sequence[Sequence[GoldQuestion]]
) -> list[tables.Row]:
    if table == Table.CONTEXTS:
        return tables.table_2()
    return tables.table_4(max(map(len, conversations), default=0), settings.has_language_model)


def _figures(measured: MeasurementResult) -> Figures:
    """Return the content of ``--json`` for one configuration, without ``seconds``."""
    figures = measured.evaluation.summary()
    figures["attribution"] = summarise_attribution(measured.attributed) if measured.attributed else None
    figures["errors"] = [make_failure_json(failure) for failure in measured.failures]
    figures["settings"] = dict(measured.asked_with)
    return figures


def _print(table: Table | None, figures: Figures, rows: Sequence[tables.TableRow], form: QuestionForm) -> None:
    if table is None:
        output.print(draw_evaluation(figures))
        return
    if table == Table.ATTRIBUTION:
        none = "No answer could be attributed: no answered question has its gold page among its evidences."
        text = markdown.table_3(figures["attribution"]) if figures["attribution"] else none
    else:
        text = markdown.table_2(rows, form) if table == Table.CONTEXTS else markdown.table_4(rows, form)
    # Markdown is not wrapped, so that it can be copied.
    output.print(text, soft_wrap=True, markup=False)


def _plot(table: Table | None, figures: Figures, rows: Sequence[tables.TableRow], path: Path) -> None:
    if table == Table.CONTEXTS:
        plots.plot_contexts(rows, path)
    elif table == Table.ATTRIBUTION and figures["attribution"]:
        plots.plot_attribution(figures["attribution"], path)
    elif table == Table.PARTS:
        plots.plot_parts(rows, path)
    else:
        plots.plot_evaluation(figures, path)


def _conclude(figures: Figures) -> None:
    """Report what the figures do not cover. Exit with code 1 if they are not about the named documents or answers."""
    fell_back, judged = figures["answer"]["fell_back"], figures["answer"].get("judge", {})
    if fell_back:
        text = f"the language model failed in {fell_back} turns, which were made without it; the figures include them."
        say("wikiwhy:", "bold yellow", text)
    if judged.get("unjudged"):
        reason = next(iter(judged["reasons"]))
        text = f"{judged['unjudged']} answers could not be judged and do not count for relevance. Main reason: {reason}"
        say("wikiwhy:", "bold yellow", text)
    failures = len(figures["errors"])
    if failures:  # a failure, since the figures are about another corpus than the named one
        text = f"{failures} documents could not be read, see above; the figures lack them. Correct them and run again."
        say("wikiwhy:", "bold red", text)
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
        raise SettingsInvalid(f"{option} {path} cannot be written: no permission to write {place}. Name another file.")


def _read(qa: Path, language: Literal["en", "de", "both"]) -> list[list[GoldQuestion]]:
    try:
        return read_questions(qa.read_text("utf-8-sig"), language)
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionSetUnreadable(f"The question set {qa} cannot be read: {error}. Name another file.") from error
