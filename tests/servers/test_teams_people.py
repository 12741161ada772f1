"""What the tenant tells the bot of what people do."""

from __future__ import annotations

import pytest

from tests.servers.teams import TeamsWorld
from tests.servers.teams.receiver import Receiver
from tests.servers.teams.state import BOT, Json

CARD: Json = {
    "type": "AdaptiveCard", "version": "1.5", "body": [{"type": "TextBlock", "text": "Why?"}],
    "actions": [
        {"type": "Action.Execute", "title": "Explain", "verb": "explain", "data": {"turn": "t1"},
         "fallback": {"type": "Action.Submit", "title": "Explain", "data": {"verb": "explain", "turn": "t1"}}},
        {"type": "Action.Submit", "title": "Ask again", "data": {"msteams": {"type": "imBack", "value": "Again"}}},
        {"type": "Action.Submit", "title": "Sources", "data": {"verb": "sources",
         "msteams": {"type": "messageBack", "text": "sources"}}},
    ],
}  # fmt: skip
WITH_CARD: Json = {"attachments": [{"contentType": "application/vnd.microsoft.card.adaptive", "content": CARD}]}


async def _answered(world: TeamsWorld, bot: Receiver, activity: Json) -> tuple[str, str]:
    """A person, and the message that the bot wrote to them."""
    ada = world.add_user("Ada Lovelace")
    world.say(ada, ada, "hi")
    await world.until(lambda: bot.received)
    _, sent = await bot.send(bot.received[-1], activity)
    return ada, sent["id"]


async def test_a_personal_message_comes_without_mention_and_with_the_person(
    teams_world: TeamsWorld, teams_bot: Receiver
) -> None:
    ada = teams_world.add_user("Ada Lovelace", object_id="o-1")
    teams_world.say(ada, ada, "Who is on call?")
    await teams_world.until(lambda: teams_bot.received)
    activity = teams_bot.received[0]
    assert (activity["text"], activity["conversation"]["conversationType"]) == ("Who is on call?", "personal")
    assert activity["from"] == {"id": ada, "name": "Ada Lovelace", "aadObjectId": "o-1"}
    assert activity["channelData"]["tenant"]["id"] == teams_world.tenant
    assert (activity["serviceUrl"], activity["recipient"]["id"]) == (teams_world.service_url, BOT)
    assert [entity["type"] for entity in activity["entities"]] == ["clientInfo"]


async def test_in_a_channel_only_mentions_arrive_and_name_their_thread(
    teams_world: TeamsWorld, teams_bot: Receiver
) -> None:
    ada = teams_world.add_user("Ada Lovelace")
    eng = teams_world.add_channel("eng", members=[ada])
    teams_world.say(ada, eng, "Nobody hears this", mention=False)
    root = teams_world.say(ada, eng, "Who is on call?")
    reply = teams_world.say(ada, eng, f"and {teams_world.at_bot} tomorrow?", thread=root)
    await teams_world.until(lambda: len(teams_bot.received) == 2)
    first, second = sorted(teams_bot.received, key=lambda activity: activity["id"])
    assert first["text"] == "<at>WikiWhy</at> Who is on call?"
    assert second["text"] == "and <at>WikiWhy</at> tomorrow?"
    assert first["conversation"]["id"] == second["conversation"]["id"] == f"{eng};messageid={root}"
    assert second["id"] == reply
    assert first["entities"][0] == {
        "type": "mention", "text": "<at>WikiWhy</at>", "mentioned": {"id": BOT, "name": "WikiWhy"},
    }  # fmt: skip
    assert first["channelData"]["channel"]["id"] == eng
    assert [message.id for message in teams_world.thread(eng, root)] == [root, reply]


