"""Questions asked by the slash command."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

from bot.chat.commands import Commands
from core.errors import DatabaseUnavailable
from core.languages import Language
from core.model.views import HelpView, Notice
from core.ports.chat import Command
from tests.contracts.chat_world import Shown
from tests.contracts.conversation import HOTEL
from tests.contracts.transcript import Chat, Thread
from tests.servers.faults import Fault
from tests.servers.slack import SlackWorld


def ask(chat: Chat, name: str, question: str, channel: str = "", shown_in: str = "") -> Thread:
    """Ask by the command; return the thread of the message that shows the question."""
    where = shown_in or channel or chat.channel
    before = len(chat.world.in_channel(where))
    chat.world.command(chat.user(name), channel or chat.channel, question)

    def find_root() -> list[str]:
        return [shown.message_id for shown in chat.world.in_channel(where)[before:]]

    (root,) = chat.awaited(find_root, lambda: "the question was to be shown")
    thread = Thread(chat, where, root)
    thread.bot_says(f": {question}")
    return thread


def test_a_question_after_the_command_is_shown_and_answered_in_its_thread(chat: Chat, slack: SlackWorld) -> None:
    thread = ask(chat, "Ada", HOTEL)
    answer = thread.bot_says("€165")
    assert not answer.says(HOTEL)
    assert slack.message(chat.channel, thread.root).blocks[0]["text"]["text"].startswith(f"<@{chat.user('Ada')}>: ")
    assert not chat.world.alone(chat.user("Ada"))
    thread.says("Ben", "And in Germany?")
    follow_up = thread.bot_says("Understood as:", "€150")
    thread.clicks("Ben", "Explain", follow_up)
    chat.sees_alone("Ben", "What this answer rests on")
    thread.bot_is_silent()
    assert len(chat.turns(thread)) == 2


def test_questions_by_command_are_separate_conversations(chat: Chat) -> None:
    ask(chat, "Ada", HOTEL).bot_says("€165")
    chat.settles()
    thread = ask(chat, "Ben", "What about Germany then?")
    thread.bot_says("", without=("Understood as:",))


def test_outside_of_its_channels_the_bot_answers_in_direct_messages(chat: Chat) -> None:
    elsewhere = chat.world.channel("far", chat.user("Ada"), with_bot=False)
    direct = chat.world.direct(chat.user("Ada"))
    thread = ask(chat, "Ada", HOTEL, channel=elsewhere, shown_in=direct)
    chat.told("Ada", "I am not a member of this channel")
    thread.bot_says("€165")
    thread.says("Ada", "And in Germany?")
    thread.bot_says("€150")


def test_a_command_in_direct_messages_of_others_is_answered_in_direct_messages(chat: Chat) -> None:
    of_others = chat.world.direct(chat.user("Ben"))  # the bot cannot read these
    direct = chat.world.direct(chat.user("Ada"))
    ask(chat, "Ada", HOTEL, channel=of_others, shown_in=direct).bot_says("€165")
    assert not chat.world.in_channel(of_others)


def test_in_a_shared_channel_without_spaces_nothing_is_posted(chat: Chat) -> None:
    chat.channel = chat.world.channel("partners", chat.user("Ada"), shared=True)
    chat.commands("Ada", HOTEL, "No wiki space is enabled in this channel")
    chat.commands("Ada", "help", "People of other organisations can read here", "none is")
    chat.settles()
    assert not chat.world.in_channel(chat.channel)
    chat.configures(spaces=["PEO"])
    ask(chat, "Ada", HOTEL).bot_says("€165")
    chat.commands("Ada", "help", "People of other organisations can read here", ": PEO.")


def test_a_mention_of_somebody_whom_slack_does_not_know_is_not_searched(chat: Chat) -> None:
    thread = chat.asks("Ada", f"<@U9999999999> {HOTEL}")
    assert not thread.bot_says("€165").says("U9999999999")
    chat.settles()
    assert chat.turns(thread)[0].question.as_asked == HOTEL
    thread = chat.asks("Ada", "<@U9999999999>")
    thread.bot_says("How to ask")


def test_a_question_that_cannot_be_shown_is_returned_to_the_asker(chat: Chat) -> None:
    chat.world.refuse_posts(chat.channel)
    chat.commands("Ada", HOTEL, "could not be answered where you asked it", HOTEL)
    chat.settles()
    assert len(chat.world.alone(chat.user("Ada"))) == 1


def test_an_unknown_audience_is_reported(chat: Chat, slack: SlackWorld) -> None:
    slack.faults.add("conversations.info", Fault(error="access_denied"), times=None)
    chat.commands("Ada", "help", "I can't tell right now whether people from other organisations")


def test_a_guest_is_refused_privately(chat: Chat) -> None:
    chat.user("Gast", guest=True)
    chat.channel = chat.world.direct(chat.user("Gast"))
    chat.commands("Gast", HOTEL, "Guests can ask me in channels only")
    assert not chat.world.in_channel(chat.channel)


@pytest.mark.parametrize(
    "words",
    [
        "hepl", "spaces now", "???", "", "snyc SECRET", "Sync SECRET", "sync SECRET?", "snyc eng", "Forget HR HR",
        "froget HR HR", "Forget eng eng?", "eng", "PEO", "/wiki help", "/wiki",
    ],
)  # fmt: skip
def test_mistyped_commands_are_not_posted(chat: Chat, words: str) -> None:
    chat.commands("Ada", words)
    chat.settles()
    assert not chat.world.in_channel(chat.channel)


@pytest.mark.parametrize("question", ["Forgot my password", "Help desk?", "Space heaters?", "Sink or swim?"])
def test_a_question_may_begin_like_a_command(chat: Chat, question: str) -> None:
    ask(chat, "Ada", question)


@pytest.mark.parametrize(
    ("words", "heading"), [("hallo", "So fragen Sie"), ("hilfe", "So fragen Sie"), ("what can you do?", "How to ask")]
)
def test_a_greeting_or_a_call_for_help_shows_the_help_to_the_person_alone(chat: Chat, words: str, heading: str) -> None:
    chat.commands("Ada", words, heading)
    chat.settles()
    assert not chat.world.in_channel(chat.channel)


@pytest.mark.parametrize(("words", "reply"), [("thanks", "You're welcome."), ("ok cool", "How to ask")])
def test_thanks_and_agreement_are_answered_privately(chat: Chat, words: str, reply: str) -> None:
    chat.commands("Ada", words, reply)
    chat.settles()
    assert not chat.world.in_channel(chat.channel)


def test_a_question_that_is_too_long_is_refused_privately(chat: Chat) -> None:
    chat.commands("Ada", "why " * 1_500, "at most 4,000 are allowed")
    assert not chat.world.in_channel(chat.channel)


def test_a_question_whose_response_was_lost_is_posted_once(chat: Chat, slack: SlackWorld) -> None:
    slack.faults.add("chat.postMessage", Fault(drop_after=True), times=1)
    ask(chat, "Ada", HOTEL).bot_says("€165")
    chat.settles()
    assert len(chat.world.in_channel(chat.channel)) == 1


def test_a_question_cannot_ping_others(chat: Chat) -> None:
    thread = ask(chat, "Ada", "<!channel> who is <@U12345678>?")
    assert set(thread.bots[0].pings) == {chat.user("Ada")}


@pytest.mark.parametrize("text", ["👍", "Hi", "help"])
def test_words_without_a_clear_language_get_help_in_the_clients_language(
    chat: Chat, slack: SlackWorld, text: str
) -> None:
    slack.workspace.users[chat.user("Uwe")].locale = "de-DE"
    chat.writes("Uwe", text).bot_says("So fragen Sie")
    chat.writes("Ada", text).bot_says("How to ask")


def test_a_space_is_removed_after_the_reply(chat: Chat) -> None:
    chat.admits("Admin")
    chat.commands("Admin", "forget BER BER", "Removing BER. I'll tell you here when it is done.")
    admin_reads(chat, "BER was removed")


def test_the_reply_to_a_command_that_slack_does_not_wait_for_is_shown_when_it_is_done(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, execute = Event(), Commands.execute

    async def wait(self: Commands, command: Command, language: Language = "en") -> Notice | HelpView:
        await asyncio.to_thread(found.wait, 60)
        return await execute(self, command, language)

    monkeypatch.setattr(Commands, "execute", wait)
    chat.admits("Admin")
    chat.commands("Admin", "spaces", "I'll tell you here when it is done")
    found.set()
    admin_reads(chat, "Searched here")


def test_a_command_that_fails_after_slack_has_stopped_waiting_says_so(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = Event()

    async def fail(self: Commands, command: Command, language: Language = "en") -> Notice:
        await asyncio.to_thread(tried.wait, 60)
        raise DatabaseUnavailable("The database is gone.")

    monkeypatch.setattr(Commands, "execute", fail)
    chat.admits("Admin")
    chat.commands("Admin", "sync BER", "I'll tell you here when it is done")
    tried.set()
    admin_reads(chat, "This could not be done")


def admin_reads(chat: Chat, text: str) -> None:
    """Wait for a direct message: this admin is not in the channel."""
    direct = chat.world.direct(chat.user("Admin"))

    def find() -> list[Shown]:
        return [shown for shown in chat.world.in_channel(direct) if shown.says(text)]

    chat.awaited(find, lambda: f"{text} was to be shown")
