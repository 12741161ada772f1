"""The home tab for people, admins and guests."""

from __future__ import annotations

from pathlib import Path

from tests.contracts.conversation import HOTEL
from tests.contracts.conversation_access import sync_page
from tests.contracts.transcript import Chat
from tests.servers.faults import Fault
from tests.servers.slack import SlackWorld
from tests.servers.slack.chat_world import read_blocks

UNKNOWN = "Does the company pay for a submarine licence?"


def open_home(chat: Chat, slack: SlackWorld, name: str) -> str:
    """Open the home tab and return its text."""
    user = chat.user(name)
    slack.workspace.homes.pop(user, None)
    slack.open_home(user)
    blocks = chat.awaited(lambda: slack.home(user), lambda: "a page was to be published")
    return read_blocks(blocks).text


def test_a_person_sees_their_questions_and_spaces(chat: Chat, slack: SlackWorld) -> None:
    assert "None yet. Ask one" in open_home(chat, slack, "Nia")
    thread = chat.asks("Ada", HOTEL)
    answer = thread.bot_says("€165")
    chat.asks("Ben", "Who approves flights?").bot_says("")
    chat.settles()
    page = open_home(chat, slack, "Ada")
    assert HOTEL in page
    assert "Who approves flights?" not in page
    assert "PEO: synced" in page
    assert "Send me a question" in page
    assert "For admins" not in page
    links = [url for label, url in read_blocks(slack.home(chat.user("Ada"))).links if label == HOTEL]
    assert any(answer.message_id.replace(".", "") in url for url in links)


def test_the_home_tab_is_german_for_germans(chat: Chat, slack: SlackWorld) -> None:
    slack.workspace.users[chat.user("Uwe")].locale = "de-DE"
    page = open_home(chat, slack, "Uwe")
    assert "Ihre letzten Fragen" in page
    assert "PEO, zuletzt synchronisiert: " in page
    assert "Your latest" not in page


def test_the_first_block_is_no_divider(chat: Chat, slack: SlackWorld) -> None:
    open_home(chat, slack, "Ada")
    assert slack.home(chat.user("Ada"))[0]["type"] == "section"


def test_strangers_and_guests_see_nothing_of_the_wiki(chat: Chat, slack: SlackWorld) -> None:
    chat.user("Gast", guest=True)
    chat.user("Fremd", elsewhere=True)
    chat.admits("Admin")
    for name in ("Gast", "Fremd"):
        page = open_home(chat, slack, name)
        assert "Guests can ask me in channels only" in page
        assert not any(word in page for word in ("PEO", "ENG", "questions", "Admin"))


def test_a_person_whom_slack_does_not_tell_sees_only_that_on_the_home_page(chat: Chat, slack: SlackWorld) -> None:
    slack.faults.add("users.info", Fault(error="user_not_found"), times=None)
    shown = open_home(chat, slack, "Nobody")
    assert shown.startswith("I can't tell right now who you are")
    assert "Guests" not in shown
    assert "Wiki spaces" not in shown


def test_an_admin_sees_syncs_unanswered_questions_and_feedback(chat: Chat, slack: SlackWorld) -> None:
    chat.asks("Ada", UNKNOWN).bot_says("could not find")
    secret = "Does the company pay for a second submarine?"
    chat.writes("Ada", secret).bot_says("could not find")
    thread = chat.asks("Ben", HOTEL)
    thread.bot_says("€165")
    thread.clicks("Ben", "Not helpful")
    chat.sees_window("Ben", "What was wrong?")
    chat.world.submit(chat.user("Ben"), "It changed in May")
    chat.settles()
    chat.admits("Admin")
    page = open_home(chat, slack, "Admin")
    assert UNKNOWN in page
    assert secret not in page
    assert "not helpful: " in page
    assert "It changed in May" in page
    assert "PEO: " in page
    assert "/wiki forget KEY" in page


def test_the_home_tab_shows_no_text_of_pages(chat: Chat, slack: SlackWorld, tmp_path: Path) -> None:
    sync_page(chat, tmp_path, "EEL", "<h2>Eels</h2><p>The eel is called Greta.</p>", "user:ada")
    chat.asks("Ada", "What is the eel called?").bot_says("")
    chat.settles()  # the home tab lists a question after its answer's id is stored
    page = open_home(chat, slack, "Ada")
    assert "What is the eel called?" in page
    assert "Greta" not in page
    assert "EEL" not in page


def test_the_messages_tab_does_not_publish_the_home_tab(chat: Chat, slack: SlackWorld) -> None:
    slack.open_home(chat.user("Tab"), "messages")
    chat.settles()
    assert not slack.home(chat.user("Tab"))


def test_a_refused_home_tab_is_acknowledged(chat: Chat, slack: SlackWorld) -> None:
    slack.faults.add("views.publish", Fault(error="not_enabled"))
    slack.open_home(chat.user("Ada"))
    chat.settles()
    assert slack.deliveries[-1].status == 200
