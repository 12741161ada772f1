"""Operations on questions: begin a conversation, ask, suggest follow-ups, explain an answer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.explainers import load_turn_to_explain, make_explainer
from bot.operations.operation import EventListener, Operation
from bot.operations.spaces import find_key
from bot.tracing import work_on
from bot.wiring import Application, make_id, now
from core.answering.answerer import Listeners
from core.attribution.explainer import Explanation
from core.conversation import QuestionToAnswer
from core.errors import IndexDamaged, SpaceUnknown, TurnUnknown
from core.model import Conversation, HistoryMessage, Provenance, Scope, Turn
from core.suggesting.suggester import add_suggestions


@dataclass(frozen=True, slots=True)
class BeginConversation(Operation[str]):
    """Begins a conversation about these spaces, or all spaces if none is named. The result is its id."""

    spaces: tuple[str, ...] = ()

    async def run(self, application: Application, on_event: EventListener) -> str:
        """Raises SpaceUnknown for unknown spaces, and IndexDamaged if the indexes lack entries."""
        await check_spaces(application, self.spaces)
        conversation = Conversation(make_id(), now())
        await application.conversations.start(conversation)
        return conversation.conversation_id


@dataclass(frozen=True, slots=True)
class AskQuestion(Operation[Turn]):
    """Answers a question and stores the turn. Events: the completed question, then the answer so far.

    ``spaces``: keys of the spaces to search, all if empty; only pages without read restrictions are searched.
    ``suggested_in``: id of the turn that suggested the question, or "". ``provenance``: see :class:`Provenance`.
    """

    metric = "question"

    conversation_id: str
    question: str
    history: tuple[HistoryMessage, ...] = ()
    spaces: tuple[str, ...] = ()
    suggested_in: str = ""
    provenance: Provenance = field(default_factory=Provenance)

    async def run(self, application: Application, on_event: EventListener) -> Turn:
        scope = Scope(frozenset(await _find_spaces(application, self.spaces)) if self.spaces else None)
        asked = QuestionToAnswer(
            *(make_id(), self.conversation_id, now(), self.question, self.history, scope),
            suggested_in=self.suggested_in,
            provenance=self.provenance,
        )
        with work_on(asked.turn_id):
            turn = await application.make_assistant().answer_question(asked, Listeners(on_event, on_event))
            await application.turns.save(turn)
        return turn


@dataclass(frozen=True, slots=True)
class SuggestQuestions(Operation[Turn]):
    """Adds suggested follow-ups to a stored turn. ``earlier``: the questions asked before it in its conversation."""

    turn_id: str
    earlier: tuple[str, ...] = ()

    async def run(self, application: Application, on_event: EventListener) -> Turn:
        """Raises TurnUnknown."""
        turn = await application.turns.load_turn(self.turn_id)
        if turn is None:
            raise TurnUnknown(f"There is no answer {self.turn_id} in this data directory. Ask the question again.")
        if application.suggester is None:
            return turn
        turn = await add_suggestions(application.suggester, turn, self.earlier, time.perf_counter)
        await application.turns.save_suggestions(turn.turn_id, turn.suggestions)
        return turn


@dataclass(frozen=True, slots=True)
class ExplainAnswer(Operation[tuple[Turn, Explanation]]):
    """Attributes a stored answer to its sources. Events: progress."""

    metric = "explanation"

    turn_id: str

    async def run(self, application: Application, on_event: EventListener) -> tuple[Turn, Explanation]:
        """Raises TurnUnknown and NotExplainable."""
        with work_on(self.turn_id):
            turn = await load_turn_to_explain(application, self.turn_id, Scope())
            explainer = await make_explainer(application, turn)
            return turn, await explainer.explain(turn, on_progress=on_event)


async def check_spaces(application: Application, keys: Sequence[str]) -> None:
    """Raise SpaceUnknown if a space or all spaces are missing, and IndexDamaged if the indexes lack entries."""
    found = await _find_spaces(application, keys)
    # Checked because a search in an incomplete index finds less without any error.
    if lacking := await application.indexer.find_incomplete_spaces(application.spaces, found or None):
        raise IndexDamaged(
            f"The indexes lack evidences of space {lacking[0]} (files were deleted, or the embedder was changed). To "
            "rebuild the indexes from the database, run: wikiwhy db rebuild-index"
        )


async def _find_spaces(application: Application, keys: Sequence[str]) -> list[str]:
    """Return the keys of these spaces as stored; case is ignored. Raises SpaceUnknown, also if there is no space."""
    known = [summary.key for summary in await application.spaces.load_summaries()]
    if not known:
        raise SpaceUnknown(
            f"No space has been synced into {application.directory.path} yet. "
            "Run for example: wikiwhy sync folder samples/documents"
        )
    found = {key: find_key(key, known) for key in keys}
    if unknown := sorted(key for key, spelled in found.items() if not spelled):
        raise SpaceUnknown(
            f"There is no space {', '.join(unknown)}. The synced spaces are: {', '.join(sorted(known))}."
        )
    return list(found.values())
