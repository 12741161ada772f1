"""What every store of pages and spaces does (see :mod:`tests.contracts.stores`)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.ports.indexes import AccessFilter
from core.ports.store import NOT_STORED, PagesReplaced, StaleEntry
from tests.contracts.examples import indexed_page, keys_of, turn
from tests.contracts.stores import EVERYTHING, ONLY_ANN, Stores, stale_of


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
        assert await stores.stale.list_entries() == stale
        assert await stores.pages.entries("DOC") == list(new.evidences)

    async def test_a_page_takes_only_the_place_of_the_version_that_it_names(self, stores: Stores) -> None:
        old, mine = indexed_page(texts=("old",)), indexed_page(texts=("mine",))
        narrower = replace(indexed_page(texts=("old",), read_restrictions=ONLY_ANN), digest="stored meanwhile")
        other = indexed_page("2")
        assert await stores.pages.digest("1") == NOT_STORED
        with pytest.raises(PagesReplaced):
            await stores.pages.replace([replace(mine, replaces=old.digest)])
        await stores.pages.replace([replace(old, replaces=NOT_STORED)])
        assert await stores.pages.digest("1") == old.digest
        await stores.pages.replace([narrower])
        with pytest.raises(PagesReplaced) as caught:
            await stores.pages.replace([other, replace(mine, replaces=old.digest)])
        assert caught.value.page_ids == {"1"}
        assert await stores.pages.page("1") == narrower.page
        assert await stores.pages.page("2") is None, "all or none"

    async def test_announced_entries_are_listed_until_they_are_current(self, stores: Stores) -> None:
        page = indexed_page()
        await stores.stale.announce([evidence.entry for evidence in page.evidences])
        assert set(await stores.stale.list_entries()) == stale_of(keys_of(page))
        await stores.pages.replace([page])
        assert await stores.stale.list_entries() == []

    async def test_a_current_entry_is_not_listed_by_announcing_it_again(self, stores: Stores) -> None:
        page = indexed_page()
        await stores.pages.replace([page])
        await stores.stale.announce([evidence.entry for evidence in page.evidences])
        assert await stores.stale.list_entries() == []

    async def test_what_left_the_indexes_is_struck_off(self, stores: Stores) -> None:
        page = indexed_page()
        await stores.stale.announce([evidence.entry for evidence in page.evidences])
        await stores.stale.strike_off([page.evidences[0].entry.key, "never there"])
        assert await stores.stale.list_entries() == [StaleEntry(page.evidences[1].entry.key, "DOC")]

    async def test_an_entry_that_comes_back_is_not_stale_any_more(self, stores: Stores) -> None:
        old, new = indexed_page(texts=("one",)), indexed_page(texts=("two",))
        for page in (old, new, old):
            await stores.pages.replace([page])
        assert set(await stores.stale.list_entries()) == stale_of(keys_of(new))

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
        assert set(stale) == stale_of(keys_of(gone)) == set(await stores.stale.list_entries())
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
        assert await stores.spaces.keys() == {"DOC"}
        assert await stores.evidences.reach(EVERYTHING) == AccessFilter(("DOC",))
        assert await stores.spaces.forget("NONE") == []

    async def test_forgetting_erases_turns_that_used_pages_deleted_before(self, stores: Stores) -> None:
        page = indexed_page(space="HR")
        await stores.turns.add(turn(used=(page,), cited=(page,)))
        await stores.spaces.forget("HR")
        kept = await stores.turns.get("t1")
        assert kept is not None
        assert (kept.answer.text, kept.answer.erased) == ("", True)
        assert kept.evidences[0].evidence.text == ""
