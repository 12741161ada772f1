"""``wikiwhy spaces`` and ``wikiwhy forget``: what is synced, and how it goes away."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bot.cli.json_views import space_json
from bot.cli.options import AsJson, DataDir, output, plain, print_json, run, settings_for
from bot.data_directory import DataDirectory, delete, owner_of
from bot.wiring import Application, opened
from core.errors import DataDirectoryInUse, SpaceUnknown
from core.ports import SpaceSummary


def spaces(context: typer.Context, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """List the synced spaces."""
    with opened(settings_for(context, data_dir)) as application:
        summaries = run(application.spaces.summaries())
    if as_json:
        print_json({"spaces": [space_json(summary) for summary in summaries]})
    elif summaries:
        output.print(spaces_view(summaries))
    else:
        output.print("No space has been synced yet. Run for example: wikiwhy sync folder samples/documents")


def spaces_view(summaries: Sequence[SpaceSummary]) -> RenderableType:
    """One line a space: counts, freshness, source; below, what went wrong."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("space", overflow="fold")
    table.add_column("pages", justify="right", no_wrap=True)
    table.add_column("evidences", justify="right", no_wrap=True)
    table.add_column("synced (UTC)", no_wrap=True)
    table.add_column("source", overflow="fold")
    problems: list[Text] = []
    for summary in summaries:
        evidences = sum(summary.evidences.values())
        synced = summary.synced_at[:16].replace("T", " ") or "not completely"
        cells = (summary.key, str(summary.pages), str(evidences), synced, _short(summary.source))
        table.add_row(*(Text(plain(cell)) for cell in cells))
        if summary.last_error:
            problems.append(Text.assemble((summary.key, "yellow"), ": ", plain(summary.last_error)))
    return Group(table, Text(), *problems) if problems else table


def _short(source: str) -> str:
    """A folder as a person would type it: from the working directory, or from home."""
    kind, _, place = source.partition(" ")
    if kind != "folder":
        return source
    for base, prefix in ((Path.cwd(), ""), (Path.home(), "~/")):
        if Path(place).is_relative_to(base) and base != Path(base.root):
            return prefix + str(Path(place).relative_to(base))
    return place


def forget(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="The space's key.", metavar="KEY")],
    data_dir: DataDir = None,
) -> None:
    """Remove a space: its pages, its index entries, its text in past answers, and the indexes of evaluations."""
    with opened(settings_for(context, data_dir)) as application:
        pages = run(_forget(application, key))
    found = f"Forgot space {key}: {pages} pages, and their text in indexes, evaluations and past answers."
    output.print(plain(found), markup=False, soft_wrap=True)


async def _forget(application: Application, key: str) -> int:
    summaries = {summary.key: summary for summary in await application.spaces.summaries()}
    if key not in summaries:
        known = ", ".join(sorted(summaries)) or "none"
        raise SpaceUnknown(f"There is no space {key} here. The spaces are: {known}.")
    _delete_evaluations(application.directory)
    await application.indexer.drop(await application.spaces.forget(key))
    return summaries[key].pages


def _delete_evaluations(directory: DataDirectory) -> None:
    """They may hold the space's pages too, and are made again when needed. Raises DataDirectoryInUse."""
    if directory.evaluations.is_dir():
        for index in directory.evaluations.iterdir():
            if owner := owner_of(index):
                raise DataDirectoryInUse(
                    f"{index} is in use by {owner}. Nothing was forgotten: wait until that is done or stop it, "
                    "and forget again."
                )
    delete(directory.evaluations)
