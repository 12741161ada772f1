"""A scripted language model that records its time for every question."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tests.servers.scripted_model import Reply, Request

_PIECES = 20  # of an answer; the first is sent after half of the time
_SOURCE = re.compile(r'<source number="1"[^>]*>\n(?:… [^\n]*\n)?(.*?)\n</source>', re.DOTALL)
_WORDS = 30  # of the first source, used as the answer
_SUGGESTIONS = "What is the limit for meals?\nWho approves a flight?\nHow long may receipts wait?"
_DIGITS, _LETTERS = "0123456789", "abcdefghij"
_TICKET = re.compile(rf"\bticket([{_LETTERS}]+)\b")


def add_ticket(text: str, number: int) -> str:
    """Return the question with a number that identifies its calls, in letters: digits would be taken for a name."""
    return f"{text} ticket{str(number).translate(str.maketrans(_DIGITS, _LETTERS))}"


def _read_tickets(text: str) -> list[int]:
    return [int(found.translate(str.maketrans(_LETTERS, _DIGITS))) for found in _TICKET.findall(text)]


@dataclass(slots=True)
class _Call:
    began: float
    ended: float = 0.0


@dataclass(slots=True)
class TimedModel:
    """A model whose ``reply`` is the script of a :class:`ScriptedModel`. ``per_call``: seconds."""

    per_call: float
    _calls: dict[int, list[_Call]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, request: Request) -> Reply:
        """Return the reply to a completion, an answer or suggestions."""
        call = _Call(time.monotonic())
        numbers = _read_tickets(request.question)
        with self._lock:
            self._calls.setdefault(numbers[-1] if numbers else 0, []).append(call)
        text = self._text(request)
        words = re.findall(r"\s*\S+", text)
        size = -(-len(words) // _PIECES)
        pieces = ["".join(words[at : at + size]) for at in range(0, len(words), size)]
        half = self.per_call / 2
        return Reply(text, pieces=_Pieces(pieces, call), delay=half, pause=half / len(pieces))

    def _text(self, request: Request) -> str:
        if request.messages[0]["content"].startswith("You rewrite the last question"):
            return request.question.rpartition("Last question: ")[2].partition("\n")[0]
        if "Write three other short questions" in request.question:
            return _SUGGESTIONS
        source = _SOURCE.search(request.question)
        return f"{' '.join((source[1] if source else 'Nobody knows').split()[:_WORDS])} [1]."

    def seconds(self, numbers: Iterable[int], since: float, until: float) -> float:
        """Return the seconds of this time that the model worked; concurrent calls count once.

        ``numbers``: of the question and of those before it in its conversation, since a completed follow-up may have
        their ticket in place of its own.
        """
        with self._lock:
            calls = [each for number in numbers for each in self._calls.get(number, []) if since <= each.began < until]
        spent, last = 0.0, 0.0
        for call in sorted(calls, key=lambda each: each.began):
            ended = min(call.ended or call.began + self.per_call / 2, until)
            spent += max(0.0, ended - max(call.began, last))
            last = max(last, ended)
        return spent


class _Pieces(Sequence[str | None]):
    """Chunks that note the time when the last one was sent. A reply without streaming only has its delay."""

    def __init__(self, pieces: list[str], call: _Call) -> None:
        self._pieces, self._call = pieces, call

    def __iter__(self) -> Iterator[str | None]:
        yield from self._pieces
        self._call.ended = time.monotonic()

    def __len__(self) -> int:
        return len(self._pieces)

    def __getitem__(self, at: int) -> str | None:  # type: ignore[override]
        return self._pieces[at]
