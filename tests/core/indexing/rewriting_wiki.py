"""A wiki whose pages show each other, and that rewrites references as Confluence does.

A page that is renamed or moved has its new title or space in all references to it at once, without a new version of
the pages that have them. A reference to a removed page stays as it was, and means any page that gets its title later.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from core.model import PageReference
from tests.core.indexing.parts import DictWiki

SPACES = ("ENG", "LAW", "OPS")
Macro = Literal["include", "excerpt-include", "pagetree", "children", "report"]


@dataclass(frozen=True)
class Part:
    """A macro of a page. ``named``: the page that it names; ``spaces``: of the pages in a report."""

    macro: Macro
    named: PageReference | None = None
    spaces: tuple[str, ...] = ()

    def write(self, space: str) -> str:
        """Return the macro as a page of this space has it."""
        if self.macro == "report":
            cql = f"label = project and space in ({', '.join(self.spaces)})"
            return _write_macro("detailssummary", f'<ac:parameter ac:name="cql">{cql}</ac:parameter>')
        if self.named is None:
            return _write_macro(self.macro, "")
        key = "" if self.named.space == space else f' ri:space-key="{self.named.space}"'
        link = f'<ac:link><ri:page ri:content-title="{self.named.title}"{key}/></ac:link>'
        name = "root" if self.macro == "pagetree" else ""
        return _write_macro(self.macro, f'<ac:parameter ac:name="{name}">{link}</ac:parameter>')


@dataclass
class RewritingWiki(DictWiki):
    """The wiki. A change that Confluence would refuse, such as a title that is taken, is left out."""

    parts: dict[str, tuple[Part, ...]] = field(default_factory=dict)  # by page id
    texts: dict[str, int] = field(default_factory=dict)  # page id to the number in its text
    changes: int = 0

    async def list_spaces(self) -> list[str]:
        return list(SPACES)

    def add(self, space: str, title: str, parts: tuple[Part, ...], readers: str, is_labelled: bool) -> None:
        if self._is_free(space, title):
            page_id = str(100 + self.changes)
            self.put(page_id, "", space, title, readers)
            self.pages[page_id] = replace(self.pages[page_id], labels=("project",) if is_labelled else ())
            self.edit(page_id, parts)

    def edit(self, page_id: str, parts: tuple[Part, ...]) -> None:
        self.parts[page_id] = parts
        self._make_version(page_id)
        self.texts[page_id] = self.changes
        self._write_all()

    def rename(self, page_id: str, title: str) -> None:
        if self._is_free(self.pages[page_id].space, title):
            self._make_version(page_id)
            self._name(page_id, self.pages[page_id].space, title)

    def move(self, page_id: str, space: str) -> None:
        if self._is_free(space, self.pages[page_id].title):
            self._take_out_of_tree(page_id)
            self._name(page_id, space, self.pages[page_id].title)

    def put_below(self, page_id: str, parent: str) -> None:
        is_same_space = self.pages[page_id].space == self.pages[parent].space
        if is_same_space and page_id not in self._list_up(parent):
            self.parents[page_id] = parent

    def remove(self, page_id: str) -> None:
        self._take_out_of_tree(page_id)
        for kept in (self.pages, self.parts, self.texts, self.parents):
            kept.pop(page_id, None)

    def restrict(self, page_id: str, readers: str) -> None:
        restrictions = (frozenset({readers}),) if readers else ()
        self.pages[page_id] = replace(self.pages[page_id], read_restrictions=restrictions)

    def name_of(self, page_id: str) -> PageReference:
        return PageReference(self.pages[page_id].space, self.pages[page_id].title)

    def _is_free(self, space: str, title: str) -> bool:
        return all(self.name_of(page_id) != PageReference(space, title) for page_id in self.pages)

    def _make_version(self, page_id: str) -> None:
        self.changes += 1
        self.pages[page_id] = replace(self.pages[page_id], version=str(self.changes))

    def _name(self, page_id: str, space: str, title: str) -> None:
        old, new = self.name_of(page_id), PageReference(space, title)
        self.pages[page_id] = replace(self.pages[page_id], space=space, title=title)
        for each, parts in self.parts.items():
            self.parts[each] = tuple(replace(part, named=new) if part.named == old else part for part in parts)
        self._write_all()

    def _write_all(self) -> None:
        for page_id, page in self.pages.items():
            number = self.texts[page_id]
            properties = f"<table><tbody><tr><th>Value</th><td>Value {number}</td></tr></tbody></table>"
            own = f"<p>Text {number}.</p>{_write_body('excerpt', f'<p>Excerpt {number}.</p>')}"
            content = own + _write_body("details", properties)
            content += "".join(part.write(page.space) for part in self.parts[page_id])
            self.pages[page_id] = replace(page, content=content)

    def _take_out_of_tree(self, page_id: str) -> None:
        above = self.parents.pop(page_id, "")
        for child in [each for each, parent in self.parents.items() if parent == page_id]:
            self.parents[child] = above

    def _list_up(self, page_id: str) -> Iterator[str]:
        while page_id:
            yield page_id
            page_id = self.parents.get(page_id, "")


def _write_macro(name: str, parameter: str) -> str:
    return f'<ac:structured-macro ac:name="{name}">{parameter}</ac:structured-macro>'


def _write_body(name: str, body: str) -> str:
    return _write_macro(name, f"<ac:rich-text-body>{body}</ac:rich-text-body>")
