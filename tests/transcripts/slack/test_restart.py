"""A question that is edited or deleted after the server was restarted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from adapters.embedding.e5 import E5Embedder
from tests.contracts.conversation import HOTEL, IN_GERMANY, only_answer
from tests.contracts.transcript import Chat, Thread
from tests.servers.running_bot import RunningBot
from tests.servers.slack import SlackWorld
from tests.servers.slack.chat_world import SlackChatWorld
from tests.transcripts.conftest import run_bot
from tests.transcripts.slack.conftest import ADMIN


def test_the_answer_follows_its_question_after_a_restart(
    workspace: SlackWorld, settings: dict[str, Any], embedder: E5Embedder, tmp_path: Path
) -> None:
    given = {
        "admins": ADMIN, "slack_api_url": workspace.api_url, "slack_bot_token": workspace.bot_token,
        "slack_signing_secret": workspace.signing_secret, **settings,
    }  # fmt: skip
    world = SlackChatWorld(workspace)
    with run_bot(tmp_path, embedder, **given) as bot:
        workspace.deliver_to(f"{bot.url}/slack/events")
        chat = Chat(world, bot, ADMIN)
        edited, deleted = chat.asks("Ada", HOTEL), chat.writes("Ada", HOTEL)
        for thread in (edited, deleted):
            thread.bot_says("€165")
        chat.settles()
    with RunningBot(bot.application.settings, embedder) as bot:
        workspace.deliver_to(f"{bot.url}/slack/events")
        chat = Chat(world, bot, ADMIN)
        world.edit(edited.channel, edited.root, f"<@{world.bot}> {IN_GERMANY}")
        only_answer(chat, Thread(chat, edited.channel, edited.root), "€150")
        world.delete(deleted.channel, deleted.root)
        chat.awaited(lambda: not deleted.bots, lambda: deleted.written())
        chat.settles()
        workspace.deliver_to(None)
