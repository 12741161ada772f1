"""Draw documents in a terminal with rich. Nothing is cut, and addresses can be copied."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.style import Style
from rich.text import Text

from core.attribution.explainer import Explanation
from core.model import PageFacts, Turn
from core.text import remove_controls
from core.views.document import (
    Actions,
    Bar,
    Block,
    Chart,
    Code,
    Details,
    Document,
    Paragraph,
    Run,
    Runs,
    Table,
    make_label,
)
from core.views.explanation import build_explanation_view
from core.views.fitting import Limits, align
from core.views.messages import answer_body, build_answer_view, build_document
from core.views.notices import format_question
from core.views.sources import build_sources_view

_BAR = 30  # columns
_EIGHTHS = " ▏▎▍▌▋▊▉"
_INDENT = " " * 4

LIMITS = Limits(sys.maxsize, lambda block: 0, lambda table: table, measure=lambda text: 0, shows_everything=True)


# ----------------------------------------------------------------------------------------- answers and explanations


def draw_answer(turn: Turn) -> RenderableType:
    """Draw the answer as chats show it, with the errors of models, whose servers users of a terminal may know."""
    view = build_answer_view(turn, turn.page_ids)
    errors = dict.fromkeys(call.error for call in turn.trace.calls if call.error)
    return draw_document(build_document(replace(view, notes=(*view.notes, *errors)), LIMITS))


def draw_suggestions(turn: Turn) -> RenderableType:
    """Draw the suggestions below an answer."""
    after = build_document(build_answer_view(turn), LIMITS).after
    return Group(*(part for block in after if isinstance(block, Actions) for part in _draw_actions(block)))


def draw_question_and_answer(turn: Turn) -> RenderableType:
    """Draw the question, and the text of the answer if there is one."""
    asked = make_label(f"› {format_question(turn.question)}", "heading", tight=True)
    answer = answer_body(build_answer_view(turn)) if turn.answer.answered else ()
    return draw_document(Document((*answer,), before=(asked,)))


def draw_sources(turn: Turn) -> RenderableType:
    """Draw the sources of the answer, cited sources first."""
    return draw_document(build_document(build_sources_view(turn, dict.fromkeys(turn.page_ids, PageFacts())), LIMITS))


def draw_explanation(turn: Turn, explanation: Explanation) -> RenderableType:
    """Draw an explanation with errors in full, since users of a terminal may know the servers that errors name."""
    view, top = build_explanation_view(turn, explanation), explanation.top
    errors = [cluster.result.error for cluster in explanation.clusters if cluster.share is None]
    causes = tuple(dict.fromkeys(error for error in errors if error)) or view.causes
    problem = top.result.error if top and view.problem else ""
    return draw_document(build_document(replace(view, question="", causes=causes, problem=problem), LIMITS))


# ------------------------------------------------------------------------------------------------------------ blocks


def draw_document(document: Document) -> RenderableType:
    """Draw a document. In the part after its text, addresses are shown below their titles."""
    text = [part for block in (*document.before, *document.body) for part in _render(block)]
    references = [part for block in document.after for part in _render(block, with_addresses=True)]
    parts = [*text, *references]
    return Group(*(parts[1:] if parts and parts[0] is _BLANK else parts))


_BLANK = Text()


def _render(block: Block, with_addresses: bool = False) -> Iterator[RenderableType]:
    match block:
        case Paragraph():
            yield from () if block.tight else (_BLANK,)
            yield _draw_paragraph(block)
            yield from _draw_addresses(block) if with_addresses or block.ruled else ()
        case Code():
            yield _BLANK
            yield from (_IndentedText(_INDENT, Text(remove_controls(line))) for line in block.lines)
        case Table():
            yield _Table(block)
        case Chart():
            yield from (part for bar in block.bars for part in _draw_bar(bar))
        case Actions():
            yield from _draw_actions(block)
        case Details():
            yield from (part for line in block.lines for part in _render(line))


def _draw_paragraph(block: Paragraph) -> RenderableType:
    style = "bold" if block.ruled or block.is_bold else "dim" if block.look == "subtle" else ""
    return _IndentedText(_INDENT * block.quoted + block.lead, _draw_text(block.runs, style))


def _draw_text(runs: Runs, style: str = "") -> Text:
    return Text.assemble(*((remove_controls(run.text), _choose_style(run)) for run in runs), style=style)


def _choose_style(run: Run) -> Style:
    shown = Style.combine(Style.parse(style) for style in run.styles) if run.styles else Style()
    if run.url:
        return shown + Style(color="cyan", dim=False, link=run.url)
    return shown + Style(color="cyan") if run.code else shown


def _draw_addresses(block: Paragraph) -> Iterator[Text]:
    """Yield the addresses of a paragraph, without line breaks, so that they can be copied."""
    for run in block.runs:
        if run.url:
            yield Text.assemble(_INDENT, (run.url, Style(dim=True, link=run.url)), no_wrap=True, overflow="ignore")


def _draw_bar(bar: Bar) -> Iterator[RenderableType]:
    full, eighth = divmod(round(bar.share * _BAR * 8), 8)
    filled = "█" * full + (_EIGHTHS[eighth] if eighth else "")
    yield _BLANK
    yield Text.assemble((f"{filled or '▏':{_BAR}}", "cyan"), (f"{bar.percent:>6}", "bold"))
    for location in bar.locations:
        yield from _render(location, with_addresses=True)


def _draw_actions(actions: Actions) -> Iterator[RenderableType]:
    """Yield suggestions, numbered from 1. Other buttons are left out, since commands replace them."""
    if actions.kind == "suggestions":
        yield _BLANK
        yield Text(actions.intro, style="dim")
        for button in actions.buttons:
            yield Text.assemble((f"{(button.index or 0) + 1}. ", "bold cyan"), remove_controls(button.label))


@dataclass(frozen=True, slots=True)
class _IndentedText:
    """Text after a lead such as a bullet. Further lines are indented by the width of the lead."""

    lead: str
    text: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.lead:
            yield self.text
        elif options.no_wrap:  # for a file or a program
            yield from (Text.assemble(self.lead, line) for line in self.text.split())
        else:
            lead = self.lead
            for line in self.text.wrap(console, max(options.max_width - len(lead), 1), overflow="fold"):
                yield Text.assemble(lead, line)
                lead = " " * len(lead)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table in aligned columns if the terminal is wide enough, else each row as one line of text."""

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        widest = sys.maxsize if options.no_wrap else options.max_width - len(_INDENT)
        limits = replace(LIMITS, table=lambda table: align(table, widest))
        yield from (part for block in limits.show_tables([self.table]) for part in _render(block))
