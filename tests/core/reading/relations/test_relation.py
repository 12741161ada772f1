"""Tables and lists that were cut into evidences are whole again."""

from __future__ import annotations

from html import escape

from hypothesis import given
from hypothesis import strategies as st

from core.reading.relations.relation import make_relations
from core.reading.relations.rows import DONE, ITEM, SECTION
from tests.core.reading.tables import MACHINES, PLUGINS, evidences, of_kind


def test_a_table_has_its_columns_rows_and_context() -> None:
    [table] = make_relations(evidences(MACHINES))
    assert table.columns == ("Vendor", "Model", "Build", "S3 P/F", "Comments")
    assert [row.cells["Model"] for row in table.rows] == ["E7440", "8300", "Z820", "XE2", "T440"]
    assert (table.title, table.heading_path, table.total) == ("Hardware testing", ("Machines",), 5)


def test_rows_found_by_themselves_are_a_table_that_lacks_the_others() -> None:
    rows = of_kind(evidences(MACHINES), "table_row")
    [table] = make_relations([rows[3], rows[1]])
    assert [row.cells["Model"] for row in table.rows] == ["8300", "XE2"]
    assert table.total == 5


def test_items_know_what_they_are_nested_in_and_what_introduces_the_list() -> None:
    [found] = make_relations(evidences(PLUGINS))
    assert [row.cells[ITEM] for row in found.rows] == ["Cygpath", "ThinBackup", "Git", "Changelog"]
    assert found.rows[3].cells[SECTION] == "Git"
    assert found.introduction == "These Jenkins plugins are included:"


def test_tasks_have_their_state() -> None:
    task = "<ac:task><ac:task-status>{}</ac:task-status><ac:task-body>{}</ac:task-body></ac:task>"
    tasks = f"<ac:task-list>{task.format('complete', 'Book')}{task.format('incomplete', 'Pay')}</ac:task-list>"
    [found] = make_relations(evidences(tasks))
    assert [(row.cells[ITEM], row.cells[DONE]) for row in found.rows] == [("Book", "yes"), ("Pay", "no")]


def test_columns_of_the_same_name_stay_apart() -> None:
    table = "<table><tr><th>P/F</th><th>P/F</th></tr><tr><td>yes</td><td>no</td></tr></table>"
    [found] = make_relations(evidences(table))
    assert dict(found.rows[0].cells) == {"P/F": "yes", "P/F (2)": "no"}


words = st.text(st.sampled_from("abcd "), min_size=1, max_size=60).map(lambda text: " ".join(text.split()) or "x")


@given(st.lists(st.tuples(words, words), min_size=2, max_size=12), st.integers(60, 400))
def test_a_table_is_whole_however_it_was_cut(cells: list[tuple[str, str]], max_chars: int) -> None:
    lines = "".join(f"<tr><td>n{at}</td><td>{escape(a)}</td><td>{b}</td></tr>" for at, (a, b) in enumerate(cells))
    content = f"<table><tr><th>Name</th><th>Left</th><th>Right</th></tr>{lines}</table>"
    [table] = make_relations(evidences(content, max_chars=max_chars))
    assert [row.cells["Name"] for row in table.rows] == [f"n{at}" for at in range(len(cells))]
    assert len(table.rows) == table.total


@given(st.lists(words, min_size=1, max_size=15), st.integers(60, 200))
def test_a_list_has_each_item_once_however_it_was_cut(items: list[str], max_chars: int) -> None:
    content = "<ol>" + "".join(f"<li>n{at} {item}</li>" for at, item in enumerate(items)) + "</ol>"
    [found] = make_relations(evidences(content, max_chars=max_chars))
    assert [row.cells[ITEM].split()[0] for row in found.rows] == [f"n{at}" for at in range(len(items))]
