"""``wikiwhy person``: what is kept of one person, and how it is removed."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated, Any

import typer

from bot.cli.options import DataDir, output, plain, print_json, run, say, settings_for
from bot.operations.connect import open_operations
from bot.operations.records import ExportPerson, ForgetPerson, PersonExport
from core.identity.person import parse_person
from core.model import Turn

app = typer.Typer(help="What is kept of one person.", no_args_is_help=True)

Person = Annotated[
    str, typer.Argument(help="slack:TEAM:USER, or teams:TENANT:OBJECT_ID.", metavar="ID", show_default=False)
]


@app.callback()
def person() -> None:
    """What is kept of one person."""


@app.command("export")
def export(context: typer.Context, person: Person, data_dir: DataDir = None) -> None:
    """Print everything that is kept of a person, as one JSON object."""
    who = parse_person(person)
    with open_operations(settings_for(context, data_dir)) as operations:
        print_json(export_json(run(operations.execute(ExportPerson(who)))))


@app.command("forget")
def forget(
    context: typer.Context,
    person: Person,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", help="A name that others call the person by; may be given several times."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first, as a terminal does.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Remove everything that is kept of a person, and their name from what others said."""
    who = parse_person(person)
    with open_operations(settings_for(context, data_dir)) as operations:
        if not yes and sys.stdin.isatty() and sys.stdout.isatty():
            question = f"Remove all that is kept of {who.key}: questions, answers, messages, feedback?"
            if not typer.confirm(plain(question)):
                output.print("Nothing was removed.")
                raise typer.Exit(1)
        done = run(operations.execute(ForgetPerson(who, tuple(name or ()))))
    removed = done.removed
    counts = (
        _counted(removed.turns, "question"),
        _counted(removed.messages, "message"),
        _counted(removed.feedback, "judgement"),
        _counted(done.work, "piece of work", "pieces of work"),
    )
    output.print(f"Removed: {', '.join(counts)}.", markup=False, soft_wrap=True)
    if removed.traces:
        traces = _counted(removed.traces, "answer")
        output.print(f"{traces} of other people lost the trace that repeated their conversation.", soft_wrap=True)
    say("note:", "yellow", "what was posted in Slack or Teams stays there: delete it there. So do copies of the data "
        "directory: forget the person again after one is restored.")  # fmt: skip
    if done.accounts:
        say("note:", "yellow", "WIKIWHY_ACCOUNTS still names this person: take their line out of the file.")


def export_json(export: PersonExport) -> dict[str, Any]:
    """Everything that is kept of a person. Of pages only what the person was shown and may still read."""
    data = export.data
    return {
        "person": export.person,
        "exported_at": export.exported_at,
        "accounts": list(export.accounts),
        "turns": [_turn_json(turn, turn.turn_id in export.shown) for turn in data.turns],
        "messages": [asdict(message) for message in data.messages],
        "feedback": [asdict(given) for given in data.feedback],
        "posts": [asdict(post) for post in data.posts],
        "work": [asdict(started) for started in export.work],
        "teams_users": [asdict(user) for user in data.teams_users],
        "references": [asdict(reached) for reached in data.references],
        "audit": [asdict(entry) for entry in data.audit],
    }


def _turn_json(turn: Turn, shown: bool) -> dict[str, Any]:
    """A question with its answer. ``withheld``: the answer rests on what may not be shown to the person any more.

    How the question was completed is left out: that may hold words of others in the thread.
    """
    sources = [
        {"number": cited.number, "page_id": cited.page_id}
        | ({"title": cited.title, "heading": cited.heading, "url": cited.url} if shown else {})
        for cited in turn.answer.citations
    ]
    return {
        "turn_id": turn.turn_id,
        "conversation_id": turn.conversation_id,
        "asked_at": turn.asked_at,
        "question": turn.question.as_asked,
        "answer": turn.answer.text if shown else "",
        "answered": turn.answer.answered,
        "withheld": not shown,
        "citations": sources,
        "principals": sorted(turn.scope.principals),
    }


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"
