"""Posting each message once, with a real workspace and a real database."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import cast

import pytest

from adapters.slack.platform import SlackPlatform
from adapters.teams.platform import TeamsPlatform
from bot.chat.message_poster import MakeView, MessagePoster
from bot.wiring import Application
from core.errors import ChatRefused, ChatUnavailable
from core.model.views import Notice, View, Waiting
from core.ports.chat import ChatPlatform, Place
from core.ports.chat_stores import Post
from tests.servers.slack import Fault, SlackWorld

WAITING = Waiting("en", "explanation")
KEY = "explain:t1"


@pytest.fixture
def place(world: SlackWorld) -> Place:
    ada = world.add_user("ada")
    channel = world.add_channel("eng", members=[ada])
    return Place("slack", world.team, channel, world.say(ada, channel, "Who is on call?"))


@pytest.fixture
def posting(application: Application, platform: SlackPlatform) -> Callable[..., MessagePoster]:
    """Return a function whose calls each simulate a new process."""

    def made(fresh: bool = True) -> MessagePoster:
        return MessagePoster(application.posts, {"slack": platform}, lambda key: fresh)

    return made


def seen(world: SlackWorld, place: Place) -> list[str]:
    return [message.text for message in world.answers(place.channel, place.thread)]


def showing(view: View) -> MakeView:
    async def make_view() -> View:
        return view

    return make_view


ANSWER = showing(Notice("The answer."))


async def kept(application: Application) -> Post:
    post = await application.posts.load_post(KEY)
    assert post is not None
    return post


async def test_work_has_one_message_however_often_it_is_posted(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster]
) -> None:
    one = posting()
    await one.begin(KEY, place, WAITING, "t1")
    posts = [await one.post_once(KEY, place, ANSWER, turn_id="t1") for _ in range(3)] + [
        await posting(fresh=False).post_once(KEY, place, ANSWER, turn_id="t1")
    ]
    assert len(set(posts)) == 1
    assert seen(world, place) == ["The answer."]
    methods = [call.method for call in world.calls]
    assert methods == ["assistant.threads.setStatus", "chat.postMessage"]


async def test_the_work_sign_is_repeated_but_never_after_the_message(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster], platform: SlackPlatform
) -> None:
    one = posting()
    platform.capabilities = replace(platform.capabilities, sign_seconds=0.2)  # type: ignore[misc]
    await one.begin(KEY, place, WAITING)
    async with one.repeat_sign(KEY, place, WAITING):
        await asyncio.sleep(0.6)
    async with one.repeat_sign(KEY, place, WAITING):  # ends before it would be shown again
        pass
    await one.post_once(KEY, place, ANSWER)
    assert [call.method for call in world.calls] == ["assistant.threads.setStatus"] * 2 + ["chat.postMessage"]
    assert not world.channel(place.channel).statuses


async def test_a_work_sign_in_progress_is_awaited(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster], platform: SlackPlatform
) -> None:
    one = posting()
    platform.capabilities = replace(platform.capabilities, sign_seconds=0.05)  # type: ignore[misc]
    world.faults.add("assistant.threads.setStatus", Fault(delay=0.4))
    async with one.repeat_sign(KEY, place, WAITING):
        await asyncio.sleep(0.1)
    await one.post_once(KEY, place, ANSWER)
    assert not world.channel(place.channel).statuses


async def test_the_intent_is_stored_before_the_message_and_its_id_after_it(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster], application: Application
) -> None:
    one = posting()
    await one.begin(KEY, place, WAITING, "t1", "U1")
    intent = await kept(application)
    assert (intent.message_id, intent.turn_id, intent.finished) == ("", "t1", False)
    assert intent.person
    post = await one.post_once(KEY, place, ANSWER, turn_id="t1", user="U1")
    assert await kept(application) == post == replace(intent, message_id=post.message_id, finished=True)
    assert post.message_id == world.answers(place.channel, place.thread)[0].ts


@pytest.mark.parametrize("thread", [True, False])
async def test_a_message_posted_before_a_kill_is_found_and_not_posted_again(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster], platform: SlackPlatform, thread: bool
) -> None:
    where = place if thread else Place("slack", place.team, place.channel, "")
    message_id = await platform.post(where, Notice("The answer."), KEY)
    post = await posting(fresh=False).post_once(KEY, where, ANSWER, turn_id="t1")
    assert post.message_id == message_id
    assert sum(call.method == "chat.postMessage" for call in world.calls) == 1


@pytest.mark.parametrize("thread", [True, False])
async def test_a_message_posted_without_acknowledgement_is_found_by_the_same_process(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster], thread: bool
) -> None:
    where = place if thread else Place("slack", place.team, place.channel, "")
    world.faults.add("chat.postMessage", Fault(drop_after=True))
    one = posting()
    with pytest.raises(ChatUnavailable):
        await one.post_once(KEY, where, ANSWER)
    await one.post_once(KEY, where, ANSWER)
    assert sum(call.method == "chat.postMessage" for call in world.calls) == 1


async def test_a_message_that_could_not_be_stored_is_not_posted_again(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster], monkeypatch: pytest.MonkeyPatch,
    application: Application,
) -> None:  # fmt: skip
    async def fail(post: Post) -> None:
        raise ChatUnavailable("as if the database were locked")

    one = posting()
    with monkeypatch.context() as patch:
        patch.setattr(application.posts, "save", fail)
        with pytest.raises(ChatUnavailable):
            await one.post_once(KEY, place, ANSWER)
    await one.post_once(KEY, place, ANSWER)
    assert seen(world, place) == ["The answer."]
    assert not any(call.method == "conversations.replies" for call in world.calls)


async def test_a_bot_that_may_not_read_the_channel_still_posts(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster]
) -> None:
    world.faults.add("conversations.history", Fault(error="channel_not_found"))
    await posting(fresh=False).post_once(KEY, Place("slack", place.team, place.channel, ""), ANSWER)
    assert sum(call.method == "chat.postMessage" for call in world.calls) == 1


async def test_a_message_of_other_work_is_not_updated(place: Place, posting: Callable[..., MessagePoster]) -> None:
    one = await posting().post_once(KEY, place, ANSWER)
    other = await posting(fresh=False).post_once("explain:t2", place, ANSWER)
    assert other.message_id != one.message_id


async def test_an_unfinished_message_is_updated(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster], application: Application
) -> None:
    one = posting()
    post = await one.post_once(KEY, place, showing(WAITING), finishes=lambda view: False)
    await one.show_progress(post, Waiting("en", "sync", "DOC", done=1, total=3))
    assert not (await kept(application)).finished
    await one.post_once(KEY, place, showing(Notice("The end.")))
    assert seen(world, place) == ["The end."]
    assert (await kept(application)).finished


@pytest.mark.parametrize(
    ("method", "fault", "is_killed"),
    [
        ("chat.delete", Fault(drop=True), False),
        ("chat.delete", Fault(drop_after=True), True),
        ("chat.postMessage", Fault(drop=True), True),
        ("chat.postMessage", Fault(drop_after=True), False),
        ("chat.postMessage", Fault(drop_after=True), True),
    ],
)
async def test_a_message_that_may_not_be_updated_is_posted_anew_once_whatever_is_interrupted(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster], application: Application, method: str,
    fault: Fault, is_killed: bool,
) -> None:  # fmt: skip
    one = posting()
    await one.post_once(KEY, place, showing(WAITING), finishes=lambda view: False)
    world.faults.add("chat.update", Fault(error="cant_update_message"), times=None)
    world.faults.add(method, fault, times=5 if fault.drop else 1)  # more often than a call is retried
    with suppress(ChatUnavailable):
        await one.post_once(KEY, place, ANSWER)
    world.faults.clear()
    world.faults.add("chat.update", Fault(error="cant_update_message"), times=None)
    post = await (posting(fresh=False) if is_killed else one).post_once(KEY, place, ANSWER)
    assert seen(world, place) == ["The answer."]
    assert await kept(application) == post
    assert post.finished


@pytest.mark.parametrize("change", ["stop", "edit"])
async def test_a_result_is_not_posted_anew_if_the_question_is_stopped_or_edited_while_its_beginning_is_deleted(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster], application: Application, change: str
) -> None:
    one = posting()
    await one.post_once(KEY, place, showing(Notice("The beginning of")), finishes=lambda view: False)
    world.faults.add("chat.update", Fault(error="cant_update_message"), times=None)
    deleting = threading.Event()
    world.faults.add("chat.delete", Fault(delay=0.5), where=lambda _: deleting.set() is None)
    working = asyncio.create_task(one.post_once(KEY, place, ANSWER))
    assert await asyncio.to_thread(deleting.wait, 30)
    now = await kept(application)
    if change == "stop":
        await application.posts.replace(replace(now, message_id="", finished=True))
    else:
        await application.posts.note_change(replace(now, changed_at="2"))
    await working
    assert seen(world, place) == []


async def test_the_edit_of_a_beginning_that_may_not_be_updated_is_posted_anew(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster], application: Application
) -> None:
    one = posting()
    post = await one.post_once(KEY, place, showing(Notice("The beginning of")), finishes=lambda view: False)
    world.faults.add("chat.update", Fault(error="cant_update_message"), times=None)
    await one.replace(post, "t2", showing(Notice("Another answer.")))
    assert seen(world, place) == ["Another answer."]
    assert (await kept(application)).finished


async def test_the_edit_of_a_finished_message_that_may_not_be_updated_leaves_it(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster], application: Application
) -> None:
    one = posting()
    post = await one.post_once(KEY, place, ANSWER)
    world.faults.add("chat.update", Fault(error="edit_window_closed"), times=None)
    with pytest.raises(ChatRefused):
        await one.replace(post, "t2", showing(Notice("Another answer.")))
    assert seen(world, place) == ["The answer."]
    assert await kept(application) == post


async def test_a_message_that_may_neither_be_updated_nor_posted_again_is_deleted(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster]
) -> None:
    one = posting()
    await one.post_once(KEY, place, showing(Notice("The beginning of")), finishes=lambda view: False)
    for method in ("chat.update", "chat.postMessage"):
        world.faults.add(method, Fault(error="restricted_action"), times=None)
    with pytest.raises(ChatRefused):
        await one.post_once(KEY, place, ANSWER)
    assert seen(world, place) == []


async def test_an_error_while_showing_progress_is_ignored_but_not_at_the_end(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster], application: Application
) -> None:
    one = posting()
    post = await one.post_once(KEY, place, showing(WAITING), finishes=lambda view: False)
    world.faults.add("chat.update", Fault(error="fatal_error"), times=2)
    await one.show_progress(post, WAITING)
    with pytest.raises(ChatUnavailable):
        await one.post_once(KEY, place, showing(Notice("The end.")))
    assert not (await kept(application)).finished


async def test_a_failure_is_posted_if_there_is_no_message(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster], application: Application
) -> None:
    await posting().show_failure(KEY, place, Notice("It went wrong."), "t1")
    assert seen(world, place) == ["It went wrong."]
    assert ((await kept(application)).finished, (await kept(application)).turn_id) == (True, "t1")


async def test_a_finished_message_is_not_overwritten_by_a_failure(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster]
) -> None:
    one = posting()
    await one.post_once(KEY, place, ANSWER)
    await one.show_failure(KEY, place, Notice("It went wrong."))
    assert seen(world, place) == ["The answer."]


async def test_a_failure_that_may_be_retried_does_not_finish_the_work(
    place: Place, posting: Callable[..., MessagePoster], application: Application
) -> None:
    await posting().show_failure(KEY, place, Notice("Later."), ends=False)
    assert not (await kept(application)).finished


async def test_a_failure_in_a_deleted_channel_is_logged(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster], caplog: pytest.LogCaptureFixture
) -> None:
    gone = Place("slack", place.team, "C0GONE", place.thread)
    with pytest.raises(ChatRefused):
        await posting().post_once(KEY, gone, ANSWER)
    await posting().show_failure(KEY, gone, Notice("It went wrong."))
    assert KEY in caplog.text


async def test_a_person_is_told_of_a_refusal_once_after_any_restart(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster]
) -> None:
    (ada,) = [user for user in world.workspace.users if user != world.bot]
    for fresh in (True, False):
        await posting(fresh).notices.notify(KEY, place, ada, Notice("Not here."))
    assert [message.text for message in world.ephemerals(ada)] == ["Not here."]
    await posting().notices.forget(KEY)
    await posting().notices.notify(KEY, place, ada, Notice("Not here."))
    assert len(world.ephemerals(ada)) == 2


async def test_a_person_is_told_of_a_refusal_after_an_outage(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster]
) -> None:
    (ada,) = [user for user in world.workspace.users if user != world.bot]
    world.faults.add("chat.postEphemeral", Fault(error="fatal_error"))
    with pytest.raises(ChatUnavailable):
        await posting().notices.notify(KEY, place, ada, Notice("Not here."))
    await posting().notices.notify(KEY, place, ada, Notice("Not here."))
    assert [message.text for message in world.ephemerals(ada)] == ["Not here."]


async def test_a_refused_failure_hides_the_work_sign(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster]
) -> None:
    (ada,) = [user for user in world.workspace.users if user != world.bot]
    world.faults.add("chat.postMessage", Fault(error="restricted_action"), times=None)
    one = posting()
    await one.begin(KEY, place, WAITING)
    assert world.channel(place.channel).statuses
    await one.show_failure(KEY, place, Notice("It went wrong."), user=ada, refused=Notice("Not here."))
    assert not any(world.channel(place.channel).statuses.values())


class Slow:
    """A platform like Teams whose posts wait for an event. ``begun``: the keys of those that wait, in order."""

    capabilities = TeamsPlatform.capabilities

    def __init__(self) -> None:
        self.begun: asyncio.Queue[str] = asyncio.Queue()
        self.may_end = asyncio.Event()

    async def post(self, place: Place, view: View, key: str, stream: str = "") -> str:
        self.begun.put_nowait(key)
        await self.may_end.wait()
        return key


@pytest.mark.parametrize(("patience", "at_once"), [(60.0, 1), (0.01, 3)])
async def test_messages_that_cannot_be_found_are_posted_one_at_a_time_with_a_limited_wait(
    application: Application, patience: float, at_once: int
) -> None:
    platform, there = Slow(), Place("teams", "T", "19:x", "")
    one = MessagePoster(application.posts, {"teams": cast(ChatPlatform, platform)}, lambda key: True, patience)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one.post_once(f"ask:{number}", there, ANSWER)) for number in range(3)]
        for _ in range(at_once):
            await asyncio.wait_for(platform.begun.get(), 30)
        await asyncio.sleep(0.1)
        assert platform.begun.empty()
        platform.may_end.set()
    assert [task.result().message_id for task in tasks] == ["ask:0", "ask:1", "ask:2"]


async def test_a_message_is_taken_back_by_its_key_after_a_kill_before_its_id_was_stored(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster], platform: SlackPlatform,
    application: Application,
) -> None:  # fmt: skip
    await posting().note_intent(KEY, place, "t1", "")
    await platform.post(place, Notice("The answer."), KEY)
    await platform.post(place, Notice("Another answer."), "explain:t2")
    await posting(fresh=False).take_back(await kept(application), is_fresh=False)
    assert seen(world, place) == ["Another answer."]
    assert (await kept(application)).finished


async def test_a_message_that_cannot_be_looked_up_does_not_fail_the_stop(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster], application: Application
) -> None:
    await posting().note_intent(KEY, place, "t1", "")
    world.faults.add("conversations.replies", Fault(error="fatal_error"), times=None)
    await posting(fresh=False).take_back(await kept(application), is_fresh=False)
    assert (await kept(application)).finished


@pytest.mark.parametrize("seconds", [0.1, 60.0])
async def test_a_message_that_cannot_be_found_is_stored_even_if_its_work_is_cancelled(
    application: Application, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr("bot.chat.message_poster._GRACE", 0.5)
    platform, there = Slow(), Place("teams", "T", "19:x", "")
    one = MessagePoster(application.posts, {"teams": cast(ChatPlatform, platform)}, lambda key: True)
    working = asyncio.create_task(one.post_once(KEY, there, ANSWER))
    await asyncio.wait_for(platform.begun.get(), 30)
    asyncio.get_running_loop().call_later(seconds, platform.may_end.set)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(working, 10)
    post = await application.posts.load_post(KEY)
    assert (post.message_id if post else "") == (KEY if seconds < 1 else "")


async def test_a_message_whose_work_is_stopped_while_it_is_posted_is_deleted(
    world: SlackWorld, place: Place, posting: Callable[..., MessagePoster], application: Application
) -> None:
    one = posting()
    await one.note_intent(KEY, place, "t1", "")
    world.faults.add("chat.postMessage", Fault(delay=0.3))
    working = asyncio.create_task(one.post_once(KEY, place, ANSWER))
    await asyncio.sleep(0.1)
    await application.posts.save(replace(await kept(application), finished=True))  # by another bot
    await working
    assert any(call.method == "chat.postMessage" for call in world.calls)
    assert seen(world, place) == []
    assert ((await kept(application)).message_id, (await kept(application)).finished) == ("", True)
