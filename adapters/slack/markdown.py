"""A model's Markdown as pieces of a message: parsed as CommonMark, so that nothing in it is markup by accident."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from adapters.slack.citing import Citing
from adapters.slack.mrkdwn import clean, code, escape, link, one_line
from adapters.slack.pieces import Piece
from adapters.slack.tables import align_table
from core.views.markup import without_deep_spans

_BULLETS = "•◦▪"
_STYLES = {"strong": "*", "em": "_", "s": "~"}
# HTML is text here. Without definitions of references "[1]" stays a citation, whatever the text says it links to.
_PARSER = (
    MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["reference", "autolink"])
)


def parse_markdown(text: str, citing: Citing) -> list[Piece]:
    """A text in Markdown, a piece a paragraph, item, table or block of code."""
    text = clean(text)
    return list(_Rendering(citing, text.split("\n")).blocks(_tree(text).children))


def _tree(text: str) -> SyntaxTreeNode:
    tokens = _PARSER.parse(text)
    for token in tokens:
        token.children = without_deep_spans(token.children) if token.children else token.children
    return SyntaxTreeNode(tokens)


@dataclass(frozen=True, slots=True)
class _Rendering:
    citing: Citing
    lines: Sequence[str]  # of the Markdown

    def blocks(self, nodes: Sequence[SyntaxTreeNode], depth: int = 0) -> Iterator[Piece]:
        """The pieces of blocks; ``depth``: of the list that they stand in."""
        for node in nodes:
            match node.type:
                case "bullet_list" | "ordered_list":
                    yield from self._list(node, depth, tight=depth > 0 or self._follows(node))
                case "fence" | "code_block":
                    if node.content.strip():
                        yield Piece(escape(node.content.rstrip("\n")), code=True)
                case "blockquote":
                    yield from _quoted(self.blocks(node.children))
                case "table":
                    yield from self._table(node)
                case "heading":
                    yield self._heading(node)
                case "paragraph":
                    yield Piece(self._inline(node), self._inline(node, styled=False))

    def _follows(self, node: SyntaxTreeNode) -> bool:
        """Whether the line above a block is not empty."""
        first = node.map[0] if node.map else 0
        return first > 0 and bool(self.lines[first - 1].strip())

    def _heading(self, node: SyntaxTreeNode) -> Piece:
        text = self._inline(node, styled=False)
        return Piece(_wrapped(text, "*"), text)

    def _list(self, node: SyntaxTreeNode, depth: int, *, tight: bool) -> Iterator[Piece]:
        start = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
        for at, item in enumerate(node.children):
            marker = _BULLETS[min(depth, 2)] if start is None else f"{start + at}."
            yield from self._item(item, marker, depth, tight=tight or at > 0)

    def _item(self, item: SyntaxTreeNode, marker: str, depth: int, *, tight: bool) -> Iterator[Piece]:
        indent = "    " * depth
        lead = f"{indent}{marker} "
        for child in item.children:
            if child.type == "paragraph":
                text, bare = (_led(self._inline(child, styled=styled), lead, indent) for styled in (True, False))
                yield Piece(text, bare, tight)
            else:
                if lead.strip():
                    yield Piece(lead.rstrip(), tight=tight)
                yield from (replace(piece, tight=True) for piece in self.blocks([child], depth + 1))
            lead, tight = f"{indent}    ", True

    def _table(self, node: SyntaxTreeNode) -> Iterator[Piece]:
        rows = [[_words(cell) for cell in row.children] for part in node.children for row in part.children]
        lines = align_table(rows[0], rows[1:])
        if lines:
            yield Piece(escape("\n".join(lines)), code=True, table_head=2)
            return
        headers = rows[0]
        for at, row in enumerate(rows[1:]):
            cells = [
                f"{header}: {cell}" if header else cell for header, cell in zip(headers, row, strict=False) if cell
            ]
            yield Piece("• " + self.citing.link_marks(", ".join(cells)), tight=at > 0)

    # ------------------------------------------------------------------------------------ inline

    def _inline(self, node: SyntaxTreeNode, *, styled: bool = True) -> str:
        return "".join(self._span(child, styled=styled) for child in node.children)

    def _span(self, node: SyntaxTreeNode, *, styled: bool) -> str:
        match node.type:
            case "text":
                return self.citing.link_marks(node.content)
            case "softbreak" | "hardbreak":
                return "\n"
            case "code_inline":
                return code(node.content) if styled else escape(node.content)
            case "strong" | "em" | "s":
                inner = self._inline(node, styled=styled)
                return _wrapped(inner, _STYLES[node.type]) if styled else inner
            case "link":
                return self._link(node, styled=styled)
            case "image":
                return escape(_words(node))
            case _:
                return self._inline(node, styled=styled)

    def _link(self, node: SyntaxTreeNode, *, styled: bool) -> str:
        """The text of a link; a link only to what the answer cites, since models invent addresses."""
        text, url = _words(node), str(node.attrs.get("href", ""))
        if self.citing.cites(text):
            return self.citing.mark(text)
        return link(url, text) if self.citing.knows(url) else self._inline(node, styled=styled)


def _words(node: SyntaxTreeNode) -> str:
    """The text of a node without any markup, on one line."""
    if node.type in ("text", "code_inline"):
        return one_line(node.content)
    if node.type in ("softbreak", "hardbreak"):
        return " "
    return "".join(_words(child) if child.type != "text" else clean(child.content) for child in node.children).strip()


def _wrapped(text: str, mark: str) -> str:
    """Each line between marks, which do not reach over line breaks nor touch spaces."""
    return "\n".join(_wrapped_line(line, mark) for line in text.split("\n"))


def _wrapped_line(line: str, mark: str) -> str:
    inner = line.strip()
    if not inner:
        return line
    before, _, after = line.partition(inner)
    return f"{before}{mark}{inner}{mark}{after}"


def _led(text: str, lead: str, indent: str) -> str:
    """Text after a list's marker, its further lines below its first one."""
    return lead + text.replace("\n", f"\n{indent}    ")


def _quoted(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Quotes do not nest: one mark a line."""
    for at, piece in enumerate(pieces):
        quoted = [line if line.startswith("> ") else f"> {line}" for line in piece.text.split("\n")]
        yield piece if piece.code else Piece("\n".join(quoted), tight=at > 0)
