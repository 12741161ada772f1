"""``wikiwhy spaces`` and ``wikiwhy forget``: what is synced, and how it goes away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from bot.cli.json_views import space_json
from bot.cli.options import AsJson, DataDir, output, print_json, run, settings_for
from bot.wiring import Application, opened
from core.errors import SpaceUnknown
from core.ports import SpaceSummary


def spaces(context: typer.Context, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """List the synced spaces."""
    with opened(settings_for(context, data_dir)) as application:
        summaries = run(application.spaces.summaries())
    if as_json:
        print_json({"spaces": [space_json(summary) for summary in summaries]})
    elif summaries:
        output.print(spaces_table(summaries))
    else:
        output.print("No space has been synced yet. Run for example: wikiwhy sync folder samples/documents")


def spaces_table(summaries: Sequence[SpaceSummary]) -> Table:
    """One line a space: counts, freshness, source, last error."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("space", "pages", "evidences", "synced", "source", "last error"):
        table.add_column(name, justify="right" if name in {"pages", "evidences"} else "left")
    for summary in summaries:
        counts = (str(summary.pages), str(sum(summary.evidences.values())))
        table.add_row(
            escape(summary.key), *counts, summary.synced_at, escape(summary.source), escape(summary.last_error)
        )
    return table


def forget(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="The space's key.", metavar="KEY")],
    data_dir: DataDir = None,
) -> None:
    """Remove a space: its pages, its index entries, and its text in past answers."""
    with opened(settings_for(context, data_dir)) as application:
        pages = run(_forget(application, key))
    output.print(f"Forgot space {escape(key)}: {pages} pages, and their text in indexes and past answers.")


async def _forget(application: Application, key: str) -> int:
    summaries = {summary.key: summary for summary in await application.spaces.summaries()}
    if key not in summaries:
        known = ", ".join(sorted(summaries)) or "none"
        raise SpaceUnknown(f"There is no space {key} here. The spaces are: {known}.")
    await application.indexer.drop(await application.spaces.forget(key))
    return summaries[key].pages
