from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import EmbedderUnavailable
from core.evidence import contextualise
from core.evidence.contextualise import hash_text
from core.indexing import indexer as module
from core.indexing import page_reader
from core.indexing.indexer import Indexer
from core.indexing.page_reader import SyncSettings
from core.indexing.page_refresh import Hint, PageRefresher
from core.model import Scope
from core.ports.pages import IndexedPage
from core.ports.wiki import PageFailure
from tests.contracts.examples import indexed_page, turn
from tests.core.indexing.parts import DictWiki, HashEmbedder, Stores, open_stores


@pytest.fixture
def wiki() -> DictWiki:
    wiki = DictWiki()
    wiki.put("1", "<p>Ann approves travel.</p><ul><li>one</li><li>two</li></ul>")
    wiki.put("2", "<p>Bob approves hotels.</p>")
    wiki.put("3", "<p>Fridays are for cake.</p>", space="OPS")
    return wiki


async def test_a_second_sync_embeds_nothing(home: Stores, wiki: DictWiki) -> None:
    first = await home.sync(wiki)
    assert [(report.key, report.pages.added) for report in first] == [("DOC", 2), ("OPS", 1)]
    assert sum(report.embedded for report in first) == len(home.embedder.embedded) == 3
    second = await home.sync(wiki)
    assert [report.pages.unchanged for report in second] == [2, 1]
    assert len(home.embedder.embedded) == 3
    assert home.progress[-1].done == home.progress[-1].total == 1


async def test_only_a_page_s_changed_evidences_are_embedded(home: Stores, wiki: DictWiki) -> None:
    wiki.put("1", "<h1>A</h1><p>Ann.</p><h1>B</h1><p>Far away.</p><h1>C</h1><p>Cid.</p>")
    await home.sync(wiki)
    before = len(home.embedder.embedded)
    wiki.put("1", "<h1>A</h1><p>Ann.</p><h1>B</h1><p>Far away.</p><h1>C</h1><p>Cid and Dan.</p>")
    report = (await home.sync(wiki))[0]
    assert report.pages.updated == 1
    again = home.embedder.embedded[before:]
    assert len(again) == report.embedded == 2, "the changed one, and the one that has it after itself"
    assert all("Dan" in text for text in again)


