"""Previews of links to pages, and questions about a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.conversation_access import sync_page
from tests.contracts.transcript import Chat, Thread
from tests.servers.faults import Fault
from tests.servers.slack import SlackWorld
from tests.servers.slack.chat_world import read_blocks

PAGE = "https://hollerbell.example/wiki/spaces/PEO/pages/2097217/Travel+and+expenses+policy+2026"


def share(chat: Chat, slack: SlackWorld, name: str, *urls: str, channel: str = "") -> str:
    return slack.share_links(chat.user(name), channel or chat.channel, f"See {' '.join(urls)}", *urls)


def preview(chat: Chat, slack: SlackWorld, ts: str, url: str = PAGE, channel: str = "") -> str:
    message = slack.message(channel or chat.channel, ts)
    blocks = chat.awaited(lambda: message.previews.get(url), lambda: "a preview was to be shown")
    return read_blocks(blocks).text


def shows_nothing(chat: Chat, slack: SlackWorld, ts: str, channel: str = "") -> bool:
    chat.settles()
    return not slack.message(channel or chat.channel, ts).previews


def test_a_link_gets_a_preview_with_a_form_to_ask_the_page(chat: Chat, slack: SlackWorld) -> None:
    ts = share(chat, slack, "Ada", PAGE, f"{PAGE}#Limits", "https://hollerbell.example/wiki/display/PEO/x")
    shown = preview(chat, slack, ts)
    assert "Travel and expenses policy 2026" in shown
    assert "updated on" in shown
    slack.click_preview(chat.user("Ben"), chat.channel, ts, PAGE, "Ask about this page")
    chat.sees_window("Ben", "Ask about this page", "What does “Travel and expenses policy 2026” say about …?")
    chat.world.submit(chat.user("Ben"), "What does “Travel and expenses policy 2026” say about the Netherlands?")
    thread = Thread(chat, chat.channel, ts)
    thread.bot_says("say about the Netherlands?", "€165")
    thread.bot_is_silent()


@pytest.mark.parametrize("text", ["", " ", "?", "🎉"])
def test_a_form_without_words_stays_open_and_says_so(chat: Chat, slack: SlackWorld, text: str) -> None:
    ts = share(chat, slack, "Ada", PAGE)
    preview(chat, slack, ts)
    slack.click_preview(chat.user("Ben"), chat.channel, ts, PAGE, "Ask about this page")
    chat.sees_window("Ben", "Ask about this page")
    chat.world.submit(chat.user("Ben"), text)
    chat.settles()
    assert "Please type a question" in str(slack.deliveries[-1].answer)
    chat.sees_window("Ben", "Ask about this page")
    chat.world.submit(chat.user("Ben"), "What does “Travel and expenses policy 2026” say about the Netherlands?")
    Thread(chat, chat.channel, ts).bot_says("€165")


def test_a_link_to_another_wiki_gets_no_preview(chat: Chat, slack: SlackWorld) -> None:
    ts = share(chat, slack, "Ada", PAGE.replace("hollerbell.example", "other.example"))
    assert shows_nothing(chat, slack, ts)


def test_a_page_of_a_disabled_space_gets_no_preview(chat: Chat, slack: SlackWorld) -> None:
    chat.configures(spaces=["ENG"])
    assert shows_nothing(chat, slack, share(chat, slack, "Ada", PAGE))


def test_a_restricted_page_gets_no_preview_even_from_a_reader(chat: Chat, slack: SlackWorld, tmp_path: Path) -> None:
    sync_page(chat, tmp_path, "900", "<p>The ferret is called Wilma.</p>")
    url = "https://wiki.example/pages/9001"
    chat.configures(spaces=["900"])
    assert "Wilma" in preview(chat, slack, share(chat, slack, "Ada", url), url)
    sync_page(chat, tmp_path, "900", "<p>The ferret is called Wilma.</p>", "user:ada")
    assert shows_nothing(chat, slack, share(chat, slack, "Ada", url))


def test_in_a_shared_channel_only_enabled_spaces_get_previews(chat: Chat, slack: SlackWorld) -> None:
    chat.channel = chat.world.channel("partners", chat.user("Ada"), shared=True)
    assert shows_nothing(chat, slack, share(chat, slack, "Ada", PAGE))
    chat.configures(spaces=["PEO"])
    assert "Travel" in preview(chat, slack, share(chat, slack, "Ada", PAGE))


def test_a_click_on_a_preview_is_checked_again(chat: Chat, slack: SlackWorld) -> None:
    ts = share(chat, slack, "Ada", PAGE)
    preview(chat, slack, ts)
    chat.configures(spaces=["ENG"])
    slack.click_preview(chat.user("Ben"), chat.channel, ts, PAGE, "Ask about this page")
    chat.told("Ben", "no questions about this page")
    assert chat.world.window(chat.user("Ben")) is None


def test_a_guests_direct_message_gets_no_preview(chat: Chat, slack: SlackWorld) -> None:
    chat.user("Gast", guest=True)
    direct = chat.world.direct(chat.user("Gast"))
    assert shows_nothing(chat, slack, share(chat, slack, "Gast", PAGE, channel=direct), direct)


@pytest.mark.parametrize("stranger", [False, True])
def test_direct_messages_of_two_people_get_no_preview(chat: Chat, slack: SlackWorld, stranger: bool) -> None:
    ada, other = chat.user("Ada"), chat.user("Eve" if stranger else "Ben", elsewhere=stranger)
    of_two, with_the_bot = slack.add_direct(ada, other), chat.world.direct(ada)
    ts = share(chat, slack, "Ada", PAGE, channel=of_two)
    preview(chat, slack, share(chat, slack, "Ada", PAGE, channel=with_the_bot), channel=with_the_bot)
    assert shows_nothing(chat, slack, ts, of_two)


def test_outside_of_its_channels_the_bot_answers_in_direct_messages(chat: Chat, slack: SlackWorld) -> None:
    elsewhere = chat.world.channel("far", chat.user("Ada"), with_bot=False)
    ts = share(chat, slack, "Ada", PAGE, channel=elsewhere)
    preview(chat, slack, ts, channel=elsewhere)
    slack.click_preview(chat.user("Ada"), elsewhere, ts, PAGE, "Ask about this page")
    chat.sees_window("Ada", "Ask about this page")
    chat.world.submit(chat.user("Ada"), "What does “Travel and expenses policy 2026” say about the Netherlands?")
    direct = chat.world.direct(chat.user("Ada"))
    chat.awaited(
        lambda: any(
            "€165" in message.text for messages in slack.channel(direct).threads.values() for message in messages
        ),
        lambda: "the answer was to come as a direct message",
    )


def test_a_refused_preview_is_acknowledged(chat: Chat, slack: SlackWorld) -> None:
    slack.faults.add("chat.unfurl", Fault(error="cannot_unfurl_message"))
    share(chat, slack, "Ada", PAGE)
    chat.settles()
    assert slack.deliveries[-1].status == 200
