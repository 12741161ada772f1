"""Words of pages in questions whose history is in another thread, or whose suggesting turn is gone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from adapters.slack.platform import SlackPlatform
from bot.chat.connect import Chat
from bot.settings import load_settings
from bot.wiring import Application, now, open_application
from core.answering.answerer import Listeners
from core.conversation import QuestionToAnswer
from core.model import Author, Question, Suggestion, Turn
from core.model.views import AnswerView, Notice
from core.ports.chat import Click, Command, IncomingMessage, Place
from tests.bot.chat.chatting import chatting, wait_until_idle
from tests.contracts.examples import indexed_page, turn
from tests.servers.slack import SlackWorld

PAY = indexed_page("2", ("Bob earns marzipan.",), space="ENG")
TRAVEL = indexed_page("1", ("Ann approves travel.",), space="ENG")
SUGGESTED = "Why does Bob earn marzipan?"

Change = Callable[[Application], Awaitable[object]]


async def remove(application: Application) -> None:
    await application.pages.remove(["2"])


async def restrict(application: Application) -> None:
    readers = (frozenset({"user:bob"}),)
    await application.pages.replace([indexed_page("2", ("Bob earns marzipan.",), "ENG", readers)])


async def move(application: Application) -> None:
    """Move the page to a space that nobody asks about; nothing is erased, but it may not be shown here."""
    await application.pages.replace([indexed_page("2", ("Bob earns marzipan.",), space="HR")])


each_change = pytest.mark.parametrize("change", [remove, restrict, move])
each_erasure = pytest.mark.parametrize("change", [remove, restrict])


@dataclass
class Answering:
    """Answers from the page about pay, and follow-ups from that about travel. Repeats all that it is given."""

    asked: list[QuestionToAnswer] = field(default_factory=list)
    author: Author = Author.WIKI

    async def answer_question(self, ask: QuestionToAnswer, listeners: Listeners) -> Turn:
        self.asked.append(ask)
        page = TRAVEL if ask.history or ask.provenance.suggestion else PAY
        heard = " ".join(message.text for message in ask.history)
        explicit = f"{ask.question} ({heard})" if heard else ask.question
        text = page.evidences[0].evidence.text
        text = f"{text} {explicit}" if self.author is Author.MODEL else text
        made = turn(ask.turn_id, ask.conversation_id, ask.asked_at, (page,), (page,), text, ask.scope)
        listeners.note_evidences(made.evidences)
        question = Question(ask.question, explicit, ask.suggested_in, provenance=ask.provenance)
        return replace(made, question=question, answer=replace(made.answer, author=self.author))


class Suggests:
    name = "test"

    async def suggest(self, turn: Turn, *_: object) -> tuple[Suggestion, ...]:
        return (Suggestion(SUGGESTED, turn.evidences[0].evidence.evidence_id),)


@pytest.fixture(params=["SQLite", pytest.param("PostgreSQL", marks=pytest.mark.slow)])
def application(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Application]:
    url = {"database_url": request.getfixturevalue("postgres_url")} if request.param == "PostgreSQL" else {}
    with open_application(load_settings(data_dir=tmp_path / "data", default_spaces="ENG", **url)) as application:
        application.__dict__["suggester"] = Suggests()
        yield application


@dataclass
class Direct:
    """Ada's direct messages with the bot."""

    world: SlackWorld
    application: Application
    chat: Chat
    answering: Answering
    ada: str
    channel: str

    def place(self, thread: str) -> Place:
        return Place("slack", self.world.team, self.channel, thread, direct=True)

    async def ask(self, text: str) -> str:
        """Ask outside of any thread; return the message's id, which is the thread of the answer."""
        message_id = self.world.direct_message(self.ada, text)
        await self.chat.service.handle_message(IncomingMessage(self.place(message_id), message_id, self.ada, text))
        await wait_until_idle(self.chat)
        return message_id

    async def load_turns(self, thread: str) -> list[Turn]:
        return await self.application.turns.load_newest(self.place(thread).conversation_id, 1_000)

    async def click(self, thread: str, turn: Turn) -> Click:
        posts = await self.application.posts.find_in_conversation(self.place(thread).conversation_id)
        message_id = next(post.message_id for post in posts if post.turn_id == turn.turn_id)
        return Click(self.place(thread), message_id, self.ada, f"9.{len(self.answering.asked)}", turn.turn_id)

    async def show(self, thread: str, turn: Turn) -> str:
        """Return everything that clicks on an answer show."""
        click = await self.click(thread, turn)
        shown = [
            await self.chat.answers.load_answer(click),
            await self.chat.answers.load_sources(click),
            await self.chat.answers.load_completed_question(click),
        ]
        return repr([replace(each, turn_id="") if isinstance(each, AnswerView) else each for each in shown])


