"""``wikiwhy spaces`` and ``wikiwhy forget``: list and remove spaces."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bot.cli.json_views import make_space_json
from bot.cli.options import AsJson, DataDir, clean_files, count, load_command_settings, output, print_json, run, say
from bot.operations.operation import open_operations
from bot.operations.spaces import ForgetSpace, ListSpaces, SpaceList, find_key
from bot.schedules import describe_future, describe_past, parse_moment
from core.errors import SpaceUnknown
from core.i18n import format_value
from core.ports.pages import SpaceSummary
from core.text import remove_controls

_COLUMNS = ("space", "pages", "restricted", "evidences", "synced", "next sync")
_NUMERIC = frozenset({"pages", "restricted", "evidences"})
_NARROWEST_KEY = 10


@dataclass(frozen=True, slots=True)
class Times:
    """The time now, and the next sync of each scheduled space by key."""

    now: datetime
    next_due: Mapping[str, datetime] = field(default_factory=dict)


def find_times(spaces: SpaceList) -> Times:
    """Return the time now, and the next sync of each scheduled space."""
    return Times(datetime.now(UTC), spaces.next_due)


def spaces(context: typer.Context, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """List the synced spaces with their pages, the time of their last sync, and errors."""
    with open_operations(load_command_settings(context, data_dir)) as operations:
        found = run(operations.execute(ListSpaces()))
    summaries, at = found.summaries, find_times(found)
    if as_json:
        print_json(
            {"spaces": [make_space_json(summary, at.next_due.get(summary.key), at.now) for summary in summaries]}
        )
        return
    if summaries:
        output.print(draw_spaces(summaries, at, output.width))
    else:
        output.print("No space has been synced yet. Run for example: wikiwhy sync folder samples/documents")
    if waiting := sorted(at.next_due.keys() - {summary.key for summary in summaries}):
        say("note:", "yellow", f"scheduled but never synced: {', '.join(waiting)}. To sync them, run: wikiwhy sync due")


def draw_spaces(summaries: Sequence[SpaceSummary], at: Times, width: int) -> RenderableType:
    """Return a table of the spaces of each wiki, one line per space, and below them the errors.

    Empty columns are left out. A long key is wrapped to fit ``width``.
    """
    cells = {summary.key: _make_cells(summary, at) for summary in summaries}
    shown = [name for name in _COLUMNS if any(row[name].plain for row in cells.values())]
    widths = {name: max(len(name), *(row[name].cell_len for row in cells.values())) for name in shown}
    others = sum(2 + widths[name] for name in shown if name != "space")
    widths["space"] = min(widths["space"], max(_NARROWEST_KEY, width - others))
    parts: list[RenderableType] = []
    for wiki_name in dict.fromkeys(summary.wiki_name for summary in summaries):
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in shown:
            justify: Literal["left", "right"] = "right" if name in _NUMERIC else "left"
            table.add_column(name, justify=justify, no_wrap=name != "space", overflow="fold", width=widths[name])
        for summary in summaries:
            if summary.wiki_name == wiki_name:
                table.add_row(*(cells[summary.key][name] for name in shown))
        parts += [Text(remove_controls(_shorten(wiki_name)), style="cyan", overflow="fold"), table, Text()]
    problems = [
        Text.assemble((remove_controls(summary.key), "yellow"), ": ", remove_controls(summary.last_error))
        for summary in summaries
        if summary.last_error
    ]
    return Group(*parts, *problems) if problems else Group(*parts[:-1])


def _make_cells(summary: SpaceSummary, at: Times) -> dict[str, Text]:
    due = at.next_due.get(summary.key)
    synced = (
        format_value(describe_past(parse_moment(summary.synced_at), at.now), "en")
        if summary.synced_at
        else "incomplete"
    )
    next_sync = format_value(describe_future(due, at.now), "en") if due else ""
    troubled = "yellow" if summary.last_error or not summary.synced_at else ""
    return {
        "space": Text(remove_controls(summary.key), style="bold"),
        "pages": Text(f"{summary.pages:,}"),
        "restricted": Text(f"{summary.restricted:,}" if summary.restricted else ""),
        "evidences": Text(f"{sum(summary.evidences.values()):,}"),
        "synced": Text(synced, style=troubled),
        "next sync": Text(next_sync, style="yellow" if due and due <= at.now else ""),
    }


def _shorten(wiki_name: str) -> str:
    """Return a folder's path relative to the working directory or to home; other names unchanged."""
    kind, _, place = wiki_name.partition(" ")
    if kind != "folder":
        return wiki_name
    for base, prefix in ((Path.cwd(), ""), (Path.home(), "~/")):
        if Path(place).is_relative_to(base) and base != Path(base.root):
            return f"folder {prefix}{Path(place).relative_to(base)}"
    return wiki_name


def forget(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="The space's key.", metavar="KEY")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Remove a space: its pages, its index entries, its text in past answers, and the indexes of evaluations."""
    with open_operations(load_command_settings(context, data_dir)) as operations:
        spaces = run(operations.execute(ListSpaces()))
        if not find_key(key, [summary.key for summary in spaces.summaries]):
            clean_files(operations)  # an earlier command may have been killed after it removed the space
        summary = _find_summary(spaces.summaries, key)
        key = summary.key
        if not yes and sys.stdin.isatty() and sys.stdout.isatty():
            _confirm(summary)
        run(operations.execute(ForgetSpace(key)))
        pages = count(summary.pages, "page")
        forgotten = f"Removed space {key}: {pages}, and its text in indexes, evaluations and past answers."
        output.print(remove_controls(forgotten), markup=False, soft_wrap=True)
        if key in spaces.next_due:
            again = f"WIKIWHY_SYNC_SCHEDULE still names {key}. Remove it there, or the next sync adds the space again."
            say("note:", "yellow", again)
        clean_files(operations)


def _confirm(summary: SpaceSummary) -> None:
    """Ask for confirmation, and exit with code 1 unless the answer is yes."""
    what = f"Remove space {summary.key} with {count(summary.pages, 'page')}, and its text in past answers?"
    if not typer.confirm(remove_controls(what)):
        output.print("Nothing was removed.")
        raise typer.Exit(1)


def _find_summary(summaries: Sequence[SpaceSummary], key: str) -> SpaceSummary:
    by_key = {summary.key: summary for summary in summaries}
    found = find_key(key, [*by_key])
    if not found:
        known = ", ".join(sorted(by_key)) or "none"
        raise SpaceUnknown(f"There is no space {key}. The synced spaces are: {known}.")
    return by_key[found]
