"""The command line: ``wikiwhy``, same as ``python -m bot``. Exit codes: 0 done, 1 failed, 2 wrong usage."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from bot import find_version
from bot.cli import ask, chat, chat_apps, database, doctor, explain, records, serve, spaces, sync
from bot.cli.options import output, say
from core.errors import WikiWhyError
from evaluation.command import evaluate

app = typer.Typer(
    name="wikiwhy",
    help="Answer questions from your team's wiki, and cite the exact place.",
    epilog="Start with: wikiwhy sync folder samples/documents, then wikiwhy chat. If something fails: wikiwhy doctor.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("ask")(ask.ask)
app.command("explain")(explain.explain)
app.command("chat")(chat.chat)
app.add_typer(sync.app, name="sync")
app.command("spaces")(spaces.spaces)
app.command("forget")(spaces.forget)
app.command("evaluate")(evaluate)
app.command("serve")(serve.serve)
app.add_typer(chat_apps.slack, name="slack")
app.add_typer(chat_apps.teams, name="teams")
app.command("doctor")(doctor.doctor)
app.add_typer(records.feedback, name="feedback")
app.add_typer(records.person, name="person")
app.command("audit")(records.audit)
app.add_typer(database.app, name="db")


def _show_version(wanted: bool) -> None:
    if wanted:
        output.print(f"wikiwhy {find_version()}", markup=False)
        raise typer.Exit


@app.callback()
def common(
    context: typer.Context,
    data_dir: Annotated[
        Path | None, typer.Option("--data-dir", help="The directory of all data (default ./data).", metavar="DIR")
    ] = None,
    show_version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    context.obj = {"data_dir": data_dir}


def main() -> None:
    """Run a command. An error is shown as one message without a traceback."""
    _log_to_stderr()
    try:
        app(prog_name="wikiwhy")
    except WikiWhyError as error:
        say("wikiwhy:", "bold red", str(error))
        sys.exit(1)
    except BrokenPipeError:  # the program that reads the output has ended
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:
        logging.getLogger(__name__).debug("unexpected error", exc_info=True)
        say(
            "wikiwhy:",
            "bold red",
            f"unexpected error: {type(error).__name__}: {error}. Run `wikiwhy doctor` to check every part. To report "
            "this error, run the command again with WIKIWHY_LOG_LEVEL=DEBUG, which shows where it happened.",
        )
        sys.exit(1)


def _log_to_stderr() -> None:
    wanted = os.environ.get("WIKIWHY_LOG_LEVEL", "WARNING").upper()
    known = wanted in logging.getLevelNamesMapping()
    logging.basicConfig(stream=sys.stderr, level=wanted if known else "WARNING", format="%(message)s")
    if not known:
        levels = ", ".join(logging.getLevelNamesMapping())
        say("note:", "yellow", f"WIKIWHY_LOG_LEVEL={wanted} is ignored. Set it to one of {levels}.")
