"""Paragraphs and lists as CommonMark."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from core.views.commonmark import render_text
from core.views.document import Paragraph, Run, Table, join_text, list_table_lines

MARKDOWN = MarkdownIt("commonmark")


def make_item(text: str, number: int = 0, level: int = 0) -> Paragraph:
    runs = (Run(text), *((Run(" "), Run(f"[{number}]", url="https://wiki.example", citation=number)) if number else ()))
    return Paragraph(runs, marker="•", level=level, tight=True)


def find_marks_outside_of_paragraphs(text: str) -> list[str]:
    """Return the list items whose text is in no paragraph of the HTML, and has a mark."""
    tokens = MARKDOWN.parse(text)
    tight = [
        inline for paragraph, inline in pairwise(tokens) if paragraph.type == "paragraph_open" and paragraph.hidden
    ]
    return [inline.content for inline in tight if "[" in inline.content]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=6))
def test_the_mark_of_each_list_item_is_in_a_paragraph_where_clients_draw_citations(
    items: list[tuple[int, int]],
) -> None:
    blocks = [make_item(f"item {at}", number) for at, (number, _) in enumerate(items)]
    assert not find_marks_outside_of_paragraphs(render_text(blocks, {1, 2}))


def test_items_without_marks_are_on_consecutive_lines() -> None:
    blocks = [make_item("one"), make_item("two"), make_item("three", 1), make_item("four"), make_item("five")]
    assert render_text(blocks[:2], {1}) == "- one\n- two"
    assert render_text(blocks, {1}) == "- one\n- two\n\n- three [1]\n\n- four\n- five"


def test_the_text_of_the_first_items_begins_the_text_of_all() -> None:
    blocks = [make_item("one"), make_item("two", 1), make_item("three"), make_item("four", 2)]
    for count in range(1, 4):
        assert render_text(blocks, {1, 2}).startswith(render_text(blocks[:count], {1, 2}))


def test_links_need_no_paragraph() -> None:
    assert render_text([make_item("one", 1), make_item("two", 2)], set()).count("\n") == 1


def test_a_table_is_the_list_of_its_cells_if_it_has_one_row() -> None:
    table = Table(((Run("City"),), (), (Run("Limit"),)), (((Run("Delft"),), (Run("€165"),), ()),))
    assert render_text([table], set()) == "- **City**: Delft\n- €165"
    assert render_text([Table(table.head, table.rows * 2)], set()) == ""


def test_a_name_that_ends_with_a_colon_gets_no_second_one() -> None:
    table = Table(((Run("Owner:"),), (Run("Limit"),)), (((Run("Ada"),), (Run("€165"),)),))
    assert render_text([table], set()) == "- **Owner**: Ada\n- **Limit**: €165"
    assert [join_text(line.runs) for line in list_table_lines(table)] == ["Owner: Ada; Limit: €165"]