async def test_a_group_chat_has_one_conversation_and_mentions_others_too(
    teams_world: TeamsWorld, teams_bot: Receiver
) -> None:
    ada, ben = teams_world.add_user("Ada"), teams_world.add_user("Ben")
    group = teams_world.add_group("Launch", members=[ada, ben])
    teams_world.say(ada, group, "ask", to=[ben])
    await teams_world.until(lambda: teams_bot.received)
    activity = teams_bot.received[0]
    assert activity["text"] == "<at>WikiWhy</at> ask <at>Ben</at>"
    assert [entity["mentioned"]["id"] for entity in activity["entities"][:2]] == [BOT, ben]
    assert activity["conversation"] == {
        "id": group, "conversationType": "groupChat", "tenantId": teams_world.tenant, "isGroup": True, "name": "Launch",
    }  # fmt: skip


async def test_a_message_comes_again_with_its_id_and_a_click_with_a_new_one(
    teams_world: TeamsWorld, teams_bot: Receiver
) -> None:
    ada, message = await _answered(teams_world, teams_bot, WITH_CARD)
    teams_world.say(ada, ada, "twice", deliveries=2)
    teams_world.click(ada, ada, message, "Explain", deliveries=3)
    await teams_world.until(lambda: not teams_world.pending)
    assert len({one["id"] for one in teams_bot.of("message") if one["text"] == "twice"}) == 1
    clicks = teams_bot.of("adaptiveCard/action")
    assert len({one["id"] for one in clicks}) == 3
    assert len({str(one["value"]) for one in clicks}) == 1


@pytest.mark.parametrize(("statuses", "times"), [([503], 2), ([500, 502], 3), ([400], 1), ([401], 1), ([], 1)])
async def test_what_was_answered_with_a_servers_error_comes_again(
    teams_world: TeamsWorld, teams_bot: Receiver, statuses: list[int], times: int
) -> None:
    teams_world.retry_delays = (0.01, 0.01)
    teams_bot.statuses = statuses.copy()
    ada = teams_world.add_user("Ada")
    teams_world.say(ada, ada, "hi")
    await teams_world.until(lambda: not teams_world.pending)
    assert [delivery.retry for delivery in teams_world.deliveries] == list(range(times))
    assert len({one["id"] for one in teams_bot.received}) == 1


async def test_what_is_not_answered_in_time_comes_again(teams_world: TeamsWorld, teams_bot: Receiver) -> None:
    teams_world.patience, teams_world.retry_delays, teams_bot.delay = 0.05, (0.01,), 0.5
    ada = teams_world.add_user("Ada")
    teams_world.say(ada, ada, "hi")
    await teams_world.until(lambda: not teams_world.pending)
    assert [delivery.status for delivery in teams_world.deliveries] == [0, 0]
    assert len(teams_bot.received) == 2


async def test_edits_and_deletions_are_told(teams_world: TeamsWorld, teams_bot: Receiver) -> None:
    ada = teams_world.add_user("Ada")
    message = teams_world.say(ada, ada, "Who is on cal?")
    teams_world.edit(ada, message, "Who is on call?")
    teams_world.delete(ada, message)
    await teams_world.until(lambda: len(teams_bot.received) == 3)
    edited, deleted = teams_bot.of("messageUpdate")[0], teams_bot.of("messageDelete")[0]
    assert (edited["id"], edited["text"]) == (message, "Who is on call?")
    assert edited["channelData"]["eventType"] == "editMessage"
    assert (deleted["id"], deleted["channelData"]["eventType"]) == (message, "softDeleteMessage")
    assert "text" not in deleted
    assert teams_world.thread(ada) == []


async def test_an_execute_asks_the_bot_and_its_answer_takes_the_cards_place(
    teams_world: TeamsWorld, teams_bot: Receiver
) -> None:
    ada, message = await _answered(teams_world, teams_bot, WITH_CARD)
    other = CARD | {"body": [{"type": "TextBlock", "text": "Because."}]}
    answer = {"statusCode": 200, "type": "application/vnd.microsoft.card.adaptive", "value": other}
    teams_bot.on_invoke = lambda activity: (200, answer)
    delivery = teams_world.click(ada, ada, message, "Explain")
    await teams_world.until(lambda: teams_world.message(ada, message).seen_by)
    assert delivery.body["value"]["action"]["verb"] == "explain"
    assert delivery.body["value"]["action"]["data"] == {"turn": "t1"}
    assert delivery.body["replyToId"] == message
    assert teams_world.message(ada, message).seen_by[ada] == other


