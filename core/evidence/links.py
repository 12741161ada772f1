"""Smart links to pages and folders of the same wiki, whose titles are shown instead of their addresses.

Confluence stores a smart link as its address and shows the current title of what is there. An address with a title has
the title of the time when the link was made.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from urllib.parse import parse_qs, unquote_plus, urlsplit

from core.model import Page, PageQuery, PageTree
from core.text import unescape_html

MOST_LINKS = 50
"""The maximum number of linked pages of one page whose titles are looked up."""

_LINK = re.compile(r"<a\b([^<>]{1,4000})>")
_ATTRIBUTE = re.compile(r"\s(href|data-card-appearance)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_CARD = "data-card-appearance"
_KINDS = "pages|blog|folder|database|whiteboard|embed"
_PLACE = re.compile(rf"/spaces/[^/]+/(?:{_KINDS})/(?:\d{{4}}/\d\d/\d\d/)?(\d{{1,20}})(?=/|$)")
_TITLED = re.compile(
    r"^https?://[^/?#]+(?:/[^/?#]+)?(?:/spaces/[^/?#]+/(?:pages|blog)/[\d/]*\d/(?P<title>[^/?#]{1,500})"
    r"|/display/[^/?#]+/(?P<page>[^/?#]{1,500})|/browse/(?P<issue>[A-Z][A-Z0-9_]{1,20}-\d{1,9}))/?(?:[?#]|$)"
)
_SHORT = re.compile(r"/x/([\w-]{1,11})/?", re.ASCII)


def find_links(page: Page) -> tuple[str, ...]:
    """Return the ids of the first pages and folders that smart links in a page and its comments lead to."""
    found: dict[str, None] = {}
    for content in (page.content, *(comment.content for comment in page.comments)):
        for link in _LINK.finditer(content) if _CARD in content else ():
            attributes = {name: unescape_html(one or other) for name, one, other in _ATTRIBUTE.findall(link[1])}
            if page_id := find_linked_page(attributes, page.url):
                found[page_id] = None
            if len(found) == MOST_LINKS:
                return tuple(found)
    return tuple(found)


def make_link_query(page_id: str) -> PageQuery:
    """Return the query that selects the linked page, if it is stored."""
    return PageQuery((), frozenset(), PageTree(page_id, 0))


def find_linked_page(attributes: Mapping[str, str], url: str) -> str:
    """Return the id of the page or folder that a smart link leads to.

    ``attributes``: of the ``a`` element; ``url``: an address in the same wiki. Returns "" for other links, for those to
    other sites and for addresses without an id.
    """
    if not attributes.get(_CARD):
        return ""
    try:
        address, site = urlsplit(attributes.get("href", "").strip()), urlsplit(url)
    except ValueError:
        return ""
    if not site.netloc or address.netloc != site.netloc or address.fragment:
        return ""  # the text of a link to a heading is more than the page's title
    path = address.path.removeprefix("/wiki")
    if place := _PLACE.match(path):
        return place[1] if path[place.end() :].rstrip("/").count("/") <= 1 else ""
    if path.endswith("/pages/viewpage.action"):
        page_id = parse_qs(address.query).get("pageId", [""])[0]
        return page_id if page_id.isdecimal() and len(page_id) <= 20 else ""
    short = _SHORT.fullmatch(path)
    return _read_short_address(short[1]) if short else ""


def read_title_in_address(attributes: Mapping[str, str]) -> str:
    """Return the page title or issue key in the address of a smart link, "" if it has none.

    ``attributes``: of the ``a`` element.
    """
    found = _TITLED.search(attributes.get("href", "").strip()) if attributes.get(_CARD) else None
    return (found["issue"] or unquote_plus(found["title"] or found["page"])) if found else ""


def _read_short_address(code: str) -> str:
    """Return the page id in a short address, such as ``/x/LIQHD``, "" if it has none.

    It is the number's bytes, lowest first, in Base64 with ``-`` for ``/`` and ``_`` for ``+``, without the zeros at the
    end (https://confluence.atlassian.com/display/CONFKB/How+to+programmatically+generate+the+tiny+link).
    """
    whole = code.replace("-", "/").replace("_", "+").ljust(12, "A")
    number = int.from_bytes(base64.b64decode(whole)[:8], "little")
    return str(number) if number else ""
