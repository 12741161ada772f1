"""The measurements of Confluence's sync, small: what they require holds, and they notice where it does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.confluence import complete, kills, pipeline, served, withdrawn
from benchmarks.confluence.kills import Undisturbed, find_mixed, measure_kills
from benchmarks.confluence.state import State, read_state
from benchmarks.figure import Figure
from tests.servers.confluence import ConfluenceServer, Flavour, many_pages
from tests.servers.confluence.fixtures import SAMPLES

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for module in (complete, kills, pipeline, served, withdrawn):
        monkeypatch.setattr(module, "FOLDER", tmp_path)
    return tmp_path


def short(figures: list[Figure]) -> list[Figure]:
    return [figure for figure in figures if figure.verdict != "ok"]


def test_a_killed_sync_is_finished_by_the_next_one_and_mixes_no_versions(folder: Path) -> None:
    with ConfluenceServer(many_pages(12), "cloud") as server:
        assert short(measure_kills(server, 1, seed=5, first=False)) == []
    old, new = read_state(folder / "kills-old"), read_state(folder / "kills-new")
    assert {"pages", "evidences", "lexical index", "dense index", "vectors", "answers"} <= set(new.differences(old))
    kind = Undisturbed(None, old, new, 1.0)
    assert (find_mixed(old, kind), find_mixed(new, kind)) == (set(), set())
    some = sorted(new.answering)[:3]
    assert find_mixed(
        replace(new, answering={**new.answering, **{page: old.answering[page] for page in some}}), kind
    ) == {*some}
    assert find_mixed(_with_pages_of(new, old), kind) == set(old.answering)


def _with_pages_of(state: State, other: State) -> State:
    return replace(state, rows={**state.rows, "pages": other.rows["pages"]})


def test_pages_that_were_withdrawn_answer_nobody_but_their_readers() -> None:
    assert short(withdrawn.measure_withdrawn(["datacenter"])) == []


@pytest.mark.parametrize("flavour", ["cloud", "datacenter"])
def test_every_page_is_found_also_where_many_requests_are_refused(flavour: Flavour) -> None:
    assert short([complete.measure_found(flavour, SAMPLES, refused) for refused in (0.0, 0.3)]) == []


def test_the_time_of_a_sync_with_an_embedding_endpoint_is_measured_by_stage() -> None:
    figures = {figure.name: figure for figure in pipeline.measure_pipeline("datacenter", [12], spaces=2, latency=0.0)}
    assert figures["12 pages, datacenter: read and committed"].measured
    assert all(stage in figures["12 pages, datacenter: processor time"].note for stage in ("read", "extract", "embed"))
