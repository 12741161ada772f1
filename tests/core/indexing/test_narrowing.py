"""New restrictions hold from the listing on, before anything is embedded and even if the sync stops."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.errors import EmbedderUnavailable
from core.indexing.narrowing import narrow_readers
from core.indexing.page_reader import SyncSettings
from core.indexing.page_refresh import Hint, PageRefresher
from core.model import ReadRestrictions, Scope
from core.ports.pages import IndexedPage, NarrowedPage, PagesReplaced, StaleEntry
from core.ports.wiki import ListedPage
from tests.contracts.examples import indexed_page, turn
from tests.core.indexing.parts import DictWiki, Stores

FALCON = "<p>The merger is called Falcon.</p>"
ANN, BOB = frozenset({"user:ann"}), frozenset({"user:bob"})
BOTH = ANN | BOB


@pytest.fixture
async def wiki(home: Stores) -> DictWiki:
    """A synced wiki, whose page 1 was then edited, and whose page 9 after it was restricted to Ann."""
    made = DictWiki()
    made.put("1", "<p>Old text.</p>")
    made.put("9", FALCON)
    await home.sync(made)
    made.put("1", "<p>New text.</p>")
    made.put("9", FALCON, readers="user:ann")
    return made


async def is_visible(home: Stores, *principals: str, page_id: str = "9") -> bool:
    """Whether somebody with these principals sees a page, in each way in which the store gives its text."""
    scope = Scope(principals=frozenset(principals))
    seen = await home.stores.evidences.filter_visible([page_id], scope)
    texts = await home.stores.evidences.load_texts([page_id], scope)
    assert bool(seen) == bool(texts)
    return bool(seen)


async def restrictions_of(home: Stores, page_id: str) -> ReadRestrictions:
    stored = await home.stores.pages.load_page(page_id)
    assert stored is not None
    return stored.read_restrictions


async def test_a_new_restriction_holds_although_the_embedder_fails(home: Stores, wiki: DictWiki) -> None:
    home.embedder.fails_after = len(home.embedder.embedded)
    for now in ("2026-01-02", "2026-01-03"):
        with pytest.raises(EmbedderUnavailable):
            await home.sync(wiki, now)
        assert not await is_visible(home)
        assert await is_visible(home, "user:ann"), "those who still may read it keep it"


async def test_a_new_restriction_holds_before_the_first_page_is_embedded(
    home: Stores, wiki: DictWiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed, seen = home.embedder.embed_passages, []

    async def look(texts: list[str]) -> object:
        seen.append(await is_visible(home))
        return await embed(texts)

    monkeypatch.setattr(home.embedder, "embed_passages", look)
    await home.sync(wiki)
    assert seen == [False]


async def test_a_page_that_lost_readers_is_stored_first(
    home: Stores, wiki: DictWiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others may not find it until then: its index entries have the former restrictions."""
    replaced, replace_pages = [], home.stores.pages.replace

    async def note(indexed: list[IndexedPage]) -> list[StaleEntry]:
        replaced.extend(each.page.page_id for each in indexed)
        return await replace_pages(indexed)

    monkeypatch.setattr(home.stores.pages, "replace", note)
    await home.sync(wiki)
    assert replaced == ["9", "1"]


async def test_a_new_restriction_holds_although_a_mass_deletion_stops_the_sync(home: Stores, wiki: DictWiki) -> None:
    for number in range(100, 140):
        wiki.put(str(number), f"<p>Page {number}.</p>")
    await home.sync(wiki)
    kept = wiki.pages
    wiki.pages = {"1": wiki.pages["1"], "100": replace(wiki.pages["100"], read_restrictions=(ANN,))}
    (report,) = await home.sync(wiki)
    assert "without removing" in report.stopped
    assert not await is_visible(home, page_id="100")
    assert await is_visible(home, page_id="101"), "nothing else changes"
    wiki.pages = kept
    await home.sync(wiki)
    assert await is_visible(home, page_id="100"), "it was restricted no longer"
    await home.state()


async def test_a_new_restriction_takes_the_page_out_of_past_answers_at_once(home: Stores, wiki: DictWiki) -> None:
    used = indexed_page("9", ("The merger is called Falcon.",))
    await home.stores.turns.add(turn(used=(used,), cited=(used,), answer="It is called Falcon."))
    home.embedder.fails_after = len(home.embedder.embedded)
    with pytest.raises(EmbedderUnavailable):
        await home.sync(wiki)
    after = await home.stores.turns.load_turn("t1")
    assert after is not None
    assert "Falcon" not in repr(after)


async def test_answers_made_from_the_restricted_page_stay_when_its_sync_ends(home: Stores, wiki: DictWiki) -> None:
    home.embedder.fails_after = len(home.embedder.embedded)
    with pytest.raises(EmbedderUnavailable):
        await home.sync(wiki)
    used = indexed_page("9", ("The merger is called Falcon.",))
    await home.stores.turns.add(turn(used=(used,), cited=(used,), answer="It is called Falcon."))
    home.embedder.fails_after = None
    await home.sync(wiki)
    after = await home.stores.turns.load_turn("t1")
    assert after is not None
    assert after.answer.text == "It is called Falcon."


