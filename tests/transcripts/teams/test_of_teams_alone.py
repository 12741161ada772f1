"""Conversations with features that only Teams has."""

from __future__ import annotations

from pathlib import Path

import pytest
from dbos import DBOS

from core.chat.requests import make_explain_key
from tests.servers.faults import Fault
from tests.servers.running_bot import RunningBot
from tests.servers.teams import Message, TeamsWorld
from tests.servers.teams.cards import find_action
from tests.servers.teams.chat_world import read_message
from tests.transcripts.teams.conftest import ADMIN

QUESTION = "What is the hotel limit per night in the Netherlands for a trip in 2026?"


def await_answer(teams: TeamsWorld, where: str, root: str = "", number: int = 1) -> Message:
    """Wait for the bot's message of this number, and return it."""

    def complete() -> list[Message]:
        return [each for each in teams.answers(where, root) if not each.stream or each.stream.state == "final"]

    teams.wait_until(lambda: len(complete()) >= number)
    return complete()[number - 1]


@pytest.fixture
def asked(teams: TeamsWorld) -> tuple[str, Message]:
    """Return Ada's id, and the answer to her question in her chat with the bot."""
    ada = teams.add_user("Ada")
    teams.say(ada, ada, QUESTION)
    return ada, await_answer(teams, ada)


def test_a_question_in_a_personal_chat_is_answered_once_with_its_sources(teams: TeamsWorld) -> None:
    ada = teams.add_user("Ada", email="ada@example.com")
    teams.say(ada, ada, QUESTION, deliveries=3)
    message = await_answer(teams, ada)
    assert read_message(message).says("€165", "[1]", "Travel and expenses policy 2026")
    assert message.ai_generated
    assert message.citations[0]["position"] == 1
    assert message.feedback_loop == "default"
    teams.wait_until(lambda: not teams.pending)
    assert len(teams.answers(ada)) == 1


@pytest.mark.parametrize("quoted", ["help", "Can somebody book a table?"])
def test_a_reply_that_quotes_a_message_is_the_question_without_the_quote(
    teams: TeamsWorld, asked: tuple[str, Message], quoted: str
) -> None:
    ada, _ = asked
    teams.say(ada, ada, "help", quote=("WikiWhy", quoted))
    assert read_message(await_answer(teams, ada, number=2)).says("How to ask")
    teams.say(ada, ada, QUESTION, quote=("Ben", quoted))
    again = read_message(await_answer(teams, ada, number=3))
    assert again.says("€165")
    assert not again.says(quoted)


def test_a_question_on_the_next_day_is_not_a_follow_up(
    teams: TeamsWorld, bot: RunningBot, asked: tuple[str, Message]
) -> None:
    ada, answer = asked
    teams.say(ada, ada, "and in Belgium?")
    assert read_message(await_answer(teams, ada, number=2)).says("Understood as:", "Belgium")
    teams.directory.wait(hours=12)
    teams.say(ada, ada, "and in Germany?")
    assert not read_message(await_answer(teams, ada, number=3)).says("Understood as:")
    teams.wait_until(lambda: bot.idle)
    told = teams.feedback(ada, ada, answer.id, positive=True)
    teams.click(ada, ada, answer.id, "Explain")
    teams.await_message(ada, predicate=lambda message: "rests on" in read_message(message).text, timeout=40)
    assert told.status == 200


def test_a_click_of_an_older_client_is_committed_before_the_response(
    teams: TeamsWorld, bot: RunningBot, asked: tuple[str, Message]
) -> None:
    ada, answer = asked
    turn = find_action(answer, ada, "Explain")["data"]["turn"]
    sent = {"value": {"wikiwhy": "explain", "turn": turn}, "replyToId": answer.id}
    assert teams.send(teams.activity(ada, ada, "", **sent)).status == 200
    assert bot.run(DBOS.list_workflows_async(workflow_ids=[make_explain_key(turn)]))
    teams.await_message(ada, predicate=lambda message: "rests on" in read_message(message).text, timeout=40)


def test_a_failed_click_of_an_older_client_is_logged(
    teams: TeamsWorld, asked: tuple[str, Message], caplog: pytest.LogCaptureFixture
) -> None:
    ada, answer = asked
    with caplog.at_level("INFO"):
        forged = {"value": {"wikiwhy": "explain", "turn": "none"}, "replyToId": answer.id}
        assert teams.send(teams.activity(ada, ada, "", **forged)).status == 200
    assert "no longer available" in caplog.text


