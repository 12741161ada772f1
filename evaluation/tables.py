"""The configurations of the paper's tables: each row one measurement (RAGonite, section 6)."""

from __future__ import annotations

from dataclasses import dataclass

from core.evidence.contextualise import CONTEXT_MODES
from core.evidence.linearise import LINEARISERS
from evaluation.sampling import QuestionForm


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its group and label, and the settings that differ from the run's own (``KEY=VALUE``).

    ``form``: of the questions, None for the run's own. ``turn``: of the questions only those of this turn.
    """

    group: str
    label: str
    changes: tuple[str, ...] = ()
    form: QuestionForm | None = None
    turn: int | None = None


def table_2() -> list[Row]:
    """The contexts that evidences are indexed with."""
    return [Row("context", mode, (f"context={mode}",)) for mode in CONTEXT_MODES]


def table_3() -> list[Row]:
    """Attribution accuracy: one measurement, whose ways are the table's lines."""
    return [Row("attribution", "")]


def table_4(turns: int, language_model: bool) -> list[Row]:
    """One part of the configuration at a time. ``turns``: of the longest conversation."""
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
    """What of the pages is indexed."""
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
