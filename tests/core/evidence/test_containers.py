"""Headings in a column, panel, expand or tab hold only within it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evidence.anchors import HeadingAnchors, add_anchor
from core.evidence.budget import Budget
from core.evidence.extract import extract
from core.evidence.inclusions import find_inclusions
from core.evidence.storage_format import parse
from tests.core.evidence.pages import CLOUD, macro, page


def places(content: str) -> list[tuple[str, str, str]]:
    """Return the headings, text and anchor of each evidence."""
    found = extract(page(content)).evidences
    return [(" > ".join(each.context.heading_path), each.text, each.url.partition("#")[2]) for each in found]


def section(*cells: str) -> str:
    columns = "".join(f"<ac:layout-cell>{cell}</ac:layout-cell>" for cell in cells)
    return f'<ac:layout-section ac:type="any">{columns}</ac:layout-section>'


def adf(kind: str, body: str) -> str:
    node = f'<ac:adf-node type="{kind}"><ac:adf-content>{body}</ac:adf-content></ac:adf-node>'
    return f"<ac:adf-extension>{node}</ac:adf-extension>"


def columns(*bodies: str) -> str:
    return macro("section", "".join(macro("column", body) for body in bodies))


def cells(*bodies: str) -> str:
    return "<table><tr>" + "".join(f"<td>{body}</td>" for body in bodies) + "</tr></table>"


LEAVE, CHILE = "<h1>Leave</h1><p>All.</p>", "<h2>Chile</h2><p>30 days.</p>"
ENCLOSING = (
    macro("expand", CHILE),
    macro("panel", CHILE),
    macro("quote", macro("localtab", CHILE)),
    macro("ui-tabs", macro("ui-tab", CHILE)),
    macro("deck", macro("card", CHILE)),
    macro("unknown", macro("expand", CHILE)),
    adf("expand", CHILE),
    adf("panel", CHILE),
    section(CHILE, ""),
    section("", CHILE),
    columns(CHILE, "<p> </p>"),
    cells(CHILE, ""),
    macro("expand", "<p><strong>Chile</strong></p><p>30 days.</p>"),
    macro("expand", f"{macro('panel', CHILE)}<h3>Peru</h3>"),
)
OPEN = (section(CHILE), columns(CHILE), cells(CHILE), macro("excerpt", CHILE), f"<div>{CHILE}</div>", CHILE)


@pytest.mark.parametrize("container", ENCLOSING)
def test_the_section_above_a_container_goes_on_after_it(container: str) -> None:
    anchor = "Leave" if "strong" in container else "Chile"
    assert places(f"{LEAVE}{container}<p>Ask Mia.</p>") == [
        ("Leave", "All.", "Leave"),
        ("Leave > Chile", "30 days.", anchor),
        ("Leave", "Ask Mia.", "Leave"),
    ]


@pytest.mark.parametrize("container", OPEN)
def test_a_heading_in_a_single_column_holds_beyond_it(container: str) -> None:
    assert places(f"{LEAVE}{container}<p>Ask Mia.</p>")[1:] == [("Leave > Chile", "30 days.\nAsk Mia.", "Chile")]


def test_a_page_in_layout_sections_keeps_its_outline() -> None:
    title = section("<h1>Leave</h1><p>All.</p>")
    sides = section("<h2>Chile</h2><p>30 days.</p>", "<p>Special days.</p>", "<h2>Peru</h2><p>27 days.</p>")
    assert places(f"<ac:layout>{title}{sides}{section('<p>Ask Mia.</p>')}{section('<h2>Chile</h2><p>b</p>')}") == [
        ("Leave", "All.", "Leave"),
        ("Leave > Chile", "30 days.", "Chile"),
        ("Leave", "Special days.", "Leave"),
        ("Leave > Peru", "27 days.", "Peru"),
        ("Leave", "Ask Mia.", "Leave"),
        ("Leave > Chile", "b", "Chile.1"),
    ]


def test_a_container_without_headings_divides_no_passage() -> None:
    assert places(f"{LEAVE}{macro('expand', '<p>More.</p>')}<p>Ask Mia.</p>") == [
        ("Leave", "All.\nMore.\nAsk Mia.", "Leave")
    ]


def test_a_heading_at_the_end_of_a_container_is_above_nothing() -> None:
    agenda = "<h2>Rules of the new tower</h2>"
    assert ("Rules of the new tower", "Rules of the new tower") in [
        (path, text) for path, text, _ in places(f"{macro('panel', agenda)}<h3>Ask</h3><p>Mia</p>")
    ]
    assert [text for _, text, _ in places(f"<h1>Rules of the new tower</h1>{macro('panel', CHILE)}")] == ["30 days."]


def test_the_byline_may_be_in_a_column_with_headings() -> None:
    byline = "<p>Owned by Ann Lee Last updated: May 06, 2016 by Bo</p>"
    assert places(section(f"{byline}{CHILE}", ""))[0] == ("Chile", "30 days.", "Chile")


texts = st.sampled_from(["<p>a</p>", "<h1>One</h1>", "<h2>Two</h2>", "<p><b>Bold</b></p>", "<ul><li>b</li></ul>"])


def containers(below: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.lists(below, min_size=1, max_size=3).map("".join)
    wrap = st.sampled_from([
        lambda text: macro("expand", text), lambda text: macro("panel", text), lambda text: adf("panel", text),
        lambda text: section(text, "<p>c</p>"), lambda text: cells(text, "<ul><li>d</li></ul>"),
        lambda text: columns(text, text), lambda text: section(text), lambda text: f"<ul><li>{text}</li></ul>",
        lambda text: f"<table><tr><td>x</td></tr><tr><td>{text}</td></tr></table>",
    ])  # fmt: skip
    return st.tuples(wrap, body).map(lambda pair: pair[0](pair[1]))


INCLUDE = '<ac:structured-macro ac:name="include"><ac:parameter ac:name="">Other</ac:parameter></ac:structured-macro>'


@given(st.lists(st.recursive(texts, containers, max_leaves=8), max_size=5).map("".join))
def test_macros_are_found_below_the_headings_of_the_text_around_them(content: str) -> None:
    whole = f"{content}<p>needle</p>{INCLUDE}"
    [found] = [each for each in extract(page(whole)).evidences if each.text.endswith("needle")]
    anchors = HeadingAnchors("Some Page", CLOUD)
    [inclusion] = find_inclusions(parse(whole).root, page(whole), anchors.make_anchor, Budget())
    assert inclusion.section.heading_path == tuple(name for name in found.context.heading_path if name != "Bold")
    assert add_anchor(CLOUD, inclusion.section.anchor) == found.url


@given(st.recursive(texts, containers, max_leaves=8))
def test_after_any_container_with_edges_the_section_above_goes_on(content: str) -> None:
    whole = f"<h1>Top</h1><p>x</p>{macro('expand', content)}<p>needle</p>"
    [found] = [each for each in extract(page(whole)).evidences if each.text.endswith("needle")]
    assert found.context.heading_path == ("Top",)
    assert found.url == f"{CLOUD}#Top"
