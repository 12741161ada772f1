"""The document model: blocks of runs, which each chat platform serialises in its own markup.

No text in a document is escaped, and none is markup. Only :attr:`Run.url` contains an address, and only :func:`link`
sets it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Literal
from urllib.parse import quote, urlsplit

from core.languages import Language
from core.model import Citation
from core.text import collapse_spaces, is_visible, make_caption, remove_unencodable, shorten

Style = Literal["bold", "italic", "strike"]
Look = Literal["body", "heading", "headline", "subtle"]
ActionsKind = Literal["buttons", "suggestions", "feedback"]

_LONGEST_URL = 1_200  # characters; a longer one would fill most of a message
_LONGEST_LABEL = 150
_NAME = 80  # characters of a column's name before a cell
_INDENT = "    "
_NOT_IN_URL = re.compile(r"[^!#-;=?-Z\[\]_a-z~]")


@dataclass(frozen=True, slots=True)
class Run:
    """Text in one style. ``styles``: outermost first. ``url``: the link's target, "" for none.

    ``citation``: the number of the citation whose mark the text is. ``may_mention``: whether the text, written by an
    admin or by us, may mention a person or channel in the platform's notation.
    """

    text: str
    styles: tuple[Style, ...] = ()
    code: bool = False
    url: str = ""
    citation: int | None = None
    may_mention: bool = False


Runs = tuple[Run, ...]


Sign = Literal["info", "problem", "done"]
SIGNS: Mapping[Sign, str] = {"info": "", "problem": "⚠ ", "done": "✓ "}
"""What stands before a notice, by its urgency."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, a heading or a line of a list.

    ``headline``: the first line of a notice that has more lines. ``tight``: without space above. ``level``: depth of
    indentation. ``marker``: bullet or number of a list item, "" for the item's further lines, None outside of lists.
    ``quoted``: depth of quotation. ``ruled``: with a rule above. ``sign``: urgency of a notice.
    """

    runs: Runs
    look: Look = "body"
    tight: bool = False
    level: int = 0
    marker: str | None = None
    quoted: int = 0
    ruled: bool = False
    sign: Sign = "info"

    @property
    def is_bold(self) -> bool:
        return self.look in ("heading", "headline")

    @property
    def lead(self) -> str:
        """The prefix for platforms that indent with spaces."""
        marker = self.marker and f"{self.marker} "
        return _INDENT * self.level + (_INDENT if marker == "" else marker or "")


@dataclass(frozen=True, slots=True)
class Code:
    """Lines in a fixed-width font."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells. ``head`` is empty if the rows continue another table."""

    head: tuple[Runs, ...]
    rows: tuple[tuple[Runs, ...], ...]

    @property
    def cells(self) -> tuple[Runs, ...]:
        """All cells, those of the head first."""
        return tuple(cell for row in (self.head, *self.rows) for cell in row)

    @property
    def named_cells(self) -> tuple[tuple[Runs, Runs], ...]:
        """Each visible cell of a table of one row, after its column's name; () for any other table."""
        if len(self.rows) != 1 or len(self.head) != len(self.rows[0]):
            return ()
        return tuple(pair for pair in zip(self.head, self.rows[0], strict=True) if is_visible(join_text(pair[1])))


@dataclass(frozen=True, slots=True)
class Bar:
    """A share above 0 and at most 1.

    ``percent``, ``sentence``: the share as a short text and in words. ``label``: name of the cluster, on one line.
    ``locations``: where its evidences are, with links.
    """

    share: float
    percent: str
    sentence: str
    label: str
    locations: tuple[Paragraph, ...]

    @property
    def whole_percent(self) -> int:
        """The share in percent, from 1, so that its bar is visible, to 100."""
        return min(max(round(self.share * 100), 1), 100)


@dataclass(frozen=True, slots=True)
class Chart:
    """A bar chart. ``drawn``: whether the client draws it; otherwise bars are made of characters."""

    title: str
    bars: tuple[Bar, ...]
    drawn: bool = False

    def label_bars(self, limit: int) -> list[tuple[str, int]]:
        """Return a label of at most ``limit`` UTF-16 units for each bar, with its share in percent.

        Equal labels are numbered, since clients merge bars with the same label.
        """
        found: dict[str, int] = {}
        for bar in self.bars:
            numbered = (f"{shorten(bar.label, limit - 5)} ({number})" for number in count(2))
            label = next(each for each in chain([make_caption(bar.label, limit)], numbered) if each not in found)
            found[label] = bar.whole_percent
        return list(found.items())


@dataclass(frozen=True, slots=True)
class Form:
    """A form with one field. ``question``: shown above the field; ``value``: initial content of the field.

    ``title``, ``submit``, ``cancel``: at most 24 characters.
    """

    name: Literal["correction", "reason", "page"]
    language: Language
    title: str
    label: str
    placeholder: str
    submit: str
    cancel: str
    question: str = ""
    value: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Button:
    """A button about a turn or a page. ``turn_id``: "" for a button about a page, which has ``page_id`` or ``url``.

    ``index``: distinguishes buttons of one name. ``form_id``: of the form that it submits.
    """

    label: str
    name: str
    language: Language
    turn_id: str = ""
    page_id: str = ""
    url: str = ""
    index: int | None = None
    form_id: str = ""


