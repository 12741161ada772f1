"""Smart links: which page or folder an address leads to."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evidence.links import MOST_LINKS, NOWHERE, find_link_target, find_links, read_address
from core.model import Comment, LinkTarget, Page

SITE = "https://example.atlassian.net/wiki"
HERE = f"{SITE}/spaces/DOC/pages/1/Here"
CARD = "data-card-appearance"


def follow(address: str, url: str = HERE) -> str:
    return find_link_target({"href": address, CARD: "inline"}, url).page_id


@pytest.mark.parametrize(
    ("path", "page_id"),
    [
        ("/spaces/DOC/folder/123", "123"),
        ("/spaces/DOC/folder/123?atlOrigin=eyJ", "123"),
        ("/spaces/DOC/database/123/", "123"),
        ("/spaces/DOC/whiteboard/123", "123"),
        ("/spaces/DOC/pages/123", "123"),
        ("/spaces/DOC/pages/123/Door+codes", "123"),
        ("/spaces/~712020/blog/2026/03/04/123/News", "123"),
        ("/pages/viewpage.action?pageId=123&focusedCommentId=4", "123"),
        ("/x/LIQHD", "201819180"),
        ("/spaces/DOC/pages/123/Door+codes#Key", ""),
        ("/spaces/DOC/pages/edit-v2/123", ""),
        ("/spaces/DOC/folder/123/more/parts", ""),
        ("/spaces/DOC/pages", ""),
        ("/spaces/DOC/folder/1x3", ""),
        ("/pages/viewpage.action?pageId=12x", ""),
        ("/x/", ""),
        ("/x/AAAA", ""),
    ],
)
def test_an_address_leads_to_the_page_whose_id_it_has(path: str, page_id: str) -> None:
    assert follow(f"{SITE}{path}") == page_id


@pytest.mark.parametrize(
    ("address", "target"),
    [
        (f"{SITE}/spaces/DOC/database/123", LinkTarget("123", "database", "DOC")),
        (f"{SITE}/spaces/%7E712020/folder/123?a=1", LinkTarget("123", "folder", "~712020")),
        ("https://wiki.example.com/confluence/pages/viewpage.action?pageId=123", LinkTarget("123")),
        ("https://wiki.example.com/pages/123/Title", LinkTarget("123", "pages")),
        ("https://wiki.example.com/display/DOC/Title", NOWHERE),
        ("https://[broken", NOWHERE),
    ],
)
def test_an_address_tells_kind_and_space_as_far_as_it_has_them(address: str, target: LinkTarget) -> None:
    assert read_address(address) == target


def test_other_sites_and_other_links_lead_nowhere() -> None:
    address = f"{SITE}/spaces/DOC/folder/123"
    assert follow(address, "https://other.atlassian.net/wiki/spaces/DOC/pages/1") == ""
    assert follow(address, "") == ""
    assert follow("https://[broken/spaces/DOC/folder/123") == ""
    assert find_link_target({"href": address}, HERE) == NOWHERE
    assert find_link_target({CARD: "inline"}, HERE) == NOWHERE


@given(st.integers(1, 2**63 - 1))
def test_a_short_address_is_the_number_of_its_page(number: int) -> None:
    code = base64.b64encode(number.to_bytes(8, "little")).decode().replace("/", "-").replace("+", "_").rstrip("A=")
    assert follow(f"{SITE}/x/{code}") == str(number)


def test_the_first_links_of_a_page_and_its_comments_are_found_once() -> None:
    def link(number: int) -> str:
        return f"<a {CARD}='inline' href=\"{SITE}/pages/viewpage.action?a=1&amp;pageId={number}\">x</a>"

    page = Page("1", "DOC", "Here", HERE, f"<p>{link(2)} and {link(2)}, {link(3)}</p>", "")
    assert [link.page_id for link in find_links(page)] == ["2", "3"]
    comment = Comment("c1", f"<p>{link(4)}</p>", author="Ann", date="2026-03-04")
    many = Page("1", "DOC", "Here", HERE, "".join(map(link, range(10, 100))), "", comments=(comment,))
    assert len(find_links(many)) == MOST_LINKS
