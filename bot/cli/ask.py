"""``wikiwhy ask``: one question, one cited answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from bot.cli.draft import show_draft
from bot.cli.json_views import turn_json
from bot.cli.options import AsJson, DataDir, Spaces, output, print_json, run, settings_for, show
from bot.cli.views import answer_view, suggestions_view
from bot.operations.connect import open_work
from bot.operations.operations import AskRequest, Operations
from core.conversation import check_question
from core.errors import HistoryUnreadable
from core.history import parse
from core.model import Message, Turn


def ask(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="What you want to know.", metavar="QUESTION")],
    spaces: Spaces = None,
    history: Annotated[
        Path | None, typer.Option("--history", help="A JSON file with what was said before.", metavar="FILE")
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Ask the synced wiki one question."""
    check_question(question)
    messages = _read_history(history) if history else []
    with open_work(settings_for(context, data_dir)) as work:
        run(_ask(work, question, messages, spaces or [], as_json))


async def _ask(
    work: Operations, question: str, history: Sequence[Message], spaces: Sequence[str], as_json: bool
) -> None:
    asking = AskRequest(await work.begin(spaces), question, tuple(history), tuple(spaces))
    with show_draft(live=not as_json) as draft:
        turn = await work.ask(asking, draft)
    if not as_json:
        show(answer_view(turn))
    turn = await with_suggestions(work, turn, [said.text for said in history if said.role == "user"])
    if as_json:
        print_json(turn_json(turn))
        return
    if turn.suggestions:
        show(suggestions_view(turn))
    if turn.answer.answered and output.is_terminal:
        show(Text(f"\nWhy? wikiwhy explain {turn.turn_id}", style="dim"))


async def with_suggestions(work: Operations, turn: Turn, earlier: Sequence[str]) -> Turn:
    """A stored turn with what may be asked next, which is stored too; ``earlier``: the questions asked before it."""
    return await work.suggest(turn.turn_id, earlier)


def _read_history(path: Path) -> list[Message]:
    try:
        return parse(path.read_text("utf-8-sig"))
    except OSError as error:
        raise HistoryUnreadable(f"The history {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise HistoryUnreadable(
            f"The history {path} is not UTF-8 text (byte {error.start}). Save it as UTF-8."
        ) from error
