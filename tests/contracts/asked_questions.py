"""The contract of the store of asked questions (see :mod:`tests.contracts.stores`)."""

from __future__ import annotations

from dataclasses import replace

from core.model import Question
from core.ports.chat import Place
from core.ports.chat_stores import Feedback, Post
from tests.contracts.examples import turn
from tests.contracts.stores import Stores

ADA, BEN = "slack:T1:U1", "slack:T1:U2"


async def ask(
    stores: Stores,
    number: int,
    *,
    asker: str = ADA,
    answered: bool = True,
    direct: bool = False,
    suggested_in: str = "",
    erased: bool = False,
    team: str = "T1",
    message_id: str = "",
) -> None:
    """Store question ``number``, asked on that day of November."""
    place = Place("slack", team, "D1" if direct else "C1", f"{number}.0", direct=direct)
    made = turn(f"t{number}", place.conversation_id, f"2026-11-{number:02}T10:00:00+00:00")
    text = "" if erased else f"Question {number}?"
    question = Question(text, text, suggested_in, erased, "en" if erased else None)
    made = replace(made, question=question, answer=replace(made.answer, answered=answered), asker=asker)
    await stores.turns.add(made)
    post = Post(f"ask:slack:{team}:{place.channel}:{number}", place, message_id or f"{number}.1", made.turn_id)
    await stores.posts.save(replace(post, finished=True))


class AskedQuestionStoreContract:
    async def test_a_person_s_latest_questions_are_their_own_words_newest_first(self, stores: Stores) -> None:
        for number in range(1, 6):
            await ask(stores, number, direct=number == 2)
        await ask(stores, 6, asker=BEN)
        await ask(stores, 7, suggested_in="t1")
        await ask(stores, 8, erased=True)
        await ask(stores, 9, asker="")
        found = await stores.asked_questions.find_latest(ADA, 4)
        assert [each.text for each in found] == [f"Question {number}?" for number in (5, 4, 3, 2)]
        assert (found[0].message_id, found[0].place.thread, found[0].answered) == ("5.1", "5.0", True)
        assert await stores.asked_questions.find_latest("", 4) == []

    async def test_an_explanation_is_no_question(self, stores: Stores) -> None:
        await ask(stores, 1)
        place = Place("slack", "T1", "C1", "1.0")
        await stores.posts.save(Post("explain:t1", place, "1.2", "t1", finished=True))
        assert len(await stores.asked_questions.find_latest(ADA, 4)) == 1

    async def test_unanswered_ones_are_of_channels_of_one_team_since_a_moment(self, stores: Stores) -> None:
        await ask(stores, 1, answered=False)
        await ask(stores, 10, answered=False, asker=BEN)
        await ask(stores, 11, answered=False, direct=True)
        await ask(stores, 12)
        await ask(stores, 13, answered=False, team="T2")
        await ask(stores, 14, answered=False, suggested_in="t1")
        found = await stores.asked_questions.find_unanswered("slack", "T1", "2026-11-05T00:00:00+00:00", 9)
        assert [each.text for each in found] == ["Question 10?"]

    async def test_of_direct_messages_only_the_reaction_is_told(self, stores: Stores) -> None:
        await ask(stores, 1)
        await ask(stores, 2, direct=True)
        await ask(stores, 3, suggested_in="t1")
        for number in (1, 2, 3):
            at = f"2026-11-2{number}T10:00:00+00:00"
            await stores.feedback.save(Feedback(f"t{number}", BEN, "bad", f"Reason {number}", at))
        await stores.feedback.save(Feedback("t1", ADA, "good", "", "2026-11-01T10:00:00+00:00"))
        found = await stores.asked_questions.find_judged("slack", "T1", "2026-11-05T00:00:00+00:00")
        told = [(each.reaction, each.reason, each.question.text if each.question else None) for each in found]
        assert told == [("bad", "Reason 3", None), ("bad", "", None), ("bad", "Reason 1", "Question 1?")]
