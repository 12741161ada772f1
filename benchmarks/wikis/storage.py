"""Convert HTML of manuals (by Sphinx, AsciiDoc, DocBook and Apache's stylesheets) to Confluence storage format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape

from lxml import etree

TERM = 7  # the level of a definition list's term: below all headings
_INLINE = {
    **{"em": "em", "i": "em", "var": "em", "cite": "em", "dfn": "em", "strong": "strong", "b": "strong"},
    **{"sub": "sub", "sup": "sup", "u": "u", "del": "del"},
    **dict.fromkeys(("a", "abbr", "acronym", "big", "br", "font", "img", "label", "q", "small", "span"), ""),
    **dict.fromkeys(("code", "tt", "kbd", "samp"), "code"),
}
_CONTAINERS = ("ul", "ol", "dl", "table", "pre", "div", "p")
_LEFT_OUT_TAGS = frozenset({"script", "style", "nav", "button", "svg", "form", "input", "img", "colgroup", "title"})
_LEFT_OUT_CLASSES = frozenset(
    {"headerlink", "permalink", "toplang", "bottomlang", "top", "up", "toc", "toctree-wrapper", "lang-toggle"}
)
_LEFT_OUT_IDS = frozenset({"quickview", "footer", "footer-text", "page-header", "path", "comments_section"})
_MACROS = {
    **{"note": "info", "seealso": "info", "tip": "tip", "hint": "tip", "important": "note", "attention": "note"},
    **{"warning": "warning", "caution": "warning", "danger": "warning"},
}
_LANGUAGES = {
    **{"python3": "python", "default": "python", "pycon": "python", "python": "python", "pycon3": "python"},
    **{"sh": "bash", "bash": "bash", "shell": "bash", "c": "c", "lua": "lua", "perl": "perl", "html": "xml"},
    **{"xml": "xml", "sql": "sql", "ini": "ini", "json": "json", "toml": "toml"},
}
_LANGUAGE = re.compile(r"\b(?:highlight|lang)-(\w+)")
_SPACES = re.compile(r"[ \t\r\n]+")
_LONE_SPACE = re.compile("^ (?! )")
_ONE_PARAGRAPH = re.compile(r"<p>((?:(?!</?p>).)*)</p>", re.DOTALL)
_SHORT = 300  # characters of a definition that fits into a table cell


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a page: a paragraph, heading, list, table or macro.

    ``size``: characters of its text. ``level``: of a heading or term, else 0. ``label``: that heading's text.
    ``anchors``: the ids that links to this place name.
    """

    markup: str
    size: int
    level: int = 0
    label: str = ""
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Converter:
    """Converts the content of an element. ``link`` writes a link: of an address, for markup that is shown."""

    link: Callable[[str, str], str]

    def convert(self, element: etree._Element, without: Sequence[etree._Element] = ()) -> list[Block]:
        """Convert the content of an element to blocks, in order."""
        blocks: list[Block] = []
        line = [_escape(element.text)]
        for child in element:
            if _is_inline(child):
                line.append(self._inline(child))
            elif child not in without and not _is_left_out(child):
                blocks += [*_paragraph("".join(line)), *self._convert_with_anchor(child)]
                line = []
            line.append(_escape(child.tail))
        return blocks + _paragraph("".join(line))

    def _convert_with_anchor(self, element: etree._Element) -> list[Block]:
        blocks = self._convert_block(element)
        if blocks:
            anchors = [element.get("id") or element.get("name")]
            if len(blocks) == 1 or element.tag == "pre":
                anchors += element.xpath(".//@id | .//a/@name")
            blocks[0] = replace(blocks[0], anchors=(*blocks[0].anchors, *filter(None, anchors)))
        return blocks

    def _convert_block(self, element: etree._Element) -> list[Block]:
        tag, classes = element.tag, set((element.get("class") or "").split())
        if re.fullmatch("h[1-6]", tag):
            label = _text(element)
            return [Block(f"<{tag}>{_escape(label)}</{tag}>", len(label), int(tag[1]), label)] if label else []
        if tag == "pre":
            return [_code(element.xpath("string()"), _language(element))]
        if tag in {"ul", "ol"}:
            items = "".join(f"<li>{self._fill(item)}</li>" for item in element.iterchildren("li"))
            return [Block(f"<{tag}>{items}</{tag}>", len(_text(element)))] if items else []
        if tag == "table":
            return self._table(element)
        if tag == "dl":
            return self._definitions(element)
        if tag == "p" and classes & {"rubric", "sidebar-title", "topic-title"}:
            return _paragraph(f"<strong>{self._fill_inline(element).strip()}</strong>")
        if tag == "div":
            return self._convert_div(element, classes)
        if "footnote" in classes and not element.xpath(".//pre | .//ul"):  # codespell:ignore footnote
            return _paragraph(self._fill_inline(element))
        return self.convert(element)

    def _convert_div(self, element: etree._Element, classes: set[str]) -> list[Block]:
        if "admonitionblock" in classes:
            title = _text(element.xpath(".//td[@class='icon']")[0])
            return [self._macro(title, "", self.convert(element.xpath(".//td[@class='content']")[0]))]
        if kinds := classes & _MACROS.keys():
            kind = sorted(kinds)[0]
            titles = element.xpath("./p[@class='admonition-title'] | ./h3[1] | ./h4[1]")
            title = _text(titles[0]) if titles else ""
            return [self._macro(kind, "" if title.lower() == kind else title, self.convert(element, without=titles))]
        if "example" in classes and not element.xpath(".//pre"):
            titles = element.xpath("./h3")
            examples = [_code("\n".join(_lines(part))) for part in element.iterchildren("p")]
            captions = _paragraph("".join(f"<strong>{_escape(_text(title))}</strong>" for title in titles))
            return [*captions, *examples]
        if "title" in classes:
            return _paragraph(f"<strong>{self._fill_inline(element).strip()}</strong>")
        return self.convert(element)

    def _macro(self, kind: str, title: str, blocks: Iterable[Block]) -> Block:
        blocks = list(blocks)
        parameter = f'<ac:parameter ac:name="title">{escape(title)}</ac:parameter>' if title else ""
        body = "".join(block.markup for block in blocks)
        name = _MACROS.get(kind.lower(), "info")
        markup = (
            f'<ac:structured-macro ac:name="{name}" ac:schema-version="1">{parameter}'
            f"<ac:rich-text-body>{body}</ac:rich-text-body></ac:structured-macro>"
        )
        anchors = tuple(anchor for block in blocks for anchor in block.anchors)
        return Block(markup, len(title) + sum(block.size for block in blocks), anchors=anchors)

    def _table(self, table: etree._Element) -> list[Block]:
        rows = "".join(
            f"<tr>{cells}</tr>"
            for row in table.xpath("./tr | ./*/tr")
            if (cells := "".join(self._cell(cell) for cell in row.iterchildren("td", "th")))
        )
        captions = [f"<strong>{_escape(_text(caption))}</strong>" for caption in table.xpath("./caption")]
        title = [block for caption in captions for block in _paragraph(caption)]
        return [*title, Block(f"<table><tbody>{rows}</tbody></table>", len(_text(table)))] if rows else title

    def _cell(self, cell: etree._Element) -> str:
        spans = "".join(
            f' {name}="{number}"'
            for name in ("colspan", "rowspan")
            if (number := cell.get(name, "1")).isdigit() and number != "1"
        )
        converter = self if cell.tag == "td" else Converter(lambda _, markup: markup)  # manuals link each header
        return f"<{cell.tag}{spans}>{converter._fill(cell)}</{cell.tag}>"

    def _definitions(self, listed: etree._Element) -> list[Block]:
        """Convert two or more short definitions to a table, others to a bold paragraph with the definition below it."""
        groups: list[tuple[list[etree._Element], list[etree._Element]]] = []
        for child in listed.xpath("./dt | ./dd | ./div/dt | ./div/dd"):
            if child.tag == "dt" and (not groups or groups[-1][1]):
                groups.append(([], []))
            if groups:
                groups[-1][child.tag == "dd"].append(child)
        if len(groups) > 1 and all(_fits_a_cell(definitions) for _, definitions in groups):
            rows = "".join(
                f"<tr><th>{self._term(terms)}</th><td>{''.join(map(self._fill, definitions))}</td></tr>"
                for terms, definitions in groups
            )
            anchors = tuple(listed.xpath(".//@id | .//a/@name"))
            return [Block(f"<table><tbody>{rows}</tbody></table>", len(_text(listed)), anchors=anchors)]
        return [block for terms, definitions in groups for block in self._paragraphs_of(terms, definitions)]

    def _paragraphs_of(self, terms: list[etree._Element], definitions: list[etree._Element]) -> list[Block]:
        label = ", ".join(map(_text, terms))
        anchors = tuple(anchor for term in terms for anchor in term.xpath(".//@id | @id | .//a/@name"))
        term = Block(f"<p><strong>{self._term(terms)}</strong></p>", len(label), TERM, label, anchors)
        below = [block for definition in definitions for block in self.convert(definition)]
        return [term, *(replace(block, level=block.level + 1) if block.level >= TERM else block for block in below)]

    def _term(self, terms: Iterable[etree._Element]) -> str:
        return ", ".join(
            f"<code>{_escape(_text(term))}</code>"
            if "sig" in (term.get("class") or "").split()
            else self._fill_inline(term).strip()
            for term in terms
        )

    def _fill(self, element: etree._Element) -> str:
        """Convert the content of a list item or cell; a single paragraph is unwrapped."""
        markup = "".join(block.markup for block in self.convert(element))
        alone = _ONE_PARAGRAPH.fullmatch(markup)
        return alone[1] if alone else markup

    def _fill_inline(self, element: etree._Element) -> str:
        parts = [_escape(element.text)]
        for child in element:
            if not _is_left_out(child):
                parts.append(self._inline(child))
            parts.append(_escape(child.tail))
        return "".join(parts)

    def _inline(self, element: etree._Element) -> str:
        if _is_left_out(element):
            return ""
        if element.tag == "br":
            return "<br/>"
        name = _INLINE.get(element.tag, "")
        if name == "code":
            text = _text(element)
            addresses = element.xpath("./a/@href") if len(element) == 1 else []
            return self._link(addresses, f"<code>{_escape(text)}</code>") if text else ""
        markup = self._fill_inline(element)
        if element.tag == "a":
            return self._link(element.xpath("./@href"), markup)
        return f"<{name}>{markup}</{name}>" if name and markup.strip() else markup

    def _link(self, addresses: list[str], markup: str) -> str:
        return self.link(addresses[0], markup) if addresses and markup.strip() else markup


