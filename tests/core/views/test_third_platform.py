"""What a third platform costs: one whose messages are Markdown of 16,000 characters, such as Mattermost.

The document is fitted by the shared code. The platform adds a function from each kind of block to its own markup, an
escape and its limits.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from hypothesis import given
from markdown_it import MarkdownIt

from core.model.views import View
from core.text import collapse_spaces, count_units, make_caption, surround
from core.views.document import Actions, Bar, Block, Chart, Code, Details, Paragraph, Run, Table
from core.views.fitting import Limits, fit
from core.views.messages import build_document
from tests.adapters.slack import strategies

ROOM = 16_000
MARKS = {"bold": "**", "italic": "*", "strike": "~~"}
_MARKUP = re.compile(r"[!-/:-@\[-`{-~]")  # the ASCII punctuation, all of which CommonMark allows to escape


def escape(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", text)


def render_run(run: Run) -> str:
    text = escape(collapse_spaces(run.text))
    if run.url:
        address = run.url.replace("&", "&amp;").replace("(", "%28").replace(")", "%29")
        return f"[{text}]({address})"
    before, after = (" " * run.text[at:][:1].isspace() for at in (0, -1))
    for style in run.styles:
        text = surround(text, MARKS[style])
    return before + text + after


def render_line(block: Paragraph) -> str:
    line = "".join(map(render_run, block.runs)).strip()
    line = "> " * block.quoted + (f"{block.marker} " if block.marker else "") + line
    return f"### {line}" if block.look == "heading" else line


def render_bar(bar: Bar) -> str:
    return "\n\n".join([f"{'█' * (bar.whole_percent // 10)} {escape(bar.percent)}", *map(render_line, bar.locations)])


def render_block(block: Block) -> str:
    match block:
        case Paragraph():
            return render_line(block)
        case Code(lines):
            return "\n".join("    " + collapse_spaces(line) for line in lines)
        case Table(head, rows):
            first, *others = [["".join(map(render_run, cell)) for cell in row] for row in (head, *rows)]
            return "\n".join(f"| {' | '.join(row)} |" for row in (first, ["---"] * len(head), *others))
        case Chart(bars=bars):
            return "\n\n".join(map(render_bar, bars))
        case Actions(buttons, intro=intro):
            return "\n\n".join([escape(intro), *(escape(make_caption(button.label, 200)) for button in buttons)])
        case Details(lines=lines):
            return "\n\n".join(map(render_line, lines))


def render_message(view: View) -> str:
    return "\n\n".join(map(render_block, fit(build_document(view, LIMITS), LIMITS).blocks))


LIMITS = Limits(
    ROOM,
    lambda block: count_units(render_block(block)) + 2,
    lambda table: table if table.head else None,
    quotes_tables=True,
)


@strategies.MANY
@given(strategies.views)
def test_any_view_fits_and_has_no_markup_but_links_to_its_own_addresses(view: View) -> None:
    text = render_message(view)
    assert count_units(text) <= ROOM
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    inside = [child for token in tokens for child in token.children or ()]
    assert {token.type for token in (*tokens, *inside)}.isdisjoint({"html_block", "html_inline", "image", "fence"})
    links = {unquote(str(child.attrs["href"])) for child in inside if child.type == "link_open"}
    assert links <= {unquote(address) for address in strategies.addresses_in(view)}
