"""Journals in files: what was put is there, whatever happened then."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model import Trace, Turn
from evaluation.attribution import AttributedAnswer
from evaluation.journal import FileJournal, open_journal
from tests.contracts.examples import indexed_page, trace, turn

WORK = ("code", "settings")


def test_a_turn_comes_back_whole(tmp_path: Path) -> None:
    page = indexed_page("1", kind="table_row")
    given_turn = turn(used=(page,), cited=(page,))
    path = tmp_path / "a" / "journal.jsonl"
    FileJournal(path, Turn).put("1-1", given_turn)
    assert FileJournal(path, Turn).get("1-1") == given_turn


def test_a_trace_comes_back_whole(tmp_path: Path) -> None:
    FileJournal(tmp_path / "journal.jsonl", Trace).put("1", trace())
    assert FileJournal(tmp_path / "journal.jsonl", Trace).get("1") == trace()


def test_clusters_come_back_as_tuples_of_numbers(tmp_path: Path) -> None:
    answer = AttributedAnswer("1", 2, "de", "Wer?", {"naive": (0, 3)}, {"naive": True}, {"naive": 0}, 0.5, 0.0, 4)
    FileJournal(tmp_path / "journal.jsonl", AttributedAnswer).put("1", answer)
    assert FileJournal(tmp_path / "journal.jsonl", AttributedAnswer).get("1") == answer


def test_work_that_ends_leaves_nothing_to_go_on_with(tmp_path: Path) -> None:
    with open_journal(tmp_path, dict, WORK) as first:
        first.put("row", {"p_at_1": 0.5})
    with open_journal(tmp_path, dict, WORK) as second:
        assert len(second) == 0


def test_work_that_was_interrupted_goes_on_where_it_stopped(tmp_path: Path) -> None:
    interrupted(tmp_path)
    with open_journal(tmp_path, dict, WORK) as second:
        assert second.get("row") == {"p_at_1": 0.5}
        assert second.get("another row") is None


def test_other_work_begins_at_the_beginning(tmp_path: Path) -> None:
    interrupted(tmp_path)
    with open_journal(tmp_path, dict, ("other code", "settings")) as other:
        assert len(other) == 0


def test_work_can_be_begun_anew(tmp_path: Path) -> None:
    interrupted(tmp_path)
    with open_journal(tmp_path, dict, WORK, anew=True) as again:
        assert len(again) == 0


def interrupted(folder: Path) -> None:
    def work() -> None:
        with open_journal(folder, dict, WORK) as first:
            first.put("row", {"p_at_1": 0.5})
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()


@given(values=st.lists(st.text(max_size=8), min_size=1, max_size=5), cut=st.integers(0, 10_000))
def test_a_journal_cut_off_anywhere_keeps_every_whole_result(
    tmp_path_factory: pytest.TempPathFactory, values: list[str], cut: int
) -> None:
    path = tmp_path_factory.mktemp("journals") / "journal.jsonl"
    written = FileJournal(path, str)
    ends = []
    for number, value in enumerate(values):
        written.put(str(number), value)
        ends.append(path.stat().st_size)
    left = min(cut, ends[-1])
    path.write_bytes(path.read_bytes()[:left])
    found = FileJournal(path, str)
    for number, value in enumerate(values):
        # A line is whole also without the line feed that ends it.
        assert found.get(str(number)) == (value if ends[number] <= left + 1 else None)
    found.put("next", "more")
    assert FileJournal(path, str).get("next") == "more"
