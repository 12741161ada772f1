"""Milliseconds from the first chunk of a model's answer over HTTP to the first text for a listener."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.corpus import Corpus
from benchmarks.figure import Figure, at_most
from benchmarks.fitting import conversations, run_on_index
from benchmarks.report import main
from bot.wiring import Application
from core.answering.answerer import Listeners
from core.conversation import QuestionToAnswer
from evaluation.questions import GoldQuestion
from evaluation.sampling import choose_spread
from tests.servers.scripted_model import Reply, Request, ScriptedModel

_ANSWERS = 50
_PAUSE = 0.02  # seconds between chunks, as of a server with 50 tokens per second


class Clocked(list[str | None]):
    """The chunks of a reply. Notes the time when the server begins to send them."""

    began = 0.0

    def __iter__(self) -> Iterator[str | None]:
        self.began = time.perf_counter()
        return super().__iter__()


def measure(corpus: Corpus) -> list[Figure]:
    """Measure with the real client over HTTP, and a scripted server in a thread with the same clock.

    Each reply is a gold answer with a citation, so that it begins like real answers. If the first word may become an
    address, the listener waits for the next chunk, which counts. A reply that is never shown counts to its end.
    """
    golds = [gold for conversation in conversations(corpus.questions) for gold in conversation if gold.gold_answer]
    asked = [golds[at] for at in choose_spread(golds, _ANSWERS)]
    spent: list[float] = []

    async def work(application: Application) -> None:
        server.script = [lambda request: _reply(request, asked, sent)]
        for gold in asked:
            spent.append(await _milliseconds(application, gold, sent))

    sent: list[Clocked] = []
    with ScriptedModel() as server:
        run_on_index(corpus.documents, work, llm_base_url=server.base_url)
    note = f"{len(spent)} answers; target for the median and the 95th percentile"
    return [
        Figure("first text after first token, median", "ms", float(np.median(spent)), at_most(50), note),
        Figure("first text after first token, p95", "ms", float(np.percentile(spent, 95)), at_most(50), note),
    ]


def _reply(request: Request, asked: Sequence[GoldQuestion], sent: list[Clocked]) -> Reply:
    gold = next(gold for gold in asked if gold.human_completed in request.question)
    pieces = Clocked(re.findall(r"\s*\S+", f"{gold.gold_answer} [1]"))
    sent.append(pieces)
    return Reply(pieces=pieces, pause=_PAUSE)


async def _milliseconds(application: Application, gold: GoldQuestion, sent: list[Clocked]) -> float:
    heard: list[float] = []

    def listener(text: str) -> None:
        if text:
            heard.append(time.perf_counter())

    before = len(sent)
    await application.make_assistant().answer_question(
        QuestionToAnswer("1", "1", "", gold.human_completed), Listeners(listener)
    )
    heard.append(time.perf_counter())
    return (heard[0] - sent[before].began) * 1000


if __name__ == "__main__":
    main(measure)
