"""A model's Markdown as elements: parsed as CommonMark, so that nothing in it is markup by accident."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from adapters.teams.cards.citing import Citing
from adapters.teams.cards.elements import Run, Runs, clean, code, line, link, one_line, table
from adapters.teams.json import Json
from core.views.markup import without_deep_spans

_BULLETS = "•◦▪"
_MOST_COLUMNS = 8
_DEEPEST = 4
# HTML is text here. Without definitions of references "[1]" stays a citation, whatever the text says it links to.
_PARSER = (
    MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["reference", "autolink"])
)


def parse_markdown(text: str, citing: Citing) -> list[Json]:
    """A text in Markdown, an element a paragraph, item, table or block of code."""
    return list(_Rendering(citing).blocks(_tree(clean(text)).children))


def _tree(text: str) -> SyntaxTreeNode:
    tokens = _PARSER.parse(text)
    for token in tokens:
        token.children = without_deep_spans(token.children) if token.children else token.children
    return SyntaxTreeNode(tokens)


@dataclass(frozen=True, slots=True)
class _Rendering:
    citing: Citing

    def blocks(self, nodes: Sequence[SyntaxTreeNode], depth: int = 0, style: Run = Run("")) -> Iterator[Json]:  # noqa: B008
        """The elements of blocks; ``depth``: of the list that they stand in."""
        for node in nodes:
            match node.type:
                case "bullet_list" | "ordered_list":
                    yield from self._list(node, depth, style)
                case "fence" | "code_block":
                    if node.content.strip():
                        yield code(node.content.rstrip("\n").split("\n"))
                case "blockquote":
                    yield from self.blocks(node.children, depth + 1, replace(style, italic=True))
                case "table":
                    yield from self._table(node)
                case "heading":
                    yield from self._paragraph(node, depth, replace(style, bold=True))
                case "paragraph":
                    yield from self._paragraph(node, depth, style)

    def _paragraph(
        self, node: SyntaxTreeNode, depth: int, style: Run, lead: str = "", *, tight: bool = False
    ) -> Iterator[Json]:
        """An element a line, since a line break within one is none."""
        for at, runs in enumerate(_lines(list(self._inline(node, style)))):
            marker = (Run(f"{lead} "),) if lead and at == 0 else ()
            yield line([*marker, *runs], tight=tight or at > 0, indent=min(depth, _DEEPEST))

    def _list(self, node: SyntaxTreeNode, depth: int, style: Run) -> Iterator[Json]:
        start = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
        for at, item in enumerate(node.children):
            marker = _BULLETS[min(depth, 2)] if start is None else f"{start + at}."
            tight = at > 0 or depth > 0
            for child in item.children:
                if child.type == "paragraph":
                    yield from self._paragraph(child, depth, style, marker, tight=tight)
                else:
                    yield from self.blocks([child], depth + 1, style)
                marker, tight = "", True

    def _table(self, node: SyntaxTreeNode) -> Iterator[Json]:
        rows = [
            [tuple(self._inline(cell, Run(""))) for cell in row.children]
            for part in node.children
            for row in part.children
        ]
        columns = len(rows[0])
        if columns <= _MOST_COLUMNS:
            empty: Runs = ()
            yield table([[*row, *[empty] * (columns - len(row))][:columns] for row in rows])
            return
        headers = [_words(cell) for cell in node.children[0].children[0].children]
        for at, row in enumerate(rows[1:]):
            cells = [
                (Run(f"{header}: ", bold=True), *cell, Run(" ")) for header, cell in zip(headers, row, strict=False)
            ]
            yield line([run for cell in cells for run in cell], tight=at > 0)

    # ------------------------------------------------------------------------------------ inline

    def _inline(self, node: SyntaxTreeNode, style: Run) -> Iterator[Run]:
        for child in node.children:
            yield from self._span(child, style)

    def _span(self, node: SyntaxTreeNode, style: Run) -> Iterator[Run]:
        match node.type:
            case "text":
                yield from self.citing.link_marks(node.content, style)
            case "softbreak" | "hardbreak":
                yield Run("\n")
            case "code_inline":
                yield replace(style, text=one_line(node.content), code=True)
            case "strong":
                yield from self._inline(node, replace(style, bold=True))
            case "em":
                yield from self._inline(node, replace(style, italic=True))
            case "s":
                yield from self._inline(node, replace(style, strike=True))
            case "link":
                yield from self._link(node, style)
            case "image":
                yield replace(style, text=_words(node))
            case _:
                yield from self._inline(node, style)

    def _link(self, node: SyntaxTreeNode, style: Run) -> Iterator[Run]:
        """The text of a link; a link only to what the answer cites, since models invent addresses."""
        text, url = _words(node), str(node.attrs.get("href", ""))
        if self.citing.cites(text):
            yield self.citing.mark(text)
        elif self.citing.knows(url):
            yield link(url, text)
        else:
            yield from self._inline(node, style)


def _lines(runs: Sequence[Run]) -> Iterator[list[Run]]:
    """The runs of each line; lines without any are left out."""
    found: list[Run] = []
    for run in [*runs, Run("\n")]:
        if run.text != "\n":
            found.append(run)
        elif found:
            yield found
            found = []


def _words(node: SyntaxTreeNode) -> str:
    """The text of a node without any markup, on one line."""
    if node.type in ("text", "code_inline"):
        return one_line(node.content)
    if node.type in ("softbreak", "hardbreak"):
        return " "
    return "".join(_words(child) if child.type != "text" else clean(child.content) for child in node.children).strip()
