"""HTML, read with lxml: reduced to headings, paragraphs, lists, tables and code."""

from __future__ import annotations

from lxml import etree, html

from adapters.files.markup import FileUnreadable, Full, Markup, escape_text
from adapters.files.plain import read_text

_KEPT = frozenset(
    {
        *("h1", "h2", "h3", "h4", "h5", "h6", "p", "pre", "blockquote", "div", "ul", "ol", "li", "dl", "dt", "dd"),
        *("table", "caption", "thead", "tbody", "tfoot", "tr", "td", "th"),
    }
)
_AS_BLOCKS = frozenset(
    {
        *("section", "article", "main", "header", "footer", "aside", "figure", "figcaption", "address", "body"),
        *("form", "fieldset"),
    }
)
_LEFT_OUT = frozenset(
    {
        *("head", "script", "style", "template", "noscript", "nav", "svg", "math", "object", "iframe", "select"),
        *("textarea",),
    }
)
_MOST_SPANNED = 1000
_DEEPEST = 200


def read(content: bytes, markup: Markup) -> str:
    """Read a web page, and return its defect, or ""."""
    write_html(read_text(content), markup)
    return ""


def write_html(text: str, markup: Markup) -> None:
    """Write HTML as markup. Raises FileUnreadable if it is empty."""
    try:
        root = html.document_fromstring(text.encode("utf-8", "replace"), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise FileUnreadable("has no text.") from error
    _Writer(markup).write(root)


class _Writer:
    """Writes elements. Open elements are closed even if the file is too long."""

    def __init__(self, markup: Markup) -> None:
        self._markup = markup

    def write(self, element: etree._Element, depth: int = 0) -> None:
        name = element.tag if isinstance(element.tag, str) else ""  # comments have no name
        if not name or name in _LEFT_OUT or depth > _DEEPEST:
            return
        if name == "br":
            self._markup.add("<br/>")
            return
        block = name if name in _KEPT else "div" if name in _AS_BLOCKS else ""
        self._open(block, element)
        try:
            self._add_text(element.text)
            for child in element:
                self.write(child, depth + 1)
                self._add_text(child.tail)
        except Full:
            self._markup.close(block)
            raise
        self._markup.close(block)

    def _open(self, block: str, element: etree._Element) -> None:
        if not block:
            return
        spans = "".join(
            f' {name}="{min(int(value), _MOST_SPANNED)}"'
            for name in ("colspan", "rowspan")
            if (value := element.get(name, "")).isdecimal()
        )
        self._markup.add(f"<{block}{spans}>")

    def _add_text(self, text: str | None) -> None:
        if text:
            self._markup.add(escape_text(text))