async def test_a_submit_is_a_message_without_text(teams_world: TeamsWorld, teams_bot: Receiver) -> None:
    ada, message = await _answered(teams_world, teams_bot, WITH_CARD)
    teams_world.click(ada, ada, message, "Explain", fallback=True, values={"why": "so"})
    await teams_world.until(lambda: len(teams_bot.received) == 2)
    submitted = teams_bot.received[1]
    assert "text" not in submitted
    assert submitted["value"] == {"verb": "explain", "turn": "t1", "why": "so"}
    assert submitted["replyToId"] == message


@pytest.mark.parametrize(
    ("title", "text", "value"), [("Ask again", "Again", None), ("Sources", "sources", {"verb": "sources"})]
)
async def test_buttons_can_speak_for_the_person(
    teams_world: TeamsWorld, teams_bot: Receiver, title: str, text: str, value: object
) -> None:
    ada, message = await _answered(teams_world, teams_bot, WITH_CARD)
    teams_world.click(ada, ada, message, title)
    await teams_world.until(lambda: len(teams_bot.received) == 2)
    assert (teams_bot.received[1]["text"], teams_bot.received[1].get("value")) == (text, value)
    assert teams_world.thread(ada)[-1].text == text


async def test_a_button_that_is_not_there_is_an_error_that_names_those_that_are(
    teams_world: TeamsWorld, teams_bot: Receiver
) -> None:
    ada, message = await _answered(teams_world, teams_bot, WITH_CARD)
    with pytest.raises(KeyError, match="Ask again"):
        teams_world.click(ada, ada, message, "Delete everything")


@pytest.mark.parametrize("plain", [True, False])
async def test_feedback_comes_in_both_shapes(teams_world: TeamsWorld, teams_bot: Receiver, plain: bool) -> None:
    looped = {"text": "Grace", "channelData": {"feedbackLoop": {"type": "default"}}}
    ada, message = await _answered(teams_world, teams_bot, looped)
    delivery = teams_world.feedback(ada, ada, message, positive=False, text="No.", plain=plain, reply_to=not plain)
    await teams_world.until(lambda: delivery.status == 200)
    value = teams_bot.of("message/submitAction")[0]["value"]
    assert value["actionValue"]["reaction"] == "dislike"
    assert value["actionValue"]["feedback"] == ("No." if plain else '{"feedbackText": "No."}')
    assert ("replyToId" in teams_bot.received[-1]) == (not plain)


async def test_a_message_without_a_feedback_loop_has_no_thumbs(teams_world: TeamsWorld, teams_bot: Receiver) -> None:
    ada, message = await _answered(teams_world, teams_bot, {"text": "Grace"})
    with pytest.raises(KeyError, match="no thumbs"):
        teams_world.feedback(ada, ada, message, positive=True)


async def test_installing_and_joining_are_told_and_a_removed_bot_may_not_write(
    teams_world: TeamsWorld, teams_bot: Receiver
) -> None:
    ada, ben = teams_world.add_user("Ada"), teams_world.add_user("Ben")
    eng = teams_world.add_channel("eng", members=[ada], bot=False)
    teams_world.install(ada, eng)
    teams_world.join(ben, eng)
    await teams_world.until(lambda: len(teams_bot.received) == 3)
    assert teams_bot.of("installationUpdate")[0]["action"] == "add"
    added = [one["membersAdded"][0]["id"] for one in teams_bot.of("conversationUpdate")]
    assert sorted(added) == sorted([BOT, ben])
    teams_world.uninstall(ada, eng)
    status, answer = await teams_bot.send(teams_bot.received[0], {"text": "hello"})
    assert (status, answer["error"]["code"]) == (403, "BotNotInConversationRoster")
