"""``wikiwhy feedback``: what people said of answers, for who looks after the wiki or measures answers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from adapters.private_files import write_private
from bot.cli.options import DataDir, run, say, settings_for
from bot.operations.connect import open_operations
from bot.operations.records import ExportFeedback, JudgedAnswer
from core.errors import OutputUnwritable
from core.views.turn_wording import format_stored_answer, question_text

app = typer.Typer(help="What people said of answers.", no_args_is_help=True)


@app.callback()
def feedback() -> None:
    """What people said of answers."""


@app.command("export")
def export(
    context: typer.Context,
    to: Annotated[Path | None, typer.Option("--output", help="A file to write instead.", metavar="FILE")] = None,
    data_dir: DataDir = None,
) -> None:
    """Print all feedback, one JSON object a line, oldest first."""
    with open_operations(settings_for(context, data_dir)) as operations:
        judged = run(operations.execute(ExportFeedback()))
    lines = "".join(json.dumps(feedback_json(each), ensure_ascii=False) + "\n" for each in judged)
    if to is None:
        sys.stdout.write(lines)
        return
    try:
        write_private(to, lines)
    except OSError as error:
        raise OutputUnwritable(f"{to} cannot be written: {error.strerror}. Name another file.") from error
    say("written:", "green", f"{len(judged)} judgements to {to}")


def feedback_json(judged: JudgedAnswer) -> dict[str, Any]:
    """One person's feedback on an answer, with the question and the pages, as far as they are kept."""
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
        "question": question_text(turn.question),
        "completed_question": turn.question.intent_explicit,
        "answer": format_stored_answer(turn),
        "answered": turn.answer.answered,
        "pages": [{"page_id": page_id, "title": cite.title, "url": cite.url} for page_id, cite in cited.items()],
        "answerer": turn.configuration.get("answerer", ""),
    }
