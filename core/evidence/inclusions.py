"""Inclusions: macros that show another page or an excerpt of it.

Included text is not cut together with the page's own text, because it has other readers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from core.errors import PageOverBudget
from core.evidence.budget import Budget
from core.evidence.headings import Section
from core.evidence.macros import find_macros
from core.evidence.storage_format import parse
from core.evidence.tree import MACROS, Node
from core.model import Page, PageReference

_WHOLE_PAGE, _EXCERPT = "include", "excerpt-include"
_PAGE_PARAMETERS = ("", "default-parameter", "page")
MOST_INCLUSIONS = 50
"""The maximum number of inclusions of one page, and of pages that it includes directly or indirectly."""
MOST_LEVELS = 3
"""The maximum depth of inclusions within included pages."""


@dataclass(frozen=True, slots=True)
class Inclusion:
    """A macro that shows another page."""

    reference: PageReference
    section: Section
    excerpt: str | None = None  # name of the excerpt, "" for the first one; None for the whole page

    def find_content(self, root: Node) -> Node | None:
        """Return the part of the other page that is shown, or None if it does not exist."""
        if self.excerpt is None:
            return root
        excerpts = (
            node
            for node in root.iterate_descendants()
            if node.name in MACROS and node.attribute("ac:name") == "excerpt"
        )
        wanted = (each for each in excerpts if self.excerpt in {"", each.get_parameter("name")})
        found = next(wanted, None)
        return found.find_child("ac:rich-text-body") if found is not None else None


def find_references(page: Page, budget: Budget) -> tuple[PageReference, ...]:
    """Return the pages that a page and its comments include, without duplicates. Skips comments over their budget."""
    found = _find_in(page.content, page, budget)
    for comment in page.comments:
        with suppress(PageOverBudget):  # reported by extraction; a comment must not hide the page's own inclusions
            found |= _find_in(comment.content, page, budget.make_comment_budget(comment))
    return tuple(found)


def _find_in(content: str, page: Page, budget: Budget) -> dict[PageReference, None]:
    if not may_include(content):
        return {}
    inclusions = find_inclusions(parse(content, budget).root, page, lambda _: "", budget)
    return dict.fromkeys(inclusion.reference for inclusion in inclusions)


def may_include(content: str) -> bool:
    """Whether the content can have inclusions, by a fast test."""
    return f'"{_WHOLE_PAGE}"' in content or f'"{_EXCERPT}"' in content


def find_inclusions(root: Node, page: Page, anchor: Callable[[str], str], budget: Budget) -> list[Inclusion]:
    """Return the first inclusions of a page in document order, without duplicates."""
    found: dict[tuple[PageReference, str | None], Inclusion] = {}
    for inclusion in islice(_find_inclusions(root, page, anchor, budget), MOST_INCLUSIONS):
        found.setdefault((inclusion.reference, inclusion.excerpt), inclusion)
    return list(found.values())


def _find_inclusions(root: Node, page: Page, anchor: Callable[[str], str], budget: Budget) -> Iterator[Inclusion]:
    for name, macro, section in find_macros(root, {_WHOLE_PAGE, _EXCERPT}, anchor, budget):
        reference = find_reference(macro, page.space)
        if reference is not None:
            yield Inclusion(reference, section, macro.get_parameter("name") if name == _EXCERPT else None)


def find_reference(macro: Node, space: str, names: Collection[str] = _PAGE_PARAMETERS) -> PageReference | None:
    """Return the page that a macro refers to. Old pages have it as text, ``KEY:Title``, in a parameter of ``names``."""
    parameters = [child for child in macro.children if child.name == "ac:parameter"]
    for node in (below for parameter in parameters for below in parameter.iterate_descendants()):
        if node.name in {"ri:page", "ri:blog-post"} and (title := node.attribute("ri:content-title").strip()):
            return PageReference(node.attribute("ri:space-key").strip() or space, title)
    for name in names:
        if title := macro.get_parameter(name):
            key, colon, rest = title.partition(":")
            return (
                PageReference(key, rest.strip())
                if colon and key.isalnum() and key.isupper()
                else PageReference(space, title)
            )
    return None
