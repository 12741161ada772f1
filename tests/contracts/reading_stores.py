"""What every store of evidences and vectors does (see :mod:`tests.contracts.stores`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from core.model import Scope
from core.ports.indexes import AccessFilter
from core.ports.store import IndexedPage, NamedPage
from core.retrieval.access import access_id
from tests.contracts.examples import indexed_page, keys_of, unit_vectors
from tests.contracts.stores import ANN, EVERYTHING, ONLY_ANN, Stores


class EvidenceStoreContract:
    async def test_reach_names_the_spaces_of_the_store_that_are_in_scope(self, stores: Stores) -> None:
        await stores.pages.replace([indexed_page("1", space="A"), indexed_page("2", space="B")])
        assert await stores.evidences.reach(EVERYTHING) == AccessFilter(("A", "B"))
        assert await stores.evidences.reach(Scope(frozenset({"B", "NONE"}))) == AccessFilter(("B",))
        assert await stores.evidences.reach(Scope(frozenset())) == AccessFilter(())

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

    async def test_current_keys_lead_to_the_names_of_their_pages(self, stores: Stores) -> None:
        old, new = indexed_page("1", ("old",)), indexed_page("1", ("new", "more"))
        restricted = indexed_page("2", ("restricted",), read_restrictions=ONLY_ANN)
        elsewhere = indexed_page("3", ("elsewhere",), space="HR")
        await stores.pages.replace([old])
        await stores.pages.replace([new, restricted, elsewhere])
        keys = set().union(*map(keys_of, (old, new, restricted, elsewhere))) | {"unknown"}
        docs = Scope(frozenset({"DOC"}))
        assert await stores.evidences.pages_of(keys, docs) == dict.fromkeys(keys_of(new), named(new))
        for scope in (docs, replace(ANN, spaces=docs.spaces), EVERYTHING, Scope(frozenset())):
            found = await stores.evidences.pages_of(keys, scope)
            assert found.keys() == (await stores.evidences.current(keys, scope)).keys()
        assert await stores.evidences.pages_of([], EVERYTHING) == {}

    async def test_more_keys_than_one_statement_takes_lead_to_their_page(self, stores: Stores) -> None:
        page = indexed_page("1", tuple(f"text {number}" for number in range(1200)))
        await stores.pages.replace([page])
        found = await stores.evidences.pages_of(keys_of(page), EVERYTHING)
        assert found == dict.fromkeys(keys_of(page), named(page))

    async def test_a_removed_page_is_not_named_any_more(self, stores: Stores) -> None:
        page = indexed_page("1")
        await stores.pages.replace([page])
        assert await stores.evidences.has_page(page.page.title, EVERYTHING)
        await stores.pages.remove(["1"])
        assert await stores.evidences.pages_of(keys_of(page), EVERYTHING) == {}
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


def named(page: IndexedPage) -> NamedPage:
    return NamedPage(page.page.page_id, page.evidences[0].evidence.context.title, page.page.url.partition("#")[0])


def retitled(page_id: str, title: str, **changes: Any) -> IndexedPage:
    """A page with this title, its evidences with the tidied one."""
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
