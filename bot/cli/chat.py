"""``wikiwhy chat``: a conversation in the terminal."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.rule import Rule
from rich.text import Text

from bot.cli.ask import show_draft
from bot.cli.document import draw_answer, draw_explanation, draw_sources, draw_suggestions
from bot.cli.explain import explain_with_progress
from bot.cli.options import DataDir, Spaces, load_command_settings, output, run, say, show
from bot.cli.remarks import reply_to_remark
from bot.cli.spaces import draw_spaces, find_times
from bot.cli.trace import draw_prompts, draw_trace
from bot.operations.operation import Operations, open_operations
from bot.operations.questions import AskQuestion, BeginConversation, SuggestQuestions
from bot.operations.spaces import ListSpaces
from core.errors import HistoryUnreadable, WikiWhyError
from core.history import find_page_parts, find_page_parts_of_messages, list_messages
from core.model import Provenance, Turn
from core.text import remove_controls

_SUGGESTION_SECONDS = 0.4  # to wait for suggestions before the prompt is shown
_CALL = re.compile(r"[0-9]{1,3}")
_MOST_DIGITS = 2  # of a number that can only be meant as a suggestion's: "404" and "2026" may be questions

_HELP = """Ask anything. Follow-up questions may refer to the conversation.
1, 2, 3   ask a question that is suggested under the last answer
/sources  show the sources of the last answer
/explain  show which of them the answer rests on, by leaving out each
/trace    show how the last answer was made; /trace prompts or /trace 2
          shows the prompts and texts of all model calls, or of the second
/spaces   list the synced spaces
/new      start a new conversation
/help     show this help
/quit     leave (also Ctrl-D)"""


def chat(
    context: typer.Context,
    spaces: Spaces = None,
    play: Annotated[
        Path | None, typer.Option("--play", help="Ask the questions of a JSON file, then exit.", metavar="FILE")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Talk with the synced wiki."""
    questions = _read_questions(play) if play else None
    is_typed = questions is None and sys.stdin.isatty()
    lines = _read_typed_lines() if is_typed else _read_given_lines(questions)
    with open_operations(load_command_settings(context, data_dir)) as operations:
        failed = run(_Conversation(operations, tuple(spaces or ()), is_typed).answer_all(lines))
    if failed and (play or not sys.stdin.isatty()):  # for programs; a person has seen the message
        raise typer.Exit(1)


