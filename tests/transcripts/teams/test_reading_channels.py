"""What happens where a team's owners let the bot hear all messages of channels (``--read-channels``)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.servers.running_bot import RunningBot
from tests.servers.teams import Message, TeamsWorld
from tests.servers.teams.chat_world import shown

QUESTION = "What is the hotel limit per night in the Netherlands for a trip in 2026?"


class Channel:
    """A channel all of whose messages the bot is sent."""

    def __init__(self, teams: TeamsWorld) -> None:
        self.teams = teams
        self.ada, self.ben = teams.add_user("Ada"), teams.add_user("Ben")
        self.where = teams.add_channel("eng", members=[self.ada, self.ben])

    def ask(self) -> str:
        """Mentions the bot, waits for its answer and returns the thread's root."""
        root = self.teams.say(self.ada, self.where, QUESTION)
        self.teams.await_message(self.where, root, lambda message: message.cards)
        self.teams.wait_until(lambda: not self.teams.pending)
        return root

    def overhear(self, user: str, text: str, root: str = "") -> None:
        """Somebody writes, and mentions nobody."""
        assert self.teams.send(self.teams.activity(user, self.where, text, mention=False, thread=root)).status == 200

    def answers(self, root: str) -> list[Message]:
        return self.teams.answers(self.where, root)


@pytest.fixture
def channel(teams: TeamsWorld) -> Channel:
    return Channel(teams)


def test_a_follow_up_in_its_thread_needs_no_mention(channel: Channel) -> None:
    root = channel.ask()
    channel.overhear(channel.ada, "and in Belgium?", root)
    channel.teams.wait_until(lambda: len(channel.answers(root)) == 2 and channel.answers(root)[1].cards)
    assert shown(channel.answers(root)[1]).says("Understood as:", "Belgium")


def test_what_is_said_outside_its_threads_is_neither_answered_nor_kept(channel: Channel, bot: RunningBot) -> None:
    secret = "Does anybody know why the Zanzibar contract was cancelled?"
    channel.overhear(channel.ben, secret)
    channel.overhear(channel.ben, "sync ENG")
    channel.ask()
    ben, ada = (channel.teams.user(one).object_id for one in (channel.ben, channel.ada))
    people = bot.application.references
    assert bot.run(people.person(channel.teams.tenant, ada))
    assert bot.run(people.person(channel.teams.tenant, ben)) is None
    assert not [message for message in channel.teams.answers(channel.where) if "Zanzibar" in str(message)]
    kept = b"".join(path.read_bytes() for path in Path(bot.application.settings.data_dir).rglob("*.db*"))
    assert b"hotel limit per night" in kept
    assert b"Zanzibar" not in kept


def test_who_edits_or_deletes_what_is_said_there_is_not_kept(channel: Channel, bot: RunningBot) -> None:
    channel.teams.reads_all = True
    said = channel.teams.say(channel.ben, channel.where, "Lunch?", mention=False)
    channel.teams.edit(channel.where, said, "Lunch at one?")
    channel.teams.delete(channel.where, said)
    channel.teams.wait_until(lambda: not channel.teams.pending)
    assert {"messageUpdate", "messageDelete"} <= {one.body["type"] for one in channel.teams.deliveries}
    ben = channel.teams.user(channel.ben).object_id
    assert bot.run(bot.application.references.person(channel.teams.tenant, ben)) is None


def test_people_who_talk_to_each_other_are_left_alone(channel: Channel) -> None:
    root = channel.ask()
    channel.overhear(channel.ben, "I would have guessed less.", root)
    channel.overhear(channel.ada, "Where did you stay last time?", root)
    again = channel.teams.say(channel.ada, channel.where, "and in Belgium?", thread=root)
    channel.teams.wait_until(lambda: len(channel.answers(root)) == 2 and channel.answers(root)[1].cards)
    assert again
    assert len(channel.answers(root)) == 2
