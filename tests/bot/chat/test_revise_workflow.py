"""Answers to edited and deleted questions, with a real workspace and faults."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.slack.platform import SlackPlatform
from adapters.store.chats.chat_stores import anonymise_key
from bot.chat.connect import Chat
from bot.wiring import Application
from core.chat.requests import make_ask_key, make_turn_id
from core.model.views import Notice
from core.ports.chat_stores import Post
from tests.bot.chat.answered import Answered, answer_question
from tests.bot.chat.chatting import chatting, wait_until_idle
from tests.contracts.examples import indexed_page, turn
from tests.servers.slack import Fault, SlackWorld

LATER = "1900000000.000100"
LATEST = "1900000001.000100"


@pytest.fixture
async def answered(world: SlackWorld, application: Application, platform: SlackPlatform) -> Answered:
    pages = [indexed_page("1")]
    await application.pages.replace(pages)
    return await answer_question(world, application, platform, pages)


async def own_question(answered: Answered) -> Post:
    """Store a post under the key of the message that asked."""
    place = answered.place
    post = Post(make_ask_key(place, place.thread), place, answered.message_id, answered.turn.turn_id, finished=True)
    await answered.application.posts.save(post)
    return post


async def explained(answered: Answered, platform: SlackPlatform) -> str:
    """Post an explanation of the answer; return the message's id."""
    message_id = await platform.post(answered.place, Notice("It rests on this."), "explain:x")
    post = Post("explain:x", answered.place, message_id, answered.turn.turn_id, finished=True)
    await answered.application.posts.save(post)
    return message_id


async def edit(chat: Chat, answered: Answered, text: str = "Who pays for travel?") -> None:
    place = answered.place
    await chat.service.handle_edit(place, place.thread, answered.ada, text, LATER)
    await wait_until_idle(chat)


def calls(answered: Answered, method: str) -> int:
    return sum(call.method == method for call in answered.world.calls)


async def test_an_answer_is_replaced_once_though_its_explanation_cannot_be_deleted_at_first(
    application: Application, platform: SlackPlatform, answered: Answered
) -> None:
    post = await own_question(answered)
    await explained(answered, platform)
    answered.world.faults.add("chat.delete", Fault(error="fatal_error"), times=4)
    async with chatting(application, platform) as chat:
        await edit(chat, answered)
    assert calls(answered, "chat.update") == 1
    assert len(answered.explanations) == 0
    stored = await application.posts.load_post(post.key)
    assert stored
    assert stored.message_id == answered.message_id


async def test_a_deleted_questions_data_is_removed_even_if_its_answer_cannot_be_deleted(
    application: Application, platform: SlackPlatform, answered: Answered
) -> None:
    await own_question(answered)
    answered.world.faults.add("chat.delete", Fault(error="cant_delete_message"), times=None)
    async with chatting(application, platform) as chat:
        await chat.service.handle_deletion(answered.place, answered.place.thread, answered.ada, LATER)
        await wait_until_idle(chat)
    assert await application.turns.load_turn(answered.turn.turn_id) is None


async def test_an_answer_that_somebody_deleted_is_posted_anew(
    application: Application, platform: SlackPlatform, answered: Answered
) -> None:
    post = await own_question(answered)
    await platform.remove(answered.place, answered.message_id)
    async with chatting(application, platform) as chat:
        await edit(chat, answered)
    stored = await application.posts.load_post(post.key)
    assert stored
    assert stored.message_id != answered.message_id
    assert len(answered.world.answers(answered.place.channel, answered.place.thread)) == 1


async def test_an_edit_followed_by_a_deletion_leaves_nothing(
    application: Application, platform: SlackPlatform, answered: Answered
) -> None:
    post = await own_question(answered)
    place = answered.place
    async with chatting(application, platform) as chat:
        await chat.service.handle_edit(place, place.thread, answered.ada, "Who pays for travel?", LATER)
        await chat.service.handle_deletion(place, place.thread, answered.ada, LATEST)
        await wait_until_idle(chat)
    assert not answered.world.answers(place.channel, place.thread)
    for turn_id in (answered.turn.turn_id, make_turn_id(f"{post.key}~{LATER}")):
        assert await application.turns.load_turn(turn_id) is None
    assert await application.threads.load_messages(place.conversation_id) == []


async def test_a_repeated_step_keeps_the_stored_answer(
    application: Application, platform: SlackPlatform, answered: Answered
) -> None:
    post = await own_question(answered)
    key = f"{post.key}~{LATER}"
    await application.turns.add(replace(turn(turn_id=make_turn_id(key)), conversation_id=post.place.conversation_id))
    await application.posts.note_change(replace(post, changed_at=LATER))
    await application.posts.replace(replace(post, turn_id=make_turn_id(key)))
    async with chatting(application, platform) as chat:
        await edit(chat, answered)
    assert await application.turns.load_turn(make_turn_id(key)) is not None
    assert calls(answered, "chat.update") == 0


async def test_a_forgotten_question_that_is_edited_stays_forgotten(
    application: Application, platform: SlackPlatform, answered: Answered
) -> None:
    place = replace(answered.place, thread="gone")
    key = make_ask_key(place, "gone")
    await application.posts.save(Post(anonymise_key(key), place, "", finished=True))
    async with chatting(application, platform) as chat:
        await chat.service.handle_edit(place, "gone", answered.ada, "Who pays?", LATER)
        await wait_until_idle(chat)
    stored = await application.posts.find_in_conversation(place.conversation_id)
    assert [(post.key, post.changed_at) for post in stored] == [(anonymise_key(key), "")]