def _is_left_out(element: etree._Element) -> bool:
    if not isinstance(element.tag, str) or element.tag in _LEFT_OUT_TAGS or element.get("id") in _LEFT_OUT_IDS:
        return True
    return bool(_LEFT_OUT_CLASSES & set((element.get("class") or "").split()))


def _is_inline(element: etree._Element) -> bool:
    return element.tag in _INLINE and not element.xpath("|".join(f".//{name}" for name in _CONTAINERS))


def _fits_a_cell(definitions: list[etree._Element]) -> bool:
    if len(definitions) != 1:
        return False
    parts = definitions[0].xpath(".//p | .//ul | .//ol | .//dl | .//table | .//pre | .//div[@class='example']")
    return len(parts) <= 1 and all(part.tag == "p" for part in parts) and 0 < len(_text(definitions[0])) <= _SHORT


def _paragraph(markup: str) -> list[Block]:
    markup = re.sub(r"^(?:\s|<br/>)+|(?:\s|<br/>)+$", "", markup)
    text = re.sub("<[^>]+>", "", markup).strip()
    return [Block(f"<p>{markup}</p>", len(text))] if text else []


def _code(text: str, language: str = "") -> Block:
    text = re.sub(r"^(?:[ \t]*\n)+", "", text).rstrip()
    parameter = f'<ac:parameter ac:name="language">{language}</ac:parameter>' if language else ""
    content = text.replace("]]>", "]]]]><![CDATA[>")
    markup = (
        f'<ac:structured-macro ac:name="code" ac:schema-version="1">{parameter}'
        f"<ac:plain-text-body><![CDATA[{content}]]></ac:plain-text-body></ac:structured-macro>"
    )
    return Block(markup, len(text))


