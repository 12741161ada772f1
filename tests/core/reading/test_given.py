"""Questions for rows that have something at all: "which shops had complaints"."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reading.relations.test_totals import write_table
from tests.core.reading.tables import compute, evidences

HEADER = ("Shop", "Broken glass", "Complaints", "Returns", "Staff")
SHOPS = (
    ("Oslo", "none", "0", "€0", "12"),
    ("Bonn", "one pane", "3", "€40", "7"),
    ("Graz", "–", "0", "€0", "9"),
    ("Rome", "door", "5", "–", "4"),
)
LAEDEN = (("Kiel", "keine", "0"), ("Ulm", "Scheibe", "4"), ("Bonn", "-", "0"))


def answer(question: str, content: str, title: str) -> str:
    found = compute(question, evidences(content, title))
    return found.answer.text if found else ""


def list_names(text: str, names: tuple[tuple[str, ...], ...]) -> list[str]:
    lines = text.splitlines()[1:]
    return [name for name, *_ in names if any(name in line for line in lines)]


@pytest.mark.parametrize("verb", ["have", "had", "got", "have had", "had any", "got some"])
@pytest.mark.parametrize(
    ("noun", "names"),
    [("broken glass", ["Bonn", "Rome"]), ("complaints", ["Bonn", "Rome"]), ("returns", ["Bonn"])],
)
def test_rows_with_nothing_or_zero_have_none(verb: str, noun: str, names: list[str]) -> None:
    found = answer(f"which shops {verb} {noun}", write_table(HEADER, *SHOPS), "Shops")
    assert found.startswith(f"{len(names)} of 4 entries")
    assert list_names(found, SHOPS) == names


@pytest.mark.parametrize("verb", ["haben", "hatten", "bekamen"])
@pytest.mark.parametrize("noun", ["Schäden", "Beschwerden"])
def test_in_german(verb: str, noun: str) -> None:
    found = answer(f"Welche Läden {verb} {noun}?", write_table(("Laden", "Schäden", "Beschwerden"), *LAEDEN), "Läden")
    assert list_names(found, LAEDEN) == ["Ulm"]


@pytest.mark.parametrize("question", ["which shops had no complaints", "shops without complaints"])
def test_rows_with_zero_have_none_of_it(question: str) -> None:
    found = answer(question.replace("shops w", "list shops w"), write_table(HEADER, *SHOPS), "Shops")
    assert found.splitlines()[0] == "2 of 4 entries in “Shops” match not Complaints > 0:"
    assert list_names(found, SHOPS) == ["Oslo", "Graz"]


def test_if_no_row_has_it_the_rows_are_not_listed() -> None:
    shops = [(name, glass, "0", *rest) for name, glass, _, *rest in SHOPS]
    found = answer("which shops had complaints", write_table(HEADER, *shops), "Shops")
    assert found.startswith("No row of “Shops” matches Complaints > 0.")


@pytest.mark.parametrize("note", ["closed in May", "failed to open", "disabled ramp"])
def test_a_remark_that_begins_with_a_state_is_one(note: str) -> None:
    table = write_table(("Shop", "Notes"), ("Oslo", "-"), ("Rome", note), ("Bonn", "opens late"), ("Graz", "no notes"))
    assert list_names(answer("which shops had notes", table, "Shops"), (("Oslo",), *SHOPS)) == ["Bonn", "Rome"]


@given(st.lists(st.integers(0, 3), min_size=3, max_size=8))
def test_the_listed_rows_are_those_above_zero(figures: list[int]) -> None:
    rows = tuple((f"Shop{chr(65 + at)}x", str(figure)) for at, figure in enumerate(figures))
    found = answer("which shops had thefts", write_table(("Shop", "Thefts"), *rows), "Shops")
    assert list_names(found, rows) == [name for name, figure in rows if figure != "0"]


BOATS = write_table(
    ("Boat", "Masts", "Engine runs", "Crew"),
    ("Alma", "up to 2", "30 hours", "4"),
    ("Bora", "0", "none", "2"),
    ("Cora", "1", "12 hours", "3"),
)


@pytest.mark.parametrize(
    "question",
    [
        "which boats have an engine",
        "Which boats have masts?",
        "what boats have engine power",
        "list the boats with an engine",
    ],
)
def test_not_all_rows_are_listed_if_a_column_may_say_which(question: str) -> None:
    found = answer(question, BOATS, "Boats")
    assert "Bora" not in list_names(found, (("Bora",),))


def test_all_rows_are_listed_if_all_have_it() -> None:
    assert len(list_names(answer("which boats have crew", BOATS, "Boats"), (("Alma",), ("Bora",), ("Cora",)))) == 3
    assert len(list_names(answer("which boats do we have", BOATS, "Boats"), (("Alma",), ("Bora",), ("Cora",)))) == 3
