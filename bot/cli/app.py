"""The command line: ``wikiwhy``, same as ``python -m bot``. Exit codes: 0 done, 1 failed, 2 wrong usage."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from bot.cli import ask, chat, database, doctor, evaluate, spaces, sync
from bot.cli.options import errors
from core.errors import WikiWhyError

app = typer.Typer(
    name="wikiwhy",
    help="Answers questions from your team's wiki, and cites the exact place.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("ask")(ask.ask)
app.command("chat")(chat.chat)
app.add_typer(sync.app, name="sync")
app.command("spaces")(spaces.spaces)
app.command("forget")(spaces.forget)
app.command("evaluate")(evaluate.evaluate)
app.command("doctor")(doctor.doctor)
app.add_typer(database.app, name="db")


@app.callback()
def common(
    context: typer.Context,
    data_dir: Annotated[
        Path | None, typer.Option("--data-dir", help="Where everything is kept (default ./data).", metavar="DIR")
    ] = None,
) -> None:
    context.obj = {"data_dir": data_dir}


def main() -> None:
    """Runs a command; what a person can act on is one message, without a traceback."""
    logging.basicConfig(
        stream=sys.stderr, level=os.environ.get("WIKIWHY_LOG_LEVEL", "WARNING").upper(), format="%(message)s"
    )
    try:
        app()
    except WikiWhyError as error:
        errors.print(f"[bold red]wikiwhy:[/] ", end="")
        errors.print(str(error), markup=False, soft_wrap=True)
        sys.exit(1)
    except BrokenPipeError:  # the reader of our output went away: nothing to tell it
        sys.stderr.close()
        sys.exit(1)
