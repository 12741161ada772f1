"""Conversations in Microsoft's own client: over HTTP in all three scopes, and in a browser as a person has them.

Pictures of the browser are left in ``build/teams``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from adapters.embedding.e5 import E5Embedder
from bot.settings import Settings
from tests.contracts.conversation import HOTEL
from tests.contracts.conversation_buttons import HEADING
from tests.servers.chat_server import Json
from tests.servers.running_bot import RunningBot
from tests.servers.sample_data import copy_sample_data
from tests.servers.teams.browser import Browser, why_no_browser
from tests.servers.teams.cards import actions, texts
from tests.servers.teams.playground import Playground, Shown, why_no_playground
from tests.servers.teams.state import ADAPTIVE

SCREENSHOTS = Path(__file__).parents[3] / "build" / "teams"

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]


@pytest.fixture(scope="module")
def bot(embedder: E5Embedder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBot]:
    """Return an anonymous bot, because the Playground has no tokens."""
    if why_no_playground():
        pytest.skip(why_no_playground())
    settings = Settings(
        data_dir=copy_sample_data(tmp_path_factory.mktemp("bot") / "data"),
        default_spaces="ENG, PEO, BER",
        teams_anonymous=True,
        host="127.0.0.1",
    )
    with RunningBot(settings, embedder) as bot:
        yield bot


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def playground(bot: RunningBot) -> AsyncIterator[Playground]:
    async with Playground(f"{bot.url}/api/messages") as playground:
        yield playground


def read_texts(shown: Shown) -> str:
    """Return all texts of a message."""
    return "\n".join([shown.text, *(text for card in shown.cards for text in texts(card))])


def find_button(shown: Shown, title: str) -> Json:
    return next(action for card in shown.cards for action in actions(card) if action.get("title") == title)


async def await_answer(playground: Playground, where: str, *parts: str) -> Shown:
    return await playground.message_comes(where, lambda shown: all(part in read_texts(shown) for part in parts))


@pytest.mark.parametrize("scope", ["personal", "group", "channel"])
async def test_a_question_is_answered_explained_and_rated(playground: Playground, bot: RunningBot, scope: str) -> None:
    where = (await playground.post(getattr(playground, scope), HOTEL)).conversation
    shown = await await_answer(playground, where, "€165", "[1]")
    assert is_complete(shown, of_a_stream=scope == "personal")
    assert shown.raw["feedbackLoopEnabled"]
    assert shown.ai_generated
    assert [claim["position"] for claim in shown.citations] == [1]
    assert shown.citations[0]["name"].startswith("Travel and expenses policy 2026")
    assert shown.citations[0]["url"].startswith("https://")
    # The Playground splits text and card at the end of a stream into two messages, Teams does not.
    card = await await_button(playground, where, "Explain")
    assert (card is shown) is (scope != "personal")

    told = await playground.execute(where, card.id, find_button(card, "Explain"))
    assert "is being explained" in told["value"]
    explanation = await await_answer(playground, where, HEADING, "100 percent")  # which nobody sent a message for
    assert "Chart.HorizontalBar" in str(explanation.cards)
    await playground.until(lambda: bot.idle)
    told = await playground.execute(where, card.id, find_button(card, "Explain"))
    assert ("already been explained" if scope == "personal" else "is being explained") in str(told["value"])

    sources = await playground.execute(where, card.id, find_button(card, "Sources"))
    assert sources["type"] == ADAPTIVE
    assert "cited as [1]" in str(sources["value"])
    back = next(action for action in actions(sources["value"]) if action.get("verb") == "answer")
    assert (await playground.execute(where, card.id, back))["value"] == card.cards[0]

    await playground.feedback(where, shown.id, positive=False, text="It is the wrong year.")
    turn = find_button(card, "Explain")["data"]["turn"]
    (kept,) = [one for one in bot.run(bot.application.feedback.load_all()) if one.turn_id == turn]
    assert (kept.reaction, kept.reason) == ("bad", "It is the wrong year.")


def is_complete(shown: Shown, *, of_a_stream: bool) -> bool:
    """Whether a message was posted, or ended a stream, and was never updated."""
    if not of_a_stream:
        return not shown.updates
    kinds = [each["streamEntity"]["streamType"] for each in (*shown.updates, shown.raw)]
    return kinds == ["informative", "final"]


async def await_button(playground: Playground, where: str, title: str) -> Shown:
    """Return the bot's last message that has this button."""

    def found() -> list[Shown]:
        ours = [one for one in playground.screen.messages(where) if one.by_bot(playground.bot)]
        return [one for one in ours if any(action.get("title") == title for action in actions(one.cards))]

    await playground.until(found)
    return found()[-1]