def _language(element: etree._Element) -> str:
    near = [element, *element.iterancestors()][:3]
    found = (_LANGUAGE.search(part.get("class") or "") for part in near)
    return next((_LANGUAGES.get(match[1], "") for match in found if match), "")


def _lines(element: etree._Element) -> list[str]:
    """Return the lines of code written as a paragraph with line breaks. ``span.indent`` is indented."""
    lines = [_SPACES.sub(" ", element.text or "")]
    for child in element:
        if child.tag == "br":
            lines.append("")
        elif child.get("class") == "indent":
            inner = [f"  {_LONE_SPACE.sub('', line)}" for line in _lines(child)]
            lines = [*_without_blank_end(lines), *_without_blank_end(inner), ""]
        elif isinstance(child.tag, str):
            first, *others = _lines(child)
            lines[-1] += first
            lines += others
        lines[-1] += _SPACES.sub(" ", child.tail or "")
    if element.tag == "p":
        lines = [_LONE_SPACE.sub("", line).rstrip() for line in lines]
    return lines


def _without_blank_end(lines: list[str]) -> list[str]:
    return lines if lines[-1].strip() else lines[:-1]


def _text(element: etree._Element) -> str:
    parts = element.xpath(".//text()[not(ancestor::*[@class='headerlink' or @class='permalink'])]")
    return _SPACES.sub(" ", "".join(parts)).strip()


def _escape(text: str | None) -> str:
    return escape(_SPACES.sub(" ", text or ""), quote=False)
