"""The configurations of the paper's tables (RAGonite, section 6), and their measurement row by row."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.cli.options import errors
from bot.settings import Settings
from bot.storage.data_directory import DataDirectory
from core.errors import EmbedderUnavailable, RerankerUnavailable
from core.evidence.contextualise import CONTEXT_MODES
from core.evidence.linearise import LINEARISERS
from core.text import remove_controls
from evaluation.configuration import change_settings, hide_secret
from evaluation.journal import FileJournal, digest_code, open_journal
from evaluation.measurement import Embedders, Measurement, MeasurementResult, digest_documents, measure
from evaluation.questions import GoldQuestion
from evaluation.sampling import QuestionForm, plan_questions


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its group and label, and the settings that differ from those of the run (``KEY=VALUE``).

    ``form``: the form of the questions, None for that of the run. ``turn``: only questions of this turn.
    """

    group: str
    label: str
    changes: tuple[str, ...] = ()
    form: QuestionForm | None = None
    turn: int | None = None


def table_2() -> list[Row]:
    """Return a row for each context with which evidences are indexed."""
    return [Row("context", mode, (f"context={mode}",)) for mode in CONTEXT_MODES]


def table_4(turns: int, language_model: bool) -> list[Row]:
    """Return rows that vary one part of the configuration at a time. ``turns``: of the longest conversation."""
    return [
        *(Row("turn", str(turn), turn=turn) for turn in range(1, turns + 1)),
        *_corpora(),
        Row("completion", "by a person", form="human"),
        Row("completion", "by rules", ("completer=heuristic",), "system"),
        *([Row("completion", "by the language model", ("completer=auto",), "system")] if language_model else []),
        Row("completion", "none", form="raw"),
        *(Row("lineariser", name, (f"lineariser={name}",)) for name in LINEARISERS),
        Row("tables indexed", "rows and tables"),
        Row("tables indexed", "tables", ("index_rows=false",)),
        Row("tables indexed", "rows", ("index_tables=false",)),
        Row("model", "none: extractive", ("answerer=extractive",)),
        *([Row("model", "the language model", ("answerer=auto",))] if language_model else []),
        Row("embedder", "e5-small", ("embedder=e5",)),
        Row("embedder", "bge-m3", ("embedder=bge-m3",)),
        Row("ranking", "lexical", ("retrieval=lexical",)),
        Row("ranking", "dense", ("retrieval=dense",)),
        Row("ranking", "hybrid, min-max", ("retrieval=hybrid", "fusion=min-max")),
        Row("ranking", "hybrid, RRF", ("retrieval=hybrid", "fusion=rrf")),
        Row("ranking", "hybrid, without the title's similarity", ("title_weight=0",)),
        Row("ranking", "the same, context NONE", ("title_weight=0", "context=NONE")),
        Row("reranking", "none", ("reranker=none",)),
        Row("reranking", "bge-reranker-v2-m3", ("reranker=bge",)),
    ]


def _corpora() -> list[Row]:
    """Return rows that vary the kinds of evidence that are indexed."""
    kinds = ("passages", "lists", "tables", "rows")
    only = {
        "all": kinds,
        "passages": ("passages",),
        "lists": ("lists",),
        "tables": ("tables", "rows"),
        "passages and lists": ("passages", "lists"),
    }
    return [
        Row("corpus", label, tuple(f"index_{kind}=false" for kind in kinds if kind not in wanted))
        for label, wanted in only.items()
    ]


Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row with its figures; None if it could not be measured, with a ``reason``."""

    row: Row
    figures: Figures | None
    reason: str = ""

    def json(self) -> Figures:
        return {
            "group": self.row.group,
            "label": self.row.label,
            "set": [hide_secret(change) for change in self.row.changes],
            "figures": self.figures,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class TableRun:
    """The common parts of a table's rows. ``measurement``: with the run's own configuration."""

    settings: Settings
    changes: Sequence[str]
    conversations: Sequence[Sequence[GoldQuestion]]
    sample: int | None
    measurement: Measurement
    figures_of: Callable[[MeasurementResult], Figures]


def run_table(table: TableRun, rows: Sequence[Row]) -> tuple[Figures, list[TableRow]]:
    """Measure a table: return the figures of the run's own configuration and the rows. Equal rows are measured once."""
    own = Row("", "")
    plan = str([table.conversations, table.sample, table.measurement.form, table.measurement.judge])
    base = change_settings(table.settings, table.changes).model_dump_json()
    work = [digest_code(), base, digest_documents(table.measurement.documents), plan]
    folder = DataDirectory(table.settings.data_dir).evaluations / "unfinished"
    with open_journal(folder, dict, work, table.measurement.anew) as done:
        if len(done):
            errors.print(f"Continuing an interrupted run: {len(done)} rows were measured before.")
        embedders = Embedders()
        numbered = [(row, f"{number} of {len(rows)}") for number, row in enumerate(rows, start=1)]
        found = [_measure_row(table, row, done, embedders, number) for row, number in numbered]
        base_row = _measure_row(table, own, done, embedders, "the settings as they are")
    return {**(base_row.figures or {})}, found


def _measure_row(table: TableRun, row: Row, done: FileJournal[Figures], embedders: Embedders, number: str) -> TableRow:
    settings = change_settings(table.settings, [*table.changes, *row.changes])
    form: QuestionForm = row.form or table.measurement.form
    key = hashlib.sha256(f"{settings.model_dump_json()} {form}".encode()).hexdigest()
    figures = done.get(key)
    if figures is None:
        errors.print(remove_controls(f"{number}: {row.group} {row.label}"), markup=False)
        plan = plan_questions(table.conversations, form, table.sample)
        measurement = replace(table.measurement, plan=plan, form=form)
        try:
            figures = table.figures_of(measure(settings, measurement, embedders))
        except (EmbedderUnavailable, RerankerUnavailable) as error:
            return TableRow(row, None, str(error))
        done.put(key, figures)
    if row.turn is not None:
        figures = figures["by"]["turn"].get(str(row.turn))
    return TableRow(row, figures, "" if figures else "no such turn in the sample")
