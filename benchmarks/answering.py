"""The processor time of an extractive answer to a new question, without embedding the question."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import numpy as np

from benchmarks import sync
from benchmarks.child import default_settings
from benchmarks.corpus import Corpus
from benchmarks.figure import Figure, at_most
from benchmarks.report import main
from benchmarks.retrieval import questions
from bot.settings import Settings
from bot.wiring import Application, open_application
from core.conversation import QuestionToAnswer

_WARM_UP = 20


def measure(corpus: Corpus) -> list[Figure]:
    """Measure the time of all threads from question to answer. Models are loaded before, as when a server starts."""
    sync.sync(corpus)
    with default_settings():
        settings = Settings(data_dir=sync.DATA)
    with open_application(settings) as application:
        asked = questions(corpus.questions)
        spent = asyncio.run(_milliseconds(application, asked))
    note = f"{len(spent)} questions, p95 {np.percentile(spent, 95):.0f} ms"
    required = corpus.required(at_most(60))
    return [Figure("extractive answer, processor time, mean", "ms", float(np.mean(spent)), required, note)]


async def _milliseconds(application: Application, asked: Sequence[str]) -> list[float]:
    await application.load_models()
    assistant = application.make_assistant()
    spent: list[float] = []
    for question in asked:
        await application.cached_embedder.embed_queries([question])
        started = time.process_time()
        await assistant.answer_question(QuestionToAnswer("benchmark", "benchmark", "", question))
        spent.append((time.process_time() - started) * 1000)
    return spent[_WARM_UP:]


if __name__ == "__main__":
    main(measure)
