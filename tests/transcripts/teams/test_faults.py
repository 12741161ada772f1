"""Failures of Teams, and activities that must not be answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts.chat_world import Trouble
from tests.contracts.conversation import HOTEL, ask_about_hotels
from tests.contracts.conversation_access import sync_page
from tests.contracts.conversation_faults import EACH_STATUS, FaultTranscripts, count_told, has_heard
from tests.contracts.transcript import Chat
from tests.servers.faults import Fault
from tests.servers.teams import TeamsWorld

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def hears_all(teams: TeamsWorld) -> None:
    """Let the bot receive all messages of teams."""
    teams.reads_all = True


class TestTeamsFaults(FaultTranscripts):
    """The suite that all platforms share: every question is answered once.

    In Teams a bot cannot read its own messages, so a message whose id was lost is posted again, unless it ends a
    stream.
    """

    while_sharing = "broken"

    @pytest.mark.parametrize(
        ("operation", "trouble"),
        [("post", "slow down"), ("post", "broken")],
    )
    def test_a_question_is_answered_once_whatever_goes_wrong_for_a_moment(
        self, chat: Chat, operation: str, trouble: Trouble
    ) -> None:
        super().test_a_question_is_answered_once_whatever_goes_wrong_for_a_moment(chat, operation, trouble)

    def test_an_answer_whose_id_never_arrived_comes_again(self, chat: Chat) -> None:
        chat.asks("Ada", HOTEL).bot_says("€165")
        chat.settles()
        chat.world.trouble("post", "cut")
        thread = chat.asks("Ada", HOTEL)
        thread.bot_says("€165")
        thread.bot_says("€165")
        thread.bot_is_silent()

    def test_a_sync_whose_first_message_fails_is_reported_once(self, chat: Chat, tmp_path: Path) -> None:
        sync_page(chat, tmp_path, "EMU", "<p>The emu is called Edna.</p>")
        (tmp_path / "EMU" / "page.json").unlink()
        chat.admits("Admin")
        chat.world.trouble("post", "cut")
        chat.commands("Admin", "sync EMU", "Could not sync another space")
        chat.settles()
        (lost, report) = chat.world.reports(chat.channel)
        assert lost.says("Syncing another space")
        assert report.says("wikiwhy doctor")


@pytest.mark.parametrize("status", [403, 404])
def test_a_deleted_conversation_affects_only_its_own_answer(chat: Chat, teams: TeamsWorld, status: int) -> None:
    thread = ask_about_hotels(chat)
    for route in ("post", "reply", "update"):
        teams.faults.add(route, Fault(status=status, error="BotNotInConversationRoster"), times=None)
    thread.calls("Ben", "And in Germany?")
    chat.settles()
    teams.faults.clear()
    assert teams.deliveries[-1].status == 200
    chat.asks("Ben", HOTEL).bot_says("€165")


@pytest.mark.parametrize("status", EACH_STATUS)
@pytest.mark.parametrize("route", ["post", "typing", "update", "delete", "member", "pagedmembers"])
@pytest.mark.parametrize("direct", [False, True])
def test_a_failing_call_does_not_affect_other_questions(
    chat: Chat, teams: TeamsWorld, caplog: pytest.LogCaptureFixture, route: str, status: int, direct: bool
) -> None:
    """Ask, click, edit and delete while one call fails."""
    teams.faults.add(route, Fault(status=status, retry_after=0), times=3)
    thread = chat.writes("Ada", HOTEL) if direct else chat.asks("Ada", HOTEL)
    chat.settles()
    assert has_heard(chat, "Ada", thread, caplog.text)
    answer = next((shown for shown in thread.bots if {"Explain", "Sources"} <= {*shown.buttons}), None)
    if answer:
        for label in ("Explain", "Sources"):
            thread.clicks("Ada", label, answer)
        chat.settles()
        chat.world.edit(thread.channel, thread.root, HOTEL.replace("Netherlands", "Germany"))
        chat.settles()
        chat.world.delete(thread.channel, thread.root)
        chat.settles()
    teams.faults.clear()
    chat.asks("Ben", HOTEL).bot_says("€165")
    assert {delivery.status for delivery in teams.deliveries} == {200}
    assert not [each for each in caplog.records if each.getMessage().startswith(("Exception", "Task exception"))]


def test_unknown_activities_are_acknowledged(chat: Chat, teams: TeamsWorld) -> None:
    ada = teams.add_user("ada")
    for more in (
        {"type": "typing"},
        {"type": "event", "name": "application/vnd.microsoft.readReceipt", "value": {}},
        {"type": "messageReaction", "reactionsAdded": [{"type": "like"}]},
        {"type": "invoke", "name": "composeExtension/query", "value": {"commandId": "x"}},
        {"type": "invoke", "name": "adaptiveCard/action", "value": None},
        {"type": "invoke", "name": "adaptiveCard/action", "value": {"action": "explain"}},
        {"type": "made-up"},
    ):
        assert teams.send({**teams.activity(ada, chat.channel, ""), **more}).status == 200, more
    chat.settles()
    assert not teams.answers(chat.channel)


@pytest.mark.parametrize("text", [None, 7, [], {"a": 1}])
def test_a_message_without_words_is_answered_with_help(chat: Chat, teams: TeamsWorld, text: object) -> None:
    ada = teams.add_user("ada")
    activity = teams.activity(ada, ada, "") | {"text": text}
    assert teams.send(activity).status == 200
    chat.settles()
    (answer,) = teams.answers(ada)
    assert "How to ask" in answer.text


@pytest.mark.parametrize("name", ["the hotel", "\\d"])
def test_a_bot_name_that_is_a_common_word_stays_in_the_question(
    chat: Chat, teams: TeamsWorld, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(teams, "bot_name", name)
    question = "What is the hotel limit per night in the Netherlands in 2026?"
    thread = chat.asks("Ada", question)
    thread.bot_says("€165")
    chat.settles()
    assert chat.turns(thread)[0].question.as_asked == question


def test_the_result_of_a_command_that_may_not_be_posted_is_reported_to_the_person_alone(chat: Chat) -> None:
    thread = ask_about_hotels(chat)
    chat.world.refuse_posts(chat.channel)
    chat.world.command(chat.user("Ada"), chat.channel, "help")
    chat.told("Ada", "The result of your command could not be shown", "ask an admin")
    chat.settles()
    assert count_told(chat, "Ada", "The result of your command could not be shown") == 1
    thread.bot_is_silent()
