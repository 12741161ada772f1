"""Microsoft's own Teams client around a bot: over HTTP, and with a browser as a person uses it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.teams.browser import Browser, why_no_browser
from tests.servers.teams.playground import Playground, why_no_playground
from tests.servers.teams.receiver import Receiver, Writing
from tests.servers.teams.state import ADAPTIVE

pytestmark = pytest.mark.slow

SCREENSHOTS = Path(__file__).parents[2] / "build" / "teams"
Json = dict[str, Any]


def _card(text: str) -> Json:
    explain = {"type": "Action.Execute", "title": "Explain", "verb": "explain", "data": {"turn": "t1"}}
    sources = {"type": "Action.Submit", "title": "Sources", "data": {"verb": "sources"}}
    return {
        "type": "AdaptiveCard", "version": "1.5", "body": [{"type": "TextBlock", "text": text, "wrap": True}],
        "actions": [explain, sources],
    }  # fmt: skip


ANSWER: Json = {
    "text": "Refunds take **14 days** [1].", "textFormat": "markdown",
    "entities": [{
        "type": "https://schema.org/Message", "@type": "Message", "@context": "https://schema.org", "@id": "",
        "additionalType": ["AIGeneratedContent"],
        "citation": [{"@type": "Claim", "position": 1, "appearance": {
            "@type": "DigitalDocument", "name": "Refund policy", "url": "https://example.com/a", "abstract": "14 days.",
        }}],
    }],
    "channelData": {"feedbackLoop": {"type": "default"}},
}  # fmt: skip
CARD = {"attachments": [{"contentType": ADAPTIVE, "content": _card("Why this answer?")}]}
EXPLAINED = {"statusCode": 200, "type": ADAPTIVE, "value": _card("70 % from Refund policy")}


@pytest.fixture
async def bot() -> AsyncIterator[Receiver]:
    """Answers a message with a cited answer and a card, and a click with another card."""
    if why_no_playground():
        pytest.skip(why_no_playground())

    async def answer(activity: Json) -> None:
        for sent in (ANSWER, CARD) if activity.get("text") else ({"text": f"Clicked {activity['value']}"},):
            assert (await receiver.send(activity, sent))[0] < 300

    async with Receiver() as receiver:
        receiver.on_message = answer
        receiver.on_invoke = lambda activity: (200, EXPLAINED if activity["name"] == "adaptiveCard/action" else {})
        yield receiver


@pytest.fixture
async def playground(bot: Receiver) -> AsyncIterator[Playground]:
    async with Playground(bot.url) as playground:
        yield playground


async def test_people_ask_in_all_three_scopes_and_see_the_answers_there(bot: Receiver, playground: Playground) -> None:
    for where in (playground.personal, playground.group, playground.channel):
        posted = await playground.post(where, "How long do refunds take?")
        shown = await playground.message_comes(posted.conversation, lambda message: message.text)
        assert (shown.text, shown.ai_generated) == (ANSWER["text"], True)
        assert [one["name"] for one in shown.citations] == ["Refund policy"]
        await playground.message_comes(posted.conversation, lambda message: message.cards)
    kinds = [one["conversation"].get("conversationType") for one in bot.of("message")]
    assert kinds == ["personal", "groupChat", "channel"]
    assert posted.conversation.startswith(f"{playground.channel};messageid=")


async def test_a_reply_in_a_thread_stays_there(bot: Receiver, playground: Playground) -> None:
    posted = await playground.post(playground.channel, "How long?")
    await playground.message_comes(posted.conversation)
    reply = await playground.post(posted.conversation, "And for others?")
    await playground.until(lambda: len(bot.of("message")) == 2)
    assert reply.conversation == posted.conversation
    assert {one["conversation"]["id"] for one in bot.of("message")} == {posted.conversation}


async def test_clicks_and_thumbs_reach_the_bot(bot: Receiver, playground: Playground) -> None:
    where = (await playground.post(playground.personal, "How long?")).conversation
    answer = await playground.message_comes(where, lambda message: message.text)
    card = await playground.message_comes(where, lambda message: message.cards)
    explain, _ = card.cards[0]["actions"]
    assert (await playground.execute(where, card.id, explain))["value"] == EXPLAINED["value"]
    assert bot.of("adaptiveCard/action")[0]["value"]["action"]["data"] == {"turn": "t1"}
    await playground.feedback(where, answer.id, positive=False, text="Too short.")
    assert bot.of("message/submitAction")[0]["value"]["actionValue"]["reaction"] == "dislike"
    await playground.submit(where, card.id, {"verb": "sources"})
    await playground.message_comes(where, lambda message: "Clicked" in message.text)
    assert bot.received[-1]["value"] == {"verb": "sources"}


async def test_updates_typing_and_unasked_messages_are_seen(bot: Receiver, playground: Playground) -> None:
    bot.on_message = None
    posted = await playground.post(playground.channel, "How long?")
    await playground.until(lambda: bot.of("message"))
    activity = bot.of("message")[0]
    await bot.send(activity, {"type": "typing"})
    _, sent = await bot.send(activity, {"text": "Looking …"})
    await bot.update(activity, sent["id"], {"text": "14 days"})
    shown = await playground.message_comes(posted.conversation, lambda message: message.text == "14 days")
    assert [before["text"] for before in shown.updates] == ["Looking …"]
    assert playground.screen.typing


async def test_a_stream_is_seen_to_grow(bot: Receiver, playground: Playground) -> None:
    bot.on_message = None
    await playground.post(playground.personal, "How long?")
    await playground.until(lambda: bot.of("message"))
    write = Writing(bot, bot.of("message")[0])
    for text, kind, sequence in (("Looking", "informative", 1), ("14", "streaming", 2), ("14 days", "final", None)):
        assert (await write(text, kind, sequence))[0] < 300
    shown = await playground.message_comes(playground.personal, lambda message: message.text == "14 days")
    assert [before["text"] for before in shown.updates] == ["Looking", "14"]


async def test_installing_is_told(bot: Receiver, playground: Playground) -> None:
    await playground.install(playground.group)
    await playground.until(lambda: bot.of("installationUpdate") and bot.of("conversationUpdate"))
    assert bot.of("installationUpdate")[0]["conversation"]["id"] == playground.group


async def test_any_activity_can_be_sent_and_what_it_refuses_says_so(bot: Receiver, playground: Playground) -> None:
    await playground.send({"type": "event", "name": "made-up", "channelId": "msteams"})
    await playground.until(lambda: bot.of("event"))
    with pytest.raises(RuntimeError, match="answered 4"):
        await playground.post("no-such-chat", "hi")


async def test_a_person_asks_clicks_rates_and_follows_up_in_the_browser(bot: Receiver, playground: Playground) -> None:
    if why_no_browser():
        pytest.skip(why_no_browser())
    async with Browser(playground.url, SCREENSHOTS) as browser:
        await browser.enter()
        await browser.write("How long do refunds take?")
        await browser.see("14 days")
        await browser.see("AI generated")
        await browser.see("Why this answer?")
        await browser.screenshot("asked")
        await browser.click(role="button", name="Explain")
        await browser.see("70 % from Refund policy")
        await browser.screenshot("explained")
        await browser.rate(positive=True, text="Good.")
        await playground.until(lambda: bot.of("message/submitAction"))
        await browser.enter("My Team - General")
        await browser.start_post("And in the team?")
        await browser.see("14 days")
        await browser.write("And here?", mention=True)
        await playground.until(lambda: len(bot.of("message")) == 3)
        await browser.screenshot("channel")
    assert bot.of("adaptiveCard/action")[0]["value"]["action"]["verb"] == "explain"
    given = bot.of("message/submitAction")[0]["value"]["actionValue"]
    assert given["reaction"] == "like"
    assert "Good." in given["feedback"]
    first, second = bot.of("message")[1:]
    assert first["text"] == "<at>Test Bot</at> And in the team?"
    assert first["conversation"]["id"] == second["conversation"]["id"]
    assert (SCREENSHOTS / "explained.png").stat().st_size > 10_000
