"""Shows the beginning of an answer while a model writes the rest: whole statements that sources support.

What was shown cannot be taken back, so the final answer begins with it (:func:`join_shown`). A statement is shown once
no text that may follow changes it, and if it passes the same check as in the final answer. The first statement that
does not ends the beginning. Code and tables are never shown early: they take their form from what follows.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import takewhile

from core.answering.answerer import PartListener
from core.answering.generative.statements import (
    ParsedAnswer,
    Statement,
    drop_repetitions,
    is_refusal,
    may_only_cite,
    split_statements,
)
from core.answering.generative.support import Cited, compose_answer
from core.model import Answer
from core.ports.models import TextListener

logger = logging.getLogger(__name__)

# Text from here on may change: code, comments and scripts, a tag or link that is not closed.
_OPEN = re.compile(
    r"```|<(?:!--|script\b|style\b|at\b)|<(?=[a-z/!@#|]|\Z)(?![^<>\n]*>)|\]\((?![^()\n]*\))", re.IGNORECASE
)
_PAIRS = {"*": "*", "`": "`", "[": "]", "(": ")", "__": "__", "【": "】"}
_MARKUP = re.compile(r"\*{1,3}|`|__|[\[\]()【】]")
_CITED_AHEAD = re.compile(r"\s*(?:[-*+•]\s*)?[\[(【<]")
_BULLET = re.compile(r"\s*[-*+•]\s")


@dataclass(frozen=True, slots=True)
class CheckingSteps:
    """The steps from the text of a model to statements with their citations.

    ``clean``: returns a text without what is never shown. ``parse``: parses a cleaned text that is not finished.
    ``check``: returns the evidences to cite for a statement; none if nothing supports it.
    """

    clean: Callable[[str], str]
    parse: Callable[[str], ParsedAnswer]
    check: Callable[[Statement], Awaitable[list[Cited]]]


@dataclass(frozen=True, slots=True)
class CheckedStatement:
    """A statement with the evidences to cite for it."""

    statement: Statement
    cited: list[Cited]


@dataclass(slots=True)
class Parts:
    """The statements of one answer that were shown while a model writes it."""

    listener: PartListener
    shown: tuple[CheckedStatement, ...] = ()
    _checked: dict[Statement, list[Cited]] = field(default_factory=dict)

    @asynccontextmanager
    async def follow(self, steps: CheckingSteps, on_text: TextListener | None) -> AsyncIterator[TextListener]:
        """Give a listener of a model's text, for ``on_text`` too. When the block ends, nothing more is shown."""
        changed, ended = asyncio.Event(), asyncio.Event()
        latest = [""]

        def hear(text: str) -> None:
            latest[0] = text
            changed.set()
            if on_text:
                on_text(text)

        task = asyncio.create_task(self._show_parts(latest, steps, changed, ended))
        try:
            yield hear
        finally:
            ended.set()
            changed.set()
            (failed,) = await asyncio.gather(task, return_exceptions=True)
            if isinstance(failed, Exception):
                logger.warning("The beginning of an answer could not be shown: %r", failed)

    async def _show_parts(
        self, latest: Sequence[str], steps: CheckingSteps, changed: asyncio.Event, ended: asyncio.Event
    ) -> None:
        pause = self.listener.delay
        while not ended.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), pause)
            await changed.wait()
            changed.clear()
            if not ended.is_set():
                await self._show(await self._check_settled(latest[0], steps), ended)
            pause = self.listener.pause

    async def _check_settled(self, text: str, steps: CheckingSteps) -> list[CheckedStatement]:
        """Return the settled statements before the first that no source supports."""
        found: list[CheckedStatement] = []
        for statement in await asyncio.to_thread(find_settled, text, steps):
            if statement not in self._checked:
                self._checked[statement] = await steps.check(statement)
            if not (self._checked[statement] or statement.introduces):
                break
            found.append(CheckedStatement(statement, self._checked[statement]))
        while found and found[-1].statement.introduces:
            found.pop()
        return found

    async def _show(self, settled: Sequence[CheckedStatement], ended: asyncio.Event) -> None:
        """Show more of the answer, unless the text started over and differs from what was shown."""
        if len(settled) <= len(self.shown) or tuple(settled[: len(self.shown)]) != self.shown or ended.is_set():
            return
        if await self.listener.show(compose_checked(settled)):
            self.shown = tuple(settled)


def compose_checked(statements: Sequence[CheckedStatement]) -> Answer:
    """Return the answer that consists of these statements."""
    return compose_answer([each.statement for each in statements], [each.cited for each in statements])


def join_shown(shown: Sequence[CheckedStatement], parsed: Sequence[Statement]) -> list[Statement]:
    """Return the statements of the final answer, which begin with those that were shown."""
    return drop_repetitions([*(each.statement for each in shown), *parsed]) if shown else list(parsed)


def find_settled(text: str, steps: CheckingSteps) -> list[Statement]:
    """Return the first statements of a growing text that nothing that follows changes, as far as that can be known.

    The last statement is left out. The list ends before the first one that has no citation, and before a table or code.
    """
    before = steps.clean(_cut_open(text))
    parsed = steps.parse(before)
    if parsed.defect or is_refusal(parsed.statements):
        return []
    every = split_statements(before)
    if len(every) <= 1:
        return []
    settled = parsed.statements
    if may_only_cite(every[-1].text):  # then it belongs to the statement before it
        settled = settled[:-1]
    return list(takewhile(_can_be_shown, settled))


def _can_be_shown(statement: Statement) -> bool:
    # Questions are dropped from answers that have other statements.
    if statement.heads or statement.text.endswith("?") or "|" in statement.text or "```" in statement.text:
        return False
    return bool(statement.cited) or statement.introduces


def _cut_open(text: str) -> str:
    """Return the text before the first markup that is not closed yet."""
    if found := _OPEN.search(text):
        text = text[: found.start()]
    start = text.rfind("\n") + 1
    if _CITED_AHEAD.match(text, start):  # it belongs to a sentence after it, up to the end of the line
        return text[:start]
    bullet = _BULLET.match(text, start)
    opened: list[tuple[str, int]] = []
    for mark in _MARKUP.finditer(text, bullet.end() if bullet else start):
        if opened and opened[-1][0] == mark[0]:
            opened.pop()
        elif (mark[0] in _PAIRS or mark[0].startswith("*")) and not (opened and opened[-1][0] == "`"):
            opened.append((_PAIRS.get(mark[0], mark[0]), mark.start()))
    return text[: opened[0][1]] if opened else text