@pytest.fixture
async def direct(
    world: SlackWorld, application: Application, platform: SlackPlatform, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Direct]:
    await application.pages.replace([PAY, TRAVEL])
    for space in ("ENG", "HR"):
        await application.spaces.finish_sync(space, "folder x", now(), "")
    answering, ada = Answering(), world.add_user("ada")
    monkeypatch.setattr(application, "make_assistant", lambda: answering, raising=False)
    async with chatting(application, platform) as chat:
        yield Direct(world, application, chat, answering, ada, world.direct_channel(ada))


@each_change
@pytest.mark.parametrize("author", [Author.WIKI, Author.MODEL])
async def test_a_follow_up_in_another_thread_loses_what_it_took_from_a_page(
    direct: Direct, change: Change, author: Author
) -> None:
    direct.answering.author = author
    await direct.ask("What does Bob earn?")
    thread = await direct.ask("And why that?")
    (follow_up,) = await direct.load_turns(thread)
    assert "marzipan" in follow_up.question.intent_explicit
    await change(direct.application)
    assert "marzipan" not in await direct.show(thread, follow_up)
    (kept,) = await direct.load_turns(thread)
    assert kept.question.as_asked == "And why that?"
    if change is not move:
        assert "marzipan" not in repr(kept)


@each_change
async def test_a_suggested_question_loses_its_words_although_the_turn_that_suggested_it_is_gone(
    direct: Direct, change: Change
) -> None:
    thread = await direct.ask("What does Bob earn?")
    (suggesting,) = await direct.load_turns(thread)
    assert await direct.chat.answers.ask_suggestion(await direct.click(thread, suggesting), 0) is None
    await wait_until_idle(direct.chat)
    await direct.application.turns.remove(suggesting.turn_id)
    (taken,) = await direct.load_turns(thread)
    assert taken.question.as_asked == SUGGESTED
    await change(direct.application)
    assert "marzipan" not in await direct.show(thread, taken)
    if change is not move:
        assert "marzipan" not in repr(await direct.load_turns(thread))


@each_change
async def test_a_corrected_question_loses_the_words_that_the_form_had_from_a_page(
    direct: Direct, change: Change
) -> None:
    await direct.ask("What does Bob earn?")
    thread = await direct.ask("And why that?")
    (follow_up,) = await direct.load_turns(thread)
    prefilled = await direct.chat.answers.load_completed_question(click := await direct.click(thread, follow_up))
    assert isinstance(prefilled, str)
    assert "marzipan" in prefilled
    assert await direct.chat.answers.correct(click, prefilled) is None
    await wait_until_idle(direct.chat)
    await _check_loss(direct, change, thread)


@each_change
async def test_a_question_about_a_page_loses_the_title_that_the_form_had(direct: Direct, change: Change) -> None:
    thread = await direct.ask("What does Bob earn?")
    await direct.application.turns.remove((await direct.load_turns(thread))[0].turn_id)
    click = Click(direct.place(thread), "1.0", direct.ada, "9.0", "")
    assert await direct.chat.service.ask_in_form(click, "What does “marzipan” say about pay?", "2") is None
    await wait_until_idle(direct.chat)
    await _check_loss(direct, change, thread)


@each_change
async def test_a_question_by_command_about_a_page_loses_the_title_that_the_form_had(
    direct: Direct, change: Change
) -> None:
    words = ("What", "does", "marzipan", "mean?")
    command = Command(direct.place(""), direct.ada, words, "9.7", private=True)
    assert await direct.chat.service.ask_by_command(command, command.place, "en", "2") is None
    await wait_until_idle(direct.chat)
    (post,) = await direct.application.posts.find_in_conversation(direct.place("").conversation_id)
    await _check_loss(direct, change, post.message_id)


async def test_a_form_about_a_page_that_may_not_be_shown_any_more_asks_nothing(direct: Direct) -> None:
    thread = await direct.ask("What does Bob earn?")
    await move(direct.application)
    click = Click(direct.place(thread), "1.0", direct.ada, "9.0", "")
    await direct.chat.service.ask_in_form(click, "What does “marzipan” say about pay?", "2")
    await wait_until_idle(direct.chat)
    assert len(await direct.load_turns(thread)) == 1
    assert len(direct.answering.asked) == 1


@each_erasure
async def test_a_correction_that_is_sent_after_its_words_were_erased_asks_nothing(
    direct: Direct, change: Change, tmp_path: Path
) -> None:
    await direct.ask("What does Bob earn?")
    thread = await direct.ask("And why that?")
    (follow_up,) = await direct.load_turns(thread)
    prefilled = await direct.chat.answers.load_question_to_correct(click := await direct.click(thread, follow_up))
    assert isinstance(prefilled, str)
    assert "marzipan" in prefilled
    await _erase_everywhere(direct, change)
    assert isinstance(await direct.chat.answers.load_question_to_correct(click), Notice)
    assert isinstance(await direct.chat.answers.correct(click, prefilled), Notice)
    await _check_absence(direct, thread, tmp_path)


