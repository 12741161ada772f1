"""What the benchmark of Explain makes of what ``wikiwhy evaluate --table 3`` reports."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks import attribution
from benchmarks.corpus import Corpus

CORPUS = Corpus("pages", Path("documents"), Path("questions.json"), is_confquestions=True)


def result(naive: float, clustered: float, **changes: Any) -> dict[str, Any]:
    group = {"questions": 10, "naive": naive, "counterfactual": 0.5, "clustered": clustered, "frugal": clustered}
    return {
        "by": {"language": {"en": group, "de": group}},
        "deletion": {"top_cluster": 0.3, "other_cluster": 0.01},
        "fewer_calls": {"questions": 4, "calls": 0.375, "same_top": 1.0},
        "differences": [],
        **changes,
    }


@pytest.mark.parametrize(
    ("naive", "clustered", "verdict"), [(0.8, 0.9, "ok"), (0.8, 0.84, "short"), (0.95, 0.93, "short")]
)
def test_clustered_attribution_must_be_good_and_not_behind_naive(naive: float, clustered: float, verdict: str) -> None:
    figures = {figure.name: figure for figure in attribution._accuracy(result(naive, clustered), CORPUS)}
    assert figures["attribution accuracy, naive, EN"].measured == naive
    assert figures["attribution accuracy, clustered, EN"].verdict == verdict
    assert figures["attribution accuracy, clustered, DE"].verdict == verdict


def test_the_deletion_test_compares_the_top_cluster_with_another() -> None:
    assert attribution._deletion(result(0.8, 0.9), CORPUS).measured == pytest.approx(30.0)
    never = result(0.8, 0.9, deletion={"top_cluster": 0.3, "other_cluster": 0.0})
    assert attribution._deletion(never, CORPUS).measured is None


def test_fewer_calls_have_a_bound_on_calls_and_on_the_same_top() -> None:
    share, same = attribution._fewer_calls(result(0.8, 0.9), CORPUS)
    assert (share.measured, share.verdict) == (0.375, "ok")
    assert (same.measured, same.verdict) == (1.0, "ok")
