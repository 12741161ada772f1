"""``python -m benchmarks.confluence.stages FILE …``: run ``wikiwhy …``, and write into FILE where its time went.

FILE is JSON: for each stage its calls, elapsed seconds (of all threads together) and processor seconds of its own
thread. Threads of native code, such as those of the dense index, count only to the processor time of the process.
"""

from __future__ import annotations

import functools
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from adapters.confluence.http import Http
from adapters.embedding.e5 import E5Embedder
from adapters.embedding.openai_api import OpenAIEmbedder
from adapters.index import lexical_blocks
from adapters.index.dense import ChromaDenseIndex
from adapters.index.lexical import SqliteLexicalIndex
from adapters.store.database import Database
from adapters.store.wiki import pages
from bot.cli.app import main
from core.indexing import page_reader


class Stages:
    """Elapsed and processor seconds of functions, by stage. A stage within another one counts to both."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}
        self.committed = (0.0, 0.0)  # time.monotonic() and processor seconds at the last commit of pages
        self._lock = threading.Lock()

    def measure(self, place: Any, name: str, stage: str) -> None:
        """Measure a function of a module or class from now on."""
        function = getattr(place, name)

        @functools.wraps(function)
        def measured(*args: Any, **kwargs: Any) -> Any:
            with self._clock(stage):
                return function(*args, **kwargs)

        setattr(place, name, measured)

    def measure_block(self, place: Any, name: str, stage: str) -> None:
        """Measure the blocks of a context manager from now on."""
        opened: Callable[..., AbstractContextManager[Any]] = getattr(place, name)

        @contextmanager
        def measured(*args: Any, **kwargs: Any) -> Iterator[Any]:
            with self._clock(stage), opened(*args, **kwargs) as entered:
                yield entered

        setattr(place, name, measured)

    def note_commits(self) -> None:
        """Record when pages were last committed."""
        replace = pages.SqlPageStore.replace

        async def noted(*args: Any) -> Any:
            stale = await replace(*args)
            self.committed = time.monotonic(), time.process_time()
            return stale

        pages.SqlPageStore.replace = noted  # type: ignore[method-assign,assignment]

    @contextmanager
    def _clock(self, stage: str) -> Iterator[None]:
        elapsed, used = time.perf_counter(), time.thread_time()
        try:
            yield
        finally:
            of_call = (1.0, time.perf_counter() - elapsed, time.thread_time() - used)
            with self._lock:
                before = self.seconds.get(stage, [0.0, 0.0, 0.0])
                self.seconds[stage] = [sum(pair) for pair in zip(before, of_call, strict=True)]


def measure_stages() -> Stages:
    """Measure the stages of syncs in this process from now on."""
    stages = Stages()
    stages.measure(Http, "_try", "read")
    stages.measure(page_reader, "find_shown", "extract")
    stages.measure(page_reader, "_extract_page", "extract")
    stages.measure(OpenAIEmbedder, "_embed", "embed")
    stages.measure(E5Embedder, "embed_with_tokens", "token vectors")
    stages.measure_block(Database, "read", "store, reads")
    stages.measure_block(Database, "write", "store, writes")
    stages.measure(SqliteLexicalIndex, "_add", "lexical index")
    stages.measure(lexical_blocks, "remove_entries", "lexical index")
    stages.measure(ChromaDenseIndex, "_add", "dense index")
    stages.note_commits()
    return stages


if __name__ == "__main__":
    path = Path(sys.argv.pop(1))
    stages = measure_stages()
    try:
        main()
    finally:
        stages.seconds["event loop"] = [1.0, time.perf_counter(), time.thread_time()]
        path.write_text(json.dumps({"stages": stages.seconds, "committed": stages.committed}), "ascii")
