"""What the benchmark of Explain makes of its cases."""

from pathlib import Path

import pytest

from benchmarks import attribution
from benchmarks.attribution import Case
from benchmarks.corpus import Corpus
from core.evaluation.questions import GoldQuestion

CORPUS = Corpus("pages", Path("documents"), Path("questions.json"), is_confquestions=True)


def case(language: str, naive: bool, clustered: bool, **changes: float | bool) -> Case:
    gold = GoldQuestion("1", 1, language, "Who?", "Who approves travel?", ("/pages/1",), "Ann", ())  # type: ignore[arg-type]
    right = {"naive": naive, "counterfactual": False, "clustered": clustered}
    values = {"top": 0.2, "others": 0.01, "calls": 8, "frugal_calls": 3, "same_top": True, "clusters": 8, **changes}
    return Case(gold, right, **values)  # type: ignore[arg-type]


def test_accuracy_is_by_language_and_clustered_may_not_fall_behind_naive() -> None:
    cases = [case("en", True, True), case("en", True, False), case("de", False, True)]
    figures = {figure.name: figure for figure in attribution._accuracy(cases, CORPUS)}
    assert figures["attribution accuracy, naive, EN"].measured == 1.0
    assert figures["attribution accuracy, clustered, EN"].measured == 0.5
    assert figures["attribution accuracy, clustered, EN"].verdict == "short"
    assert figures["attribution accuracy, clustered, DE"].verdict == "ok"


def test_the_deletion_test_compares_the_top_cluster_with_another() -> None:
    (figure,) = attribution._deletion([case("en", True, True), case("en", True, True, top=0.4)], CORPUS)
    assert figure.measured == pytest.approx(30.0)


def test_fewer_calls_are_measured_on_turns_with_many_clusters_only() -> None:
    few = case("en", True, True, clusters=3, frugal_calls=8, same_top=False)
    share, same = attribution._fewer_calls([case("en", True, True), few], CORPUS)
    assert share.measured == pytest.approx(3 / 8)
    assert same.measured == 1.0