class _Conversation:
    """A conversation. ``is_typed``: a person types at a terminal, and the prompt does not wait for suggestions."""

    def __init__(self, operations: Operations, spaces: tuple[str, ...], is_typed: bool) -> None:
        self._operations = operations
        self._spaces = spaces
        self._is_typed = is_typed
        self._conversation_id = ""
        self._turns: list[Turn] = []
        self._suggesting: asyncio.Task[None] | None = None

    async def answer_all(self, lines: AsyncIterator[str]) -> int:
        """Answer line after line. Return the number of lines that failed."""
        await self._begin()
        failed = 0
        async for line in lines:
            if line in {"/quit", "/exit"}:
                break
            try:
                await self._end_suggesting(wait=line.isdecimal())
                await self._answer(line)
            except WikiWhyError as error:
                failed += 1
                say("wikiwhy:", "bold red", str(error))
            output.print()
        await self._end_suggesting(wait=False)
        return failed

    async def _begin(self) -> None:
        self._turns.clear()
        self._conversation_id = await self._operations.execute(BeginConversation(self._spaces))

    async def _answer(self, line: str) -> None:
        suggestions = self._turns[-1].suggestions if self._turns else ()
        suggested = {str(number): each.question for number, each in enumerate(suggestions, start=1)}.get(line, "")
        if suggested:
            show(Text(f"› {remove_controls(suggested)}", style="bold"))
        elif line.startswith("/"):
            command, *rest = line.split(maxsplit=1)
            await self._execute(command, *rest or [""])
            return
        elif line.isdecimal() and len(line) <= _MOST_DIGITS:
            _print(_explain_number(line, len(suggestions)))
            return
        elif (reply := reply_to_remark(line, _HELP)) is not None:
            _print(reply)
            return
        before = self._turns[-1] if suggested else None
        provenance = Provenance(
            find_page_parts(before) if before else frozenset(), find_page_parts_of_messages(self._turns)
        )
        operation = AskQuestion(
            *(self._conversation_id, suggested or line, tuple(list_messages(self._turns)), self._spaces),
            *(before.turn_id if before else "", provenance),
        )
        with show_draft(live=self._is_typed) as draft:
            turn = await self._operations.execute(operation, draft.on_event)
        self._turns.append(turn)
        show(draw_answer(turn))
        self._suggesting = asyncio.create_task(self._suggest())
        await asyncio.wait({self._suggesting}, timeout=_SUGGESTION_SECONDS if self._is_typed else None)

    async def _suggest(self) -> None:
        """Show suggestions under the answer, or above the prompt if that is shown by then."""
        *before, turn = self._turns
        earlier = tuple(each.question.as_asked for each in before)
        self._turns[-1] = turn = await self._operations.execute(SuggestQuestions(turn.turn_id, earlier))
        if turn.suggestions:
            show(draw_suggestions(turn))

    async def _end_suggesting(self, wait: bool) -> None:
        """End the search for suggestions: wait for it if the next line needs them, else cancel it."""
        task, self._suggesting = self._suggesting, None
        if task is not None:
            if not wait:
                task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _execute(self, command: str, argument: str) -> None:
        match command:
            case "/help":
                _print(_HELP)
            case "/new":
                await self._begin()
                _print("A new conversation.")
            case "/spaces":
                spaces = await self._operations.execute(ListSpaces())
                output.print(draw_spaces(spaces.summaries, find_times(spaces), output.width))
            case "/sources" | "/explain" | "/trace" if not self._turns:
                _print("Ask something first.")
            case "/sources":
                show(draw_sources(self._turns[-1]))
            case "/explain":
                show(draw_explanation(*await explain_with_progress(self._operations, self._turns[-1].turn_id)))
            case "/trace":
                self._show_trace(argument)
            case _:
                _print(f"There is no command {command}. The commands are:\n{_HELP}")

    def _show_trace(self, argument: str) -> None:
        if not argument:
            output.print(draw_trace(self._turns[-1]))
        elif argument == "prompts" or _CALL.fullmatch(argument):
            show(draw_prompts(self._turns[-1], None if argument == "prompts" else int(argument)))
        else:
            _print(f"There is no /trace {argument}. Type /trace, /trace prompts or /trace 2.")


def _explain_number(line: str, suggested: int) -> str:
    """Return why a number asks nothing."""
    if not suggested:
        return "No question is suggested. Ask in words."
    numbers = "only 1" if suggested == 1 else f"only 1 to {suggested}"
    return f"There is no suggestion {line}, {numbers}. Type one of these numbers, or ask in words."


def _print(text: str) -> None:
    output.print(remove_controls(text), markup=False)


async def _read_typed_lines() -> AsyncIterator[str]:
    """Yield the lines typed at the prompt until Ctrl-D or Ctrl-C. Output in the meantime appears above the prompt."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import InMemoryHistory
    from prompt_toolkit.patch_stdout import patch_stdout

    output.print(_HELP, style="dim", markup=False)
    session: PromptSession[str] = PromptSession(history=InMemoryHistory())
    while True:
        try:
            with patch_stdout(raw=True):
                text = (await session.prompt_async("› ")).strip()
        except (EOFError, KeyboardInterrupt):
            return
        if text:
            yield text


async def _read_given_lines(questions: list[str] | None) -> AsyncIterator[str]:
    """Yield the lines of a played conversation, or of standard input."""
    if questions is not None:
        for question in questions:
            output.print(Rule(style="dim"))
            show(Text(f"› {remove_controls(question)}", style="bold"))
            yield question
        return
    while line := _read_line():
        if text := line.strip():
            show(Text(f"› {remove_controls(text)}", style="bold"))
            yield text


def _read_line() -> str:
    """Return the next line of standard input, "" at its end. Raises KeyboardInterrupt on SIGINT.

    asyncio's own handler only cancels the task, which does not end a blocking read.
    """
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return sys.stdin.readline()
    finally:
        signal.signal(signal.SIGINT, handler)


def _read_questions(path: Path) -> list[str]:
    try:
        questions = [
            "/explain" if "explain" in turn else turn["question"]
            for turn in json.loads(path.read_text("utf-8-sig"))["turns"]
        ]
        if not all(isinstance(question, str) for question in questions):
            raise TypeError("a question is not text")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        cause = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        cause = error.strerror or cause if isinstance(error, OSError) else cause
        raise HistoryUnreadable(
            f'{path} cannot be played: {cause}. Name a JSON file like {{"turns": [{{"question": …}}, …]}}'
        ) from error
    return questions
