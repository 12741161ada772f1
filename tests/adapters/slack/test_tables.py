"""Tables and quoted rows of answers in Slack's blocks."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.slack.blocks import render_message
from adapters.slack.windows import render_answer
from core.model import Citation
from core.model.views import AnswerView, RowView
from tests.adapters.slack.limits import check_blocks, check_view

Json = dict[str, Any]

URL = "https://wiki/1#Limits"
CITED = (Citation(1, "e1", "1", "Travel policy", "Limits", URL, "table", ""),)
ROW = "Country: Netherlands · Hotel per night: €165 · Rental car per day: €70"
CELLS = (("Country", "Netherlands"), ("Hotel per night", "€165"), ("Rental car per day", "€70"))
QUESTION = "What is the hotel limit per night in Delft?"


def blocks(text: str, question: str = QUESTION, **about: Any) -> list[Json]:
    about = {"markup": "markdown", **about}
    shown = render_message(AnswerView("t1", "en", text, True, citations=CITED, question=question, **about), "")
    check_blocks(shown["blocks"])
    return list(shown["blocks"])


def tables(found: list[Json]) -> list[list[list[Json]]]:
    return [block["rows"] for block in found if block["type"] == "data_table"]


def markdown(rows: int, columns: int = 2, cell: str = "x") -> str:
    head = [f"Column {at}" for at in range(columns)]
    lines = [head, ["---"] * columns, *([f"{cell}{row}"] * columns for row in range(rows))]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def test_a_quoted_row_becomes_fields_with_the_value_in_bold() -> None:
    row = RowView(ROW, "", CELLS)
    found = blocks(f"{ROW} [1]", markup="plain", rows=(row,))
    assert [field["text"] for field in found[0]["fields"]] == [
        f"Country:\nNetherlands <{URL}|[1]>", "Hotel per night:\n*€165*", "Rental car per day:\n€70",
    ]  # fmt: skip
    shown = render_message(AnswerView("t1", "en", f"{ROW} [1]", True, citations=CITED, rows=(row,)), "")
    assert shown["text"].startswith("Country: Netherlands [1]; Hotel per night: €165; Rental car per day: €70")


def test_more_than_ten_fields_become_several_sections() -> None:
    cells = tuple((f"C{at}", f"v{at}") for at in range(23))
    line = " · ".join(f"{header}: {value}" for header, value in cells)
    found = blocks(line, markup="plain", rows=(RowView(line, "", cells),))
    assert [len(block["fields"]) for block in found if "fields" in block] == [10, 10, 3]


def test_a_table_begins_with_the_row_of_the_question() -> None:
    text = "Limits:\n\n| City | Hotel |\n|---|---|\n| Bonn | 1 & <b> |\n| Delft | 2 [1] |\n| Lyon | |"
    (rows,) = tables(blocks(text))
    raw = {"type": "raw_text", "text": "Bonn"}, {"type": "raw_text", "text": "1 & <b>"}
    assert rows[0] == [{"type": "raw_text", "text": "City"}, {"type": "raw_text", "text": "Hotel"}]
    assert rows[2] == list(raw)
    assert rows[3][1] == {"type": "raw_text", "text": "–"}
    ((cell,),) = (section["elements"] for section in [rows[1][1]])
    assert cell["elements"] == [
        {"type": "text", "text": "2 ", "style": {"bold": True}}, {"type": "link", "url": URL, "text": "[1]"},
    ]  # fmt: skip


def test_a_table_of_a_hundred_rows_is_complete() -> None:
    (rows,) = tables(blocks(markdown(100)))
    assert len(rows) == 101


def test_rows_beyond_a_hundred_are_counted_and_shown_in_the_modal() -> None:
    found = blocks(markdown(300, cell="y"))
    (rows,) = tables(found)
    assert len(rows) == 101
    assert "… 200 more rows" in str(found)
    assert "Show the whole answer" in str(found)
    modal = render_answer(AnswerView("t1", "en", markdown(300, cell="y"), True, "markdown", CITED))
    check_view(modal)
    assert all(f"y{at} " in str(modal) for at in range(300))


@pytest.mark.parametrize("text", [markdown(3, columns=21), markdown(2, cell="z" * 2_500)])
def test_a_table_beyond_the_limits_is_text(text: str) -> None:
    found = blocks(text)
    assert not tables(found)
    assert "Column 1" in str(found)


def test_tables_that_are_too_long_together_are_text() -> None:
    assert len(tables(blocks(f"{markdown(40)}\n\nand\n\n{markdown(40)}"))) == 2
    assert not tables(blocks(f"{markdown(30, cell='v' * 80)}\n\nand\n\n{markdown(30, cell='u' * 85)}"))


def test_a_message_with_many_tables_keeps_the_limit_of_blocks() -> None:
    text = "\n\n".join(f"Of {at}:\n\n| A | B |\n|---|---|\n| {at} | x |" for at in range(40))
    found = blocks(text)
    assert len(found) <= 50
    assert "39" in str(found)
