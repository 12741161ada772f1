"""Links to headings, as Confluence writes them."""

import pytest

from core.evidence.anchors import HeadingAnchors, add_anchor, is_cloud
from core.evidence.extract import extract
from tests.core.evidence.pages import CLOUD, page

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
