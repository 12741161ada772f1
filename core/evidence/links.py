"""Smart links to pages and folders of the same wiki, whose titles are shown instead of their addresses.

Confluence stores a smart link as its address and shows the current title of what is there. An address with a title has
the title of the time when the link was made.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from urllib.parse import parse_qs, unquote_plus, urlsplit

from core.model import LinkTarget, Page, PageQuery, PageTree
from core.text import unescape_html

MOST_LINKS = 50
"""The maximum number of linked pages of one page whose titles are looked up."""

_LINK = re.compile(r"<a\b([^<>]{1,4000})>")
_ATTRIBUTE = re.compile(r"\s(href|data-card-appearance)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_CARD = "data-card-appearance"
_KINDS = "pages|blog|folder|database|whiteboard|embed"
_PAGE = re.compile(
    rf"(?:/[^/]+)?(?:/spaces/(?P<space>[^/]+))?/(?P<kind>{_KINDS})/(?:\d{{4}}/\d\d/\d\d/)?(?P<id>\d{{1,20}})(?=/|$)"
)
# https://x.atlassian.net/wiki/spaces/KEY/pages/42/Door+codes, https://x/display/KEY/Door+codes, https://x/browse/KEY-1
_TITLED = re.compile(
    r"^https?://[^/?#]+(?:/[^/?#]+)?(?:/spaces/[^/?#]+/(?:pages|blog)/[\d/]*\d/(?P<title>[^/?#]{1,500})"
    r"|/display/[^/?#]+/(?P<page>[^/?#]{1,500})|/browse/(?P<issue>[A-Z][A-Z0-9_]{1,20}-\d{1,9}))/?(?:[?#]|$)"
)
_SHORT = re.compile(r"(?:/[^/]+)?/x/([\w-]{1,11})/?", re.ASCII)
NOWHERE = LinkTarget("")


def find_links(page: Page) -> tuple[LinkTarget, ...]:
    """Return the first pages, folders and the like that smart links in a page and its comments lead to, once each."""
    found: dict[str, LinkTarget] = {}
    for content in (page.content, *(comment.content for comment in page.comments)):
        for link in _LINK.finditer(content) if _CARD in content else ():
            attributes = {name: unescape_html(one or other) for name, one, other in _ATTRIBUTE.findall(link[1])}
            target = find_link_target(attributes, page.url)
            if target.page_id:
                found.setdefault(target.page_id, target)
            if len(found) == MOST_LINKS:
                return tuple(found.values())
    return tuple(found.values())


def make_link_query(page_id: str) -> PageQuery:
    """Return the query that selects the linked page, if it is stored."""
    return PageQuery((), frozenset(), PageTree(page_id, 0))


def find_link_target(attributes: Mapping[str, str], url: str) -> LinkTarget:
    """Return what a smart link leads to.

    ``attributes``: of the ``a`` element; ``url``: an address in the same wiki. Returns :data:`NOWHERE` for other links,
    for those to other sites and for addresses without an id.
    """
    if not attributes.get(_CARD):
        return NOWHERE
    href = attributes.get("href", "").strip()
    try:
        address, site = urlsplit(href), urlsplit(url)
    except ValueError:
        return NOWHERE
    if not site.netloc or address.netloc != site.netloc or address.fragment:
        return NOWHERE  # the text of a link to a heading is more than the page's title
    return read_address(href)


def read_address(address: str) -> LinkTarget:
    """Return what an address of Confluence leads to, :data:`NOWHERE` if it has no id."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return NOWHERE
    path = parts.path
    if page := _PAGE.match(path):
        is_whole = path[page.end() :].rstrip("/").count("/") <= 1
        return LinkTarget(page["id"], page["kind"], unquote_plus(page["space"] or "")) if is_whole else NOWHERE
    if path.endswith("/pages/viewpage.action"):
        page_id = parse_qs(parts.query).get("pageId", [""])[0]
        return LinkTarget(page_id) if page_id.isdecimal() and len(page_id) <= 20 else NOWHERE
    short = _SHORT.fullmatch(path)
    return LinkTarget(_read_short_address(short[1])) if short else NOWHERE


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
