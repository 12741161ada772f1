"""How many files a reader opens to follow a question from Slack's event to the posted answer.

The event comes over HTTP, and there is no language model. A file counts if its code runs in between. Not counted are
data, ports and what is behind them, settings and wiring, and the packages of the method, which docs/ describes:
core/conversation.py calls these.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from adapters.embedding.e5 import E5Embedder
from tests.contracts.transcript import Chat
from tests.servers.slack import SlackWorld
from tests.servers.slack.chat_world import SlackChatWorld
from tests.transcripts.conftest import run_bot
from tests.transcripts.slack.conftest import ADMIN

_ROOT = Path(__file__).parents[3]
_PRODUCT = tuple(f"{_ROOT / name}/" for name in ("adapters", "bot", "core"))
_NOT_COUNTED = (
    "core/errors.py", "core/model/", "core/views/document.py", "core/work.py",  # data
    "core/ports/", "adapters/embedding/", "adapters/index/", "adapters/llm/", "adapters/sending.py", "adapters/store/",
    "bot/admin_files.py", "bot/chat/connect.py", "bot/setting_types.py", "bot/settings.py", "bot/wiring.py",
    "core/answering/", "core/completion/", "core/dates.py", "core/evidence/", "core/gathering/",  # the method
    "core/reading/", "core/retrieval/", "core/wording/",
)  # fmt: skip


@contextmanager
def _traced(files: set[str]) -> Iterator[threading.Event]:
    """Note the files whose functions are called, in threads that start in the block, while the event is set."""
    on = threading.Event()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and on.is_set() and code.co_filename.startswith(_PRODUCT) and code.co_name != "<module>":
            files.add(str(Path(code.co_filename).relative_to(_ROOT)))

    threading.setprofile(note)
    try:
        yield on
    finally:
        threading.setprofile(None)  # type: ignore[arg-type]


def test_a_question_passes_through_few_files(
    workspace: SlackWorld, settings: dict[str, Any], embedder: E5Embedder, tmp_path: Path
) -> None:
    files: set[str] = set()
    given = {
        "admins": ADMIN, "slack_api_url": workspace.api_url, "slack_bot_token": workspace.bot_token,
        "slack_signing_secret": workspace.signing_secret, **settings,
    }  # fmt: skip
    with _traced(files) as on, run_bot(tmp_path, embedder, **given) as bot:
        workspace.deliver_to(f"{bot.url}/slack/events")
        chat = Chat(SlackChatWorld(workspace), bot, ADMIN)
        thread = chat.asks("Ada", "What is the hotel limit per night in the Netherlands in 2026?")
        thread.bot_says("€165")
        chat.settles()
        on.set()
        thread.says("Ben", "And in Germany?")
        thread.bot_says("€150")
        chat.settles()
        on.clear()
        workspace.deliver_to(None)
    path = sorted(file for file in files if not file.startswith(_NOT_COUNTED))
    assert "bot/chat/ask_workflow.py" in path
    assert len(path) <= 29, "\n".join(path)
