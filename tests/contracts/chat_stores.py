"""The contracts of the stores of chats and of Teams' references (see :mod:`tests.contracts.stores`)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from core.ports.chat import Place, ThreadMessage
from core.ports.chat_stores import Feedback, Post, RecentQuestions
from core.ports.teams import Reference, TeamsUser
from tests.contracts.stores import Stores

PLACE = Place("slack", "T1", "C1", "1700000000.000100")
POST = Post("ask:slack:T1:C1:1700000000.000100", PLACE, "1700000001.000200", "t1")


def said(at: int, text: str = "Hello", name: str = "Ann") -> ThreadMessage:
    return ThreadMessage(f"17000000{at:02}.000100", "U1", name, text)


def thought(reaction: str = "good", reason: str = "", person: str = "slack:T1:U1", second: int = 0) -> Feedback:
    assert reaction in ("good", "bad")
    return Feedback("t1", person, reaction, reason, f"2026-11-22T10:00:{second:02}+00:00")


class PostStoreContract:
    async def test_a_post_is_found_by_its_work_and_by_its_message(self, stores: Stores) -> None:
        direct = replace(POST, key="ask:2", place=Place("teams", "T", "C", "1", True, True), message_id="m", turn_id="")
        for post in (POST, direct):
            await stores.posts.save(post)
            assert await stores.posts.load_post(post.key) == post
            assert await stores.posts.find_by_message(post.place, post.message_id) == post
        assert await stores.posts.load_post("ask:3") is None

    async def test_a_message_is_found_wherever_in_its_channel_it_is_but_in_no_other(self, stores: Stores) -> None:
        await stores.posts.save(POST)
        elsewhere = replace(PLACE, thread="another", direct=True, shared=True)
        assert await stores.posts.find_by_message(elsewhere, POST.message_id) == POST
        assert await stores.posts.find_by_message(PLACE, "another") is None
        for other in (replace(PLACE, platform="teams"), replace(PLACE, team="T2"), replace(PLACE, channel="C2")):
            assert await stores.posts.find_by_message(other, POST.message_id) is None

    async def test_the_first_message_of_a_work_stays_and_only_becomes_finished(self, stores: Stores) -> None:
        await stores.posts.save(POST)
        second = replace(POST, message_id="another", turn_id="t2", place=replace(PLACE, channel="C2"))
        await stores.posts.save(second)
        assert await stores.posts.load_post(POST.key) == POST
        await stores.posts.save(replace(second, finished=True))
        await stores.posts.save(POST)
        assert await stores.posts.load_post(POST.key) == replace(POST, finished=True)
        assert await stores.posts.find_in_conversation(PLACE.conversation_id) == [replace(POST, finished=True)]

    async def test_the_posts_of_a_thread_are_in_the_order_of_keeping(self, stores: Stores) -> None:
        posts = [replace(POST, key=key, message_id=key) for key in ("c", "a", "b")]
        for post in posts:
            await stores.posts.save(post)
        await stores.posts.save(replace(POST, key="d", place=replace(PLACE, thread="another")))
        await stores.posts.save(replace(posts[0], finished=True))
        found = await stores.posts.find_in_conversation(PLACE.conversation_id)
        assert found == [replace(posts[0], finished=True), *posts[1:]]

    async def test_of_a_long_thread_the_first_and_the_newest_questions_are_found(self, stores: Stores) -> None:
        keys = [f"ask:slack:T1:C1:{number}.0" for number in range(10)]
        for number, key in enumerate(keys):
            await stores.posts.save(replace(POST, key=key, message_id=f"{number}.5", turn_id=f"t{number}"))
        await stores.posts.save(replace(POST, key="explain:t3", message_id="3.9", turn_id="t3"))
        await stores.posts.save(replace(POST, key="ask:slack:T1:C1:11.0", message_id="", turn_id=""))
        await stores.posts.save(replace(POST, key="ask:slack:T1:C1:12.0", place=replace(PLACE, thread="another")))

        async def find(before: str, first: int, newest: int) -> list[str]:
            found = await stores.posts.find_questions(PLACE.conversation_id, before, first, newest)
            return [post.turn_id for post in found]

        assert await find("inf", 2, 3) == ["t0", "t1", "t7", "t8", "t9"]
        assert await find("inf", 9, 9) == [f"t{number}" for number in range(10)]
        assert await find("5.0", 1, 2) == ["t0", "t3", "t4"]
        newest = await stores.posts.find_newest(PLACE.conversation_id, 3)
        assert [post.key for post in newest] == [keys[9], "explain:t3", "ask:slack:T1:C1:11.0"]
        assert [post.key for post in await stores.posts.find_of_turn("t3")] == [keys[3], "explain:t3"]
        assert await stores.posts.find_of_turn("") == []
        assert await stores.posts.has_some(PLACE.conversation_id)
        assert not await stores.posts.has_some("slack:T1:C1:no")

    async def test_the_last_post_of_a_channel_is_the_newest_in_any_of_its_threads(self, stores: Stores) -> None:
        assert await stores.posts.find_last_in_channel(PLACE) is None
        threads = [replace(POST, key=key, place=replace(PLACE, thread=key)) for key in ("b", "c", "a")]
        outside = replace(POST, key="d", place=replace(PLACE, thread=""))
        elsewhere = replace(POST, key="e", place=replace(PLACE, channel="C2"))
        for post in (*threads, outside, elsewhere, replace(threads[0], finished=True)):
            await stores.posts.save(post)
        assert await stores.posts.find_last_in_channel(replace(PLACE, thread="x", direct=True)) == threads[-1]

    async def test_of_several_changes_the_latest_counts_in_whatever_order_they_come(self, stores: Stores) -> None:
        for changed_at in ("1700000009.000100", "1700000010.000100", "1700000008.000100"):
            await stores.posts.note_change(replace(POST, changed_at=changed_at))
        await stores.posts.save(replace(POST, finished=True))
        assert await stores.posts.load_post(POST.key) == replace(POST, finished=True, changed_at="1700000010.000100")

    async def test_a_change_of_what_is_not_kept_yet_stays_when_it_is(self, stores: Stores) -> None:
        await stores.posts.note_change(replace(POST, message_id="", changed_at="1700000009.000100"))
        await stores.posts.save(POST)
        assert await stores.posts.load_post(POST.key) == replace(POST, changed_at="1700000009.000100")

    async def test_a_post_that_is_replaced_has_another_message_and_turn(self, stores: Stores) -> None:
        await stores.posts.save(replace(POST, finished=True))
        other = replace(POST, message_id="another", turn_id="t2", finished=True)
        await stores.posts.replace(other)
        assert await stores.posts.load_post(POST.key) == other
        assert await stores.posts.find_by_message(PLACE, POST.message_id) is None

    async def test_of_two_messages_kept_for_one_work_at_once_one_is_kept(self, stores: Stores) -> None:
        posts = [replace(POST, message_id=str(number)) for number in range(8)]
        await asyncio.gather(*map(stores.posts.save, posts))
        [kept] = await stores.posts.find_in_conversation(PLACE.conversation_id)
        assert kept in posts


class ThreadStoreContract:
    async def test_messages_come_back_by_rising_id_whatever_the_order(self, stores: Stores) -> None:
        await stores.threads.add("c1", [said(3), said(1)])
        await stores.threads.add("c1", [said(2)])
        await stores.threads.add("c2", [said(4)])
        assert await stores.threads.load_messages("c1") == [said(1), said(2), said(3)]
        assert await stores.threads.load_messages("c3") == []

    async def test_a_message_that_is_added_again_has_its_last_text(self, stores: Stores) -> None:
        await stores.threads.add("c1", [said(1, "frist"), said(2)])
        await stores.threads.add("c1", [said(1, "fisrt"), said(3), said(1, "first", "Änn")])
        assert await stores.threads.load_messages("c1") == [said(1, "first", "Änn"), said(2), said(3)]

    async def test_a_removed_message_is_gone_from_its_thread_only(self, stores: Stores) -> None:
        for conversation_id in ("c1", "c2"):
            await stores.threads.add(conversation_id, [said(1), said(2)])
        await stores.threads.remove("c1", said(1).message_id)
        await stores.threads.remove("c1", "never there")
        assert await stores.threads.load_messages("c1") == [said(2)]
        assert await stores.threads.load_messages("c2") == [said(1), said(2)]

    async def test_a_thousand_messages_are_added_at_once_and_none_too(self, stores: Stores) -> None:
        many = [ThreadMessage(f"{number:04}", "U1", "Ann", "Hello") for number in range(1100)]
        await stores.threads.add("c1", [])
        await stores.threads.add("c1", many)
        await stores.threads.add("c1", many)
        assert await stores.threads.load_messages("c1") == many

    async def test_of_a_long_thread_the_first_and_the_newest_messages_are_loaded(self, stores: Stores) -> None:
        many = [said(number) for number in range(1, 10)]
        await stores.threads.add("c1", many[::-1])
        await stores.threads.add("c2", [said(9)])
        first, last = many[0].message_id, many[-1].message_id
        assert await stores.threads.load_some("c1", "", "inf", 2, 3) == [*many[:2], *many[-3:]]
        assert await stores.threads.load_some("c1", "", last, 5, 5) == many[:-1]
        assert await stores.threads.load_some("c1", first, last, 0, 2) == many[6:8]
        assert await stores.threads.load_some("c1", last, "inf", 1, 1) == []
        assert await stores.threads.has_message("c1", first)
        assert not await stores.threads.has_message("c2", first)

    async def test_characters_that_no_database_keeps_are_left_out(self, stores: Stores) -> None:
        await stores.threads.add("c1", [said(1, "a\x00b\ud800c \U0001f600", "\udfffAnn\x00")])
        assert await stores.threads.load_messages("c1") == [said(1, "abc \U0001f600")]

    async def test_a_thread_is_read_once_it_was_marked(self, stores: Stores) -> None:
        await stores.threads.add("c1", [said(1)])
        assert not await stores.threads.was_read("c1")
        for _ in range(2):
            await stores.threads.mark_read("c1")
        assert await stores.threads.was_read("c1")
        assert not await stores.threads.was_read("c2")


class FeedbackStoreContract:
    async def test_of_a_person_and_turn_the_last_feedback_counts(self, stores: Stores) -> None:
        other_person, other_turn = thought(person="slack:T1:U2"), replace(thought("bad"), turn_id="t2")
        last = thought("bad", "Too old.", second=5)
        for feedback in (thought("good", "Nice."), other_person, other_turn, last):
            await stores.feedback.save(feedback)
        assert await stores.feedback.load_all() == [other_person, other_turn, last]

    async def test_an_empty_reason_leaves_the_one_of_the_same_reaction_only(self, stores: Stores) -> None:
        await stores.feedback.save(thought("bad", "Too old."))
        await stores.feedback.save(thought("bad", second=1))
        assert await stores.feedback.load_all() == [thought("bad", "Too old.", second=1)]
        await stores.feedback.save(thought("good", second=2))
        assert await stores.feedback.load_all() == [thought("good", second=2)]
        await stores.feedback.save(thought("bad", second=3))
        assert await stores.feedback.load_all() == [thought("bad", second=3)]

    async def test_feedback_is_listed_oldest_first(self, stores: Stores) -> None:
        persons = {"c": 2, "a": 1, "b": 2}
        for person, second in persons.items():
            await stores.feedback.save(thought(person=person, second=second))
        assert [feedback.person for feedback in await stores.feedback.load_all()] == ["a", "c", "b"]

    async def test_a_reason_keeps_what_a_database_can_keep(self, stores: Stores) -> None:
        await stores.feedback.save(thought("bad", "Zu \x00alt\ud83d."))
        assert await stores.feedback.load_all() == [thought("bad", "Zu alt.")]


class TokenStoreContract:
    async def test_tokens_add_up_by_day(self, stores: Stores) -> None:
        assert await stores.tokens.load("2026-11-22") == 0
        await asyncio.gather(*(stores.tokens.add("2026-11-22", tokens) for tokens in range(20)))
        await stores.tokens.add("2026-11-23", 2**40)
        assert await stores.tokens.load("2026-11-22") == 190
        assert await stores.tokens.load("2026-11-23") == 2**40


THERE = Reference("T", "19:c@thread.tacv2", "https://smba.example/emea/", "28:app")
ADA = TeamsUser("T", "ada", "29:ada", "a:1")


class ReferenceStoreContract:
    async def test_of_a_conversation_the_newest_reference_counts(self, stores: Stores) -> None:
        assert await stores.references.load("T", THERE.conversation) is None
        await stores.references.save(THERE)
        newer = replace(THERE, service_url="https://smba.example/amer/")
        await stores.references.save(newer)
        assert await stores.references.load("T", THERE.conversation) == newer
        assert await stores.references.load("T2", THERE.conversation) is None

    async def test_a_person_stays_reachable_in_their_own_chat(self, stores: Stores) -> None:
        assert await stores.references.load_user("T", "ada") is None
        await stores.references.save_user(replace(ADA, direct=""))
        assert await stores.references.load_user("T", "ada") == replace(ADA, direct="")
        await stores.references.save_user(ADA)
        await stores.references.save_user(replace(ADA, account="29:new", direct=""))
        assert await stores.references.load_user("T", "ada") == replace(ADA, account="29:new")

    async def test_the_first_message_that_stands_for_another_stays(self, stores: Stores) -> None:
        assert await stores.references.resolve_message("T", "c", "1") == "1"
        await asyncio.gather(*(stores.references.move("T", "c", "1", to) for to in ("2", "3")))
        first = await stores.references.resolve_message("T", "c", "1")
        await stores.references.move("T", "c", "1", "4")
        assert await stores.references.resolve_message("T", "c", "1") == first
        assert await stores.references.resolve_message("T", "c2", "1") == "1"


class RecentQuestionsContract:
    """Needs the fixture ``recent`` without questions. Each test takes less than a minute."""

    async def test_a_question_counts_once_however_often_it_comes(self, recent: RecentQuestions) -> None:
        for key in ("a", "b", "a", "b", "c"):
            assert await recent.note_question(key, {"ada": 3}) == ""
        assert await recent.note_question("d", {"ada": 3}) == "ada"
        assert await recent.note_question("a", {"ada": 3}) == ""

    async def test_what_one_name_refuses_counts_under_no_other(self, recent: RecentQuestions) -> None:
        assert await recent.note_question("a", {"ada": 2, "tower": 1}) == ""
        assert await recent.note_question("b", {"ada": 2, "tower": 1}) == "tower"
        assert await recent.note_question("c", {"ada": 2}) == ""
        assert await recent.note_question("d", {"ada": 2}) == "ada"

    async def test_of_many_at_a_time_as_many_count_as_may(self, recent: RecentQuestions) -> None:
        full = await asyncio.gather(*(recent.note_question(str(at), {f"p{at % 4}": 3, "tower": 8}) for at in range(16)))
        assert full.count("") == 8

    async def test_without_limits_everything_may_begin(self, recent: RecentQuestions) -> None:
        assert [await recent.note_question(str(at), {}) for at in range(5)] == [""] * 5

    async def test_all_of_it_can_be_removed(self, recent: RecentQuestions) -> None:
        assert await recent.note_question("a", {"ada": 1}) == ""
        await recent.remove_old()
        assert await recent.note_question("b", {"ada": 1}) == "ada"
        await recent.clear()
        assert await recent.note_question("b", {"ada": 1}) == ""
