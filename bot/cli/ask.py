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
from bot.operations.connect import open_operations
from bot.operations.operation import Operations
from bot.operations.questions import AskQuestion, BeginConversation, SuggestQuestions
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
    with open_operations(settings_for(context, data_dir)) as operations:
        run(_ask(operations, question, tuple(messages), tuple(spaces or ()), as_json))


async def _ask(
    operations: Operations, question: str, history: tuple[Message, ...], spaces: tuple[str, ...], as_json: bool
) -> None:
    conversation_id = await operations.execute(BeginConversation(spaces))
    with show_draft(live=not as_json) as draft:
        turn = await operations.execute(AskQuestion(conversation_id, question, history, spaces), draft.on_event)
    if not as_json:
        show(answer_view(turn))
    turn = await add_suggestions(operations, turn, [said.text for said in history if said.role == "user"])
    if as_json:
        print_json(turn_json(turn))
        return
    if turn.suggestions:
        show(suggestions_view(turn))
    if turn.answer.answered and output.is_terminal:
        show(Text(f"\nWhy? wikiwhy explain {turn.turn_id}", style="dim"))


async def add_suggestions(operations: Operations, turn: Turn, earlier: Sequence[str]) -> Turn:
    """A stored turn with what may be asked next, which is stored too; ``earlier``: the questions asked before it."""
    return await operations.execute(SuggestQuestions(turn.turn_id, tuple(earlier)))


def _read_history(path: Path) -> list[Message]:
    try:
        return parse(path.read_text("utf-8-sig"))
    except OSError as error:
        raise HistoryUnreadable(f"The history {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise HistoryUnreadable(
            f"The history {path} is not UTF-8 text (byte {error.start}). Save it as UTF-8."
        ) from error
