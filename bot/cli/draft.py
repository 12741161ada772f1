"""An answer in the making, shown in the terminal while it is written."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.spinner import Spinner
from rich.text import Text

from bot.cli.options import errors, output, plain
from bot.operations.operation import Event
from core.model import Question

_PAUSE = 0.05  # seconds between two texts shown; the first one never waits
_WAITING = "reading the wiki …"
_SPARE_LINES = 2  # of the terminal's height: a draft that fills it could not be taken back


class Draft:
    """What is known of an answer so far: how the question was understood, then its text. It shows nothing."""

    def __init__(self) -> None:
        self.understood_as = ""
        self.written = ""

    def on_event(self, event: Event) -> None:
        """Takes a question as understood, and the answer so far, all of it each time."""
        if isinstance(event, str):
            self.written = plain(event)
        elif isinstance(event, Question) and event.completed:
            self.understood_as = f"Understood as: {plain(event.intent_explicit)}"


class _LiveDraft(Draft):
    """A draft on a terminal."""

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
        """The last lines that the terminal has room for."""
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
    """A draft that is shown while the block lasts and then taken back; ``live`` False: only that work is under way."""
    if live and output.is_terminal and not output.is_dumb_terminal:
        draft = _LiveDraft(output)
        with draft.live:
            yield draft
    else:
        with errors.status(_WAITING):
            yield Draft()
