"""Which words of a conversation's turns may repeat pages that are erased.

A page's words reach a turn in three ways. The turn used the page: they are in its evidences, and in every prompt about
them. They are in its question, which a person took from the suggestions of a turn that loses them. Or they are in its
history: a prompt for completing a question, and the completed question, may repeat what stood in an earlier turn.
Nothing here looks at a text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from core.model import Author


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """What decides about the words of one turn. ``calls``: the names of its model calls."""

    turn_id: str
    author: Author
    completed: bool = False
    suggested_in: str = ""
    calls: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Loss:
    """What of a turn's words has to go.

    ``asked``: the question as it was asked. ``history``: the completed question, its candidates and the prompts for
    it. ``made``: all other words of the trace, since what the turn was made from has gone. ``suggestions``: these, and
    the prompts for them. ``answer``: the answer's text.
    """

    asked: bool = False
    history: bool = False
    made: bool = False
    suggestions: bool = False
    answer: bool = False

    @property
    def is_any(self) -> bool:
        return self.asked or self.history or self.made or self.suggestions or self.answer


def losses_of(
    turns: Sequence[StoredTurn],
    used: Collection[str],
    cited: Collection[str],
    suggested_before: Collection[str] = (),
    *,
    history: bool = False,
) -> Mapping[str, Loss]:
    """The loss of each turn of one conversation, which come in the order in which they were stored.

    ``used``: the turns with evidences of the pages, ``cited``: those whose answers cite one. ``suggested_before``: the
    turns that lost their suggestions before. ``history``: whether words of such pages are in the history of them all.
    """
    without_suggestions = set(suggested_before)
    while True:
        asked = {turn.turn_id for turn in turns if turn.suggested_in in without_suggestions}
        found = dict(zip((turn.turn_id for turn in turns), _losses(turns, used, cited, asked, history), strict=True))
        lost = without_suggestions | {turn_id for turn_id, loss in found.items() if loss.suggestions}
        if lost == without_suggestions:
            return found
        without_suggestions = lost


def _losses(
    turns: Sequence[StoredTurn], used: Collection[str], cited: Collection[str], asked: Collection[str], history: bool
) -> list[Loss]:
    found: list[Loss] = []
    for turn in turns:
        own = turn.turn_id in asked
        made = own or turn.turn_id in used or (history and turn.completed)
        # The prompt for suggestions names the questions of the conversation, of which those that are asked meanwhile
        # are stored later.
        others = bool(set(asked) - {turn.turn_id}) and "suggest" in turn.calls
        found.append(
            Loss(
                asked=own,
                history=own or history or made,
                made=made,
                suggestions=made or others,
                answer=turn.turn_id in cited or (made and turn.author is Author.MODEL),
            )
        )
        history = history or own or turn.turn_id in used
    return found