async def test_facts_of_pages_that_an_older_version_read_come_without_embedding(
    home: Stores, wiki: DictWiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki.put("1", "<p>Owned by Ann Lee\nLast updated: May 06, 2016 by Bo</p><p>Bells.</p>")
    with monkeypatch.context() as older:
        older.setattr(page_reader, "EXTRACTION_VERSION", 2)
        older.setattr(page_reader, "_add_facts", lambda page, extraction: page)
        await home.sync(wiki)
    before = await home.state()
    assert await home.stores.evidences.find_facts(["1"], [], Scope()) == []
    reports = await home.sync(wiki)
    assert [(report.pages.updated, report.embedded) for report in reports] == [(2, 0), (1, 0)]
    assert await home.state() == before
    (found,) = await home.stores.evidences.find_facts(["1"], [], Scope())
    assert found.text == "Owned by Ann Lee. Last updated on 6 May 2016 by Bo."


async def test_lines_of_shortened_contexts_that_an_older_version_read_come_without_embedding(
    home: Stores, wiki: DictWiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = "".join(f"<p>Field {number}: of Ann</p>" for number in range(30))
    wiki.put("1", f"{before}<p>The bells:</p><ul><li>Big</li><li>Small</li></ul>")
    with monkeypatch.context() as older:
        older.setattr(page_reader, "EXTRACTION_VERSION", 9)
        older.setattr(contextualise, "_join_words", lambda words: (" ".join(word for word, _ in words), ()))
        await home.sync(wiki)
    stored, embedded = await home.state(), len(home.embedder.embedded)
    (old,) = [each for each in await home.stores.evidences.load_texts(["1"], Scope()) if each.kind == "list"]
    assert old.context.lines_before == [old.context.before]
    reports = await home.sync(wiki)
    assert [(report.pages.updated, report.embedded) for report in reports] == [(2, 0), (1, 0)]
    assert (await home.state(), len(home.embedder.embedded)) == (stored, embedded)
    (new,) = [each for each in await home.stores.evidences.load_texts(["1"], Scope()) if each.kind == "list"]
    assert new.context.before == old.context.before
    assert new.context.lines_before[-2:] == ["Field 29: of Ann", "The bells:"]


async def test_fewer_readers_have_the_facts_too_and_nobody_else(home: Stores, wiki: DictWiki) -> None:
    byline = "<p>Owned by Ann Lee</p><p>Bells.</p>"
    wiki.put("1", byline)
    await home.sync(wiki)
    wiki.put("1", byline, readers="user:ann")
    await home.sync(wiki)
    assert await home.stores.evidences.find_facts(["1"], [], Scope()) == []
    (found,) = await home.stores.evidences.find_facts(["1"], [], Scope(principals=frozenset({"user:ann"})))
    assert found.text == "Owned by Ann Lee."


async def test_a_change_of_readers_embeds_nothing_and_moves_the_entries(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    wiki.put("2", "<p>Bob approves hotels.</p>", readers="user:ann")
    report = (await home.sync(wiki))[0]
    assert (report.embedded, report.pages.updated, report.pages.restricted) == (0, 1, 1)
    access = {entry.access for entry in (await home.state())["DOC"] if "Bob" in entry.text}
    assert len(access) == 1
    assert access != {""}
    access_filter = await home.stores.evidences.find_access_filter(Scope())
    assert "Bob" not in str(
        await home.stores.evidences.load_evidences([key.key for key in (await home.state())["DOC"]], Scope())
    )
    assert not access & access_filter.access
    ann = Scope(principals=frozenset({"user:ann"}))
    assert access <= (await home.stores.evidences.find_access_filter(ann)).access


async def test_pages_of_equal_content_are_kept_apart(home: Stores, wiki: DictWiki) -> None:
    for page_id in ("7", "8"):
        wiki.put(page_id, "<p>The very same.</p><p>The very same.</p>", title="Twin")
    await home.sync(wiki)
    twins = [entry for entry in (await home.state())["DOC"] if entry.title == "Twin"]
    assert len(twins) == 2
    assert sum("very same" in text for text in home.embedder.embedded) == 1
    del wiki.pages["7"]
    assert (await home.sync(wiki))[0].pages.removed == 1
    assert len([entry for entry in (await home.state())["DOC"] if entry.title == "Twin"]) == 1


async def test_a_renamed_page_is_the_same_page(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    wiki.put("2", "<p>Bob approves hotels.</p>", title="Hotels")
    report = (await home.sync(wiki))[0]
    assert (report.pages.updated, report.pages.added, report.pages.removed) == (1, 0, 0)
    assert {entry.title for entry in (await home.state())["DOC"]} == {"Page 1", "Hotels"}


@pytest.mark.parametrize(("page_id", "target"), [("2", "OPS"), ("3", "DOC"), ("2", "ZZZ")])
async def test_a_page_that_moves_keeps_its_place_in_past_answers(
    home: Stores, wiki: DictWiki, page_id: str, target: str
) -> None:
    await home.sync(wiki)
    moved = wiki.pages[page_id]
    answered = indexed_page(page_id, ("An old text.",), space=moved.space)
    await home.stores.turns.add(turn(cited=(answered,), used=(answered,)))
    embedded = len(home.embedder.embedded)
    wiki.put(page_id, moved.content, space=target)
    await home.sync(wiki)
    assert len(home.embedder.embedded) == embedded
    state = await home.state()
    assert not [entry for space, entries in state.items() for entry in entries
                if entry.title == moved.title and space != target]  # fmt: skip
    assert [entry for entry in state[target] if entry.title == moved.title]
    kept = await home.stores.turns.load_turn("t1")
    assert kept is not None
    assert kept.answer.text == "An answer."


async def test_a_page_that_moved_but_cannot_be_read_answers_nowhere(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    wiki.put("2", "<p>Bob approves hotels.</p>", space="SECRET")
    wiki.broken.add("2")
    reports = {report.key: report for report in await home.sync(wiki)}
    assert reports["SECRET"].pages.failed == 1
    assert reports["DOC"].pages.removed == 1
    assert not [entry for entries in (await home.state()).values() for entry in entries if "Bob" in entry.text]


async def test_moving_most_pages_to_another_space_is_no_mass_deletion(home: Stores, wiki: DictWiki) -> None:
    for number in range(30):
        wiki.put(f"9{number}", f"<p>Page {number}.</p>", space="BIG")
    await home.sync(wiki)
    for number in range(25):
        wiki.put(f"9{number}", f"<p>Page {number}.</p>", space="NEW")
    reports = {report.key: report for report in await home.sync(wiki)}
    assert reports["BIG"].stopped == ""
    assert (reports["BIG"].pages.removed, reports["NEW"].pages.added) == (25, 25)
    await home.state()


@pytest.mark.parametrize(("before", "after", "stops"), [(40, 19, True), (40, 20, False), (20, 0, True), (19, 0, False)])
async def test_a_mass_deletion_stops_and_changes_nothing(home: Stores, before: int, after: int, stops: bool) -> None:
    wiki = DictWiki()
    wiki.put("0", "<p>Elsewhere.</p>", space="KEPT")
    for number in range(before):
        wiki.put(f"p{number}", f"<p>Page {number}.</p>")
    await home.sync(wiki, now="2026-01-01")
    for number in range(after, before):
        del wiki.pages[f"p{number}"]
    report = (await home.sync(wiki, now="2026-02-02"))[0]
    assert bool(report.stopped) == stops
    summaries = {summary.key: summary for summary in await home.stores.spaces.load_summaries()}
    if not stops:
        assert ("DOC" in summaries) == (after > 0)
        return
    assert f"remove {before - after} of the {before} pages" in report.stopped
    assert summaries["DOC"].pages == before
    assert summaries["DOC"].synced_at == "2026-01-01", "a stopped sync makes nothing fresher"
    assert summaries["DOC"].last_error == report.stopped
    allowed = (await home.sync(wiki, allow_mass_delete=True))[0]
    assert allowed.pages.removed == before - after
    await home.state()


async def test_a_space_that_the_wiki_dropped_goes_unless_a_file_is_unread(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    del wiki.pages["3"]
    wiki.failures.append(PageFailure("", "a.json", "is not valid JSON"))
    assert not any(report.vanished for report in await home.sync(wiki))
    assert set(await home.state()) == {"DOC", "OPS"}
    wiki.failures.clear()
    assert [report.key for report in await home.sync(wiki) if report.vanished] == ["OPS"]
    assert set(await home.state()) == {"DOC"}


async def test_a_space_of_another_source_is_left_alone(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    other = DictWiki(name="another wiki")
    other.put("77", "<p>Other.</p>", space="ELSE")
    await home.sync(other)
    assert set(await home.state()) == {"DOC", "OPS", "ELSE"}


async def test_an_unreadable_page_keeps_its_earlier_version(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    wiki.put("2", "<p>Changed.</p>")
    wiki.broken.add("2")
    report = (await home.sync(wiki))[0]
    assert [failure.cause for failure in report.errors] == ["is locked away"]
    assert report.pages.failed == 1
    assert any("Bob" in entry.text for entry in (await home.state())["DOC"])
    wiki.broken.clear()
    assert (await home.sync(wiki))[0].pages.updated == 1


async def test_a_macro_that_nobody_knows_gives_its_body_and_is_named_once(home: Stores, wiki: DictWiki) -> None:
    body = "<ac:plain-text-body><![CDATA[The crown is gilded.]]></ac:plain-text-body>"
    hidden = '<ac:parameter ac:name="style">hidden</ac:parameter>'
    macro = f'<ac:structured-macro ac:name="frobnicate">{hidden}{body}</ac:structured-macro>'
    wiki.put("8", macro + macro)
    wiki.put("9", macro)
    report, other = await home.sync(wiki)
    assert (report.unknown_macros, other.unknown_macros, report.warnings) == (["frobnicate"], [], [])
    read = " ".join(entry.text for entry in (await home.state())["DOC"])
    assert "The crown is gilded." in read
    assert "hidden" not in read


async def test_a_page_that_cannot_be_taken_apart_does_not_end_the_sync(
    home: Stores, wiki: DictWiki, monkeypatch: pytest.MonkeyPatch
) -> None:

    real = page_reader.extract

    def extract(page: object, *rest: object) -> object:
        if getattr(page, "page_id", "") == "1":
            raise IndexError("nobody thought of this")
        return real(page, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(page_reader, "extract", extract)
    report = (await home.sync(wiki))[0]
    assert (report.pages.added, report.pages.failed) == (1, 1)
    assert "nobody thought of this" in report.errors[0].cause


async def test_a_sync_that_fails_notes_why_and_the_next_one_goes_on(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki, now="2026-01-01")
    for number in range(100, 230):
        wiki.put(str(number), f"<p>Page {number} has its own words.</p>", space="OPS")
    home.embedder.fails_after = len(home.embedder.embedded) + 64
    with pytest.raises(EmbedderUnavailable):
        await home.sync(wiki, now="2026-02-02")
    summaries = {summary.key: summary for summary in await home.stores.spaces.load_summaries()}
    assert "The embedder went away" in summaries["OPS"].last_error
    assert summaries["OPS"].synced_at == "2026-01-01"
    assert summaries["DOC"].last_error == ""
    home.embedder.fails_after = None
    report = (await home.sync(wiki))[1]
    assert report.embedded == 130 - 64, "what was embedded before the failure is kept"
    assert len(home.embedder.embedded) == len(set(home.embedder.embedded))
    assert (await home.stores.spaces.load_summaries())[1].last_error == ""
    await home.state()


@pytest.mark.parametrize("index", ["lexical", "dense"])
async def test_a_sync_restores_what_an_index_lost(home: Stores, wiki: DictWiki, index: str) -> None:
    await home.sync(wiki)
    lost = [entry.key for entry in (await home.state())["DOC"]]
    await getattr(home, index).remove("DOC", lost)
    assert await home.indexer.find_incomplete_spaces(home.stores.spaces) == ["DOC"]
    embedded = len(home.embedder.embedded)
    report = (await home.sync(wiki))[0]
    assert report.repaired == len(lost)
    assert len(home.embedder.embedded) == embedded
    await home.state()


CONTENTS = ["<p>a</p>", "<p>a</p><p>b</p>", "<ul><li>a</li><li>b</li></ul>", "<h1>H</h1><p>c</p><h1>I</h1><p>d</p>",
            "<table><tr><th>x</th></tr><tr><td>1</td></tr></table>", "", "<p>broken"]  # fmt: skip
EDIT = st.tuples(
    st.sampled_from(["p", "q", "r"]),
    st.sampled_from([*CONTENTS, None]),
    st.sampled_from(["DOC", "OPS"]),
    st.sampled_from(["", "user:ann"]),
    st.booleans(),
)


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(EDIT, min_size=1, max_size=8))
async def test_edits_synced_one_by_one_end_where_one_sync_of_the_last_state_ends(
    edits: list[tuple[str, str | None, str, str, bool]],
) -> None:
    wiki = DictWiki()
    wiki.put("fixed", "<p>Always here.</p>")
    with tempfile.TemporaryDirectory() as folder:
        with open_stores(Path(folder) / "many") as many:
            for page_id, content, space, readers, sync_now in edits:
                if content is None:
                    wiki.pages.pop(page_id, None)
                else:
                    wiki.put(page_id, content, space=space, readers=readers)
                if sync_now:
                    await many.sync(wiki)
            await many.sync(wiki)
            after_edits = await many.state()
        with open_stores(Path(folder) / "once") as once:
            await once.sync(wiki)
            assert after_edits == await once.state()


async def test_entries_of_a_version_that_never_became_current_leave_the_indexes(
    home: Stores, wiki: DictWiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    await home.sync(wiki)

    async def fail(pages: object) -> None:
        raise RuntimeError("as if killed here")

    wiki.put("2", "<p>Never seen.</p>")
    with monkeypatch.context() as patched:
        patched.setattr(home.stores.pages, "replace", fail)
        with pytest.raises(RuntimeError):
            await home.sync(wiki)
    assert len(await home.stores.stale.list_entries()) == 1
    wiki.put("2", "<p>Bob approves hotels.</p>")
    assert [report.repaired for report in await home.sync(wiki)] == [0, 0]
    await home.state()


async def test_what_a_look_stored_during_a_sync_is_not_widened_by_it(
    home: Stores, wiki: DictWiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is restricted after the sync has read it, and a page refresh stores that before the sync stores."""
    await home.sync(wiki)
    wiki.put("2", "<p>Bob approves no hotels.</p>")
    put, looked = Indexer.put, False

    async def look_first(indexer: Indexer, pages: Sequence[IndexedPage], on_embedded: Callable[[int], None]) -> None:
        nonlocal looked
        if pages and not looked:
            looked = True
            wiki.put("2", "<p>Bob approves no hotels.</p>", readers="user:ann")
            refresher = PageRefresher(
                home.indexer, home.stores.pages, home.stores.spaces, home.stores.people, SyncSettings()
            )
            assert (await refresher.refresh(wiki, Hint("DOC", "2"))).outcome == "updated"
        await put(indexer, pages, on_embedded)

    monkeypatch.setattr(Indexer, "put", look_first)
    await home.sync(wiki)
    assert looked
    stored = await home.stores.pages.load_page("2")
    assert stored is not None
    assert stored.read_restrictions == (frozenset({"user:ann"}),)
    await home.state()


async def tokens_of(home: Stores, space: str) -> dict[str, bytes]:
    """Return the token vectors of a space's evidences by hash."""
    hashes = [each.text_hash for each in await home.stores.pages.load_evidences(space)]
    return await home.stores.token_vectors.load_tokens(home.token_embedder.name, hashes)


async def test_each_evidence_has_token_vectors_and_one_pass_gives_both(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    hashes = {each.text_hash for each in await home.stores.pages.load_evidences("DOC")}
    assert (await tokens_of(home, "DOC")).keys() == hashes
    assert len(home.embedder.embedded) == len(set(home.embedder.embedded))


async def test_another_embedder_gets_a_pass_of_its_own(home: Stores, wiki: DictWiki) -> None:
    home.token_embedder.vectors = HashEmbedder("another")
    await home.sync(wiki)
    assert len(await tokens_of(home, "DOC")) == 2
    assert len(home.embedder.embedded) == len(home.token_embedder.vectors.embedded) == 3
    await home.sync(wiki)
    assert len(home.embedder.embedded) == len(home.token_embedder.vectors.embedded) == 3


async def test_an_edited_page_gets_token_vectors_by_a_pass_of_their_own_too(home: Stores, wiki: DictWiki) -> None:
    home.token_embedder.vectors = HashEmbedder("another")
    await home.sync(wiki)
    wiki.put("1", "<p>Cid approves travel.</p>")
    reports = await home.sync(wiki)
    assert len(await tokens_of(home, "DOC")) == 2
    assert [report.embedded for report in reports] == [1, 0]


async def test_pages_are_current_before_their_token_vectors_and_the_next_sync_makes_these(
    home: Stores, wiki: DictWiki
) -> None:
    home.token_embedder.vectors = HashEmbedder("another")
    await home.sync(wiki)
    home.token_embedder.vectors.fails_after = 3
    wiki.put("1", "<p>Cid approves travel.</p>")
    with pytest.raises(EmbedderUnavailable):
        await home.sync(wiki)
    page = await home.stores.pages.load_page("1")
    assert page is not None
    assert "Cid" in page.content
    assert len(await tokens_of(home, "DOC")) == 1
    home.token_embedder.vectors.fails_after = None
    await home.sync(wiki)
    assert len(await tokens_of(home, "DOC")) == 2


async def test_token_vectors_of_another_model_are_made_anew_by_the_next_syncs_and_no_vectors(
    home: Stores, wiki: DictWiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiki.put("1", "<p>Ann approves travel.</p>")
    wiki.put("4", "<p>Dan approves trains.</p>")
    await home.sync(wiki)
    before = await home.state()
    monkeypatch.setattr(module, "_COMPLETE_AT_ONCE", 2)
    home.token_embedder.name = "newer"
    reports = await home.sync(wiki)
    assert [report.embedded for report in reports] == [2, 1]
    assert len(await tokens_of(home, "DOC")) == 2
    await home.sync(wiki)
    assert len(await tokens_of(home, "DOC")) == 3
    assert [report.embedded for report in await home.sync(wiki)] == [0, 0]
    assert await home.state() == before


async def test_token_vectors_that_a_failure_kept_from_being_made_come_with_the_next_sync(
    home: Stores, wiki: DictWiki
) -> None:
    await home.sync(wiki)
    home.token_embedder.name, home.embedder.fails_after = "newer", len(home.embedder.embedded)
    with pytest.raises(EmbedderUnavailable):
        await home.sync(wiki)
    home.embedder.fails_after = None
    await home.sync(wiki)
    assert len(await tokens_of(home, "DOC")) == 2


async def test_an_edited_page_leaves_no_token_vectors_of_its_old_text(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    old = await tokens_of(home, "DOC")
    wiki.put("1", "<p>Cid approves travel.</p>")
    await home.sync(wiki)
    left = await home.stores.token_vectors.load_tokens(home.token_embedder.name, old.keys())
    assert len(left) == 1, "page 2 has its text still"


async def units_of(home: Stores) -> dict[str, bytes]:
    """Return the token vectors of all units that were ever embedded, by hash, as far as they are stored."""
    embedder = home.token_embedder
    return await home.stores.token_vectors.load_units(embedder.unit_name, set(map(hash_text, embedder.units)))


async def test_each_sentence_and_title_is_embedded_once_and_removed_with_its_evidences(
    home: Stores, wiki: DictWiki
) -> None:
    wiki.put("1", "<h1>Travel</h1><p>Ann approves travel. Trains are preferred.</p>")
    await home.sync(wiki)
    title = wiki.pages["1"].title
    place = f"{title}\nTravel"
    both = [f"{place}\nAnn approves travel.", f"{place}\nTrains are preferred."]
    assert {title, *both} <= set(home.token_embedder.units)
    wiki.put("1", "<h1>Travel</h1><p>Cid approves travel. Trains are preferred.</p>")
    await home.sync(wiki)
    assert [home.token_embedder.units.count(each) for each in (title, both[1])] == [1, 1], "they are the same as before"
    left = await units_of(home)
    assert hash_text(title) in left
    assert hash_text(both[0]) not in left
    assert left[hash_text(both[1])] == both[1].encode()


async def test_units_of_another_model_or_from_before_an_upgrade_are_made_by_the_next_sync(
    home: Stores, wiki: DictWiki
) -> None:
    await home.sync(wiki)
    made, embedded = len(await units_of(home)), len(home.embedder.embedded)
    home.token_embedder.unit_name = "newer"
    assert await units_of(home) == {}
    await home.sync(wiki)
    assert len(await units_of(home)) == made
    assert len(home.embedder.embedded) == embedded
