"""Anchors of headings, in the two formats of Confluence.

Cloud joins the words of the heading with hyphens. Data Center (and Cloud's old editor, which cannot be recognised in
storage format) concatenates title and heading without white space, and puts ``id-`` before a title that does not begin
with a letter. Both keep punctuation, and number repeated headings ``.1``, ``.2``. Examples of both:
https://github.com/sphinx-contrib/confluencebuilder/issues/1121, https://github.com/iamjackg/md2cf/pull/142
"""

from __future__ import annotations

from collections import Counter
from urllib.parse import quote


class HeadingAnchors:
    """The anchors of a page's headings. Ask for them in document order, since repeated headings are numbered."""

    def __init__(self, title: str, url: str) -> None:
        self._prefix = "" if is_cloud(url) else _make_data_center_prefix(title)
        self._cloud = is_cloud(url)
        self._seen: Counter[str] = Counter()

    def make_anchor(self, heading: str) -> str:
        """Return the anchor of the next heading with this text, without ``#``, quoted for a URL."""
        name = ("-" if self._cloud else "").join(heading.split())
        number = self._seen[name]
        self._seen[name] += 1
        return quote(f"{self._prefix}{name}" + (f".{number}" if number else ""), safe="()!*'~,:;@$&+=/?-._")


def _make_data_center_prefix(title: str) -> str:
    name = "".join(title.split())
    return f"{'' if name[:1].isalpha() else 'id-'}{name}-"


def is_cloud(url: str) -> bool:
    """Whether a page's URL is Confluence Cloud's, by its host or its path (…/wiki/spaces/KEY/pages/ID/…)."""
    return not url or "/wiki/spaces/" in url or ".atlassian.net/" in url


def add_anchor(url: str, anchor: str) -> str:
    """Return the URL with this anchor, or unchanged if either is empty."""
    return f"{url.partition('#')[0]}#{anchor}" if url and anchor else url
