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

T = TypeVar("T")

DataDir = Annotated[
    Path | None, typer.Option("--data-dir", help="Where everything is kept.", show_default="./data", metavar="DIR")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
Spaces = Annotated[
    list[str] | None, typer.Option("--space", help="Ask this space only; may be given several times.", metavar="KEY")
]

_CLEAN_LATER = "The next sync goes on, or run: wikiwhy db compact"

# Text of wikis and people is printed unchanged: nothing in it is markup, an emoji's name or a number to colour.
errors = Console(stderr=True, highlight=False, emoji=False)
output = Console(highlight=False, emoji=False)

# Removed: control characters, which a terminal would act on, and lone surrogates, which UTF-8 cannot encode.
_REORDERING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))  # makes a text read as another one
_CONTROLS = {
    code: "" for code in (*range(32), *range(127, 160), *_REORDERING, *range(0xD800, 0xE000)) if chr(code) not in "\n\t"
}


def settings_for(context: typer.Context, data_dir: Path | None) -> Settings:
    """The settings, with ``--data-dir`` from after or before the command's name."""
    return load_settings(data_dir=data_dir or (context.obj or {}).get("data_dir"))


def run(work: Coroutine[Any, Any, T], if_interrupted: str = "interrupted") -> T:
    """Runs a command's asynchronous part. After Ctrl-C the current step ends, then the process, with exit code 130."""
    import asyncio

    try:
        return asyncio.run(work)
    except KeyboardInterrupt as interrupt:
        errors.print(if_interrupted)
        raise typer.Exit(130) from interrupt


def plain(text: str) -> str:
    """Text from a wiki or a person, without control characters and lone surrogates."""
    return text.translate(_CONTROLS)


def count(number: int, one: str, many: str = "") -> str:
    """``1 page``, ``3 pages``. ``many``: the plural, where it is not ``one`` with an s."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def show(view: RenderableType) -> None:
    """Prints on standard output; long lines are wrapped on a terminal only, not in files and pipes."""
    output.print(view, soft_wrap=not output.is_terminal, crop=False)


def say(label: str, style: str, message: str) -> None:
    """Prints one message on standard error, after a coloured label, as one line."""
    errors.print(Text.assemble((label, style), " ", plain(message)), soft_wrap=True)


def print_json(value: object) -> None:
    """Prints one JSON object on standard output."""
    import json

    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def clean_files(operations: Operations) -> None:
    """Takes erased text out of large files, and reports on standard error what remains. A server does it by itself."""
    if not isinstance(operations, LocalOperations):
        return
    sys.stdout.flush()  # the result of the command is shown first
    status = errors.status("taking removed text out of the files")
    interrupted = f"interrupted; removed text is left in files. {_CLEAN_LATER}"
    try:
        is_clean = run(operations.execute(CleanFiles(), lambda event: status.start()), interrupted)
    except WikiWhyError as error:  # say a full disk: what the command was called for is done
        is_clean = False
        say("note:", "yellow", f"removed text could not be taken out of the files: {error}")
    finally:
        status.stop()
    if not is_clean:
        say("note:", "yellow", f"words of removed pages are still in unused parts of the files. {_CLEAN_LATER}")