async def test_a_page_unrestricted_before_its_sync_ended_is_for_everybody_again(home: Stores, wiki: DictWiki) -> None:
    home.embedder.fails_after = len(home.embedder.embedded)
    with pytest.raises(EmbedderUnavailable):
        await home.sync(wiki)
    home.embedder.fails_after = None
    wiki.put("9", FALCON)
    await home.sync(wiki)
    assert await is_visible(home)
    await home.state()


@pytest.mark.parametrize("broken", [False, True])
async def test_an_interrupted_restriction_ends_where_an_uninterrupted_one_does(
    home: Stores, wiki: DictWiki, broken: bool
) -> None:
    wiki.put("9", "<p>It has another name.</p>" if broken else FALCON, readers="user:ann")
    wiki.broken = {"9"} if broken else set()
    home.embedder.fails_after = len(home.embedder.embedded)
    with pytest.raises(EmbedderUnavailable):
        await home.sync(wiki)
    home.embedder.fails_after = None
    await home.sync(wiki)
    (access,) = {entry.access for entry in (await home.state())["DOC"] if "Falcon" in entry.text}
    ann = await home.stores.evidences.find_access_filter(Scope(principals=ANN))
    assert access in ann.access, "its entries moved to the new readers, too"
    digest = await home.stores.pages.load_digest("9")
    await home.sync(wiki)
    assert await home.stores.pages.load_digest("9") == digest


@pytest.mark.parametrize(
    ("before", "listed", "after"),
    [
        ((BOTH,), (ANN,), (ANN,)),
        ((ANN,), (BOTH,), (ANN,)),
        ((ANN,), (), (ANN,)),
        ((ANN,), (BOB,), (ANN, BOB)),
        ((), (frozenset[str](),), (frozenset[str](),)),
    ],
)
async def test_readers_become_fewer_and_never_others(
    home: Stores, before: ReadRestrictions, listed: ReadRestrictions, after: ReadRestrictions
) -> None:
    await home.stores.pages.replace([indexed_page("1", read_restrictions=before)])
    await narrow_readers([ListedPage("1", "DOC", "Title of 1", "v1", listed)], home.stores.pages)
    assert set(await restrictions_of(home, "1")) == set(after)


async def test_a_page_that_moved_to_a_space_that_is_listed_is_narrowed_too(home: Stores) -> None:
    await home.stores.pages.replace([indexed_page("1")])
    await narrow_readers([ListedPage("1", "OPS", "Title of 1", "v1", (ANN,))], home.stores.pages)
    assert await restrictions_of(home, "1") == (ANN,)


async def test_a_page_that_somebody_else_stores_meanwhile_is_narrowed_in_its_new_version(
    home: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = home.stores.pages
    await pages.replace([indexed_page("1")])
    narrow, calls = pages.narrow, 0

    async def store_first(narrowed: list[NarrowedPage]) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            await pages.replace([replace(indexed_page("1", read_restrictions=(BOB,)), digest="meanwhile")])
            with pytest.raises(PagesReplaced):
                await narrow(narrowed)
        await narrow(narrowed)

    monkeypatch.setattr(pages, "narrow", store_first)
    await narrow_readers([ListedPage("1", "DOC", "Title of 1", "v1", (ANN,))], pages)
    assert calls == 2
    assert set(await restrictions_of(home, "1")) == {ANN, BOB}


async def test_a_preview_restricts_nothing(home: Stores, wiki: DictWiki) -> None:
    await home.synchroniser(SyncSettings()).preview(wiki, ["DOC"])
    assert await is_visible(home)


async def test_a_sync_without_new_restrictions_narrows_nothing(
    home: Stores, wiki: DictWiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(narrowed: object) -> None:
        raise AssertionError("a write transaction")

    await home.sync(wiki)
    monkeypatch.setattr(home.stores.pages, "narrow", fail)
    await home.sync(wiki)
    wiki.put("1", "<p>Newer text.</p>")
    wiki.put("9", FALCON)
    await home.sync(wiki, full=True)
    assert await is_visible(home)


async def test_a_hint_about_a_restriction_holds_although_the_embedder_fails(home: Stores, wiki: DictWiki) -> None:
    stores = home.stores
    refresher = PageRefresher(home.indexer, stores.pages, stores.spaces, stores.people, SyncSettings())
    wiki.put("9", "<p>The merger is called off.</p>", readers="user:ann")
    home.embedder.fails_after = len(home.embedder.embedded)
    with pytest.raises(EmbedderUnavailable):
        await refresher.refresh(wiki, Hint("DOC", "9"))
    assert not await is_visible(home)
    home.embedder.fails_after = None
    result = await refresher.refresh(wiki, Hint("DOC", "9"))
    assert result.outcome == "updated"
    assert result.spaces == {"DOC"}, "the pages below it still need a sync"
