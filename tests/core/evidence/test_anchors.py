"""Links to headings, as Confluence writes them."""

import pytest

from core.evidence.anchors import HeadingAnchors, add_anchor, is_cloud
from core.evidence.budget import Budget
from core.evidence.extract import extract
from core.evidence.inclusions import find_inclusions
from core.evidence.storage_format import parse
from tests.core.evidence.pages import CLOUD, macro, page

DATA_CENTER = "https://wiki.acme.org/display/ENG/Release+Plan"


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Known Issues", "Known-Issues"),
        ("2.59.0 (Ubuntu 22)", "2.59.0-(Ubuntu-22)"),
        ("Über  uns", "%C3%9Cber-uns"),
        ("Why? #1 100%", "Why?-%231-100%25"),
        ('A "b" <c>', "A-%22b%22-%3Cc%3E"),
    ],
)
def test_cloud_joins_words_with_hyphens(heading: str, anchor: str) -> None:
    assert HeadingAnchors("Release Plan", CLOUD).make_anchor(heading) == anchor


@pytest.mark.parametrize(
    ("title", "heading", "anchor"),
    [
        ("Release Plan", "Known Issues", "ReleasePlan-KnownIssues"),
        ("Piece2", "Sample Header", "Piece2-SampleHeader"),
        ("Testing 2.13.0 (with parentheses)", "2.59.0 (Ubuntu 22)", "Testing2.13.0(withparentheses)-2.59.0(Ubuntu22)"),
        ("2024 Goals", "Q1", "id-2024Goals-Q1"),
        ("[Draft] Plan", "Q1", "id-%5BDraft%5DPlan-Q1"),
        ("Übersicht", "Größe", "%C3%9Cbersicht-Gr%C3%B6%C3%9Fe"),
    ],
)
def test_data_center_puts_the_title_first_and_leaves_spaces_out(title: str, heading: str, anchor: str) -> None:
    assert HeadingAnchors(title, DATA_CENTER).make_anchor(heading) == anchor


@pytest.mark.parametrize(
    ("url", "anchors"), [(CLOUD, ["A-b", "A-b.1", "A-b.2"]), (DATA_CENTER, ["P-Ab", "P-Ab.1", "P-Ab.2"])]
)
def test_repeated_headings_are_numbered(url: str, anchors: list[str]) -> None:
    given = HeadingAnchors("P", url)
    assert [given.make_anchor("A b") for _ in range(3)] == anchors


@pytest.mark.parametrize(
    ("url", "cloud"),
    [
        (CLOUD, True),
        ("https://wiki.example.com/wiki/spaces/ENG/pages/1/T", True),
        ("https://acme.atlassian.net/wiki/pages/viewpage.action?pageId=1", True),
        (DATA_CENTER, False),
        ("https://wiki.acme.org/pages/viewpage.action?pageId=12", False),
        ("https://wiki.acme.org/spaces/ENG/pages/12/T", False),
    ],
)
def test_the_flavour_shows_in_the_url(url: str, cloud: bool) -> None:
    assert is_cloud(url) is cloud


def test_an_anchor_replaces_one_that_the_url_has() -> None:
    assert add_anchor("https://x/y#old", "new") == "https://x/y#new"
    assert add_anchor("https://x/y", "") == "https://x/y"
    assert add_anchor("", "new") == ""


def test_headings_without_content_count_for_the_numbering() -> None:
    found = extract(page("<h2>Notes</h2><h2>Notes</h2><p>text</p>")).evidences
    assert [evidence.url for evidence in found] == [f"{CLOUD}#Notes.1"]


ITEM = "<h2>Setup</h2>"
CELL = f"<td>{ITEM}</td><td>x</td>"


@pytest.mark.parametrize(
    ("before", "number"),
    [
        (f"<ul><li>{ITEM}</li></ul>", 1),
        (f"<ol><li>{ITEM}<ul><li>{ITEM}</li></ul></li></ol>", 2),
        (f"<table><tr>{CELL}</tr><tr><td><ul><li>{ITEM}</li></ul></td>{CELL}</tr></table>", 3),
        (f"<table><tr>{CELL}</tr><tr><td>x</td><td><table><tr>{CELL}</tr></table></td></tr></table>", 2),
        (f"<ul><li><table><tr>{CELL}</tr><tr>{CELL}</tr></table></li></ul>", 2),
        (f"<ul><li><del>x</del></li></ul><dl><dt>a</dt><dd>{ITEM}</dd></dl>", 1),
        (macro("details", ITEM, hidden="true"), 0),
        (macro("info", f"<ul><li>{ITEM}</li></ul><p>y</p>"), 1),
    ],
)
def test_headings_in_items_and_cells_count_for_the_numbers_but_make_no_section(before: str, number: int) -> None:
    include = '<ac:structured-macro ac:name="include"><ac:parameter ac:name="">Other</ac:parameter>'
    content = f"<p>Top.</p>{before}<p>Then.</p>{ITEM}<p>Plug it.</p>{include}</ac:structured-macro>"
    found = {each.text: each for each in extract(page(content)).evidences}
    anchor = f"Setup.{number}" if number else "Setup"
    assert found["Plug it."].url == f"{CLOUD}#{anchor}"
    assert {each.context.heading_path for text, each in found.items() if text != "Plug it."} == {()}
    anchors = HeadingAnchors("Some Page", CLOUD)
    [inclusion] = find_inclusions(parse(content).root, page(content), anchors.make_anchor, Budget())
    assert (inclusion.section.heading_path, inclusion.section.anchor) == (("Setup",), anchor)


def test_an_inclusion_in_a_layout_table_is_below_the_heading_in_its_cell() -> None:
    include = '<ac:structured-macro ac:name="include"><ac:parameter ac:name="">Other</ac:parameter>'
    content = f"<table><tr><td>{ITEM}<p>a</p>{include}</ac:structured-macro></td></tr></table>"
    [found] = extract(page(content)).evidences
    [inclusion] = find_inclusions(parse(content).root, page(content), HeadingAnchors("P", CLOUD).make_anchor, Budget())
    assert inclusion.section.heading_path == found.context.heading_path == ("Setup",)
