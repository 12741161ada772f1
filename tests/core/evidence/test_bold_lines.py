"""Short bold paragraphs in place of headings: they name what follows, as headings do."""

from __future__ import annotations

import pytest

from core.evidence.extract import extract
from core.model import Evidence, Page

URL = "https://example.atlassian.net/wiki/spaces/DOC/pages/1"


def read(content: str) -> list[Evidence]:
    return list(extract(Page("1", "DOC", "Bells", URL, content)).evidences)


def places(content: str) -> list[tuple[tuple[str, ...], str]]:
    return [(each.context.heading_path, each.text) for each in read(content)]


def test_a_bold_line_heads_what_follows_up_to_the_next_one_or_heading() -> None:
    content = (
        "<h2>Memory</h2><p><strong><code>bell_mem</code> (<code>integer</code>)</strong></p><p>Sets the memory.</p>"
        "<p><strong>tower_mem</strong></p><p>Sets more.</p><ul><li>Much</li></ul><h2>Disk</h2><p>Nothing.</p>"
    )
    assert places(content) == [
        (("Memory", "bell_mem (integer)"), "Sets the memory."),
        (("Memory", "tower_mem"), "Sets more."),
        (("Memory", "tower_mem"), "- Much"),
        (("Disk",), "Nothing."),
    ]


def test_a_bold_line_has_the_address_of_the_heading_above_it() -> None:
    content = "<h2>Memory</h2><p><b>bell_mem</b></p><p>Sets the memory.</p><h2>Disk</h2><p>Nothing.</p>"
    assert [each.url for each in read(content)] == [f"{URL}#Memory", f"{URL}#Disk"]


@pytest.mark.parametrize(
    "line",
    [
        "<p><strong>Do not oil the clapper.</strong></p>",
        "<p><strong>Warning!</strong></p>",
        "<p><strong>Bell</strong> memory</p>",
        f"<p><strong>{'many words ' * 6}</strong></p>",
        "<p><strong> </strong></p>",
    ],
)
def test_a_bold_sentence_and_a_partly_bold_line_are_texts(line: str) -> None:
    assert {each.context.heading_path for each in read(f"<h2>Memory</h2>{line}<p>Sets it.</p>")} == {("Memory",)}


@pytest.mark.parametrize("end", ["", "<h2>Disk</h2><p>Nothing.</p>", "<p><strong>Two</strong></p><p>Text.</p>"])
def test_a_bold_line_over_nothing_is_a_text(end: str) -> None:
    first, *_ = places(f"<h2>Memory</h2><p><strong>To do</strong></p>{end}")
    assert first == (("Memory",), "To do")


def test_bold_lines_in_cells_and_items_are_text() -> None:
    table = "<table><tr><th>Bell</th></tr><tr><td><p><strong>Tenor</strong></p><p>Cast in 1987.</p></td></tr></table>"
    shown = read(f"{table}<ul><li><p><strong>Treble</strong></p><p>Small.</p></li></ul>")
    assert {each.context.heading_path for each in shown} == {()}
    assert all(any(name in each.text for each in shown) for name in ("Tenor", "Cast in 1987.", "Treble"))
