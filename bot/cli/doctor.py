"""``wikiwhy doctor``: check each part, and show what to do if it does not work."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict

import typer
from rich.console import Group
from rich.table import Table
from rich.text import Text

from bot.cli.options import AsJson, DataDir, output, print_json
from bot.health import checks
from bot.operations.finding import Finding, State
from core.text import remove_controls

_MARKS: dict[State, tuple[str, str]] = {
    "works": ("✓", "green"),
    "note": ("!", "yellow"),
    "broken": ("✗", "bold red"),
}


def doctor(context: typer.Context, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Check every part, and say what to do if one does not work."""
    with output.status("checking every part …") if output.is_terminal and not as_json else nullcontext():
        findings = checks.check(data_dir or (context.obj or {}).get("data_dir"))
    works = all(finding.state != "broken" for finding in findings)
    if as_json:
        print_json({"works": works, "findings": [asdict(finding) for finding in findings]})
    else:
        output.print(_draw_findings(findings))
        output.print()
        output.print(
            "All required parts work."
            if works
            else "At least one part is broken. Follow the advice in the lines marked ✗."
        )
    if not works:
        raise typer.Exit(1)


def _draw_findings(findings: Sequence[Finding]) -> Table:
    """Return a table with a line for each part, and advice below it."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        mark, style = _MARKS[finding.state]
        found: list[Text] = [Text(remove_controls(finding.found))]
        if finding.advice:
            found.append(Text(f"→ {remove_controls(finding.advice)}", style=style))
        table.add_row(Text(mark, style=style), Text(finding.part), Group(*found))
    return table
