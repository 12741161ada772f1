"""Links to headings, in the two ways Confluence makes them.

Cloud joins the heading's words with hyphens; Data Center puts the title, without white space, before the
heading, without white space. Both number repeated headings ``.1``, ``.2``.
https://confluence.atlassian.com/doc/anchor-macro-139437.html ("Working with heading anchors")
"""

from __future__ import annotations

from collections import Counter
from urllib.parse import quote


class HeadingAnchors:
    """Gives each heading of one page its anchor; to be called in document order."""

    def __init__(self, title: str, url: str) -> None:
        self._prefix = "" if is_cloud(url) else "".join(title.split()) + "-"
        self._cloud = is_cloud(url)
        self._seen: Counter[str] = Counter()

    def anchor(self, heading: str) -> str:
        """The anchor, without ``#``, ready for a URL."""
        name = ("-" if self._cloud else "").join(heading.split())
        number = self._seen[name]
        self._seen[name] += 1
        return quote(f"{self._prefix}{name}" + (f".{number}" if number else ""), safe="()!*'~,:;@$&+=/?-._")


def is_cloud(url: str) -> bool:
    """Whether a page's URL is of Confluence Cloud's shape (…/wiki/spaces/KEY/pages/ID/…)."""
    return "/wiki/spaces/" in url or not url


def with_anchor(url: str, anchor: str) -> str:
    """The page's URL pointing at a heading; the page itself where there is none."""
    return f"{url.partition('#')[0]}#{anchor}" if url and anchor else url
