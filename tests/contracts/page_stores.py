"""The contracts of the stores of pages, spaces, evidences and vectors (see :mod:`tests.contracts.stores`)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest

from core.indexing.index_entries import make_access_id
from core.model import LinkTarget, NamedPerson, Page, PageFacts, PageQuery, PageReference, PageTree, Scope
from core.ports.indexes import AccessFilter
from core.ports.pages import (
    NOT_STORED,
    IndexedPage,
    NarrowedPage,
    Origin,
    PagesReplaced,
    StaleEntry,
)
from core.ports.store import EvidenceSummary
from tests.contracts.examples import indexed_page, keys_of, turn, unit_vectors
from tests.contracts.stores import ANN, EVERYTHING, ONLY_ANN, Stores, stale_of

FACTS = PageFacts(
    "Ann", "Bo", date(2019, 3, 12), "Cy", date(2020, 2, 29), 7, ("a", "b"), ("plan.pdf",), 2, ("Di", "Ä “x”")
)


def name_first_page() -> tuple[PageReference, list[IndexedPage]]:
    """Return the title of page 1, and two pages that name the page by it, with an inclusion and with a tree."""
    name = PageReference("DOC", "Title of 1")
    tree = PageQuery((), frozenset(), PageTree(name, 1))
    return name, [replace(indexed_page("2"), references=(name,)), replace(indexed_page("3"), queries=(tree,))]


class PageStoreContract:
    async def test_a_page_comes_back_with_all_its_evidences(self, stores: Stores) -> None:
        page = indexed_page(texts=("Ä first row", "second"), kind="table_row", read_restrictions=ONLY_ANN)
        assert await stores.pages.replace([page]) == []
        assert await stores.pages.load_digests("DOC") == {"1": page.digest}
        assert await stores.pages.load_evidences("DOC") == list(page.evidences)

    async def test_an_evidence_whose_name_of_a_person_changed_is_loaded_as_it_is_now(self, stores: Stores) -> None:
        page = indexed_page(texts=("Ask Ann.",))
        (before,) = page.evidences
        after = replace(before, evidence=replace(before.evidence, people=(NamedPerson("account-id:a", "Ann Lee"),)))
        for current in (before, after, before):
            await stores.pages.replace([replace(page, evidences=(current,))])
            loaded = await stores.evidences.load_evidences([before.entry.key], EVERYTHING)
            assert loaded == {before.entry.key: current.evidence}

    async def test_a_page_comes_back_with_all_that_its_wiki_said(self, stores: Stores) -> None:
        indexed = indexed_page(read_restrictions=ONLY_ANN)
        page = replace(indexed.page, date="2026-01-01", author="ann", labels=("a", "b"), attachments=("plan.pdf",))
        page = replace(page, facts=FACTS)
        await stores.pages.replace([replace(indexed, page=page)])
        assert await stores.pages.load_page(page.page_id) == page
        await stores.pages.remove([page.page_id])
        assert await stores.pages.load_page(page.page_id) is None

    async def test_a_new_version_lists_what_it_no_longer_has(self, stores: Stores) -> None:
        old, new = indexed_page(texts=("kept", "dropped")), indexed_page(texts=("kept", "new"))
        await stores.pages.replace([old])
        stale = await stores.pages.replace([new])
        assert set(stale) == stale_of(keys_of(old) - keys_of(new))
        assert await stores.stale.list_entries() == stale
        assert await stores.pages.load_evidences("DOC") == list(new.evidences)

    async def test_a_page_takes_only_the_place_of_the_version_that_it_names(self, stores: Stores) -> None:
        old, mine = indexed_page(texts=("old",)), indexed_page(texts=("mine",))
        narrower = replace(indexed_page(texts=("old",), read_restrictions=ONLY_ANN), digest="stored meanwhile")
        other = indexed_page("2")
        assert await stores.pages.load_digest("1") == NOT_STORED
        with pytest.raises(PagesReplaced):
            await stores.pages.replace([replace(mine, replaces=old.digest)])
        await stores.pages.replace([replace(old, replaces=NOT_STORED)])
        assert await stores.pages.load_digest("1") == old.digest
        await stores.pages.replace([narrower])
        with pytest.raises(PagesReplaced) as caught:
            await stores.pages.replace([other, replace(mine, replaces=old.digest)])
        assert caught.value.page_ids == {"1"}
        assert await stores.pages.load_page("1") == narrower.page
        assert await stores.pages.load_page("2") is None, "all or none"

    async def test_narrowed_pages_have_their_evidences_for_fewer_readers(self, stores: Stores) -> None:
        first, second = indexed_page("1"), indexed_page("2")
        await stores.pages.replace([first, second])
        narrowed = [NarrowedPage(each.page.page_id, "narrowed", ONLY_ANN, each.digest) for each in (first, second)]
        with pytest.raises(PagesReplaced) as caught:
            await stores.pages.narrow([narrowed[0], replace(narrowed[1], replaces="another version")])
        assert caught.value.page_ids == {"2"}
        assert await stores.pages.load_page("1") == first.page, "all or none"
        await stores.pages.narrow(narrowed)
        assert await stores.pages.load_digests("DOC") == {"1": "narrowed", "2": "narrowed"}
        assert await stores.pages.load_page("1") == replace(first.page, read_restrictions=ONLY_ANN)
        keys = keys_of(first) | keys_of(second)
        assert await stores.evidences.load_evidences(keys, EVERYTHING) == {}
        assert (await stores.evidences.load_evidences(keys, ANN)).keys() == keys
        assert [each.restricted for each in await stores.spaces.load_summaries()] == [2]
        await stores.pages.replace([first])
        assert (await stores.evidences.load_evidences(keys, EVERYTHING)).keys() == keys_of(first)
        assert [each.restricted for each in await stores.spaces.load_summaries()] == [1]

    async def test_the_outlines_of_pages_have_no_text(self, stores: Stores) -> None:
        await stores.pages.replace([indexed_page(read_restrictions=ONLY_ANN), indexed_page("2")])
        outlines = await stores.pages.find_outlines(["1", "3"])
        page = await stores.pages.load_page("1")
        assert page is not None
        assert outlines.keys() == {"1"}
        assert outlines["1"].digest == await stores.pages.load_digest("1")
        assert outlines["1"].page == Page("1", page.space, page.title, page.url, "", "", page.read_restrictions)

    async def test_pages_are_found_by_what_they_hang_below(self, stores: Stores) -> None:
        await stores.pages.replace([indexed_page(each) for each in ("1", "2", "3")])
        assert await stores.pages.save_parents("DOC", {"1": "", "folder": "1", "2": "folder", "3": "1"}, is_all=True)
        assert not await stores.pages.save_parents("DOC", {"3": "1"}, is_all=False)
        queries = [PageQuery((), frozenset(), PageTree("1", levels)) for levels in (1, 2)]
        found = await stores.pages.find_selected(queries)
        assert [sorted(found[query]) for query in queries] == [["3"], ["2", "3"]]
        assert await stores.pages.save_parents("DOC", {"1": ""}, is_all=True)
        assert await stores.pages.find_selected(queries[:1]) == {queries[0]: []}

    async def test_a_page_is_found_by_its_id_and_makes_what_links_to_it_outdated(self, stores: Stores) -> None:
        query = PageQuery((), frozenset(), PageTree("2", 0))
        linking = replace(indexed_page("1"), queries=(query,))
        await stores.pages.replace([linking])
        assert await stores.pages.find_selected([query]) == {query: []}
        assert await stores.pages.find_outdated_inclusions("", "DOC") == []
        linked = indexed_page("2")
        await stores.pages.replace([linked])
        assert await stores.pages.find_selected([query]) == {query: ["2"]}
        assert await stores.pages.find_outdated_inclusions("", "DOC") == ["1"]
        await stores.pages.replace(
            [replace(linking, origins={"2": Origin(linked.digest, make_access_id(()), False, (query,))})]
        )
        assert await stores.pages.find_outdated_inclusions("", "DOC") == []
        await stores.pages.remove(["2"])
        assert await stores.pages.find_outdated_inclusions("", "DOC") == ["1"]

    async def test_pages_are_outdated_until_they_show_what_is_below_what_they_ask_for(self, stores: Stores) -> None:
        by_id, by_title = (PageTree(root, 1) for root in ("1", PageReference("DOC", "Title of 1")))
        below, labelled = PageQuery((), frozenset(), by_id), PageQuery((frozenset({"a"}),), frozenset(), by_id)
        deeper = PageQuery((), frozenset(), PageTree("1", 2))
        asking = {"1": (below,), "2": (PageQuery((), frozenset(), by_title), below), "3": (labelled,), "4": (deeper,)}
        selected = {
            "1": {"2": (below,), "3": (below,)},
            "2": {"3": asking["2"]},
            "3": {},
            "4": {"2": (deeper,), "3": (deeper,)},
        }
        pages = [replace(indexed_page(page_id), queries=queries) for page_id, queries in asking.items()]
        digests = {page.page.page_id: page.digest for page in pages}

        def show(page_id: str) -> dict[str, Origin]:
            by = selected[page_id]
            return {each: Origin(digests[each], make_access_id(()), False, queries) for each, queries in by.items()}

        await stores.pages.save_parents("DOC", {"1": "", "2": "1", "3": "1", "4": "2"}, is_all=True)
        await stores.pages.replace(pages)
        assert await stores.pages.find_outdated_inclusions("", "DOC") == ["1", "2", "4"]
        await stores.pages.replace([replace(page, origins=show(page.page.page_id)) for page in pages])
        assert await stores.pages.find_outdated_inclusions("", "DOC") == []
        await stores.pages.save_parents("DOC", {"3": ""}, is_all=False)
        assert await stores.pages.find_outdated_inclusions("", "DOC") == ["1", "2", "4"]

    async def test_a_page_that_is_shown_already_and_comes_into_a_query_makes_the_showing_page_outdated(
        self, stores: Stores
    ) -> None:
        tree, other = (PageQuery((), frozenset(), PageTree(root, 1)) for root in ("1", "9"))
        named = Origin(indexed_page("2").digest, make_access_id(()))
        showing = replace(indexed_page("1"), references=(PageReference("DOC", "Title of 2"),), queries=(tree, other))
        await stores.pages.save_parents("DOC", {"1": "", "2": ""}, is_all=True)
        await stores.pages.replace([indexed_page("2")])
        for parent, origin in (
            ("", named),
            ("1", replace(named, queries=(tree,))),
            ("9", replace(named, queries=(other,))),
        ):
            if parent:
                await stores.pages.save_parents("DOC", {"2": parent}, is_all=False)
                assert await stores.pages.find_outdated_inclusions("", "DOC") == ["1"], parent
            await stores.pages.replace([replace(showing, origins={"2": origin})])
            assert await stores.pages.find_outdated_inclusions("", "DOC") == [], parent

    async def test_a_reference_means_the_page_with_the_title_or_else_the_one_that_had_it_last(
        self, stores: Stores
    ) -> None:
        title, other = PageReference("DOC", "Title of 1"), PageReference("OPS", "Title of 1")

        async def find() -> dict[PageReference, str]:
            return await stores.pages.find_referenced([title, other])

        await stores.pages.replace([indexed_page("1")])
        assert await find() == {title: "1"}
        for new in ("Second title", "Third title", "Third title"):
            await stores.pages.replace([retitled("1", new)])
            assert await find() == {title: "1"}
        assert await stores.pages.find_referenced([PageReference("DOC", "Second title")]) != {}
        await stores.pages.replace([retitled("2", "Title of 1")])
        assert await find() == {title: "2"}
        await stores.pages.replace([retitled("2", "Another")])
        assert await find() == {title: "2"}
        await stores.pages.remove(["2"])
        assert await find() == {}

    async def test_what_names_a_renamed_page_is_outdated_until_it_shows_its_new_version(self, stores: Stores) -> None:
        old, new, later = indexed_page("1"), retitled("1", "New title"), retitled("3", "Title of 1")
        new = replace(new, digest="renamed")
        below = PageQuery((), frozenset(), PageTree(PageReference("DOC", "Title of 1"), 1))
        including = replace(indexed_page("2"), references=(PageReference("DOC", "Title of 1"),), queries=(below,))
        child = indexed_page("4")
        await stores.pages.save_parents("DOC", {"1": "", "2": "", "3": "", "4": "1"}, is_all=True)
        await stores.pages.replace([old, including, child])
        await stores.pages.replace([new])

        async def show(*shown: IndexedPage) -> list[str]:
            origins = {each.page.page_id: Origin(each.digest, make_access_id(())) for each in shown}
            if "4" in origins:
                origins["4"] = replace(origins["4"], is_named=False, queries=(below,))
            await stores.pages.replace([replace(including, origins=origins)])
            return await stores.pages.find_outdated_inclusions("", "DOC")

        assert await stores.pages.find_selected([below]) == {below: ["4"]}
        assert await show(old, child) == ["2"]
        assert await show(child) == ["2"]
        assert await show(new, child) == []
        await stores.pages.replace([later])
        assert await stores.pages.find_outdated_inclusions("", "DOC") == ["2"]
        assert await show(later) == []

    async def test_pages_that_name_a_space_or_a_page_that_may_have_moved_there_are_found(self, stores: Stores) -> None:
        old, other = PageReference("DOC", "Old title"), PageReference("OPS", "Other title")
        tree, by_id = (PageQuery((), frozenset(), PageTree(root, 1)) for root in (old, "9"))
        naming = {"2": {"references": (other, old)}, "3": {"queries": (by_id, tree)}, "4": {"queries": (by_id,)}}
        pages = [replace(indexed_page(page_id, space="HR"), **names) for page_id, names in naming.items()]  # type: ignore[arg-type]

        async def find(space: str, source: str = "wiki") -> list[str]:
            return await stores.pages.find_naming(source, space)

        await stores.pages.replace([indexed_page("1"), *pages])
        await stores.spaces.finish_sync("HR", "wiki", "2026-01-01", "")
        assert await find("DOC") == ["2", "3"]
        assert await find("DOC", "another wiki") == []
        assert await find("HR") == []
        moved = retitled("5", "Old title", space="HR")
        await stores.pages.replace([moved])
        assert await find("HR") == ["2", "3"]
        await stores.pages.replace([retitled("1", "Old title")])
        assert await find("HR") == []
        assert await find("DOC") == ["2", "3"]

    async def test_what_pages_link_to_is_found_by_its_space(self, stores: Stores) -> None:
        folder, table = LinkTarget("7", "folder", "DOC"), LinkTarget("8", "database", "DOC")
        links = (table, folder, LinkTarget("9", "database", "OPS"), LinkTarget("5", "pages", "DOC"), LinkTarget("6"))
        linking = [replace(indexed_page("1"), links=links), replace(indexed_page("2"), links=(table,))]
        await stores.pages.replace(linking)
        assert await stores.pages.find_linked("wiki", "DOC") == [folder, table]
        assert await stores.pages.find_linked("wiki", "OPS") == []
        await stores.spaces.finish_sync("DOC", "wiki", "2026-01-01", "")
        assert await stores.pages.find_linked("wiki", "OPS") == [LinkTarget("9", "database", "OPS")]
        await stores.pages.replace([indexed_page("1")])
        assert await stores.pages.find_linked("wiki", "DOC") == [table]

    async def test_a_title_that_another_page_gets_is_unclear_until_that_is_forgotten(self, stores: Stores) -> None:
        name, naming = name_first_page()

        async def find(space: str = "DOC") -> tuple[str, ...]:
            return (await stores.pages.find_unclear("", space)).page_ids

        await stores.pages.replace([indexed_page("1"), *naming, retitled("4", "Fourth title")])
        await stores.pages.replace([retitled("1", "New title")])
        assert await find() == ()
        await stores.pages.replace([retitled("4", "Title of 1")])
        await stores.pages.replace([retitled("4", "Fifth title")])
        assert await find() == ("2", "3")
        assert await find("OPS") == ()
        titles = (await stores.pages.find_unclear("", "DOC")).titles
        await stores.pages.forget_unclear("OPS", titles)
        assert await find() == ("2", "3")
        await stores.pages.forget_unclear("DOC", titles)
        assert await find() == ()
        assert await stores.pages.find_referenced([name]) == {}

    async def test_former_titles_of_a_removed_page_are_unclear(self, stores: Stores) -> None:
        _, naming = name_first_page()
        await stores.pages.replace([indexed_page("1"), *naming])
        await stores.pages.replace([retitled("1", "New title")])
        await stores.pages.remove(["1"])
        assert (await stores.pages.find_unclear("", "DOC")).page_ids == ("2", "3")
        await stores.spaces.forget("DOC")
        assert (await stores.pages.find_unclear("", "DOC")).titles == ()

    async def test_former_titles_that_a_page_names_can_be_noted_as_unclear(self, stores: Stores) -> None:
        name, naming = name_first_page()
        await stores.pages.replace([indexed_page("1"), *naming])
        assert await stores.pages.find_naming_former(["1", "2", "3"]) == []
        await stores.pages.replace([retitled("1", "New title")])
        assert await stores.pages.find_naming_former(["1", "3"]) == ["3"]
        await stores.pages.note_unclear([PageReference("OPS", "Title of 1"), PageReference("DOC", "New title")])
        assert (await stores.pages.find_unclear("", "DOC")).titles == ()
        await stores.pages.note_unclear([name])
        assert (await stores.pages.find_unclear("", "DOC")).page_ids == ("2", "3")

    async def test_text_of_a_page_whose_content_was_corrected_leaves_other_pages(self, stores: Stores) -> None:
        page, (_, (naming, _)) = indexed_page("1"), name_first_page()
        including = replace(naming, origins={"1": Origin(page.digest, make_access_id(()))})
        await stores.pages.replace([page])
        await stores.pages.replace([including])
        await stores.pages.replace([page])
        assert await stores.pages.find_outdated_inclusions("", "DOC") == []
        await stores.pages.replace([replace(page, page=replace(page.page, content="<p>Corrected.</p>"))])
        assert await stores.pages.find_outdated_inclusions("", "DOC") == ["2"]

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
        assert await stores.pages.load_digests("OLD") == {}

    async def test_many_pages_are_replaced_and_removed_at_once(self, stores: Stores) -> None:
        pages = [indexed_page(str(number)) for number in range(1200)]
        await stores.pages.replace(pages)
        await stores.pages.replace(pages)
        assert len(await stores.pages.load_digests("DOC")) == 1200
        assert len(await stores.pages.remove([str(number) for number in range(1200)])) == 2400
        assert await stores.pages.load_evidences("DOC") == []

    async def test_a_removed_page_is_gone_and_its_entries_are_stale(self, stores: Stores) -> None:
        gone, stays = indexed_page("1"), indexed_page("2")
        await stores.pages.replace([gone, stays])
        stale = await stores.pages.remove(["1", "never there"])
        assert set(stale) == stale_of(keys_of(gone)) == set(await stores.stale.list_entries())
        assert await stores.pages.load_digests("DOC") == {"2": stays.digest}
        assert await stores.pages.load_evidences("DOC") == list(stays.evidences)

    async def test_evidences_that_contradict_their_page_are_refused_whole(self, stores: Stores) -> None:
        open_page, restricted = indexed_page("1"), indexed_page("2", read_restrictions=ONLY_ANN)
        lying = replace(restricted, page=replace(restricted.page, read_restrictions=()))
        with pytest.raises(ValueError, match="access"):
            await stores.pages.replace([open_page, lying])
        with pytest.raises(ValueError, match="belong"):
            await stores.pages.replace([replace(open_page, page=replace(open_page.page, space="HR"))])
        assert await stores.pages.load_digests("DOC") == {}


class SpaceStoreContract:
    async def test_a_space_counts_its_pages_and_evidences(self, stores: Stores) -> None:
        await stores.pages.replace([indexed_page("1"), indexed_page("2", ("row",), kind="table_row")])
        [summary] = await stores.spaces.load_summaries()
        assert (summary.key, summary.pages, summary.synced_at) == ("DOC", 2, "")
        assert summary.evidences == {"passage": 2, "list": 0, "table": 0, "table_row": 1}

    async def test_the_end_of_a_sync_is_noted(self, stores: Stores) -> None:
        await stores.pages.replace([indexed_page()])
        await stores.spaces.finish_sync("DOC", "folder /a", "2024-05-01T10:00:00Z", "half of it failed")
        await stores.spaces.finish_sync("EMPTY", "folder /a", "2024-05-01T11:00:00Z", "")
        full, empty = await stores.spaces.load_summaries()
        assert (full.wiki_name, full.synced_at, full.last_error, full.pages) == (
            "folder /a", "2024-05-01T10:00:00Z", "half of it failed", 1)  # fmt: skip
        assert (empty.key, empty.pages, empty.last_error) == ("EMPTY", 0, "")

    async def test_a_forgotten_space_is_gone_and_others_stay(self, stores: Stores) -> None:
        gone, stays = indexed_page("1", space="HR"), indexed_page("2")
        await stores.pages.replace([gone, stays])
        assert set(await stores.spaces.forget("HR")) == stale_of(keys_of(gone), "HR")
        assert [summary.key for summary in await stores.spaces.load_summaries()] == ["DOC"]
        assert await stores.spaces.load_keys() == {"DOC"}
        assert await stores.evidences.find_access_filter(EVERYTHING) == AccessFilter(("DOC",))
        assert await stores.spaces.forget("NONE") == []

    async def test_forgetting_erases_turns_that_used_pages_deleted_before(self, stores: Stores) -> None:
        page = indexed_page(space="HR")
        await stores.turns.add(turn(used=(page,), cited=(page,)))
        await stores.spaces.forget("HR")
        kept = await stores.turns.load_turn("t1")
        assert kept is not None
        assert (kept.answer.text, kept.answer.erased) == ("", True)
        assert kept.evidences[0].evidence.text == ""


class EvidenceStoreContract:
    async def test_the_access_filter_has_the_spaces_of_the_store_that_are_in_scope(self, stores: Stores) -> None:
        await stores.pages.replace([indexed_page("1", space="A"), indexed_page("2", space="B")])
        assert await stores.evidences.find_access_filter(EVERYTHING) == AccessFilter(("A", "B"))
        assert await stores.evidences.find_access_filter(Scope(frozenset({"B", "NONE"}))) == AccessFilter(("B",))
        assert await stores.evidences.find_access_filter(Scope(frozenset())) == AccessFilter(())

    async def test_the_access_filter_has_the_restrictions_that_the_principals_satisfy(self, stores: Stores) -> None:
        both = (frozenset({"user:ann", "user:bob"}), frozenset({"group:hr"}))
        await stores.pages.replace(
            [
                indexed_page("1", read_restrictions=ONLY_ANN),
                indexed_page("2", read_restrictions=both),
                indexed_page("3", read_restrictions=(frozenset(),)),
            ]
        )
        assert (await stores.evidences.find_access_filter(EVERYTHING)).access == frozenset()
        assert (await stores.evidences.find_access_filter(ANN)).access == {make_access_id(ONLY_ANN)}
        hr = Scope(principals=frozenset({"user:bob", "group:hr"}))
        assert (await stores.evidences.find_access_filter(hr)).access == {make_access_id(both)}

    async def test_only_current_keys_within_the_scope_are_given(self, stores: Stores) -> None:
        old, new = indexed_page("1", ("old",)), indexed_page("1", ("new",))
        restricted = indexed_page("2", ("restricted",), read_restrictions=ONLY_ANN)
        elsewhere = indexed_page("3", ("elsewhere",), space="HR")
        await stores.pages.replace([old])
        await stores.pages.replace([new, restricted, elsewhere])
        keys = set().union(*map(keys_of, (old, new, restricted, elsewhere))) | {"unknown"}
        docs = frozenset({"DOC"})
        assert set(await stores.evidences.load_evidences(keys, Scope(docs))) == keys_of(new)
        current = await stores.evidences.load_evidences(keys, replace(ANN, spaces=docs))
        assert current == {page.evidences[0].entry.key: page.evidences[0].evidence for page in (new, restricted)}

    async def test_a_page_that_becomes_restricted_is_not_given_any_more(self, stores: Stores) -> None:
        before, after = indexed_page(), indexed_page(read_restrictions=ONLY_ANN)
        await stores.pages.replace([before])
        await stores.pages.replace([after])
        assert await stores.evidences.load_evidences(keys_of(before) | keys_of(after), EVERYTHING) == {}

    async def test_tables_and_lists_of_pages_are_given_within_the_scope(self, stores: Stores) -> None:
        table = indexed_page("1", ("a row", "another row"), kind="table")
        items = indexed_page("2", ("- an item",), kind="list", read_restrictions=ONLY_ANN)
        others = [indexed_page("3", kind="table"), indexed_page("4"), indexed_page("5", space="HR", kind="list")]
        await stores.pages.replace([items, table, *others])
        docs = frozenset({"DOC"})
        asked = ["1", "2", "4", "5", "unknown"]
        of_table, of_items = ([each.evidence for each in page.evidences] for page in (table, items))
        assert await stores.evidences.load_tables_and_lists(asked, Scope(docs)) == of_table
        assert await stores.evidences.load_tables_and_lists(asked, replace(ANN, spaces=docs)) == of_table + of_items

    async def test_the_texts_of_pages_are_given_without_single_rows_within_the_scope(self, stores: Stores) -> None:
        passages, rows = indexed_page("1", ("One.", "Two.")), indexed_page("3", ("a row",), kind="table_row")
        restricted = indexed_page("2", ("Three.",), read_restrictions=ONLY_ANN)
        await stores.pages.replace([passages, restricted, rows, indexed_page("4")])
        own, hidden = ([each.evidence for each in page.evidences] for page in (passages, restricted))
        asked = ["1", "2", "3", "unknown"]
        assert await stores.evidences.load_texts(asked, EVERYTHING) == own
        assert await stores.evidences.load_texts(asked, ANN) == own + hidden

    async def test_the_facts_of_pages_are_given_by_id_or_title_within_the_scope(self, stores: Stores) -> None:
        pages = [
            indexed_page("1"),
            indexed_page("2", (), read_restrictions=ONLY_ANN),
            indexed_page("3", space="HR"),
            indexed_page("4"),
        ]
        known = [replace(each, page=replace(each.page, facts=FACTS)) for each in pages[:3]]
        await stores.pages.replace([*known, pages[3]])
        docs = frozenset({"DOC"})
        asked, titles = ["1", "3", "4", "unknown"], ["Title of 2", "title of 1", "", "Title of 1"]
        (found,) = await stores.evidences.find_facts(asked, titles, Scope(docs))
        assert (found.page_id, found.kind, found.space, found.facts) == ("1", "facts", "DOC", FACTS)
        assert (found.context.title, found.url) == ("Title of 1", "https://wiki/1")
        both = await stores.evidences.find_facts(asked, titles, replace(ANN, spaces=docs))
        assert [each.page_id for each in both] == ["1", "2"], "also of a page without any other evidence"
        assert await stores.evidences.find_facts([], [], EVERYTHING) == []
        assert [each.page_id for each in await stores.evidences.find_facts(asked, [], EVERYTHING)] == ["1", "3"]
        await stores.pages.remove(["1"])
        assert await stores.evidences.find_facts(["1"], titles, Scope(docs)) == []

    async def test_current_keys_lead_to_the_names_of_their_pages(self, stores: Stores) -> None:
        old, new = indexed_page("1", ("old",)), indexed_page("1", ("new", "more"))
        restricted = indexed_page("2", ("restricted",), read_restrictions=ONLY_ANN)
        elsewhere = indexed_page("3", ("elsewhere",), space="HR")
        await stores.pages.replace([old])
        await stores.pages.replace([new, restricted, elsewhere])
        keys = set().union(*map(keys_of, (old, new, restricted, elsewhere))) | {"unknown"}
        docs = Scope(frozenset({"DOC"}))
        assert await stores.evidences.load_summaries(keys, docs) == summarise(new)
        for scope in (docs, replace(ANN, spaces=docs.spaces), EVERYTHING, Scope(frozenset())):
            found = await stores.evidences.load_summaries(keys, scope)
            assert found.keys() == (await stores.evidences.load_evidences(keys, scope)).keys()
        assert await stores.evidences.load_summaries([], EVERYTHING) == {}

    async def test_more_keys_than_one_statement_takes_lead_to_their_page(self, stores: Stores) -> None:
        page = indexed_page("1", tuple(f"text {number}" for number in range(1200)))
        await stores.pages.replace([page])
        found = await stores.evidences.load_summaries(keys_of(page), EVERYTHING)
        assert found == summarise(page)

    async def test_a_removed_page_is_not_named_any_more(self, stores: Stores) -> None:
        page = indexed_page("1")
        await stores.pages.replace([page])
        assert await stores.evidences.has_page(page.page.title, EVERYTHING)
        await stores.pages.remove(["1"])
        assert await stores.evidences.load_summaries(keys_of(page), EVERYTHING) == {}
        assert not await stores.evidences.has_page(page.page.title, EVERYTHING)

    async def test_a_page_is_there_by_its_exact_title_for_whoever_may_see_it(self, stores: Stores) -> None:
        pages = [retitled("1", "Bells"), retitled("2", "Payroll", read_restrictions=ONLY_ANN), retitled("3", "A  b\n")]
        await stores.pages.replace(pages)
        asked = ("Bells", "Payroll", "A b", "bells", "Bell", "")
        docs = Scope(frozenset({"DOC"}))
        assert [await stores.evidences.has_page(title, docs) for title in asked] == [True, False, True] + [False] * 3
        assert await stores.evidences.has_page("Payroll", ANN)
        assert not await stores.evidences.has_page("Bells", Scope(frozenset({"HR"})))

    async def test_the_pages_that_are_there_now_and_in_scope_are_visible(self, stores: Stores) -> None:
        pages = [indexed_page("1"), indexed_page("2", read_restrictions=ONLY_ANN), indexed_page("3", space="HR")]
        await stores.pages.replace([*pages, indexed_page("4"), indexed_page("5", read_restrictions=(frozenset(),))])
        await stores.pages.remove(["4"])
        ids = {"1", "2", "3", "4", "5", "unknown"}
        assert await stores.evidences.filter_visible(ids, EVERYTHING) == {"1", "3"}
        assert await stores.evidences.filter_visible(ids, ANN) == {"1", "2", "3"}
        assert await stores.evidences.filter_visible(ids, replace(ANN, spaces=frozenset({"DOC"}))) == {"1", "2"}
        assert await stores.evidences.filter_visible(ids - {"1"}, Scope(frozenset({"DOC"}))) == frozenset()
        assert await stores.evidences.filter_visible([], ANN) == frozenset()

    async def test_visible_pages_have_their_facts_also_where_nothing_is_known(self, stores: Stores) -> None:
        one, three = indexed_page("1"), indexed_page("3", space="HR")
        pages = [replace(each, page=replace(each.page, facts=FACTS)) for each in (one, three)]
        await stores.pages.replace([*pages, indexed_page("2", read_restrictions=ONLY_ANN), indexed_page("4")])
        ids = {"1", "2", "3", "4", "unknown"}
        for scope in (EVERYTHING, ANN, Scope(frozenset({"DOC"})), Scope(frozenset())):
            found = await stores.evidences.load_facts(ids, scope)
            assert found.keys() == await stores.evidences.filter_visible(ids, scope)
            assert all(facts == (FACTS if page_id in {"1", "3"} else PageFacts()) for page_id, facts in found.items())

    async def test_pages_of_evidences_have_their_language(self, stores: Stores) -> None:
        german, unknown = replace(indexed_page("1"), language="de"), indexed_page("2")
        await stores.pages.replace([german, unknown])
        found = await stores.evidences.load_summaries(keys_of(german) | keys_of(unknown), EVERYTHING)
        assert {page.page_id: page.language for page in found.values()} == {"1": "de", "2": ""}
        await stores.pages.replace([replace(german, digest="newer", language="en")])
        found = await stores.evidences.load_summaries(keys_of(german), EVERYTHING)
        assert {page.language for page in found.values()} == {"en"}

    async def test_a_page_without_any_evidence_is_visible_too(self, stores: Stores) -> None:
        await stores.pages.replace([indexed_page("1", ())])
        assert await stores.evidences.filter_visible(["1"], EVERYTHING) == {"1"}

    async def test_a_page_that_becomes_restricted_or_moves_is_not_visible_any_more(self, stores: Stores) -> None:
        await stores.pages.replace([indexed_page("1"), indexed_page("2")])
        await stores.pages.replace([indexed_page("1", read_restrictions=ONLY_ANN), indexed_page("2", space="HR")])
        docs = Scope(frozenset({"DOC"}))
        assert await stores.evidences.filter_visible(["1", "2"], docs) == frozenset()


def summarise(page: IndexedPage) -> dict[str, EvidenceSummary]:
    title, url = page.evidences[0].evidence.context.title, page.page.url.partition("#")[0]
    return {
        each.entry.key: EvidenceSummary(page.page.page_id, title, url, page.language, each.text_hash)
        for each in page.evidences
    }


def retitled(page_id: str, title: str, **changes: Any) -> IndexedPage:
    """Return a page with this title, and the tidied title in its evidences."""
    made = indexed_page(page_id, **changes)
    tidied = " ".join(title.split())
    evidences = tuple(
        replace(each, evidence=replace(each.evidence, context=replace(each.evidence.context, title=tidied)))
        for each in made.evidences
    )
    return replace(made, page=replace(made.page, title=title), evidences=evidences)


class VectorStoreContract:
    async def test_vectors_come_back_exactly_and_by_embedder(self, stores: Stores) -> None:
        [one, two] = unit_vectors(2)
        await stores.vectors.save("small", {"h1": one})
        await stores.vectors.save("large", {"h1": two})
        found = await stores.vectors.load_vectors("small", ["h1", "unknown"])
        assert list(found) == ["h1"]
        assert found["h1"].dtype == np.float32
        assert np.array_equal(found["h1"], one)
        await stores.vectors.save("small", {"h1": two})
        assert np.array_equal((await stores.vectors.load_vectors("small", ["h1"]))["h1"], one)

    async def test_pruning_drops_what_no_current_evidence_has(self, stores: Stores) -> None:
        page = indexed_page(texts=("used",))
        used = page.evidences[0].text_hash
        await stores.pages.replace([page])
        await stores.vectors.save("hash", dict(zip((used, "unused"), unit_vectors(2), strict=True)))
        assert await stores.vectors.prune() == 1
        assert set(await stores.vectors.load_vectors("hash", [used, "unused"])) == {used}


class TokenVectorStoreContract:
    async def test_token_vectors_come_back_exactly_and_those_of_another_model_take_their_place(
        self, stores: Stores
    ) -> None:
        kept = stores.token_vectors
        await kept.save("one", {"h1": b"\0\1\xff", "h2": b""})
        assert await kept.load_tokens("one", ["h1", "h2", "unknown"]) == {"h1": b"\0\1\xff", "h2": b""}
        assert await kept.find_missing("one", ["h1", "unknown"]) == {"unknown"}
        assert await kept.find_missing("two", ["h1"]) == {"h1"}
        await kept.save("two", {"h1": b"other"})
        assert await kept.load_tokens("two", ["h1", "h2"]) == {"h1": b"other"}
        assert await kept.load_tokens("one", ["h1", "h2"]) == {"h2": b""}

    async def test_pruning_drops_what_no_current_evidence_has_with_the_vectors(self, stores: Stores) -> None:
        page = indexed_page(texts=("used",))
        used = page.evidences[0].text_hash
        await stores.pages.replace([page])
        await stores.token_vectors.save("one", {used: b"1", "unused": b"2"})
        await stores.token_vectors.save_units("one", {used: {"u1": b"3"}, "unused": {"u1": b"3", "u2": b"4"}})
        await stores.vectors.prune()
        assert await stores.token_vectors.load_tokens("one", [used, "unused"]) == {used: b"1"}
        assert await stores.token_vectors.load_units("one", ["u1", "u2"]) == {"u1": b"3"}
        assert await stores.token_vectors.find_without_units("one", [used, "unused"]) == {"unused"}

    async def test_units_of_one_text_or_of_several_come_back_exactly_for_their_model(self, stores: Stores) -> None:
        kept = stores.token_vectors
        await kept.save_units("one", {"h1": {"u1": b"\0\1", "u2": b""}, "h2": {"u1": b"\0\1"}, "h3": {}})
        assert await kept.load_units("one", ["u1", "u2", "unknown"]) == {"u1": b"\0\1", "u2": b""}
        assert await kept.find_without_units("one", ["h1", "h2", "h3", "h4"]) == {"h4"}
        assert await kept.find_without_units("two", ["h1"]) == {"h1"}
        await kept.save_units("two", {"h1": {"u1": b"\2"}})
        assert await kept.load_units("two", ["u1", "u2"]) == {"u1": b"\2"}

    async def test_evidences_that_lack_them_are_found_until_a_space_is_complete(self, stores: Stores) -> None:
        here, there = indexed_page("1", ("a", "b", "c")), indexed_page("2", ("d",), space="OPS")
        await stores.pages.replace([here, there])
        hashes = [each.text_hash for each in here.evidences]
        await stores.token_vectors.save("one", {hashes[0]: b"1", hashes[1]: b"1"})
        await stores.token_vectors.save_units("units", {hashes[0]: {}})
        lacking = await stores.token_vectors.find_incomplete("one", "units", "DOC", 10)
        assert {each.text_hash for each in lacking} == set(hashes[1:])
        assert set(lacking) <= set(here.evidences)
        assert len(await stores.token_vectors.find_incomplete("one", "units", "DOC", 1)) == 1
        await stores.token_vectors.save("one", dict.fromkeys(hashes, b"1"))
        await stores.token_vectors.save_units("units", {each: {"u": b"2"} for each in hashes})
        assert await stores.token_vectors.find_incomplete("one", "units", "DOC", 10) == []
        assert len(await stores.token_vectors.find_incomplete("two", "units", "DOC", 10)) == 3, "another model"
        assert len(await stores.token_vectors.find_incomplete("one", "others", "DOC", 10)) == 3
        assert len(await stores.token_vectors.find_incomplete("one", "units", "OPS", 10)) == 1

    async def test_a_complete_space_is_searched_again_where_more_evidences_are_expected(self, stores: Stores) -> None:
        await stores.pages.replace([indexed_page("1", ("a",)), indexed_page("2", ("d",), space="OPS")])
        hashes = {each.text_hash for each in await stores.pages.load_evidences("DOC")}
        await stores.token_vectors.save("one", dict.fromkeys(hashes, b"1"))
        await stores.token_vectors.save_units("units", {each: {} for each in hashes})
        assert await stores.token_vectors.find_incomplete("one", "units", "DOC", 10) == []
        await stores.token_vectors.note_incomplete("DOC")
        await stores.token_vectors.note_incomplete("a space that is not stored")
        await stores.pages.replace([indexed_page("3", ("b",))])
        assert len(await stores.token_vectors.find_incomplete("one", "units", "DOC", 10)) == 1
