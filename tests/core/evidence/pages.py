"""Helpers that write pages and read their evidences."""

from __future__ import annotations

from core.evidence.blocks import Heading, List, PageBlock, Table, Text, fence_code, flatten_items
from core.evidence.budget import Budget
from core.evidence.extract import extract
from core.evidence.groups import ExtractionSettings
from core.evidence.reader import read_blocks
from core.evidence.storage_format import parse
from core.evidence.tables import DataTable, resolve_table
from core.model import Evidence, EvidenceKind, Page

CLOUD = "https://acme.atlassian.net/wiki/spaces/ENG/pages/7/Some+Page"


def page(content: str, title: str = "Some Page", url: str = CLOUD) -> Page:
    return Page("7", "ENG", title, url, content)


def evidences(content: str, settings: ExtractionSettings | None = None) -> tuple[Evidence, ...]:
    return extract(page(content), settings).evidences


def texts(content: str, kind: EvidenceKind | None = None, settings: ExtractionSettings | None = None) -> list[str]:
    return [found.text for found in evidences(content, settings) if kind in {None, found.kind}]


def blocks(content: str) -> list[PageBlock]:
    return read_blocks(parse(content).root)


def shown(content: str) -> str:
    """Return the text of all blocks of a page, without cell structure."""
    lines: list[str] = []
    for block in blocks(content):
        match block:
            case List(items):
                lines.extend(line.text for line in flatten_items(items))
            case Table():
                lines.extend(" | ".join(cell.text for cell in row) for row in block.rows)
            case Text():
                lines.extend([fence_code(block)] if block.text else [])
            case Heading(_, text):
                lines.append(text)
    return "\n".join(lines)


def table(content: str) -> DataTable:
    [found] = [block for block in blocks(content) if isinstance(block, Table)]
    return resolve_table(found, 1, Budget())


def rows(*cells: str) -> str:
    """Write a table from rows such as ``th:a | b``. Cells are td unless they begin with ``th:``."""
    return "<table><tbody>" + "".join(f"<tr>{_row(row)}</tr>" for row in cells) + "</tbody></table>"


def _row(row: str) -> str:
    names = [
        ("th", cell.strip()[3:]) if cell.strip().startswith("th:") else ("td", cell.strip()) for cell in row.split("|")
    ]
    return "".join(f"<{name}>{text}</{name}>" for name, text in names)


def macro(name: str, body: str = "", /, **parameters: str) -> str:
    given = "".join(f'<ac:parameter ac:name="{key}">{value}</ac:parameter>' for key, value in parameters.items())
    rich = f"<ac:rich-text-body>{body}</ac:rich-text-body>" if body else ""
    return f'<ac:structured-macro ac:name="{name}">{given}{rich}</ac:structured-macro>'


def code(body: str, macro_name: str = "code", **parameters: str) -> str:
    given = "".join(f'<ac:parameter ac:name="{key}">{value}</ac:parameter>' for key, value in parameters.items())
    plain = f"<ac:plain-text-body><![CDATA[{body}]]></ac:plain-text-body>"
    return f'<ac:structured-macro ac:name="{macro_name}">{given}{plain}</ac:structured-macro>'
