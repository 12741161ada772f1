"""A table of measurements, row by row; an interrupted one goes on with the rows that are missing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.cli.options import errors, plain
from bot.data_directory import DataDirectory
from bot.settings import Settings
from core.errors import EmbedderUnavailable, RerankerUnavailable
from evaluation.configuration import change_settings, without_secret
from evaluation.journal import FileJournal, code_digest, journal
from evaluation.measurement import Embedders, Measured, Measurement, documents_digest, measure
from evaluation.questions import GoldQuestion
from evaluation.sampling import QuestionForm, plan_questions
from evaluation.tables import Row

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row with its figures, None where it could not be measured, and ``reason`` says why."""

    row: Row
    figures: Figures | None
    reason: str = ""

    def json(self) -> Figures:
        return {
            "group": self.row.group,
            "label": self.row.label,
            "set": [without_secret(change) for change in self.row.changes],
            "figures": self.figures,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class TableRun:
    """What a table's rows have in common. ``measurement``: that of the run's own configuration."""

    settings: Settings
    changes: Sequence[str]
    conversations: Sequence[Sequence[GoldQuestion]]
    sample: int | None
    measurement: Measurement
    figures_of: Callable[[Measured], Figures]


def run_table(table: TableRun, rows: Sequence[Row]) -> tuple[Figures, list[TableRow]]:
    """The figures of the run's own configuration, and the rows. What several rows share is measured once."""
    own = Row("", "")
    plan = str([table.conversations, table.sample, table.measurement.form, table.measurement.judge])
    base = change_settings(table.settings, table.changes).model_dump_json()
    work = [code_digest(), base, documents_digest(table.measurement.documents), plan]
    folder = DataDirectory(table.settings.data_dir).evaluations / "unfinished"
    with journal(folder, dict, work, table.measurement.anew) as done:
        if len(done):
            errors.print(f"going on where it stopped: {len(done)} rows' measurements were done before")
        embedders = Embedders()
        numbered = [(row, f"{number} of {len(rows)}") for number, row in enumerate(rows, start=1)]
        found = [_row(table, row, done, embedders, number) for row, number in numbered]
        base_row = _row(table, own, done, embedders, "the settings as they are")
    return {**(base_row.figures or {})}, found


def _row(table: TableRun, row: Row, done: FileJournal[Figures], embedders: Embedders, number: str) -> TableRow:
    settings = change_settings(table.settings, [*table.changes, *row.changes])
    form: QuestionForm = row.form or table.measurement.form
    key = hashlib.sha256(f"{settings.model_dump_json()} {form}".encode()).hexdigest()
    figures = done.get(key)
    if figures is None:
        errors.print(plain(f"{number}: {row.group} {row.label}"), markup=False)
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
