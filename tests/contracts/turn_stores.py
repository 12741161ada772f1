"""What every store of turns and conversations does (see :mod:`tests.contracts.stores`)."""

from __future__ import annotations

from dataclasses import replace

from core.model import Conversation, Scope, Suggestion, Trace
from tests.contracts.examples import indexed_page, trace, turn
from tests.contracts.stores import Stores


class TurnStoreContract:
    async def test_a_turn_comes_back_whole(self, stores: Stores) -> None:
        pages = (indexed_page("1", kind="table_row"), indexed_page("2"))
        scope = Scope(frozenset({"B", "A"}), frozenset({"user:ann", "group:x"}))
        given = replace(
            turn(used=pages, cited=pages, scope=scope), trace=trace(), suggestions=(Suggestion("And Ä?", "2-0"),)
        )
        await stores.turns.add(given)
        assert await stores.turns.get("t1") == given
        assert await stores.turns.get("t2") is None

    async def test_a_scope_of_all_spaces_differs_from_one_of_none(self, stores: Stores) -> None:
        for turn_id, scope in (("all", Scope()), ("none", Scope(frozenset()))):
            await stores.turns.add(turn(turn_id, scope=scope))
            kept = await stores.turns.get(turn_id)
            assert kept is not None
            assert kept.scope == scope

    async def test_adding_a_turn_again_changes_nothing(self, stores: Stores) -> None:
        given = turn(answer="first")
        await stores.turns.add(given)
        await stores.turns.add(turn(answer="second"))
        assert await stores.turns.of_conversation("c1") == [given]

    async def test_suggestions_are_set_once_the_turn_is_stored(self, stores: Stores) -> None:
        given = replace(turn(used=(indexed_page("1"), indexed_page("2"))), trace=trace())
        await stores.turns.add(given)
        suggestions = (Suggestion("And ü?", "2-0"), Suggestion("Why?", "1-1"))
        await stores.turns.keep_suggestions("t1", suggestions)
        assert await stores.turns.get("t1") == replace(given, suggestions=suggestions)
        await stores.turns.keep_suggestions("t1", suggestions[:1])
        await stores.turns.keep_suggestions("never there", suggestions)
        assert await stores.turns.of_conversation("c1") == [replace(given, suggestions=suggestions[:1])]

    async def test_a_suggestion_needs_an_evidence_of_its_turn(self, stores: Stores) -> None:
        given = replace(turn(used=(indexed_page("1"),)), trace=Trace())
        fits, foreign = Suggestion("Why?", "1-1"), Suggestion("Whence?", "2-0")
        await stores.turns.add(replace(given, suggestions=(fits, foreign)))
        assert await stores.turns.get("t1") == replace(given, suggestions=(fits,))
        await stores.turns.keep_suggestions("t1", [foreign, fits])
        assert await stores.turns.get("t1") == replace(given, suggestions=(fits,))

    async def test_the_turns_of_a_conversation_are_oldest_first(self, stores: Stores) -> None:
        times = {"late": "2024-05-01T10:00:01Z", "early": "2024-05-01T10:00:00Z", "also late": "2024-05-01T10:00:01Z"}
        for turn_id, asked_at in times.items():
            await stores.turns.add(turn(turn_id, asked_at=asked_at))
        await stores.turns.add(turn("other", "c2"))
        assert [kept.turn_id for kept in await stores.turns.of_conversation("c1")] == ["early", "late", "also late"]

    async def test_a_hidden_conversation_has_no_turns_until_it_is_restored(self, stores: Stores) -> None:
        await stores.conversations.start(Conversation("c1", "2024-05-01T10:00:00Z"))
        await stores.turns.add(turn())
        assert await stores.conversations.hide("c1")
        assert await stores.turns.of_conversation("c1") == []
        assert await stores.conversations.restore("c1")
        assert len(await stores.turns.of_conversation("c1")) == 1


class ConversationStoreContract:
    async def test_conversations_are_listed_oldest_first_and_hidden_ones_only_on_demand(self, stores: Stores) -> None:
        old, new = Conversation("b", "2024-05-01T10:00:00Z"), Conversation("a", "2024-05-02T10:00:00Z")
        for conversation in (new, old):
            await stores.conversations.start(conversation)
        assert await stores.conversations.conversations() == [old, new]
        await stores.conversations.hide("b")
        assert await stores.conversations.conversations() == [new]
        assert await stores.conversations.conversations(include_hidden=True) == [replace(old, hidden=True), new]

    async def test_starting_again_does_not_restore(self, stores: Stores) -> None:
        started = Conversation("a", "2024-05-02T10:00:00Z")
        await stores.conversations.start(started)
        await stores.conversations.hide("a")
        await stores.conversations.start(started)
        assert await stores.conversations.conversations() == []

    async def test_only_what_is_there_can_be_hidden_or_restored(self, stores: Stores) -> None:
        assert not await stores.conversations.hide("none")
        assert not await stores.conversations.restore("none")