@dataclass(frozen=True, slots=True)
class Actions:
    """A row of buttons. ``suggestions``: follow-up questions. ``feedback``: helpful, then not helpful."""

    buttons: tuple[Button, ...]
    kind: ActionsKind = "buttons"
    intro: str = ""


@dataclass(frozen=True, slots=True)
class Details:
    """Lines below a title that are closed until the reader opens them. Only for platforms that can do so."""

    title: str
    lines: tuple[Paragraph, ...]


Block = Paragraph | Code | Table | Chart | Actions | Details


@dataclass(frozen=True, slots=True)
class Document:
    """A message. If it is too long, only ``body`` is shortened, and followed by ``ending`` and ``more``.

    ``source``: a link to the rows and lines that were left out. ``title``: of a window, or shown above the message.
    ``summary``: text of the notification. ``citations``: of a text that a model may have written, None for our own
    texts.
    """

    body: tuple[Block, ...]
    before: tuple[Block, ...] = ()
    after: tuple[Block, ...] = ()
    ending: Paragraph = Paragraph((Run("…"),), tight=True)
    more: Actions | None = None
    source: Run | None = None
    language: Language = "en"
    title: str = ""
    summary: str = ""
    citations: tuple[Citation, ...] | None = None

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (*self.before, *self.body, *self.after)


def check_web_address(url: str) -> str:
    """Return the address if it may be linked (http or https, with a host, not too long), or ""."""
    try:
        parts = urlsplit(url.strip())
        if parts.scheme.lower() not in {"http", "https"} or not parts.hostname:
            return ""
    except ValueError:  # such as "http://[x"
        return ""
    scheme, _, rest = url.strip().partition(":")
    rest = _NOT_IN_URL.sub(lambda found: quote(found[0], safe="%&+"), remove_unencodable(rest))
    address = f"{scheme.lower()}:{rest}"
    return address if len(address) <= _LONGEST_URL else ""


def link(url: str, label: str) -> Run:
    """Make a link, or plain text if the address may not be linked."""
    address = check_web_address(url)
    return Run(shorten(collapse_spaces(label), _LONGEST_LABEL) or shorten(address, _LONGEST_LABEL), url=address)


def make_mark(citation: Citation) -> Run:
    """Make a citation mark, which is a link to the cited location if that has an address."""
    return replace(link(citation.url, f"[{citation.number}]"), citation=citation.number)


def link_location(title: str, headings: Sequence[str], url: str) -> Run:
    """Make a link with the label ``Title › Heading``, or plain text if there is no valid address."""
    return link(url, " › ".join(part for part in (title, *headings) if is_visible(part)))


def make_label(text: str, look: Look = "subtle", *, tight: bool = False) -> Paragraph:
    """Make a paragraph of one of our own texts."""
    return Paragraph((Run(text),), look, tight=tight)


def add_style(runs: Runs, style: Style) -> Runs:
    """Return the runs in one more style."""
    return tuple(run if style in run.styles else replace(run, styles=(*run.styles, style)) for run in runs)


def strip_colon(name: Runs) -> Runs:
    """Return the name of a column without the colon at its end, for where one follows."""
    while name and not name[-1].text.strip():
        name = name[:-1]
    last = name[-1].text.rstrip() if name else ""
    return strip_colon((*name[:-1], replace(name[-1], text=last.rstrip(":")))) if last.endswith(":") else name


def join_text(runs: Iterable[Run]) -> str:
    """Return the text of runs without styles."""
    return "".join(run.text for run in runs)


def list_table_lines(table: Table) -> Iterator[Paragraph]:
    """Return one paragraph per row, with each cell after its column's name.

    Semicolons separate the cells, because names and cells often contain commas: "Meals, full day".
    """
    names = [shorten(join_text(strip_colon(cell)), _NAME) for cell in table.head]
    for at, row in enumerate(table.rows):
        runs: list[Run] = []
        for name, cell in zip(names or [""] * len(row), row, strict=False):
            if join_text(cell):
                runs += [Run("; " * bool(runs) + (f"{name}: " if name else "")), *cell]
        yield Paragraph(tuple(runs), marker="•", tight=at > 0)


def get_plain_text(blocks: Iterable[Block]) -> str:
    """Return the text of blocks, one line each, for notifications and screen readers."""
    return "\n".join(line for block in blocks for line in _list_plain_lines(block) if is_visible(line))


def _list_plain_lines(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            yield block.lead + join_text(block.runs)
        case Code():
            yield from block.lines
        case Table(rows=(_,)):
            yield from (join_text(line.runs) for line in list_table_lines(block))
        case Table():
            yield from (", ".join(map(join_text, row)) for row in (block.head, *block.rows))
        case Chart():
            for bar in block.bars:
                yield f"{bar.sentence}: " + "; ".join(join_text(each.runs) for each in bar.locations)
        case Details():
            yield from (line for each in block.lines for line in _list_plain_lines(each))
        case Actions():
            return