async def test_a_follow_up_in_a_channels_thread_is_understood(playground: Playground) -> None:
    thread = (await playground.post(playground.channel, HOTEL)).conversation
    await await_answer(playground, thread, "€165")
    await playground.post(thread, "And in Germany?")
    shown = await await_answer(playground, thread, "Understood as:", "€150")
    form = await playground.execute(thread, shown.id, find_button(shown, "Not what I meant"))
    correction: Any = next(action for action in actions(form["value"]) if action["title"] == "Ask again")
    meant = {**correction["data"], "question": "How many vacation days does a full-time Dutch contract have?"}
    await playground.execute(thread, shown.id, {**correction, "data": meant})
    await await_answer(playground, thread, "27 days", "› How many vacation days")


async def test_installing_posts_the_help_and_commands_work(playground: Playground) -> None:
    await playground.install(playground.group)
    await await_answer(playground, playground.group, "How to ask", "BER, ENG", "PEO")
    thread = (await playground.post(playground.channel, "spaces")).conversation
    await await_answer(playground, thread, "Only admins can do that")


async def test_a_client_that_cannot_execute_submits(playground: Playground) -> None:
    thread = (await playground.post(playground.channel, HOTEL)).conversation
    shown = await await_answer(playground, thread, "€165")
    await playground.submit(thread, shown.id, find_button(shown, "Explain")["fallback"]["data"])
    await await_answer(playground, thread, HEADING)
    await playground.submit(thread, shown.id, find_button(shown, "Sources")["fallback"]["data"])
    await await_answer(playground, thread, "Sources", "Travel and expenses policy 2024")


async def test_the_client_draws_the_citation_of_a_row_in_a_personal_chat(playground: Playground) -> None:
    if why_no_browser():
        pytest.skip(why_no_browser())
    async with Browser(playground.url, SCREENSHOTS) as browser:
        await browser.enter("Personal Chat")
        await browser.write("What is the daily meal allowance in Belgium in 2026?")
        await browser.see("€48")
        assert await browser.see("1", selector=".fai-Citation") == "1"


async def enter_again(browser: Browser) -> None:
    """Leave the channel and enter it again: the page may not show what comes together with the answer to a request."""
    await browser.enter("Personal Chat")
    await browser.enter("My Team - General")


async def test_a_person_asks_reads_clicks_explain_and_gives_feedback(playground: Playground, bot: RunningBot) -> None:
    if why_no_browser():
        pytest.skip(why_no_browser())
    async with Browser(playground.url, SCREENSHOTS) as browser:
        await browser.enter("My Team - General")
        await browser.start_post("What is the daily meal allowance in Germany in 2026?")
        await playground.until(lambda: any("€46" in read_texts(shown) for shown in playground.screen.everywhere))
        await enter_again(browser)
        await browser.see("AI generated")
        await browser.see("Travel and expenses policy 2026 › Limits by country in 2026")
        await browser.screenshot("1-asked")
        await browser.click(role="button", name="Explain")
        await playground.until(lambda: any(HEADING in read_texts(shown) for shown in playground.screen.everywhere))
        await enter_again(browser)
        await browser.see(HEADING)
        await browser.screenshot("2-explained")
        await browser.click(role="button", name="Details")
        await browser.see("The answer stays the same without:")
        await browser.click(role="button", name="Sources")
        await browser.see("cited as [1]")
        await browser.screenshot("3-sources")
        await browser.click(role="button", name="Back to the answer")
        before = len(bot.run(bot.application.feedback.load_all()))
        await browser.click(role="button", name="Dislike", nth=0)
        await browser.do("wait", selector="textarea")
        await browser.do("type", selector="textarea", written="The table has changed.")
        await browser.screenshot("4-judged")
        await browser.click(role="button", name="Submit")
        await playground.until(lambda: len(bot.run(bot.application.feedback.load_all())) > before)
    kept = bot.run(bot.application.feedback.load_all())
    assert len(kept) == before + 1
    assert "The table has changed." in {one.reason for one in kept}
    assert (SCREENSHOTS / "2-explained.png").stat().st_size > 20_000
