"""``wikiwhy ask``: one question, one cited answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from bot.cli.json_views import turn_json
from bot.cli.options import AsJson, DataDir, Spaces, output, print_json, run, scope_of, settings_for, show
from bot.cli.views import answer_view
from bot.wiring import Application, new_id, now, opened
from core.conversation import Ask, checked
from core.errors import HistoryUnreadable
from core.history import parse
from core.model import Conversation, Message, Scope, Turn


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
    checked(question)
    messages = _read_history(history) if history else []
    with opened(settings_for(context, data_dir)) as application:
        turn = run(_ask(application, question, messages, spaces))
    if as_json:
        print_json(turn_json(turn))
    else:
        show(answer_view(turn))
        if turn.answer.answered and output.is_terminal:
            show(Text(f"\nWhy? wikiwhy explain {turn.turn_id}", style="dim"))


async def _ask(
    application: Application, question: str, history: Sequence[Message], spaces: Sequence[str] | None
) -> Turn:
    scope = await scope_of(application, spaces)
    conversation = await start_conversation(application)
    return await ask_in(application, conversation, question, history, scope)


async def start_conversation(application: Application) -> str:
    """A new conversation's id."""
    conversation = Conversation(new_id(), now())
    await application.conversations.start(conversation)
    return conversation.conversation_id


async def ask_in(
    application: Application, conversation_id: str, question: str, history: Sequence[Message], scope: Scope
) -> Turn:
    """Asks in a conversation and stores the turn."""
    turn = await application.assistant().ask(Ask(new_id(), conversation_id, now(), question, history, scope))
    await application.turns.add(turn)
    return turn


def _read_history(path: Path) -> list[Message]:
    try:
        return parse(path.read_text("utf-8-sig"))
    except OSError as error:
        raise HistoryUnreadable(f"The history {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise HistoryUnreadable(
            f"The history {path} is not UTF-8 text (byte {error.start}). Save it as UTF-8."
        ) from error
