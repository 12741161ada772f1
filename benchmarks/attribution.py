"""``python -m benchmarks.attribution``: Explain on the gold questions, without a language model (RAGonite, Table 3).

The questions on which naive and clustered attribution differ are written to ``build/attribution.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.corpus import ROOT, Corpus
from benchmarks.evaluation import evaluate, number
from benchmarks.figure import Figure, at_least, at_most
from benchmarks.report import main
from evaluation.attribution import MANY_CLUSTERS, WAYS


def measure(corpus: Corpus) -> list[Figure]:
    """Measure the attribution accuracy by way and language, the deletion test, and the frugal way."""
    result = evaluate(corpus, corpus.questions, "human", "--table", "3")["attribution"]
    _write_differences(result)
    return [*_accuracy(result, corpus), _deletion(result, corpus), *_fewer_calls(result, corpus)]


def _accuracy(result: Mapping[str, Any], corpus: Corpus) -> list[Figure]:
    figures: list[Figure] = []
    for language in ("en", "de"):
        group = ("by", "language", language)
        naive, answers = number(result, *group, "naive"), number(result, *group, "questions")
        for way in WAYS:
            required = corpus.required(at_least(max(0.85, naive - 0.01))) if way == "clustered" else None
            name = f"attribution accuracy, {way}, {language.upper()}"
            figures.append(Figure(name, "", number(result, *group, way), required, f"{answers:.0f} answers"))
    return figures


def _deletion(result: Mapping[str, Any], corpus: Corpus) -> Figure:
    top, other = (number(result, "deletion", name) for name in ("top_cluster", "other_cluster"))
    note = f"similarity falls by {top:.3f} without the top cluster, by {other:.4f} without another one"
    ratio = top / other if other else None
    return Figure("deletion: top cluster's fall over another's", "times", ratio, corpus.required(at_least(3)), note)


def _fewer_calls(result: Mapping[str, Any], corpus: Corpus) -> list[Figure]:
    turns = f"{number(result, 'fewer_calls', 'questions'):.0f} turns with at least {MANY_CLUSTERS} clusters"
    calls, same = (number(result, "fewer_calls", name) for name in ("calls", "same_top"))
    return [
        Figure("calls of the frugal method, share", "", calls, corpus.required(at_most(0.75)), turns),
        Figure("frugal, same top cluster", "", same, corpus.required(at_least(0.95)), turns),
    ]


def _write_differences(result: Mapping[str, Any]) -> None:
    """Write the questions on which naive and clustered attribution differ."""
    lines = [
        f"- {item['right']} is right: {item['question']} "
        f"(conversation {item['conversation']}, turn {item['turn']}, {item['language']})"
        for item in result["differences"]
    ]
    path = ROOT / "build" / "attribution.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(["# Where naive and clustered attribution differ", "", *lines]) + "\n", "utf-8")


if __name__ == "__main__":
    main(measure)
