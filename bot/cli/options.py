"""Options that several commands share, and their output."""

from __future__ import annotations

import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from bot.operations.operation import LocalOperations, Operations
from bot.operations.spaces import CleanFiles
from bot.settings import Settings, load_settings
from core.errors import WikiWhyError
from core.text import remove_controls

T = TypeVar("T")

DataDir = Annotated[
    Path | None, typer.Option("--data-dir", help="The directory of all data.", show_default="./data", metavar="DIR")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
Spaces = Annotated[
    list[str] | None, typer.Option("--space", help="Search only this space; may be repeated.", metavar="KEY")
]

_CLEAN_LATER = "The next sync continues, or run: wikiwhy db compact"

# Text of wikis and people is printed unchanged, without markup, emoji names or coloured numbers.
errors = Console(stderr=True, highlight=False, emoji=False)
output = Console(highlight=False, emoji=False)


def load_command_settings(context: typer.Context, data_dir: Path | None) -> Settings:
    """Load the settings, with ``--data-dir`` from after or before the command's name."""
    return load_settings(data_dir=data_dir or (context.obj or {}).get("data_dir"))


def run(work: Coroutine[Any, Any, T], if_interrupted: str = "Interrupted.") -> T:
    """Run the asynchronous part of a command. After Ctrl-C the current step ends, and the exit code is 130."""
    import asyncio

    try:
        return asyncio.run(work)
    except KeyboardInterrupt as interrupt:
        errors.print(if_interrupted)
        raise typer.Exit(130) from interrupt


def count(number: int, one: str, many: str = "") -> str:
    """Return ``1 page``, ``3 pages``. ``many``: the plural, if it is not ``one`` with an s."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def show(view: RenderableType) -> None:
    """Print on standard output. Long lines are wrapped on a terminal, but not in files and pipes."""
    output.print(view, soft_wrap=not output.is_terminal, crop=False)


def say(label: str, style: str, message: str) -> None:
    """Print a message on standard error as one line, after a coloured label."""
    errors.print(Text.assemble((label, style), " ", remove_controls(message)), soft_wrap=True)


def print_json(value: object) -> None:
    """Print one JSON object on standard output."""
    import json

    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def clean_files(operations: Operations) -> None:
    """Remove erased text from large files, and report on standard error if some is left. A server cleans by itself."""
    if not isinstance(operations, LocalOperations):
        return
    sys.stdout.flush()  # so that the command's result is shown first
    status = errors.status("removing deleted text from the files")
    interrupted = f"Interrupted. Deleted text is left in the files. {_CLEAN_LATER}"
    try:
        is_clean = run(operations.execute(CleanFiles(), lambda event: status.start()), interrupted)
    except WikiWhyError as error:  # only a note, since the command itself succeeded
        is_clean = False
        say("note:", "yellow", f"deleted text could not be removed from the files: {error}")
    finally:
        status.stop()
    if not is_clean:
        say("note:", "yellow", f"text of removed pages is still in unused parts of the files. {_CLEAN_LATER}")
