"""``wikiwhy chat``: a conversation in the terminal."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer
from rich.rule import Rule
from rich.text import Text

from bot.cli.ask import add_suggestions
from bot.cli.draft import show_draft
from bot.cli.explain import explain_with_progress
from bot.cli.explain_view import explanation_view
from bot.cli.lines import read_line, read_lines
from bot.cli.options import DataDir, Spaces, output, plain, run, say, settings_for, show
from bot.cli.spaces import spaces_view, times
from bot.cli.trace_view import prompts_view, trace_view
from bot.cli.views import answer_view, sources_view, suggestions_view
from bot.operations.connect import open_operations
from bot.operations.operation import Operations
from bot.operations.questions import AskQuestion, BeginConversation
from bot.operations.spaces import ListSpaces
from core.errors import HistoryUnreadable, WikiWhyError
from core.history import from_turns
from core.model import Turn

_BEFORE_PROMPT = 0.4  # seconds that suggestions may take until the prompt comes first
_CALL = re.compile(r"[0-9]{1,3}")

_HELP = """Ask anything; follow-ups are understood in the conversation.
1, 2, 3   ask what was suggested under the last answer
/sources  what the last answer was made from
/explain  which of them it really rests on: what it would be without each
/trace    how the last answer came about; /trace prompts or /trace 2 shows
          what the models, or the second one called, were asked and wrote
/spaces   the synced spaces
/new      start a new conversation
/help     this
/quit     leave (also Ctrl-D)"""


@dataclass(slots=True)
class _Chat:
    operations: Operations
    spaces: tuple[str, ...]
    conversation_id: str
    typed: bool = False  # by a person at a terminal, who sees the answer come and need not wait for suggestions
    turns: list[Turn] = field(default_factory=list)
    suggesting: asyncio.Task[None] | None = None


def chat(
    context: typer.Context,
    spaces: Spaces = None,
    play: Annotated[
        Path | None, typer.Option("--play", help="Play the questions of a JSON file and leave.", metavar="FILE")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Talk with the synced wiki."""
    questions = _questions_of(play) if play else None
    with open_operations(settings_for(context, data_dir)) as operations:
        failed = run(_chat(operations, tuple(spaces or ()), questions))
    if failed and (play or not sys.stdin.isatty()):  # a program reads the exit code; a person has seen the message
        raise typer.Exit(1)


async def _chat(operations: Operations, spaces: tuple[str, ...], questions: list[str] | None) -> int:
    """Answers line after line. Returns how many could not be."""
    typed = questions is None and sys.stdin.isatty()
    state = _Chat(operations, spaces, await operations.execute(BeginConversation(spaces)), typed)
    failed = 0
    lines = read_lines(_HELP) if typed else _given_lines(questions)
    async for line in lines:
        if line in {"/quit", "/exit"}:
            break
        try:
            await _settle(state, wait=line.isdecimal())
            await _respond(state, line)
        except WikiWhyError as error:
            failed += 1
            say("wikiwhy:", "bold red", str(error))
        output.print()
    await _settle(state, wait=False)
    return failed


async def _respond(state: _Chat, line: str) -> None:
    suggested_in = ""
    if suggested := _suggested(state, line):
        suggested_in = state.turns[-1].turn_id
        show(Text(f"› {plain(suggested)}", style="bold"))
        line = suggested
    elif line.startswith("/"):
        await _obey(state, line)
        return
    with show_draft(live=state.typed) as draft:
        history = tuple(from_turns(state.turns))
        operation = AskQuestion(state.conversation_id, line, history, state.spaces, suggested_in)
        turn = await state.operations.execute(operation, draft.on_event)
    state.turns.append(turn)
    show(answer_view(turn))
    state.suggesting = asyncio.create_task(_suggest(state))
    await asyncio.wait({state.suggesting}, timeout=_BEFORE_PROMPT if state.typed else None)


async def _suggest(state: _Chat) -> None:
    """Shows what to ask next under the answer, or above the prompt if that is there by then."""
    *before, turn = state.turns
    turn = await add_suggestions(state.operations, turn, [earlier.question.as_asked for earlier in before])
    state.turns[-1] = turn
    if turn.suggestions:
        show(suggestions_view(turn))


async def _settle(state: _Chat, wait: bool) -> None:
    """Ends the search for suggestions, which who asks something else does not ``wait`` for."""
    task, state.suggesting = state.suggesting, None
    if task is None:
        return
    if not wait:
        task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def _suggested(state: _Chat, line: str) -> str | None:
    """The question that was suggested under this number by the last answer, if one was."""
    suggestions = state.turns[-1].suggestions if state.turns else ()
    return {str(number): each.question for number, each in enumerate(suggestions, start=1)}.get(line)


async def _obey(state: _Chat, line: str) -> None:
    name, *rest = line.split(maxsplit=1)
    command = _COMMANDS.get(name)
    if command is None:
        output.print(plain(f"There is no {name}.\n{_HELP}"), markup=False)
    else:
        await command(state, *rest or [""])


async def _sources(state: _Chat, argument: str) -> None:
    output.print(sources_view(state.turns[-1]) if state.turns else "Ask something first.", crop=False)


async def _explain(state: _Chat, argument: str) -> None:
    if not state.turns:
        output.print("Ask something first.")
    else:
        show(explanation_view(*await explain_with_progress(state.operations, state.turns[-1].turn_id)))


async def _trace(state: _Chat, argument: str) -> None:
    if not state.turns:
        output.print("Ask something first.")
    elif not argument:
        output.print(trace_view(state.turns[-1]))
    elif argument == "prompts" or _CALL.fullmatch(argument):
        show(prompts_view(state.turns[-1], None if argument == "prompts" else int(argument)))
    else:
        output.print(plain(f"There is no /trace {argument}: say /trace, /trace prompts or /trace 2."), markup=False)


async def _spaces(state: _Chat, argument: str) -> None:
    spaces = await state.operations.execute(ListSpaces())
    output.print(spaces_view(spaces.summaries, times(spaces), output.width))


async def _new(state: _Chat, argument: str) -> None:
    state.turns.clear()
    state.conversation_id = await state.operations.execute(BeginConversation(state.spaces))
    output.print("A new conversation.")


async def _help(state: _Chat, argument: str) -> None:
    output.print(_HELP, markup=False)


_COMMANDS: dict[str, Callable[[_Chat, str], Awaitable[None]]] = {
    "/sources": _sources,
    "/explain": _explain,
    "/trace": _trace,
    "/spaces": _spaces,
    "/new": _new,
    "/help": _help,
}


async def _given_lines(questions: list[str] | None) -> AsyncIterator[str]:
    """The lines of a played conversation, or of standard input."""
    if questions is not None:
        for question in questions:
            output.print(Rule(style="dim"))
            show(Text(f"› {plain(question)}", style="bold"))
            yield question
        return
    while line := read_line():
        if text := line.strip():
            show(Text(f"› {plain(text)}", style="bold"))
            yield text


def _questions_of(path: Path) -> list[str]:
    try:
        questions = [
            "/explain" if "explain" in turn else turn["question"]
            for turn in json.loads(path.read_text("utf-8-sig"))["turns"]
        ]
        if not all(isinstance(question, str) for question in questions):
            raise TypeError("a question is no text")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        cause = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise HistoryUnreadable(
            f'{path} cannot be played: {cause}. It should be JSON: {{"turns": [{{"question": …}}, …]}}'
        ) from error
    return questions
