"""The lines that a person types, or a program sends; Ctrl-C and SIGINT end the wait for one at once."""

from __future__ import annotations

import signal
import sys
from collections.abc import AsyncIterator

from bot.cli.options import output


async def read_lines(introduction: str) -> AsyncIterator[str]:
    """What is typed at the prompt until Ctrl-D or Ctrl-C. What is printed meanwhile appears above the prompt."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import InMemoryHistory
    from prompt_toolkit.patch_stdout import patch_stdout

    output.print(introduction, style="dim", markup=False)
    session: PromptSession[str] = PromptSession(history=InMemoryHistory())
    while True:
        try:
            with patch_stdout(raw=True):
                text = (await session.prompt_async("› ")).strip()
        except (EOFError, KeyboardInterrupt):
            return
        if text:
            yield text


def read_line() -> str:
    """The next line of standard input, "" at its end. Raises KeyboardInterrupt at SIGINT.

    asyncio's own handler only cancels the task, which the one that waits in here would never learn of.
    """
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return sys.stdin.readline()
    finally:
        signal.signal(signal.SIGINT, handler)
