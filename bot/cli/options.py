"""Options that several commands share, and what they lead to."""

from __future__ import annotations

import sys
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console

from bot.settings import Settings, load_settings
from bot.wiring import Application
from core.errors import SpaceUnknown
from core.model import Scope

T = TypeVar("T")

DataDir = Annotated[
    Path | None, typer.Option("--data-dir", help="Where everything is kept.", show_default="./data", metavar="DIR")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
Spaces = Annotated[
    list[str] | None, typer.Option("--space", help="Ask this space only; may be given several times.", metavar="KEY")
]

errors = Console(stderr=True, highlight=False)
output = Console(highlight=False)


def settings_for(context: typer.Context, data_dir: Path | None) -> Settings:
    """The settings, with ``--data-dir`` from after or before the command's name."""
    return load_settings(data_dir=data_dir or (context.obj or {}).get("data_dir"))


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs a command's asynchronous part."""
    import asyncio

    return asyncio.run(work)


async def scope_of(application: Application, keys: Sequence[str] | None) -> Scope:
    """The scope of a question on the command line. Raises SpaceUnknown if there is no such space, or none at all."""
    known = {summary.key for summary in await application.spaces.summaries()}
    if not known:
        raise SpaceUnknown(
            f"Nothing has been synced into {application.directory.path} yet. "
            "Run for example: wikiwhy sync folder samples/documents"
        )
    unknown = sorted(set(keys or ()) - known)
    if unknown:
        raise SpaceUnknown(f"There is no space {', '.join(unknown)} here. The spaces are: {', '.join(sorted(known))}.")
    return Scope(frozenset(keys) if keys else None)


def print_json(value: object) -> None:
    """One JSON object on standard output."""
    import json

    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