def test_sources_replace_the_answers_card_and_lead_back(teams: TeamsWorld, asked: tuple[str, Message]) -> None:
    ada, answer = asked
    teams.click(ada, ada, answer.id, "Sources")
    teams.wait_until(lambda: ada in answer.seen_by)
    assert "cited as [1]" in str(answer.seen_by[ada])
    teams.click(ada, ada, answer.id, "Back to the answer")
    teams.wait_until(lambda: "Explain" in str(answer.seen_by[ada]))
    assert answer.seen_by[ada] == answer.cards[0]


def test_a_correction_is_asked_once(teams: TeamsWorld) -> None:
    ada = teams.add_user("Ada")
    eng = teams.add_channel("eng", members=[ada])
    root = teams.say(ada, eng, QUESTION)
    await_answer(teams, eng, root)
    teams.say(ada, eng, "and in Belgium?", thread=root)
    second = await_answer(teams, eng, root, number=2)
    assert read_message(second).says("Understood as:", "Belgium")
    meant = {"question": "What is the hotel limit per night in Belgium in 2026?"}
    teams.click(ada, eng, second.id, "Not what I meant", deliveries=2)
    teams.wait_until(lambda: "correction" in str(second.seen_by.get(ada)))
    teams.click(ada, eng, second.id, "correction", values=meant, deliveries=2)
    assert read_message(await_answer(teams, eng, root, number=3)).says(
        "› What is the hotel limit per night in Belgium in 2026?"
    )
    teams.wait_until(lambda: not teams.pending)
    assert len(teams.answers(eng, root)) == 3


@pytest.mark.parametrize("reply_to", [True, False])
@pytest.mark.parametrize("plain", [True, False])
def test_feedback_is_stored_with_its_reason(
    teams: TeamsWorld, bot: RunningBot, asked: tuple[str, Message], plain: bool, reply_to: bool
) -> None:
    ada, answer = asked
    given = teams.feedback(ada, ada, answer.id, positive=False, text="It changed", plain=plain, reply_to=reply_to)
    teams.wait_until(lambda: given.status == 200)
    person = f"teams:{teams.tenant}:{teams.user(ada).object_id}"
    (kept,) = [each for each in bot.run(bot.application.feedback.load_all()) if each.person == person]
    assert (kept.reaction, kept.reason) == ("bad", "It changed")


def test_a_turn_of_another_conversation_is_not_shown(teams: TeamsWorld, asked: tuple[str, Message]) -> None:
    (ada, answer), ben = asked, teams.add_user("Ben")
    teams.say(ben, ben, QUESTION)
    other = await_answer(teams, ben)
    turn = answer.cards[0]["body"][-1]["actions"][0]["data"]["turn"]
    for name in ("explain", "sources", "answer", "correct", "suggest", "good", "nonsense"):
        action = {"type": "Action.Execute", "verb": name, "data": {"wikiwhy": name, "turn": turn, "question": "x y?"}}
        pressed = teams.press(ben, ben, other.id, action)
        teams.wait_until(lambda pressed=pressed: pressed.status is not None)
        assert pressed.status == 200
        assert pressed.answer["type"].endswith("activity.message")
    assert len(teams.answers(ben)) == 1
    assert len(teams.answers(ada)) == 1


def test_adding_the_bot_posts_the_help_once(teams: TeamsWorld) -> None:
    ada = teams.add_user("Ada")
    group = teams.add_group("travellers", members=[ada])
    teams.install(ada, group, deliveries=2)
    assert read_message(await_answer(teams, group)).says("How to ask")
    teams.install(ada, group)
    teams.wait_until(lambda: not teams.pending)
    assert len(teams.answers(group)) == 1


def test_a_personal_chat_gets_no_welcome(teams: TeamsWorld, bot: RunningBot) -> None:
    """Teams suggests questions only while the bot has posted nothing."""
    ada = teams.add_user("Ada")
    teams.install(ada, ada)
    teams.wait_until(lambda: not teams.pending and bot.idle)
    assert not teams.answers(ada)


