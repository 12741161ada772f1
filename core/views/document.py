"""What a message shows, as plain data: blocks of runs, which each chat platform serialises in its own markup.

No text in a document is escaped, and none of it is markup. An address stands only in :attr:`Run.url`, and only
:func:`link` puts one there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Literal
from urllib.parse import quote, urlsplit

from core.languages import Language
from core.model import Citation
from core.text import remove_unencodable

Style = Literal["bold", "italic", "strike"]
Look = Literal["body", "heading", "headline", "subtle"]

_LONGEST_URL = 1_200  # characters; a longer one would take up most of a message
_LONGEST_LABEL = 150
_INDENT = "    "
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")  # makes a text read as another one
_NOT_IN_URL = re.compile(r"[^!#-;=?-Z\[\]_a-z~]")


@dataclass(frozen=True, slots=True)
class Run:
    """Text in one style. ``styles``: the outermost first. ``url``: where it leads, "" for nowhere.

    ``may_mention``: an admin or we wrote it; it may mention one person or channel in the platform's own notation.
    """

    text: str
    styles: tuple[Style, ...] = ()
    code: bool = False
    url: str = ""
    may_mention: bool = False


Runs = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, a heading or a line of a list.

    ``headline``: the first line of a notice, above others. ``tight``: without space above it. ``level``: how deep it is
    indented. ``marker``: the bullet or number of a list item, "" on the item's further lines, None outside of lists.
    ``quoted``: how many quotes it stands in. ``ruled``: below a line. ``sign``: how urgent a notice is.
    """

    runs: Runs
    look: Look = "body"
    tight: bool = False
    level: int = 0
    marker: str | None = None
    quoted: int = 0
    ruled: bool = False
    sign: Literal["info", "problem", "done"] = "info"

    @property
    def lead(self) -> str:
        """What stands before the text where indentation is by spaces."""
        marker = self.marker and f"{self.marker} "
        return _INDENT * self.level + (_INDENT if marker == "" else marker or "")


@dataclass(frozen=True, slots=True)
class Code:
    """Lines in a fixed width."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; ``head`` has no cells where the rows go on from another table."""

    head: tuple[Runs, ...]
    rows: tuple[tuple[Runs, ...], ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """A share above 0 and at most 1. ``percent``, ``sentence``: the same for people, short and in words.

    ``label``: what it is the share of, on one line. ``places``: the same with links.
    """

    share: float
    percent: str
    sentence: str
    label: str
    places: tuple[Paragraph, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars to compare. ``drawn``: whether the client draws them, else they are of characters."""

    title: str
    bars: tuple[Bar, ...]
    drawn: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """A form with one field. ``question``: stands above the field; ``value``: what stands in it at first.

    ``title``, ``submit``, ``cancel``: of at most 24 characters.
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
    """A button about a turn. ``index``: which of several of the same name. ``form``: what has to be filled in first."""

    label: str
    name: str
    turn_id: str
    language: Language
    index: int | None = None
    form: Form | None = None


@dataclass(frozen=True, slots=True)
class Actions:
    """A row of buttons. ``suggestions``: questions to ask next. ``feedback``: whether the answer is good, then bad."""

    buttons: tuple[Button, ...]
    kind: Literal["buttons", "suggestions", "feedback"] = "buttons"
    intro: str = ""


Block = Paragraph | Code | Table | Chart | Actions


@dataclass(frozen=True, slots=True)
class Document:
    """A message. Only ``body`` is shortened where the whole does not fit; then ``ending`` and ``more`` follow it.

    ``source``: a link to where left out rows and lines stand. ``title``: of a window, or above all else.
    ``summary``: for notifications. ``citations``: of a text that a model may have written, None for words of ours.
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


def clean(text: str) -> str:
    """Without what no message can carry or what reorders it; every line ends with a newline."""
    return _BREAKS.sub("\n", _REORDERING.sub("", remove_unencodable(text)))


def one_line(text: str) -> str:
    """Cleaned, all white space single spaces."""
    return " ".join(clean(text).split())


def units(text: str) -> int:
    """Characters as platforms count them: in UTF-16."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def shorten(text: str, limit: int) -> str:
    """A text of at most so many UTF-16 units, "…" at its end where it was longer."""
    if len(text) <= limit and units(text) <= limit:
        return text
    wide = text[: limit - 1].encode("utf-16-le", "surrogatepass")
    return wide[: 2 * (limit - 1)].decode("utf-16-le", "ignore").rstrip() + "…"


def tell_apart(labels: Sequence[str], limit: int) -> list[str]:
    """Labels of at most so many UTF-16 units, each different: a client draws bars of one label as one."""
    found: list[str] = []
    for label in labels:
        first = shorten(label, limit) or "…"
        numbered = (f"{shorten(label, limit - 5)} ({number})" for number in count(2))
        found.append(next(each for each in chain([first], numbered) if each not in found))
    return found


def is_visible(text: str) -> bool:
    """Whether there is anything to see in a text."""
    return any(not character.isspace() and unicodedata.category(character) != "Cf" for character in text)


def web_address(url: str) -> str:
    """The address as it may be linked to: http or https, with a host, of a sane length; "" for any other."""
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
    """A label that leads somewhere; the label alone where the address is none to lead to."""
    address = web_address(url)
    return Run(shorten(one_line(label), _LONGEST_LABEL) or shorten(address, _LONGEST_LABEL), url=address)


def link_place(title: str, headings: Sequence[str], url: str) -> Run:
    """``Title › Heading``, a link where there is an address to link to."""
    return link(url, " › ".join(part for part in (title, *headings) if is_visible(part)))


def label(text: str, look: Look = "subtle", *, tight: bool = False) -> Paragraph:
    """A sentence of ours."""
    return Paragraph((Run(text),), look, tight=tight)


def text_of(runs: Iterable[Run]) -> str:
    """The words of runs."""
    return "".join(run.text for run in runs)


def plain_text(blocks: Iterable[Block]) -> str:
    """Blocks without any markup, a line each: for notifications, and for people who listen to them."""
    return "\n".join(line for block in blocks for line in _plain_lines(block) if is_visible(line))


def _plain_lines(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            yield block.lead + text_of(block.runs)
        case Code():
            yield from block.lines
        case Table(rows=(row,)):
            named = ((text_of(name), text_of(cell)) for name, cell in zip(block.head, row, strict=False))
            yield ", ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell)
        case Table():
            yield from (", ".join(map(text_of, row)) for row in (block.head, *block.rows))
        case Chart():
            for bar in block.bars:
                yield f"{bar.sentence}: " + "; ".join(text_of(place.runs) for place in bar.places)
        case Actions():
            return
