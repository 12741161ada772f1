"""Retrieval and refusals by ``wikiwhy evaluate`` on four question sets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.child import WORK, MeasurementFailed, json_object, wikiwhy
from benchmarks.corpus import SUBJECT_CHANGES, UNANSWERABLE, Corpus
from benchmarks.figure import Figure, at_least, at_most
from benchmarks.report import main


def measure(corpus: Corpus) -> list[Figure]:
    """Measure English and German together. The sets about subject changes and refusal are this project's own."""
    return [*_human_completed(corpus), *_as_asked(corpus), *_subject_changes(corpus), *_unanswerable(corpus)]


def _human_completed(corpus: Corpus) -> list[Figure]:
    result = evaluate(corpus, corpus.questions, "human")
    return [
        Figure("P@1, human-completed", "", number(result, "p_at_1"), corpus.required(at_least(0.88))),
        Figure("P@1, literal URL", "", number(result, "p_at_1_literal")),
        Figure("hit@10, human-completed", "", number(result, "hit_at_10"), corpus.required(at_least(0.97))),
    ]


def _as_asked(corpus: Corpus) -> list[Figure]:
    result = evaluate(corpus, corpus.questions, "system")
    return [
        Figure("P@1, as asked", "", number(result, "p_at_1"), corpus.required(at_least(0.80))),
        Figure("refused, answerable", "", number(result, "answer", "refused"), corpus.required(at_most(0.10))),
    ]


def _subject_changes(corpus: Corpus) -> list[Figure]:
    name = "P@1, subject changes"
    if not corpus.is_confquestions:
        return [Figure(name, "", None, None, "its questions are about the ConfQuestions pages")]
    result = evaluate(corpus, SUBJECT_CHANGES, "system")
    changes = number(result, "by", "subject_change", "true", "p_at_1")
    return [Figure(name, "", changes, at_least(0.5), f"all turns {number(result, 'p_at_1'):.3f}")]


def _unanswerable(corpus: Corpus) -> list[Figure]:
    result = evaluate(corpus, UNANSWERABLE, "system")
    group = ("answer", "unanswerable")
    required = corpus.required(at_least(0.80))
    held_out = number(result, *group, "by", "split", "held_out")
    return [
        Figure("refused, unanswerable", "", number(result, *group, "refused"), required),
        Figure("refused, unanswerable held out", "", held_out, required),
    ]


def evaluate(corpus: Corpus, questions: Path, completion: str, *more: str) -> dict[str, Any]:
    """Run ``wikiwhy evaluate --json`` and return its output. ``more``: further options."""
    written = WORK / f"{'-'.join(('evaluate', questions.stem, completion, *more))}.json"
    written.unlink(missing_ok=True)
    arguments = ("evaluate", "--qa", questions, "--documents", corpus.documents, "--data-dir", WORK / "evaluate")
    wikiwhy(*arguments, "--language", "both", "--questions", completion, "--json", written, *more)
    if not written.is_file():
        raise MeasurementFailed(f"wikiwhy evaluate wrote no {written.name}")
    return json_object(written.read_text("utf-8"))


def number(result: Mapping[str, Any], *path: str) -> float:
    """Return the number at a path of keys. Raises MeasurementFailed with the path if there is none."""
    value: Any = result
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    if not isinstance(value, int | float):
        raise MeasurementFailed(f"wikiwhy evaluate reported no {'.'.join(path)}")
    return float(value)


if __name__ == "__main__":
    main(measure)