@each_erasure
async def test_a_correction_whose_words_are_erased_before_it_is_asked_is_not_stored(
    direct: Direct, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    await direct.ask("What does Bob earn?")
    thread = await direct.ask("And why that?")
    (follow_up,) = await direct.load_turns(thread)
    prefilled = await direct.chat.answers.load_question_to_correct(click := await direct.click(thread, follow_up))
    resolve = SlackPlatform.resolve_mentions

    async def resolve_after_change(self: SlackPlatform, place: Place, text: str) -> str:
        await _erase_everywhere(direct, change)
        return await resolve(self, place, text)

    monkeypatch.setattr(SlackPlatform, "resolve_mentions", resolve_after_change)
    await direct.chat.answers.correct(click, str(prefilled))
    await wait_until_idle(direct.chat)
    await _check_absence(direct, thread)


@each_erasure
async def test_a_form_about_a_page_that_is_gone_when_it_is_sent_asks_nothing(
    direct: Direct, change: Change, tmp_path: Path
) -> None:
    thread = await direct.ask("Who approves travel?")
    await _erase_everywhere(direct, change)
    click = Click(direct.place(thread), "1.0", direct.ada, "9.0", "")
    question = "What does “marzipan” say about pay?"
    assert isinstance(await direct.chat.service.ask_in_form(click, question, "2"), Notice)
    command = Command(direct.place(""), direct.ada, tuple(question.split()), "9.7", private=True)
    assert isinstance(await direct.chat.service.ask_by_command(command, command.place, "en", "2"), Notice)
    await _check_absence(direct, thread, tmp_path)


@each_erasure
async def test_a_command_about_a_page_that_goes_before_its_question_is_posted_posts_none(
    direct: Direct, change: Change
) -> None:
    await _erase_everywhere(direct, change)
    text = "What does “marzipan” say about pay?"
    await direct.chat.service.ask(direct.place(""), "9.7", direct.ada, text, "command", language="en", page_id="2")
    await _check_absence(direct, "")


async def _erase_everywhere(direct: Direct, change: Change) -> None:
    """Change the page, and delete the messages that had its words."""
    await change(direct.application)
    for message in list(direct.world.channel(direct.channel).messages.values()):
        if message.user == direct.world.bot:
            message.deleted = True


async def _check_absence(direct: Direct, thread: str, data: Path | None = None) -> None:
    """Check that no message, no turn and no file has words of the page. ``data``: the folder of the files."""
    await wait_until_idle(direct.chat)
    messages = direct.world.channel(direct.channel).messages.values()
    assert not [message.text for message in messages if "marzipan" in repr(message) and not message.deleted]
    assert "marzipan" not in repr(await direct.load_turns(thread))
    if data:
        assert b"marzipan" not in _read_workflows(data)


def _read_workflows(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("workflows.db*"))


async def _check_loss(direct: Direct, change: Change, thread: str) -> None:
    """Check that the last question of a thread has words of a page, and that nothing shows them after a change."""
    taken = (await direct.load_turns(thread))[-1]
    assert "marzipan" in taken.question.as_asked
    asked = direct.application.asked_questions
    assert taken.question.as_asked not in [each.text for each in await asked.find_latest(taken.asker, 9)]
    await change(direct.application)
    assert "marzipan" not in await direct.show(thread, taken)
    follow_up = direct.world.say(direct.ada, direct.channel, "And since when?", thread=thread)
    message = IncomingMessage(direct.place(thread), follow_up, direct.ada, "And since when?", reply=True)
    await direct.chat.service.handle_message(message)
    await wait_until_idle(direct.chat)
    assert direct.answering.asked[-1].question == "And since when?"
    assert "marzipan" not in repr(direct.answering.asked[-1].history)
    if change is not move:
        assert "marzipan" not in repr((await direct.load_turns(thread))[:-1])  # the follow-up has its suggestions
        messages = await direct.application.threads.load_messages(direct.place(thread).conversation_id)
        assert "marzipan" not in repr(messages)


@each_change
async def test_the_history_of_a_question_has_no_words_that_a_turn_took_from_elsewhere(
    direct: Direct, change: Change
) -> None:
    direct.answering.author = Author.MODEL
    await direct.ask("What does Bob earn?")
    await direct.ask("And why that?")
    await change(direct.application)
    await direct.ask("And since when?")
    assert "marzipan" not in repr(direct.answering.asked[-1].history)
    assert [message.role for message in direct.answering.asked[-1].history] == ["user", "assistant"]


@each_erasure
async def test_a_follow_up_that_is_stored_after_its_history_was_erased_has_none_of_it(
    direct: Direct, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    await direct.ask("What does Bob earn?")
    save = direct.application.turns.save

    async def change_and_save(made: Turn) -> None:
        await change(direct.application)
        await direct.application.pages.replace([PAY])  # visible again
        await save(made)

    monkeypatch.setattr(direct.application.turns, "save", change_and_save)
    thread = await direct.ask("And why that?")
    (follow_up,) = await direct.load_turns(thread)
    assert "marzipan" not in repr(follow_up)
    assert "marzipan" not in repr(direct.world.answers(direct.channel, thread))
