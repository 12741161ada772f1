from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from adapters.teams.cards.elements import Run, code, line, table
from adapters.teams.cards.splitting import split
from adapters.teams.json import Json, size
from tests.servers.teams.cards import elements

words = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=3_000)
lines = st.lists(words.map(Run), min_size=1, max_size=3).map(line)
rows = st.lists(st.tuples(words, words).map(lambda row: [(Run(cell),) for cell in row]), min_size=2, max_size=9)
contents = st.lists(st.one_of(lines, rows.map(table), st.lists(words, min_size=1, max_size=9).map(code)), max_size=6)


def read(parts: list[Json]) -> str:
    return "".join(run["text"] for run in _runs(parts)).replace("\u00a0", "").replace(" ", "")


def _runs(parts: Any) -> Iterator[Json]:
    return (element for element in elements(parts) if element.get("type") == "TextRun")


@given(contents, st.integers(3_000, 9_000))
def test_every_part_fits_and_they_are_the_whole(content: list[Json], room: int) -> None:
    parts = split(content, room)
    assert all(sum(size(element) + 1 for element in part) <= room for part in parts)
    if not any(element["type"] == "Table" for element in content):  # whose heads stand in each part
        assert read([*(element for part in parts for element in part)]) == read(content)
    for element in _runs(content):
        assert element["text"][:1].strip() in read([*(one for part in parts for one in part)])


def test_the_head_of_a_table_stands_in_each_part() -> None:
    long = table([[(Run("Country"),), (Run("Limit"),)], *([(Run(f"C{at}"),), (Run("x" * 400),)] for at in range(60))])
    parts = split([long], 8_000)
    assert len(parts) > 3
    shown = [
        [cell["items"][0]["inlines"][0]["text"] for cell in row["cells"]] for (part,) in parts for row in part["rows"]
    ]
    assert shown.count(["Country", "Limit"]) == len(parts)
    assert [row[0] for row in shown if row[0] != "Country"] == [f"C{at}" for at in range(60)]
