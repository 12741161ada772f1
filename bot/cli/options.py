"""Options that several commands share, and what they lead to."""

from __future__ import annotations

import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from bot.settings import Settings, load_settings

T = TypeVar("T")

DataDir = Annotated[
    Path | None, typer.Option("--data-dir", help="Where everything is kept.", show_default="./data", metavar="DIR")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
Spaces = Annotated[
    list[str] | None, typer.Option("--space", help="Ask this space only; may be given several times.", metavar="KEY")
]

# Text of wikis and of people is shown as it is: nothing in it is markup, an emoji's name or a number to colour.
errors = Console(stderr=True, highlight=False, emoji=False)
output = Console(highlight=False, emoji=False)

# What moves a terminal's cursor or changes its colours has no place in shown text, half a surrogate pair no bytes.
_REORDERING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))  # makes a text read as another one
_CONTROLS = {
    code: "" for code in (*range(32), *range(127, 160), *_REORDERING, *range(0xD800, 0xE000)) if chr(code) not in "\n\t"
}


def settings_for(context: typer.Context, data_dir: Path | None) -> Settings:
    """The settings, with ``--data-dir`` from after or before the command's name."""
    return load_settings(data_dir=data_dir or (context.obj or {}).get("data_dir"))


def run(work: Coroutine[Any, Any, T], if_interrupted: str = "interrupted") -> T:
    """Runs a command's asynchronous part. Ctrl-C lets the step at hand end, then leaves with exit code 130."""
    import asyncio

    try:
        return asyncio.run(work)
    except KeyboardInterrupt as interrupt:
        errors.print(if_interrupted)
        raise typer.Exit(130) from interrupt


def plain(text: str) -> str:
    """Text from a wiki or a person, without what a terminal would act on or UTF-8 cannot carry."""
    return text.translate(_CONTROLS)


def show(view: RenderableType) -> None:
    """Text on standard output: broken into lines on a terminal only, so that what others read and copy stays whole."""
    output.print(view, soft_wrap=not output.is_terminal, crop=False)


def say(label: str, style: str, message: str) -> None:
    """One message on standard error, after a coloured label; long ones are not cut into lines."""
    errors.print(Text.assemble((label, style), " ", plain(message)), soft_wrap=True)


def print_json(value: object) -> None:
    """One JSON object on standard output."""
    import json

    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
