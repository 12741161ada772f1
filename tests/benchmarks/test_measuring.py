"""Measurements run the real thing, and say so when it fails."""

import os
import sys

import numpy as np
import pytest

from benchmarks import evaluation, extraction
from benchmarks.child import MeasurementFailed, default_settings, run
from benchmarks.corpus import ROOT, Corpus, pages_of
from benchmarks.figure import Figure
from benchmarks.report import measure_safely
from benchmarks.retrieval import copies, precompute, questions
from core.evidence.extract import extract
from core.ports.models import Embedder

SAMPLES = Corpus("samples", ROOT / "samples" / "documents", ROOT / "samples" / "questions.json", False)


def test_cpu_time_of_a_grandchild_counts() -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}], check=True)"

    assert run([sys.executable, "-c", parent]).cpu >= 0.3


def test_a_command_that_fails_is_no_figure() -> None:
    def measure(corpus: Corpus) -> list[Figure]:
        run([sys.executable, "-c", "import sys; sys.exit('the disk is full')"])
        return []

    (figure,) = measure_safely(measure, SAMPLES)

    assert figure.verdict == "failed"
    assert "exit code 1: the disk is full" in figure.note


def test_settings_of_this_machine_do_not_change_what_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKIWHY_CONTEXT", "NONE")
    show = "import os; print([name for name in os.environ if name.startswith('WIKIWHY_')])"

    assert run([sys.executable, "-c", show]).output == "[]\n"
    with default_settings():
        assert "WIKIWHY_CONTEXT" not in os.environ
    assert os.environ["WIKIWHY_CONTEXT"] == "NONE"


def test_extraction_is_measured_over_all_pages() -> None:
    (figure,) = extraction.measure(SAMPLES)

    assert figure.measured is not None
    assert figure.measured > 0
    assert figure.note.startswith(f"{len(list(SAMPLES.documents.glob('*.json')))} pages")


def test_copies_fill_up_to_the_wanted_number_of_evidences_under_their_own_ids() -> None:
    pages = pages_of(SAMPLES.documents)
    made = copies(pages, 700)

    assert len({page.page_id for page in [*pages, *made]}) == len(pages) + len(made)
    assert sum(len(extract(page).evidences) for page in [*pages, *made]) >= 700
    assert sum(len(extract(page).evidences) for page in [*pages, *made[:-1]]) < 700


async def test_precomputed_queries_have_the_embedders_vectors(embedder: Embedder) -> None:
    asked = questions(SAMPLES.questions)[:5]

    embedded = await precompute(embedder, asked)

    assert embedded.name == embedder.name
    assert np.allclose(await embedded.embed_queries(asked[3:4]), await embedder.embed_queries(asked[3:4]), atol=1e-5)


def test_a_number_that_evaluate_does_not_report_is_named() -> None:
    assert evaluation.number({"by": {"turn": {"1": 0.5}}}, "by", "turn", "1") == 0.5
    with pytest.raises(MeasurementFailed, match=r"no by\.subject_change\.true\.p_at_1"):
        evaluation.number({"by": {}}, "by", "subject_change", "true", "p_at_1")
