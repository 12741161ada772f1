"""``wikiwhy ask``: answer one question with citations, and show the answer while it is written."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.spinner import Spinner
from rich.text import Text

from bot.cli.document import draw_answer, draw_suggestions
from bot.cli.history_file import read_history
from bot.cli.json_views import make_turn_json
from bot.cli.options import AsJson, DataDir, Spaces, errors, load_command_settings, output, print_json, run, show
from bot.cli.remarks import reply_to_remark
from bot.operations.operation import Event, Operations, open_operations
from bot.operations.questions import AskQuestion, BeginConversation, SuggestQuestions
from core.conversation import check_question
from core.model import HistoryMessage, Question
from core.text import remove_controls

_USAGE = 'Ask, for example: wikiwhy ask "Who approves travel?"'
_PAUSE = 0.05  # seconds between two updates of the draft; the first text is shown at once
_WAITING = "reading the wiki …"
_SPARE_LINES = 2  # lines of the terminal that a draft leaves free; one that fills it could not be removed


def ask(
    context: typer.Context,
    said: Annotated[list[str], typer.Argument(help="The question.", metavar="QUESTION")],
    spaces: Spaces = None,
    history: Annotated[
        Path | None, typer.Option("--history", help="A JSON file with the conversation so far.", metavar="FILE")
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Ask the synced wiki one question."""
    question = " ".join(said)  # a question may be typed without quotes
    check_question(question)
    messages = read_history(history) if history else []
    if not as_json and (reply := reply_to_remark(question, _USAGE)) is not None:
        show(Text(reply or _USAGE))
        return
    with open_operations(load_command_settings(context, data_dir)) as operations:
        run(_ask(operations, question, tuple(messages), tuple(spaces or ()), as_json))


async def _ask(
    operations: Operations, question: str, history: tuple[HistoryMessage, ...], spaces: tuple[str, ...], as_json: bool
) -> None:
    conversation_id = await operations.execute(BeginConversation(spaces))
    with show_draft(live=not as_json) as draft:
        turn = await operations.execute(AskQuestion(conversation_id, question, history, spaces), draft.on_event)
    if not as_json:
        show(draw_answer(turn))
    earlier = tuple(said.text for said in history if said.role == "user")
    turn = await operations.execute(SuggestQuestions(turn.turn_id, earlier))
    if as_json:
        print_json(make_turn_json(turn))
        return
    if turn.suggestions:
        show(draw_suggestions(turn))
    if turn.answer.answered and output.is_terminal:
        show(Text(f"\nWhy? wikiwhy explain {turn.turn_id}", style="dim"))


class Draft:
    """The answer so far: the completed question and the text. This class does not show it."""

    def __init__(self) -> None:
        self.understood_as = ""
        self.written = ""

    def on_event(self, event: Event) -> None:
        """Note the completed question, or the whole answer so far."""
        if isinstance(event, str):
            self.written = remove_controls(event)
        elif isinstance(event, Question) and event.completed:
            self.understood_as = f"Understood as: {remove_controls(' '.join(event.intent_explicit.split()))}"


class _LiveDraft(Draft):
    """A draft that is shown on a terminal."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._spinner = Spinner("dots", Text(_WAITING, style="dim"))
        self._shown_at = 0.0
        self.live = Live(self, console=console, transient=True, refresh_per_second=10)

    def on_event(self, event: Event) -> None:
        is_first = not self.written
        super().on_event(event)
        if is_first or time.monotonic() - self._shown_at > _PAUSE:
            self.live.refresh()
            if self.written:
                self._shown_at = time.monotonic()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the last lines that fit on the terminal."""
        lines: list[list[Segment]] = []
        if self.understood_as:
            lines += console.render_lines(Text(self.understood_as, style="dim italic"), options, pad=False)
        lines += console.render_lines(Text(self.written) if self.written else self._spinner, options, pad=False)
        for number, line in enumerate(lines[-max(1, console.height - _SPARE_LINES) :]):
            if number:
                yield Segment.line()
            yield from line


@contextmanager
def show_draft(live: bool) -> Iterator[Draft]:
    """Show a draft during the block, then remove it. If not ``live``, show only that work is in progress."""
    if live and output.is_terminal and not output.is_dumb_terminal:
        draft = _LiveDraft(output)
        with draft.live:
            yield draft
    else:
        with errors.status(_WAITING):
            yield Draft()
