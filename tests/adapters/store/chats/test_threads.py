"""After random additions, edits and removals a thread equals a dictionary, sorted by id."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.store.chats.chat_stores import SqlThreadStore
from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from core.ports.chat import ThreadMessage

IDS = st.sampled_from(["1700000000.000100", "1700000000.000200", "1700000001.000050", "1699999999.999999"])
THREADS = st.sampled_from(["c1", "c2"])
TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=20)
MESSAGES = st.builds(ThreadMessage, IDS, st.sampled_from(["U1", "U2"]), TEXTS, TEXTS)
STEPS = st.lists(st.tuples(THREADS, st.lists(MESSAGES, max_size=4) | IDS), max_size=15)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_a_thread_has_the_last_text_of_all_that_is_still_there(
    steps: list[tuple[str, list[ThreadMessage] | str]],
) -> None:
    wanted: dict[str, dict[str, ThreadMessage]] = {"c1": {}, "c2": {}}

    async def follow(threads: SqlThreadStore) -> None:
        for thread, step in steps:
            if isinstance(step, str):
                await threads.remove(thread, step)
                wanted[thread].pop(step, None)
            else:
                await threads.add(thread, step)
                wanted[thread].update((message.message_id, message) for message in step)
        for thread, messages in wanted.items():
            assert await threads.load_messages(thread) == [messages[message_id] for message_id in sorted(messages)]

    with tempfile.TemporaryDirectory() as folder:
        database = Database.open(make_sqlite_url(Path(folder) / "w.db"))
        try:
            asyncio.run(follow(SqlThreadStore(database)))
        finally:
            database.close()
