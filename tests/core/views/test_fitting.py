from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.blocks import LIMITS as SLACK
from adapters.teams.elements import LIMITS as TEAMS
from core.views.document import Block, Code, Document, Paragraph, Run, Table, join_text, link
from core.views.fitting import Limits, cut, fit, pack

ATOMS = st.sampled_from(("word", " ", "\n", ". ", "&", "<", "🎉", "x" * 30)).map(Run)
LINKS = st.integers(1, 99).map(lambda number: link(f"https://wiki/page/with/a/name/{number}", f"[{number}]"))
RUNS = st.lists(st.one_of(ATOMS, LINKS), min_size=1, max_size=60).map(tuple)
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=2_000)
ROWS = st.lists(st.tuples(WORDS, WORDS).map(lambda row: tuple((Run(cell),) for cell in row)), min_size=2, max_size=9)
BLOCKS = st.lists(
    st.one_of(
        RUNS.map(Paragraph),
        WORDS.map(lambda words: Paragraph((Run(words),))),
        ROWS.map(lambda rows: Table(rows[0], tuple(rows[1:]))),
        st.lists(WORDS, min_size=1, max_size=9).map(lambda lines: Code(tuple(lines))),
    ),
    max_size=6,
)
PLATFORMS = pytest.mark.parametrize("limits", [SLACK, TEAMS], ids=["slack", "teams"])


def words_of(blocks: Sequence[Block]) -> str:
    """Return the text of blocks without white space and table heads, which each part repeats."""
    found = ""
    for block in blocks:
        match block:
            case Paragraph():
                found += join_text(block.runs)
            case Code():
                found += "".join(block.lines)
            case Table():
                found += "".join(join_text(cell) for row in block.rows for cell in row)
    return "".join(found.split())


def paragraph(text: str) -> Paragraph:
    return Paragraph((Run(text),))


def cut_text(text: str, limit: int) -> list[str]:
    parts = cut(paragraph(text), lambda block: isinstance(block, Paragraph) and len(join_text(block.runs)) <= limit)
    return [join_text(part.runs) for part in parts if isinstance(part, Paragraph)]


@PLATFORMS
@given(runs=RUNS, room=st.integers(400, 1_200))
def test_a_cut_is_never_within_a_link_and_loses_only_space(limits: Limits, runs: tuple[Run, ...], room: int) -> None:
    parts = [block for part in pack([Paragraph(runs)], room, limits.size) for block in part]
    assert all(limits.size(part) <= room for part in parts)
    assert words_of(parts) == words_of([Paragraph(runs)])
    links = [run for part in parts if isinstance(part, Paragraph) for run in part.runs if run.url]
    assert links == [run for run in runs if run.url]


def test_a_text_is_cut_at_the_best_place_in_its_second_half() -> None:
    assert cut_text("one two\nthree. four five", 20) == ["one two\nthree.", "four five"]
    assert cut_text("one two three\nfour five", 20) == ["one two three", "four five"]
    assert cut_text("one two three four five", 20) == ["one two three four", "five"]
    assert cut_text("x" * 30, 20) == ["x" * 20, "x" * 10]


def test_a_block_that_does_not_fit_at_all_is_left_out() -> None:
    assert cut(paragraph("x"), lambda block: False) == (None, paragraph("x"))
    assert pack([paragraph("x"), paragraph("y")], 1, TEAMS.size) == []


def test_a_cut_keeps_the_style_and_the_place_in_a_list() -> None:
    item = Paragraph((Run("bold words here", ("bold",)),), marker="•", level=1)
    begun, rest = cut(item, lambda block: SLACK.size(block) <= 22)
    assert begun == replace(item, runs=(Run("bold words", ("bold",)),))
    assert rest == replace(item, runs=(Run("here", ("bold",)),), marker="")


def test_code_keeps_its_indentation_where_it_is_cut() -> None:
    parts = pack([Code(("a:", "    b", "    c"))], 20, SLACK.size)
    assert parts == [[Code(("a:", "    b"))], [Code(("    c",))]]


@PLATFORMS
@given(content=BLOCKS, room=st.integers(2_900, 9_000))
def test_every_part_fits_and_no_text_is_lost(limits: Limits, content: list[Block], room: int) -> None:
    shown = list(limits.show_tables(content))
    parts = pack(shown, room, limits.size)
    assert all(limits.measure_blocks(part) <= room for part in parts)
    if not any(isinstance(block, Table) for block in shown):  # whose wide heads become rows
        assert words_of([block for part in parts for block in part]) == words_of(shown)


def test_each_part_of_a_table_repeats_its_head() -> None:
    head = ((Run("Country"),), (Run("Limit"),))
    rows = tuple(((Run(f"C{at}"),), (Run("x" * 400),)) for at in range(60))
    parts = pack([Table(head, rows)], 8_000, TEAMS.size)
    assert len(parts) > 3
    tables = [table for (table,) in parts if isinstance(table, Table)]
    assert [table.head for table in tables] == [head] * len(parts)
    assert tuple(row for table in tables for row in table.rows) == rows


def test_a_row_that_is_too_long_is_split_into_rows() -> None:
    head = ((Run("Country"),), (Run("Rule"),))
    parts = pack([Table(head, (((Run("DE"),), (Run("x" * 5_000),)),))], 2_000, TEAMS.size)
    rows = [row for (table,) in parts if isinstance(table, Table) for row in table.rows]
    assert [join_text(row[0]) for row in rows] == ["DE", *[""] * (len(rows) - 1)]
    assert "".join(join_text(row[1]) for row in rows) == "x" * 5_000


def test_a_head_that_is_too_wide_becomes_a_row() -> None:
    head = ((Run("x" * 3_000),), (Run("Rule"),))
    parts = pack([Table(head, (((Run("DE"),), (Run("y"),)),))], 2_000, TEAMS.size)
    rows = [row for (table,) in parts if isinstance(table, Table) for row in table.rows]
    assert "".join(join_text(row[0]) for row in rows) == "x" * 3_000 + "DE"


def test_rows_left_out_are_counted_with_a_link_to_the_source() -> None:
    rows = tuple(((Run(f"row {at}"),),) for at in range(42))
    document = Document((Table(((Run("a"),),), rows),), source=link("https://wiki/1", "[1]"))
    table, more = fit(document, TEAMS).body
    assert isinstance(table, Table)
    assert len(table.rows) == 30
    assert more == Paragraph((Run("… 12 more rows "), link("https://wiki/1", "[1]")), tight=True)


@PLATFORMS
@given(content=BLOCKS)
def test_every_document_fits(limits: Limits, content: list[Block]) -> None:
    after = (paragraph("Sources"),)
    small = replace(limits, room=3_000)
    document = fit(Document(tuple(content), after=after), small)
    assert small.measure_blocks(document.blocks) <= 3_000
    assert document.after == after


@PLATFORMS
@pytest.mark.parametrize(("length", "is_linked"), [(100, True), (1_100, False)])
def test_an_address_that_is_longer_than_the_message_is_left_out_of_its_end(
    limits: Limits, length: int, is_linked: bool
) -> None:
    url = f"https://wiki.example/{'a' * length}"
    ending = Paragraph((Run("… Read on: "), link(url, "Handbook")))
    small = replace(limits, room=1_000)
    fitted = fit(Document((paragraph("word " * 900),), ending=ending), small)
    assert small.measure_blocks(fitted.blocks) <= 1_000
    assert (fitted.body[-1] == ending) is is_linked
    assert join_text(fitted.body[-1].runs) == "… Read on: Handbook"
    assert "word" in words_of(fitted.body[:1])
