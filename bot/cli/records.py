"""``wikiwhy feedback``, ``wikiwhy person`` and ``wikiwhy audit``: the records of people and their actions."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from adapters.private_files import write_private
from bot.cli.options import AsJson, DataDir, count, load_command_settings, output, print_json, run, say
from bot.operations.operation import open_operations
from bot.operations.records import (
    ExportFeedback,
    ExportPerson,
    ForgetPerson,
    JudgedAnswer,
    PersonExport,
    ReadAuditLog,
)
from core.accounts import parse_person
from core.errors import OutputUnwritable
from core.model import Turn
from core.text import remove_controls
from core.views.messages import format_stored_answer
from core.views.notices import format_question

feedback = typer.Typer(help="Export people's feedback on answers.", no_args_is_help=True)
person = typer.Typer(help="Export or remove the data of one person.", no_args_is_help=True)

_AUDIT_COLUMNS = ("at", "actor", "action", "object", "outcome")
_AUDIT_UNBROKEN = frozenset({"at", "action"})

Person = Annotated[
    str, typer.Argument(help="slack:TEAM:USER, or teams:TENANT:OBJECT_ID.", metavar="ID", show_default=False)
]


@feedback.callback()
def _feedback() -> None:
    """Export people's feedback on answers."""


@feedback.command("export")
def export_feedback(
    context: typer.Context,
    to: Annotated[Path | None, typer.Option("--output", help="Write into this file instead.", metavar="FILE")] = None,
    data_dir: DataDir = None,
) -> None:
    """Print all feedback as one JSON object per line, oldest first."""
    with open_operations(load_command_settings(context, data_dir)) as operations:
        judged = run(operations.execute(ExportFeedback()))
    lines = "".join(json.dumps(make_feedback_json(each), ensure_ascii=False) + "\n" for each in judged)
    if to is None:
        sys.stdout.write(lines)
        return
    try:
        write_private(to, lines)
    except OSError as error:
        raise OutputUnwritable(f"{to} cannot be written: {error.strerror}. Name another file.") from error
    say("written:", "green", f"feedback on {count(len(judged), 'answer')} to {to}")


def make_feedback_json(judged: JudgedAnswer) -> dict[str, Any]:
    """Return one person's feedback on an answer, with its question and pages if they are still stored."""
    given, turn = judged.feedback, judged.turn
    shown: dict[str, Any] = {
        "at": given.at,
        "person": given.person,
        "reaction": given.reaction,
        "reason": given.reason,
        "turn_id": given.turn_id,
    }
    if turn is None:
        return shown
    cited = {citation.page_id: citation for citation in turn.answer.citations}
    return shown | {
        "conversation_id": turn.conversation_id,
        "question": format_question(turn.question),
        "completed_question": turn.question.intent_explicit,
        "answer": format_stored_answer(turn),
        "answered": turn.answer.answered,
        "pages": [{"page_id": page_id, "title": cite.title, "url": cite.url} for page_id, cite in cited.items()],
        "answerer": turn.configuration.get("answerer", ""),
    }


@person.command("export")
def export_person(context: typer.Context, person: Person, data_dir: DataDir = None) -> None:
    """Print all stored data of a person as one JSON object."""
    who = parse_person(person)
    with open_operations(load_command_settings(context, data_dir)) as operations:
        print_json(make_person_json(run(operations.execute(ExportPerson(who)))))


@person.command("forget")
def forget_person(
    context: typer.Context,
    person: Person,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", help="A name by which others call the person; may be repeated."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Remove all stored data of a person, and the person's name from the messages of others."""
    who = parse_person(person)
    with open_operations(load_command_settings(context, data_dir)) as operations:
        if not yes and sys.stdin.isatty() and sys.stdout.isatty():
            question = f"Remove all stored data of {who.key}: questions, answers, messages, feedback?"
            if not typer.confirm(remove_controls(question)):
                output.print("Nothing was removed.")
                raise typer.Exit(1)
        done = run(operations.execute(ForgetPerson(who, tuple(name or ()))))
    removed = done.removed
    counts = (
        count(removed.turns, "question"),
        count(removed.messages, "message"),
        f"feedback on {count(removed.feedback, 'answer')}",
        count(done.work, "workflow"),
    )
    output.print(f"Removed: {', '.join(counts)}.", markup=False, soft_wrap=True)
    if removed.traces:
        traces = count(removed.traces, "answer")
        output.print(
            f"Also removed: the traces of {traces} to other people, which quoted this person's conversation.",
            soft_wrap=True,
        )
    say("note:", "yellow", "posts in Slack or Teams are not removed: delete them there. Copies of the data directory "
        "still have the data: run the command again after restoring one.")  # fmt: skip
    if done.accounts:
        say("note:", "yellow", "WIKIWHY_ACCOUNTS still names this person. Remove the person's line from that file.")


def make_person_json(export: PersonExport) -> dict[str, Any]:
    """Return all stored data of a person. Of pages it has only what answers showed and the person may still read."""
    data = export.data
    return {
        "person": export.person,
        "exported_at": export.exported_at,
        "accounts": list(export.accounts),
        "turns": [_make_withheld_json(turn, turn.turn_id in export.shown) for turn in data.turns],
        "messages": [asdict(message) for message in data.messages],
        "feedback": [asdict(given) for given in data.feedback],
        "posts": [asdict(post) for post in data.posts],
        "work": [asdict(started) for started in export.work],
        "teams_users": [asdict(user) for user in data.teams_users],
        "references": [asdict(reached) for reached in data.references],
        "audit": [asdict(entry) for entry in data.audit],
    }


def _make_withheld_json(turn: Turn, shown: bool) -> dict[str, Any]:
    """Return a question with its answer. ``withheld``: the person may no longer see all pages that the answer rests on.

    The completed question is left out, because it may contain words of other people in the thread.
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


def audit(
    context: typer.Context,
    since: Annotated[
        datetime | None,
        typer.Option(
            "--since", help="The first day or time, in UTC.", formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"], metavar="DATE"
        ),
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show the audit log: who synced, forgot or exported what, and changed settings; oldest first."""
    moment = since.replace(tzinfo=UTC).isoformat(timespec="seconds") if since else ""
    with open_operations(load_command_settings(context, data_dir)) as operations:
        entries = run(operations.execute(ReadAuditLog(moment)))
    if as_json:
        print_json({"entries": [asdict(entry) for entry in entries]})
        return
    if not entries:
        output.print(f"The audit log has no entries since {moment}." if since else "The audit log has no entries.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in _AUDIT_COLUMNS:
        table.add_column(name, overflow="fold", no_wrap=name in _AUDIT_UNBROKEN)
    for entry in entries:
        table.add_row(*(Text(remove_controls(str(getattr(entry, name)))) for name in _AUDIT_COLUMNS))
    output.print(table)
