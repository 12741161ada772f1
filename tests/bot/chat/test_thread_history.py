"""The history of threads, with a real workspace and a real database."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest

import adapters.store.chats.chat_stores as chat_store
from adapters.slack.platform import SlackPlatform
from adapters.store.chats.turns import SqlTurnStore
from bot.wiring import Application
from core.chat.requests import make_ask_key
from core.history import LATEST, ThreadHistory
from core.model import Scope, Turn
from core.ports.chat import Place, ThreadMessage
from core.ports.chat_stores import Post
from tests.contracts.examples import turn
from tests.servers.slack import Fault, SlackWorld


@pytest.fixture
def thread_history(application: Application, platform: SlackPlatform) -> ThreadHistory:
    return ThreadHistory(
        application.turns,
        application.evidences,
        application.posts,
        application.threads,
        {"slack": platform},
        lambda text: len(text.split()),
    )


class Thread:
    """Ada and Ben talk in a channel before the bot is called."""

    def __init__(self, world: SlackWorld) -> None:
        self.world = world
        self.ada, self.ben = world.add_user("ada"), world.add_user("ben")
        self.channel = world.add_channel("eng", members=[self.ada, self.ben])
        self.root = world.say(self.ada, self.channel, "We plan a trip.")
        self.second = self.says(self.ben, "To Berlin &amp; Vienna.")
        self.question = self.says(self.ada, f"<@{world.bot}> What may a hotel cost?")

    def says(self, user: str, text: str) -> str:
        return self.world.say(user, self.channel, text, thread=self.root)

    @property
    def place(self) -> Place:
        return Place("slack", self.world.team, self.channel, self.root)

    def read(self) -> int:
        return sum(call.method == "conversations.replies" for call in self.world.calls)


@pytest.fixture
def thread(world: SlackWorld) -> Thread:
    return Thread(world)


async def test_earlier_messages_of_a_thread_are_read_once_with_names(
    thread_history: ThreadHistory, thread: Thread
) -> None:
    history = (await thread_history.load(thread.place, thread.question, Scope())).messages
    assert [(message.name, message.text) for message in history] == [
        ("ada", "We plan a trip."),
        ("ben", "To Berlin & Vienna."),
    ]
    thread.says(thread.ben, "said after that, and not heard by us")
    assert (await thread_history.load(thread.place, thread.question, Scope())).messages == history
    assert thread.read() == 1


async def test_a_question_that_begins_a_thread_has_no_history(thread_history: ThreadHistory, thread: Thread) -> None:
    assert (await thread_history.load(thread.place, thread.root, Scope())).messages == ()
    assert thread.read() == 0


async def test_a_thread_that_cannot_be_read_is_read_at_the_next_question(
    thread_history: ThreadHistory, thread: Thread
) -> None:
    thread.world.faults.add("conversations.replies", Fault(error="missing_scope"))
    assert (await thread_history.load(thread.place, thread.question, Scope())).messages == ()
    assert len((await thread_history.load(thread.place, thread.question, Scope())).messages) == 2


async def test_people_who_cannot_be_looked_up_have_no_names(thread_history: ThreadHistory, thread: Thread) -> None:
    thread.world.faults.add("users.info", Fault(error="internal_error"), times=None)
    history = (await thread_history.load(thread.place, thread.question, Scope())).messages
    assert [(message.name, message.text) for message in history] == [
        ("", "We plan a trip."),
        ("", "To Berlin & Vienna."),
    ]


async def test_edited_and_deleted_messages_are_up_to_date_in_the_history(
    thread_history: ThreadHistory, thread: Thread, application: Application
) -> None:
    await thread_history.load(thread.place, thread.question, Scope())
    await thread_history.add(thread.place, ThreadMessage(thread.second, thread.ben, "", "To Graz."))
    await application.threads.remove(thread.place.conversation_id, thread.root)
    history = (await thread_history.load(thread.place, thread.question, Scope())).messages
    assert [message.text for message in history] == ["To Graz."]


async def answered(application: Application, thread: Thread, scope: Scope, message_id: str) -> None:
    asked = turn(turn_id=message_id, conversation_id=thread.place.conversation_id, answer="140 euros.", scope=scope)
    await application.turns.add(asked)
    post = thread.world.run(_posted(thread))
    await application.posts.save(Post(make_ask_key(thread.place, message_id), thread.place, post, message_id, True))


async def _posted(thread: Thread) -> str:
    return thread.world.workspace.new_ts()


async def test_answers_follow_their_questions_in_the_history(
    thread_history: ThreadHistory, thread: Thread, application: Application
) -> None:
    await thread_history.add(thread.place, ThreadMessage(thread.question, thread.ada, "", "What may a hotel cost?"))
    await answered(application, thread, Scope(frozenset({"ENG"})), thread.question)
    later = thread.says(thread.ada, "And in Vienna?")
    history = (await thread_history.load(thread.place, later, Scope(frozenset({"ENG"})))).messages
    assert [message.text for message in history] == [
        "We plan a trip.",
        "To Berlin & Vienna.",
        "What may a hotel cost?",
        "140 euros.",
    ]


async def test_of_a_long_thread_only_the_turns_that_fit_into_a_history_are_loaded(
    thread_history: ThreadHistory, thread: Thread, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope, loaded = Scope(frozenset({"ENG"})), set[str]()
    load_really = SqlTurnStore.load_some

    async def load_some(store: SqlTurnStore, conversation_id: str, turn_ids: Collection[str]) -> list[Turn]:
        loaded.update(turn_ids)
        return await load_really(store, conversation_id, turn_ids)

    monkeypatch.setattr(SqlTurnStore, "load_some", load_some)
    asked = [f"{9_000_000_000 + number}.000000" for number in range(150)]
    for number, message_id in enumerate(asked):
        await thread_history.add(thread.place, ThreadMessage(message_id, thread.ada, "", f"Question {number}?"))
        await application.turns.add(
            turn(message_id, thread.place.conversation_id, answer=f"Answer {number}. " + "word " * 100, scope=scope)
        )
        await application.posts.save(
            Post(make_ask_key(thread.place, message_id), thread.place, f"{message_id}1", message_id, finished=True)
        )
    history = (await thread_history.load(thread.place, LATEST, scope)).messages
    answers = [int(each.text.split()[1].rstrip(".")) for each in history if each.role == "assistant"]
    assert 5 < len(answers) < 20
    assert answers == list(range(150 - len(answers), 150))
    assert loaded == {*asked[:10], *asked[-100:]}
    before = (await thread_history.load(thread.place, asked[20], scope)).messages
    assert "Answer 19." in before[-1].text


async def test_a_message_of_a_long_thread_loads_no_row_that_its_history_cannot_contain(
    thread_history: ThreadHistory, thread: Thread, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, scope = thread.place, Scope(frozenset({"ENG"}))
    ids = [f"{9_000_000_000 + number}.000000" for number in range(2_000)]
    messages = [ThreadMessage(message_id, thread.ada, "Ada", "ok") for message_id in ids]
    await application.threads.add(place.conversation_id, messages)
    await application.threads.mark_read(place.conversation_id)
    for number in range(0, 2_000, 8):
        key = make_ask_key(place, ids[number])
        await application.posts.save(Post(key, place, f"{ids[number]}1", f"t{number}", finished=True))
    loaded: list[object] = []
    for name in ("read_post", "read_as"):
        read = getattr(chat_store, name)
        monkeypatch.setattr(chat_store, name, lambda *row, read=read: loaded.append(made := read(*row)) or made)
    history = await thread_history.load(place, LATEST, scope)
    assert len(history.messages) > 450
    assert len(loaded) < 800
    loaded.clear()
    assert [each.message_id for each in await thread_history.load_since_our_last(place, LATEST)] == ids[1993:]
    await thread_history.edit(place, replace(messages[3], text="okay"))
    assert len(loaded) < 250


async def test_the_first_answer_of_a_long_thread_stays_in_the_history(
    thread_history: ThreadHistory, world: SlackWorld, application: Application
) -> None:
    """A thread that a question began: its first exchange says what the thread is about."""
    scope, ada = Scope(frozenset({"ENG"})), world.add_user("ada")
    channel = world.add_channel("eng", members=[ada])
    root = world.say(ada, channel, "What may a hotel cost?")
    place = Place("slack", world.team, channel, root)
    for number in range(130):
        message_id = root if number == 0 else f"{9_000_000_000 + number}.000000"
        await thread_history.add(place, ThreadMessage(message_id, ada, "", f"Question {number}?"))
        answer = f"Answer {number}. " + "word " * 100
        await application.turns.add(turn(message_id, place.conversation_id, answer=answer, scope=scope))
        post = Post(make_ask_key(place, message_id), place, f"{message_id}1", message_id, finished=True)
        await application.posts.save(post)
    history = (await thread_history.load(place, LATEST, scope)).messages
    assert history[1].text.startswith("Answer 0.")
    assert history[-1].text.startswith("Answer 129.")


@pytest.mark.parametrize(
    ("asked_with", "scope", "told"),
    [
        (Scope(frozenset({"ENG"})), Scope(frozenset({"ENG", "HR"})), True),
        (Scope(frozenset({"ENG", "HR"})), Scope(frozenset({"ENG"})), False),
        (Scope(frozenset({"ENG"}), frozenset({"user:ada"})), Scope(frozenset({"ENG"})), False),
        (Scope(), Scope(frozenset({"ENG"})), False),
    ],
)
async def test_an_answer_made_with_more_rights_is_not_in_the_history(
    thread_history: ThreadHistory, thread: Thread, application: Application, asked_with: Scope, scope: Scope, told: bool
) -> None:
    await answered(application, thread, asked_with, thread.question)
    later = thread.says(thread.ada, "And in Vienna?")
    texts = [message.text for message in (await thread_history.load(thread.place, later, scope)).messages]
    assert ("140 euros." in texts) == told


async def test_messages_since_our_last_are_loaded(
    thread_history: ThreadHistory, thread: Thread, application: Application
) -> None:
    await answered(application, thread, Scope(), thread.question)
    assert await thread_history.load_since_our_last(thread.place, thread.says(thread.ada, "ok")) == []
    heard = thread.says(thread.ben, "I think that was changed")
    await thread_history.add(thread.place, ThreadMessage(heard, thread.ben, "", "I think that was changed"))
    later = thread.says(thread.ada, "When?")
    assert [said.user for said in await thread_history.load_since_our_last(thread.place, later)] == [thread.ben]
    assert await thread_history.load_since_our_last(thread.place, heard) == []


async def test_a_command_precedes_the_answer_that_is_being_posted(
    thread_history: ThreadHistory, thread: Thread, application: Application
) -> None:
    shown = ThreadMessage(thread.root, thread.ada, "", "What may a hotel cost?")
    await thread_history.add(thread.place, shown)
    await application.posts.save(Post(make_ask_key(thread.place, "17.5.trigger"), thread.place, "", "a turn"))
    assert await thread_history.load_since_our_last(thread.place, thread.says(thread.ben, "And in Vienna?")) == []
