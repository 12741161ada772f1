"""What every store does: inherit and give the fixture ``stores``, all ports of one empty store."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from core.model import Conversation, Question, Scope, Suggestion, Trace
from core.ports import (
    ConversationStore,
    EvidenceStore,
    PageStore,
    Reach,
    SpaceStore,
    StaleEntries,
    StaleEntry,
    TurnStore,
    VectorStore,
)
from core.retrieval.access import access_id
from tests.contracts.examples import indexed_page, keys_of, trace, turn, unit_vectors

EVERYTHING = Scope()
ONLY_ANN = (frozenset({"user:ann"}),)
ANN = Scope(principals=frozenset({"user:ann"}))
REMOVED = "The source of this answer has been removed from the wiki."


@dataclass
class Stores:
    pages: PageStore
    spaces: SpaceStore
    stale: StaleEntries
    evidences: EvidenceStore
    vectors: VectorStore
    turns: TurnStore
    conversations: ConversationStore


def stale_of(keys: set[str], space: str = "DOC") -> set[StaleEntry]:
    return {StaleEntry(key, space) for key in keys}


class PageStoreContract:
    async def test_a_page_comes_back_with_all_its_evidences(self, stores: Stores) -> None:
        page = indexed_page(texts=("Ä first row", "second"), kind="table_row", read_restrictions=ONLY_ANN)
        assert await stores.pages.replace([page]) == []
        assert await stores.pages.digests("DOC") == {"1": page.digest}
        assert await stores.pages.entries("DOC") == list(page.evidences)

    async def test_a_page_comes_back_with_all_that_its_wiki_said(self, stores: Stores) -> None:
        indexed = indexed_page(read_restrictions=ONLY_ANN)
        page = replace(indexed.page, date="2026-01-01", author="ann", labels=("a", "b"), attachments=("plan.pdf",))
        await stores.pages.replace([replace(indexed, page=page)])
        assert await stores.pages.page(page.page_id) == page
        await stores.pages.remove([page.page_id])
        assert await stores.pages.page(page.page_id) is None

    async def test_a_new_version_lists_what_it_no_longer_has(self, stores: Stores) -> None:
        old, new = indexed_page(texts=("kept", "dropped")), indexed_page(texts=("kept", "new"))
        await stores.pages.replace([old])
        stale = await stores.pages.replace([new])
        assert set(stale) == stale_of(keys_of(old) - keys_of(new))
        assert await stores.stale.listed() == stale
        assert await stores.pages.entries("DOC") == list(new.evidences)

    async def test_announced_entries_are_listed_until_they_are_current(self, stores: Stores) -> None:
        page = indexed_page()
        await stores.stale.announce([evidence.entry for evidence in page.evidences])
        assert set(await stores.stale.listed()) == stale_of(keys_of(page))
        await stores.pages.replace([page])
        assert await stores.stale.listed() == []

    async def test_a_current_entry_is_not_listed_by_announcing_it_again(self, stores: Stores) -> None:
        page = indexed_page()
        await stores.pages.replace([page])
        await stores.stale.announce([evidence.entry for evidence in page.evidences])
        assert await stores.stale.listed() == []

    async def test_what_left_the_indexes_is_struck_off(self, stores: Stores) -> None:
        page = indexed_page()
        await stores.stale.announce([evidence.entry for evidence in page.evidences])
        await stores.stale.strike_off([page.evidences[0].entry.key, "never there"])
        assert await stores.stale.listed() == [StaleEntry(page.evidences[1].entry.key, "DOC")]

    async def test_an_entry_that_comes_back_is_not_stale_any_more(self, stores: Stores) -> None:
        old, new = indexed_page(texts=("one",)), indexed_page(texts=("two",))
        for page in (old, new, old):
            await stores.pages.replace([page])
        assert set(await stores.stale.listed()) == stale_of(keys_of(new))

    async def test_a_page_that_moves_leaves_stale_entries_in_its_old_space(self, stores: Stores) -> None:
        old = indexed_page(space="OLD")
        await stores.pages.replace([old])
        assert set(await stores.pages.replace([indexed_page(space="NEW")])) == stale_of(keys_of(old), "OLD")
        assert await stores.pages.digests("OLD") == {}

    async def test_many_pages_are_replaced_and_removed_at_once(self, stores: Stores) -> None:
        pages = [indexed_page(str(number)) for number in range(1200)]
        await stores.pages.replace(pages)
        await stores.pages.replace(pages)
        assert len(await stores.pages.digests("DOC")) == 1200
        assert len(await stores.pages.remove([str(number) for number in range(1200)])) == 2400
        assert await stores.pages.entries("DOC") == []

    async def test_a_removed_page_is_gone_and_its_entries_are_stale(self, stores: Stores) -> None:
        gone, stays = indexed_page("1"), indexed_page("2")
        await stores.pages.replace([gone, stays])
        stale = await stores.pages.remove(["1", "never there"])
        assert set(stale) == stale_of(keys_of(gone)) == set(await stores.stale.listed())
        assert await stores.pages.digests("DOC") == {"2": stays.digest}
        assert await stores.pages.entries("DOC") == list(stays.evidences)

    async def test_evidences_that_contradict_their_page_are_refused_whole(self, stores: Stores) -> None:
        open_page, restricted = indexed_page("1"), indexed_page("2", read_restrictions=ONLY_ANN)
        lying = replace(restricted, page=replace(restricted.page, read_restrictions=()))
        with pytest.raises(ValueError, match="access"):
            await stores.pages.replace([open_page, lying])
        with pytest.raises(ValueError, match="belong"):
            await stores.pages.replace([replace(open_page, page=replace(open_page.page, space="HR"))])
        assert await stores.pages.digests("DOC") == {}


class SpaceStoreContract:
    async def test_a_space_counts_its_pages_and_evidences(self, stores: Stores) -> None:
        await stores.pages.replace([indexed_page("1"), indexed_page("2", ("row",), kind="table_row")])
        [summary] = await stores.spaces.summaries()
        assert (summary.key, summary.pages, summary.synced_at) == ("DOC", 2, "")
        assert summary.evidences == {"passage": 2, "list": 0, "table": 0, "table_row": 1}

    async def test_the_end_of_a_sync_is_noted(self, stores: Stores) -> None:
        await stores.pages.replace([indexed_page()])
        await stores.spaces.finish_sync("DOC", "folder /a", "2024-05-01T10:00:00Z", "half of it failed")
        await stores.spaces.finish_sync("EMPTY", "folder /a", "2024-05-01T11:00:00Z", "")
        full, empty = await stores.spaces.summaries()
        assert (full.source, full.synced_at, full.last_error, full.pages) == (
            "folder /a", "2024-05-01T10:00:00Z", "half of it failed", 1)  # fmt: skip
        assert (empty.key, empty.pages, empty.last_error) == ("EMPTY", 0, "")

    async def test_a_forgotten_space_is_gone_and_others_stay(self, stores: Stores) -> None:
        gone, stays = indexed_page("1", space="HR"), indexed_page("2")
        await stores.pages.replace([gone, stays])
        assert set(await stores.spaces.forget("HR")) == stale_of(keys_of(gone), "HR")
        assert [summary.key for summary in await stores.spaces.summaries()] == ["DOC"]
        assert await stores.evidences.reach(EVERYTHING) == Reach(("DOC",))
        assert await stores.spaces.forget("NONE") == []

    async def test_forgetting_erases_turns_that_used_pages_deleted_before(self, stores: Stores) -> None:
        page = indexed_page(space="HR")
        await stores.turns.add(turn(used=(page,), cited=(page,)))
        await stores.spaces.forget("HR")
        kept = await stores.turns.get("t1")
        assert kept is not None
        assert kept.answer.text == REMOVED
        assert kept.evidences[0].evidence.text == ""


class ErasureContract:
    async def test_turns_keep_that_a_page_was_used_but_none_of_its_words(self, stores: Stores) -> None:
        gone, stays = indexed_page("1", ("secret words",), kind="table_row"), indexed_page("2", ("public words",))
        before = turn(used=(gone, stays), cited=(gone, stays), answer="It says secret words.")
        await stores.turns.add(before)
        await stores.pages.replace([gone, stays])
        await stores.pages.remove(["1"])
        after = await stores.turns.get("t1")
        assert after is not None
        erased, kept = after.evidences
        assert "secret" not in repr(after)
        assert gone.page.title not in repr(after)
        assert (erased.evidence.evidence_id, erased.evidence.page_id, erased.evidence.kind, erased.rank) == (
            "1-0", "1", "table_row", 1)  # fmt: skip
        assert erased.lexical == before.evidences[0].lexical
        assert kept == before.evidences[1]
        assert [citation.number for citation in after.answer.citations] == [1, 2]
        assert after.answer.citations[1] == before.answer.citations[1]
        assert after.answer.text == REMOVED

    async def test_turns_lose_the_text_of_a_page_that_others_may_no_longer_read(self, stores: Stores) -> None:
        open_page = indexed_page("1", ("secret words",))
        await stores.pages.replace([open_page])
        await stores.turns.add(turn(used=(open_page,), cited=(open_page,), answer="It says secret words."))
        await stores.pages.replace([indexed_page("1", ("secret words",), read_restrictions=ONLY_ANN)])
        after = await stores.turns.get("t1")
        assert after is not None
        assert "secret" not in repr(after)

    async def test_the_completed_questions_of_its_conversation_lose_the_removed_page_s_title(
        self, stores: Stores
    ) -> None:
        gone = indexed_page("1")
        completed = Question("And then?", f"And then? ({gone.page.title})")
        await stores.turns.add(turn(used=(gone,), cited=(gone,)))
        await stores.turns.add(replace(turn(), turn_id="t2", question=completed))
        await stores.pages.replace([gone])
        await stores.pages.remove(["1"])
        after = await stores.turns.get("t2")
        assert after is not None
        assert after.question == Question("And then?", "And then?")

    async def test_an_answer_that_used_but_did_not_cite_the_page_stays(self, stores: Stores) -> None:
        gone, stays = indexed_page("1"), indexed_page("2")
        await stores.turns.add(turn(used=(gone, stays), cited=(stays,), answer="Other words."))
        await stores.pages.remove(["1"])
        kept = await stores.turns.get("t1")
        assert kept is not None
        assert kept.answer.text == "Other words."

    async def test_an_answer_by_a_model_that_was_given_the_page_goes(self, stores: Stores) -> None:
        gone, stays = indexed_page("1"), indexed_page("2")
        written = replace(turn(used=(gone, stays), cited=(stays,), answer="Other words."), trace=trace())
        await stores.turns.add(written)
        await stores.pages.remove(["1"])
        kept = await stores.turns.get("t1")
        assert kept is not None
        assert "Other words" not in kept.answer.text

    async def test_traces_of_its_conversation_keep_numbers_but_no_words(self, stores: Stores) -> None:
        gone, stays = indexed_page("1"), indexed_page("2")
        before = replace(turn(used=(gone,)), trace=trace("secret words"))
        later = replace(before, turn_id="t2", evidences=turn(used=(stays,)).evidences)
        later = replace(later, suggestions=(Suggestion("What of secret words?", "2-0"),))
        elsewhere = replace(later, turn_id="t3", conversation_id="c2")
        for added in (before, later, elsewhere):
            await stores.turns.add(added)
        await stores.pages.replace([gone, stays])
        await stores.pages.remove(["1"])
        for after in await stores.turns.of_conversation("c1"):
            assert "secret" not in repr(after)
            assert after.suggestions == after.trace.candidates == after.trace.notices == ()
            assert [(call.prompt.name, call.usage, call.milliseconds, call.finished) for call in after.trace.calls] == [
                (call.prompt.name, call.usage, call.milliseconds, call.finished) for call in before.trace.calls
            ]
        assert await stores.turns.get("t3") == elsewhere

    async def test_suggestions_that_come_after_an_erasure_are_not_kept(self, stores: Stores) -> None:
        gone, stays = indexed_page("1"), indexed_page("2")
        await stores.turns.add(turn(used=(gone, stays)))
        await stores.turns.add(replace(turn("t2"), evidences=turn(used=(stays,)).evidences))
        await stores.pages.replace([gone, stays])
        await stores.pages.remove(["1"])
        for turn_id in ("t1", "t2"):
            await stores.turns.keep_suggestions(turn_id, [Suggestion("Late?", "1-0"), Suggestion("Too late?", "2-0")])
            after = await stores.turns.get(turn_id)
            assert after is not None
            assert after.suggestions == ()

    async def test_a_question_that_was_taken_from_the_suggestions_goes_with_them(self, stores: Stores) -> None:
        gone = indexed_page("1")
        suggested = Suggestion("What of  secret words?", "1-0")
        await stores.turns.add(replace(turn(used=(gone,)), suggestions=(suggested,)))
        taken = Question("What of secret words?", "What of secret words?")
        await stores.turns.add(replace(turn("t2"), question=taken))
        await stores.pages.replace([gone])
        await stores.pages.remove(["1"])
        own, after = await stores.turns.of_conversation("c1")
        assert own.question.as_asked == "And then?"
        assert "secret" not in repr(after)

    async def test_vectors_of_removed_texts_go_unless_another_page_has_the_text(self, stores: Stores) -> None:
        gone, stays = indexed_page("1", ("shared", "own")), indexed_page("2", ("shared",))
        shared, own = (evidence.text_hash for evidence in gone.evidences)
        await stores.pages.replace([gone, stays])
        await stores.vectors.keep("hash", dict(zip((shared, own), unit_vectors(2), strict=True)))
        await stores.pages.remove(["1"])
        assert set(await stores.vectors.vectors("hash", [shared, own])) == {shared}


class EvidenceStoreContract:
    async def test_reach_names_the_spaces_of_the_store_that_are_in_scope(self, stores: Stores) -> None:
        await stores.pages.replace([indexed_page("1", space="A"), indexed_page("2", space="B")])
        assert await stores.evidences.reach(EVERYTHING) == Reach(("A", "B"))
        assert await stores.evidences.reach(Scope(frozenset({"B", "NONE"}))) == Reach(("B",))
        assert await stores.evidences.reach(Scope(frozenset())) == Reach(())

    async def test_reach_holds_the_restrictions_that_the_principals_satisfy(self, stores: Stores) -> None:
        both = (frozenset({"user:ann", "user:bob"}), frozenset({"group:hr"}))
        await stores.pages.replace(
            [
                indexed_page("1", read_restrictions=ONLY_ANN),
                indexed_page("2", read_restrictions=both),
                indexed_page("3", read_restrictions=(frozenset(),)),
            ]
        )
        assert (await stores.evidences.reach(EVERYTHING)).access == frozenset()
        assert (await stores.evidences.reach(ANN)).access == {access_id(ONLY_ANN)}
        hr = Scope(principals=frozenset({"user:bob", "group:hr"}))
        assert (await stores.evidences.reach(hr)).access == {access_id(both)}

    async def test_only_current_keys_within_the_scope_are_given(self, stores: Stores) -> None:
        old, new = indexed_page("1", ("old",)), indexed_page("1", ("new",))
        restricted = indexed_page("2", ("restricted",), read_restrictions=ONLY_ANN)
        elsewhere = indexed_page("3", ("elsewhere",), space="HR")
        await stores.pages.replace([old])
        await stores.pages.replace([new, restricted, elsewhere])
        keys = set().union(*map(keys_of, (old, new, restricted, elsewhere))) | {"unknown"}
        docs = frozenset({"DOC"})
        assert set(await stores.evidences.current(keys, Scope(docs))) == keys_of(new)
        current = await stores.evidences.current(keys, replace(ANN, spaces=docs))
        assert current == {page.evidences[0].entry.key: page.evidences[0].evidence for page in (new, restricted)}

    async def test_a_page_that_becomes_restricted_is_not_given_any_more(self, stores: Stores) -> None:
        before, after = indexed_page(), indexed_page(read_restrictions=ONLY_ANN)
        await stores.pages.replace([before])
        await stores.pages.replace([after])
        assert await stores.evidences.current(keys_of(before) | keys_of(after), EVERYTHING) == {}

    async def test_the_pages_that_are_there_now_and_in_scope_are_visible(self, stores: Stores) -> None:
        pages = [indexed_page("1"), indexed_page("2", read_restrictions=ONLY_ANN), indexed_page("3", space="HR")]
        await stores.pages.replace([*pages, indexed_page("4"), indexed_page("5", read_restrictions=(frozenset(),))])
        await stores.pages.remove(["4"])
        ids = {"1", "2", "3", "4", "5", "unknown"}
        assert await stores.evidences.visible(ids, EVERYTHING) == {"1", "3"}
        assert await stores.evidences.visible(ids, ANN) == {"1", "2", "3"}
        assert await stores.evidences.visible(ids, replace(ANN, spaces=frozenset({"DOC"}))) == {"1", "2"}
        assert await stores.evidences.visible(ids - {"1"}, Scope(frozenset({"DOC"}))) == frozenset()
        assert await stores.evidences.visible([], ANN) == frozenset()

    async def test_a_page_without_any_evidence_is_visible_too(self, stores: Stores) -> None:
        await stores.pages.replace([indexed_page("1", ())])
        assert await stores.evidences.visible(["1"], EVERYTHING) == {"1"}

    async def test_a_page_that_becomes_restricted_or_moves_is_not_visible_any_more(self, stores: Stores) -> None:
        await stores.pages.replace([indexed_page("1"), indexed_page("2")])
        await stores.pages.replace([indexed_page("1", read_restrictions=ONLY_ANN), indexed_page("2", space="HR")])
        docs = Scope(frozenset({"DOC"}))
        assert await stores.evidences.visible(["1", "2"], docs) == frozenset()


class VectorStoreContract:
    async def test_vectors_come_back_exactly_and_by_embedder(self, stores: Stores) -> None:
        [one, two] = unit_vectors(2)
        await stores.vectors.keep("small", {"h1": one})
        await stores.vectors.keep("large", {"h1": two})
        found = await stores.vectors.vectors("small", ["h1", "unknown"])
        assert list(found) == ["h1"]
        assert found["h1"].dtype == np.float32
        assert np.array_equal(found["h1"], one)
        await stores.vectors.keep("small", {"h1": two})
        assert np.array_equal((await stores.vectors.vectors("small", ["h1"]))["h1"], one)

    async def test_pruning_drops_what_no_current_evidence_has(self, stores: Stores) -> None:
        page = indexed_page(texts=("used",))
        used = page.evidences[0].text_hash
        await stores.pages.replace([page])
        await stores.vectors.keep("hash", dict(zip((used, "unused"), unit_vectors(2), strict=True)))
        assert await stores.vectors.prune() == 1
        assert set(await stores.vectors.vectors("hash", [used, "unused"])) == {used}


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


class StoreContracts(
    PageStoreContract, SpaceStoreContract, ErasureContract, EvidenceStoreContract, VectorStoreContract,
    TurnStoreContract, ConversationStoreContract,
):  # fmt: skip
    """All of them, for stores that implement every port."""
