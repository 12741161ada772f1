"""The five linearisations of a table (RAGonite, Table 4)."""

import pytest

from core.evidence.groups import ExtractionSettings
from core.evidence.linearise import LineariserName
from tests.core.evidence.pages import rows, texts

CONTENT = rows("th:Task | th:Owner", "Book | Alice", "Pay | ", "a|b".replace("|", "&#124;") + " | x&lt;y")


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        (
            "verbalised",
            "Row 1 in Table 1: Task is Book, and Owner is Alice\nRow 2 in Table 1: Task is Pay\n"
            "Row 3 in Table 1: Task is a|b, and Owner is x<y",
        ),
        ("piped", "Task | Owner\nBook | Alice\nPay | \na|b | x<y"),
        ("markdown", "| Task | Owner |\n| --- | --- |\n| Book | Alice |\n| Pay |  |\n| a\\|b | x<y |"),
        (
            "html",
            "<table><tr><th>Task</th><th>Owner</th></tr>\n<tr><td>Book</td><td>Alice</td></tr>\n<tr><td>Pay</td><td></td></tr>\n"
            "<tr><td>a|b</td><td>x&lt;y</td></tr>\n</table>",
        ),
        ("plaintext", "Book Alice\nPay\na|b x<y"),
    ],
)
def test_the_whole_table(name: LineariserName, whole: str) -> None:
    assert texts(CONTENT, "table", ExtractionSettings(lineariser=name)) == [whole]


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("piped", "Task | Owner\nBook | Alice"),
        ("markdown", "| Task | Owner |\n| --- | --- |\n| Book | Alice |"),
        ("html", "<table><tr><th>Task</th><th>Owner</th></tr>\n<tr><td>Book</td><td>Alice</td></tr>\n</table>"),
        ("plaintext", "Book Alice"),
    ],
)
def test_a_row_stands_by_itself_with_its_header(name: LineariserName, row: str) -> None:
    assert texts(CONTENT, "table_row", ExtractionSettings(lineariser=name))[0] == row


@pytest.mark.parametrize("name", ["piped", "markdown", "html", "plaintext"])
def test_no_form_loses_a_section_or_merges_cells_without_headers(name: LineariserName) -> None:
    section = (
        "<table><tr><th>A</th><th>B</th></tr><tr><td colspan='2'>Engine</td></tr><tr><td>1</td><td>2</td></tr></table>"
    )
    settings = ExtractionSettings(lineariser=name)
    assert "Engine" in texts(section, "table", settings)[0]
    separator = {"piped": "x | y", "markdown": "| x | y |", "html": "<td>x</td><td>y</td>", "plaintext": "x y"}[name]
    assert separator in texts(rows("1 | 2", "x | y"), "table", settings)[0]


def test_tables_and_rows_can_be_left_out() -> None:
    assert texts(CONTENT, settings=ExtractionSettings(rows=False)) == texts(CONTENT, "table")
    assert texts(CONTENT, settings=ExtractionSettings(tables=False)) == texts(CONTENT, "table_row")
