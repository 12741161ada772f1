"""Contract suite of what other people may do to an answer: inherit :class:`OthersTranscripts`.

Fixtures: ``chat``, ``model``. The bot has a language model that needs a second for an answer, and suggests questions.
"""

from __future__ import annotations

from contextlib import nullcontext, suppress

from core.model import Turn
from core.ports.chat_stores import Feedback
from tests.contracts.chat_world import Shown
from tests.contracts.conversation import HOTEL
from tests.contracts.transcript import Chat, Thread
from tests.servers.scripted_model import ScriptedModel

VACATION = "How many vacation days does a full-time Dutch contract have?"
FORM = "It is about travel, is it not?"


class OthersTranscripts:
    """A person's question, answer, feedback and private messages stay as they are, whatever another person does."""

    def test_no_click_of_another_person_changes_an_answer(self, chat: Chat) -> None:
        thread = _answered(chat)
        thread.clicks("Ada", "Helpful", thread.bots[0])
        chat.settles()
        answer, before = thread.bots[0], _Belongings(chat, thread)
        suggested = [each.question for each in chat.turns(thread)[0].suggestions]
        assert {"Explain", "Sources", "Helpful", "Not helpful"} <= {*answer.buttons}
        for label in dict.fromkeys((*answer.buttons, *suggested)):
            with suppress(KeyError) if label in suggested else nullcontext():  # a long one has a button of another name
                _click(chat, thread, "Ben", label, answer)
            before.assert_unchanged(label)
        assert {turn.question.as_asked for turn in chat.turns(thread)} & {*suggested}, "no suggestion was clicked"
        chat.world.stop(chat.user("Ben"), chat.channel, thread.root)
        chat.settles()
        before.assert_unchanged("Stop")

    def test_nothing_that_another_person_does_ends_an_answer_that_is_being_made(
        self, chat: Chat, model: ScriptedModel
    ) -> None:
        thread = _answered(chat)
        answer, turns = thread.bots[0], len(chat.turns(thread))
        model.requests.clear()
        asked = thread.calls("Ada", VACATION)
        chat.awaited(lambda: model.requests, lambda: "the model was to be asked")
        for label in (None, *dict.fromkeys(answer.buttons)):
            if label is None:
                chat.world.stop(chat.user("Ben"), chat.channel, thread.root)
            else:
                thread.clicks("Ben", label, answer)
        chat.settles()
        assert VACATION in [turn.question.as_asked for turn in chat.turns(thread)][turns:], f"{asked} is not answered"
        assert not any("Only the person" in shown.text for shown in chat.world.alone(chat.user("Ada")))

    def test_in_direct_messages_the_person_who_asked_can_stop(self, chat: Chat, model: ScriptedModel) -> None:
        model.requests.clear()
        thread = chat.writes("Ada", HOTEL)
        chat.awaited(lambda: model.requests, lambda: "the model was to be asked")
        chat.world.stop(chat.user("Ada"), thread.channel, thread.root)
        chat.settles()
        assert not any(shown.says("€165") for shown in thread.bots)


class _Belongings:
    """What belongs to Ada, and what everybody sees."""

    def __init__(self, chat: Chat, thread: Thread) -> None:
        self._chat, self._thread = chat, thread
        self._shown, self._turns, self._feedback, self._alone = self._read()

    def _read(self) -> tuple[dict[str, Shown], list[Turn], list[Feedback], list[Shown]]:
        chat, ada = self._chat, self._chat.user("Ada")
        feedback = [one for one in chat.bot.run(chat.bot.application.feedback.load_all()) if ada in one.person]
        shown = {one.message_id: one for one in self._thread.bots}
        return shown, chat.turns(self._thread), feedback, chat.world.alone(ada)

    def assert_unchanged(self, action: str) -> None:
        """Assert that the action of another person only added something."""
        shown, turns, feedback, alone = self._read()
        assert {each: shown.get(each) for each in self._shown} == self._shown, action
        assert [turn for turn in self._turns if turn not in turns] == [], action
        assert (feedback, alone) == (self._feedback, self._alone), action


def _answered(chat: Chat) -> Thread:
    thread = chat.asks("Ada", HOTEL)
    thread.bot_says("€165")
    chat.settles()
    return thread


def _click(chat: Chat, thread: Thread, name: str, label: str, answer: Shown) -> None:
    """Click a button, and use the form or Share that it shows."""
    thread.clicks(name, label, answer)
    chat.settles()
    for use in (lambda: chat.shares(name), lambda: chat.world.submit(chat.user(name), FORM)):
        with suppress(LookupError, ValueError):  # there is none
            use()
            chat.settles()