def test_german_clients_get_german_texts(teams: TeamsWorld) -> None:
    uwe = teams.add_user("Uwe", locale="de-DE")
    group = teams.add_group("Reisende", members=[uwe])
    teams.install(uwe, group)
    assert read_message(await_answer(teams, group)).says("So fragen Sie")
    teams.say(uwe, uwe, "help")
    teams.say(uwe, uwe, "spaces")
    teams.wait_until(lambda: len(teams.answers(uwe)) == 2)
    assert sum(read_message(each).says("So fragen Sie") for each in teams.answers(uwe)) == 1
    assert sum(read_message(each).says("nur Admins") for each in teams.answers(uwe)) == 1


def test_a_space_is_removed_once_however_often_the_command_is_delivered(teams: TeamsWorld, bot: RunningBot) -> None:
    boss = teams.add_user("Chief", object_id=ADMIN)
    activity = teams.activity(boss, boss, "forget BER BER")
    assert teams.send(activity).status == 200
    teams.wait_until(lambda: any(read_message(each).says("BER was removed") for each in teams.answers(boss)))
    assert "BER" not in {summary.key for summary in bot.run(bot.application.spaces.load_summaries())}
    teams.send(activity)
    teams.wait_until(lambda: bot.idle)
    assert len([each for each in teams.answers(boss) if read_message(each).says("BER")]) == 2


def test_in_a_group_chat_everybody_may_click_with_any_client(teams: TeamsWorld) -> None:
    ada, ben = teams.add_user("Ada"), teams.add_user("Ben")
    group = teams.add_group("travellers", members=[ada, ben])
    teams.say(ada, group, QUESTION)
    answer = await_answer(teams, group)
    teams.click(ben, group, answer.id, "Explain", fallback=True)
    teams.wait_until(lambda: any("rests on" in read_message(message).text for message in teams.targeted(ben)), 40)
    teams.click(ben, group, answer.id, "Sources", fallback=True)
    teams.await_message(group, predicate=lambda message: "cited as [1]" in read_message(message).text, timeout=40)


def test_messages_without_a_mention_are_neither_answered_nor_stored(
    teams: TeamsWorld, bot: RunningBot, asked: tuple[str, Message]
) -> None:
    (ada, _), ben, stores = asked, teams.add_user("Ben"), bot.application.references
    eng = teams.add_channel("eng", members=[ada, ben])
    teams.reads_all = True  # owners of the team let the bot read its messages: --read-channels
    for text in ("Does anybody know why the Zanzibar contract was cancelled?", "sync ENG"):
        said = teams.say(ben, eng, text, mention=False)
    teams.edit(eng, said, "sync ENG at one")
    teams.delete(eng, said)
    teams.wait_until(lambda: not teams.pending)
    assert {"messageUpdate", "messageDelete"} <= {one.body["type"] for one in teams.deliveries}
    teams.wait_until(lambda: bot.idle)
    assert not teams.answers(eng)
    assert bot.run(stores.load_user(teams.tenant, teams.user(ada).object_id))
    assert bot.run(stores.load_user(teams.tenant, teams.user(ben).object_id)) is None
    kept = b"".join(path.read_bytes() for path in Path(bot.application.settings.data_dir).rglob("*.db*"))
    assert b"hotel limit per night" in kept
    assert b"Zanzibar" not in kept


def test_explain_replaces_the_persons_earlier_targeted_message(teams: TeamsWorld, bot: RunningBot) -> None:
    ada, ben = teams.add_user("Ada"), teams.add_user("Ben")
    group = teams.add_group("travellers", members=[ada, ben])
    teams.say(ada, group, QUESTION)
    answer = await_answer(teams, group)
    seen: list[str] = []
    for faults in (0, 0, 9):
        teams.faults.add("delete", Fault(status=501), times=faults)
        teams.click(ben, group, answer.id, "Explain")
        teams.wait_until(lambda: teams.targeted(ben) and teams.targeted(ben)[-1].id not in seen, 40)
        seen.append(teams.targeted(ben)[-1].id)
        teams.wait_until(lambda: not teams.pending and bot.idle)  # a click while one is being explained starts nothing
        assert len(teams.targeted(ben)) == (2 if faults else 1)
    assert len(teams.answers(group)) == 1
