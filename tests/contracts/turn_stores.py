"""What every store of turns and conversations does (see :mod:`tests.contracts.stores`)."""

from __future__ import annotations

from dataclasses import replace

from core.model import Scope, Suggestion, Trace
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
