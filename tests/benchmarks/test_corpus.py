"""What is measured on: ConfQuestions where it is, else the samples, which have no targets."""

from pathlib import Path

import pytest

from benchmarks.corpus import ROOT, corpus, pages_of
from benchmarks.figure import at_least


def test_without_the_confquestions_pages_the_samples_are_measured_without_targets(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WIKIWHY_CONFQUESTIONS", str(tmp_path))

    found = corpus()

    assert found.documents == ROOT / "samples" / "documents"
    assert found.required(at_least(0.88)) is None


def test_the_confquestions_folder_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    (tmp_path / "qa-pairs.dev.json").write_text("[]")
    monkeypatch.setenv("WIKIWHY_CONFQUESTIONS", str(tmp_path))

    found = corpus()

    assert found.documents == tmp_path / "documents"
    assert found.required(at_least(0.88)) == at_least(0.88)


def test_a_broken_page_stops_the_measurement(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_text('{"id": "1", "space": "A", "title": "Good", "content": "<p>One.</p>"}')
    (tmp_path / "broken.json").write_text("{")

    with pytest.raises(ValueError, match=r"broken\.json"):
        pages_of(tmp_path)
