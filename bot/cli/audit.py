"""``wikiwhy audit``: who did what to the installation."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from bot.cli.options import AsJson, DataDir, output, plain, print_json, run, settings_for
from bot.operations.connect import open_operations
from bot.operations.records import ReadAuditLog

_COLUMNS = ("at", "actor", "action", "object", "outcome")


def audit(
    context: typer.Context,
    since: Annotated[
        datetime | None,
        typer.Option(
            "--since", help="The first day or moment, UTC.", formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"], metavar="DATE"
        ),
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show who synced, forgot, exported and changed settings, oldest first."""
    moment = since.replace(tzinfo=UTC).isoformat(timespec="seconds") if since else ""
    with open_operations(settings_for(context, data_dir)) as operations:
        entries = run(operations.execute(ReadAuditLog(moment)))
    if as_json:
        print_json({"entries": [asdict(entry) for entry in entries]})
        return
    if not entries:
        output.print("There are no entries.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in _COLUMNS:
        table.add_column(name, overflow="fold")
    for entry in entries:
        table.add_row(*(Text(plain(str(getattr(entry, name)))) for name in _COLUMNS))
    output.print(table)
