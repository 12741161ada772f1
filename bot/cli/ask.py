"""``wikiwhy ask``: one question, one cited answer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from bot.cli.draft import Draft, drafting
from bot.cli.json_views import turn_json
from bot.cli.options import AsJson, DataDir, Spaces, output, print_json, run, scope_of, settings_for, show
from bot.cli.views import answer_view, suggestions_view
from bot.wiring import Application, new_id, now, opened
from core.conversation import Ask, checked
from core.errors import HistoryUnreadable
from core.history import parse
from core.model import Conversation, Message, Scope, Turn
from core.suggesting.suggester import suggested


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
        run(_ask(application, question, messages, spaces, as_json))


async def _ask(
    application: Application, question: str, history: Sequence[Message], spaces: Sequence[str] | None, as_json: bool
) -> None:
    scope = await scope_of(application, spaces)
    conversation = await start_conversation(application)
    with drafting(live=not as_json) as draft:
        turn = await ask_in(application, conversation, question, history, scope, draft)
    if not as_json:
        show(answer_view(turn))
    turn = await with_suggestions(application, turn, [said.text for said in history if said.role == "user"])
    if as_json:
        print_json(turn_json(turn))
        return
    if turn.suggestions:
        show(suggestions_view(turn))
    if turn.answer.answered and output.is_terminal:
        show(Text(f"\nWhy? wikiwhy explain {turn.turn_id}", style="dim"))


async def start_conversation(application: Application) -> str:
    """A new conversation's id."""
    conversation = Conversation(new_id(), now())
    await application.conversations.start(conversation)
    return conversation.conversation_id


async def ask_in(
    application: Application,
    conversation_id: str,
    question: str,
    history: Sequence[Message],
    scope: Scope,
    draft: Draft,
) -> Turn:
    """Asks in a conversation and stores the turn; ``draft`` hears of the answer before it is finished."""
    ask = Ask(new_id(), conversation_id, now(), question, history, scope)
    turn = await application.assistant().ask(ask, draft.on_text, draft.on_question)
    await application.turns.add(turn)
    return turn


async def with_suggestions(application: Application, turn: Turn, earlier: Sequence[str]) -> Turn:
    """A stored turn with what may be asked next, which is stored too; ``earlier``: the questions asked before it."""
    if application.suggester is None:
        return turn
    turn = await suggested(application.suggester, turn, earlier, time.perf_counter)
    await application.turns.keep_suggestions(turn.turn_id, turn.suggestions)
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
