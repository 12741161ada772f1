"""The page to play by hand, and messages as HTML."""

from __future__ import annotations

import re

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from tests.servers.slack import SlackWorld
from tests.servers.slack.receiver import Receiver
from tests.servers.slack.rendering import html_of

BUTTON = {"type": "button", "text": {"type": "plain_text", "text": "Go <on>"}, "action_id": "go"}


def test_markup_is_shown_and_what_pages_smuggle_in_is_not() -> None:
    text = "*bold* _it_ `a*b*` <@U1> <https://x.y|z> <javascript:alert(1)|click> &lt;script&gt; <script>\n&gt; said"
    shown = html_of({"text": text}, {"U1": "Ada"})
    assert "<b>bold</b> <i>it</i> <code>a*b*</code>" in shown
    assert '<span class="mention">@Ada</span>' in shown
    assert '<a href="https://x.y" target="_blank" rel="noopener">z</a>' in shown
    assert "javascript" not in shown
    assert "<script" not in shown
    assert "<blockquote>said</blockquote>" in shown


def test_every_kind_of_block_is_shown() -> None:
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "Title"}},
        {"type": "markdown", "text": "**bold** <!here>\n\n| a | b |\n|---|---|\n| 1 | 2 |"},
        {"type": "actions", "elements": [BUTTON]},
        {"type": "table", "rows": [[{"type": "raw_text", "text": "<b>"}]]},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "Understood as: *this*"}]},
    ]
    shown = html_of({"blocks": blocks})
    assert "<h3>Title</h3>" in shown
    assert "<strong>bold</strong>" in shown
    assert '<span class="mention loud">@here</span>' in shown
    assert "<td>1</td>" in shown
    assert '<button name="action" value="go" class="">Go &lt;on&gt;</button>' in shown
    assert "<th>&lt;b&gt;</th>" in shown
    assert "Understood as: <b>this</b>" in shown


async def test_a_person_writes_and_clicks_on_the_page(
    slack_world: SlackWorld, receiver: Receiver, slack: AsyncWebClient
) -> None:
    ada = slack_world.add_user("ada", real_name="Ada Lovelace")
    eng = slack_world.add_channel("eng", members=[ada])
    who = {"user": ada, "channel": eng, "thread": "", "in_thread": ""}
    async with aiohttp.ClientSession(slack_world.url) as session:
        await session.post("/play/say", data=who | {"text": "@wikiwhy 1 < 2?"})
        await slack_world.until(lambda: receiver.events)
        event = receiver.events[0]
        assert event["text"] == f"<@{slack_world.bot}> 1 &lt; 2?"
        blocks = [{"type": "actions", "elements": [BUTTON]}]
        posted = await slack.chat_postMessage(channel=eng, thread_ts=event["ts"], text="Yes", blocks=blocks)
        page = await (await session.get("/", params={"channel": eng, "thread": event["ts"], "user": ada})).text()
        assert "1 &lt; 2?" in page
        assert "1 reply" in page
        assert len(re.findall("Go &lt;on&gt;</button>", page)) == 1
        await session.post("/play/click", data=who | {"ts": posted["ts"], "action": "go"})
        await slack_world.until(lambda: receiver.received[-1].body["type"] == "block_actions")
        await slack.views_open(
            trigger_id=receiver.received[-1].body["trigger_id"],
            view={"type": "modal", "title": {"type": "plain_text", "text": "Sources"}, "blocks": blocks},
        )
        assert "Sources" in await (await session.get("/", params={"user": ada})).text()
