"""Lists of child pages: readers of a page find its title."""

from __future__ import annotations

import pytest

from core.indexing.page_reader import SyncSettings
from core.indexing.page_refresh import Hint, PageRefresher
from core.model import Scope
from tests.core.indexing.parts import DictWiki, Stores
from tests.core.indexing.test_reports import find, give

ANN, EVERYBODY = Scope(principals=frozenset({"user:ann"})), Scope()


def children(macro: str = "children", page: str = "", **parameters: str) -> str:
    name = "root" if macro == "pagetree" else "page"
    link = f'<ac:link><ri:page ri:content-title="{page}" ri:version-at-save="1"/></ac:link>'
    named = f'<ac:parameter ac:name="{name}">{link}</ac:parameter>' if page else ""
    return (
        f'<ac:structured-macro ac:name="{macro}" ac:schema-version="2">{named}{give(parameters)}</ac:structured-macro>'
    )


@pytest.fixture
def wiki() -> DictWiki:
    """A page Teams with Bells and Pipes below it; below Bells a folder with Clappers, below Pipes Reeds."""
    made = DictWiki()
    made.put("1", f"<h2>All teams</h2>{children()}", title="Teams")
    for page_id, title in (("2", "Bells"), ("3", "Pipes"), ("4", "Clappers"), ("5", "Reeds")):
        made.put(page_id, f"<p>About {title}.</p>", title=title)
    made.parents = {"2": "1", "3": "1", "folder": "2", "4": "folder", "5": "3"}
    return made


async def titles(home: Stores, scope: Scope = EVERYBODY, page_id: str = "1") -> list[str]:
    found = [each for each in await find(home, scope, page_id) if each.kind == "table_row"]
    return [value for each in found for _, value in each.rows[0]]


async def test_a_child_page_is_named_to_who_may_read_it(home: Stores, wiki: DictWiki) -> None:
    wiki.put("3", "<p>About Pipes.</p>", title="Pipes", readers="user:ann")
    await home.sync(wiki)
    assert await titles(home) == ["Bells"]
    assert await titles(home, ANN) == ["Bells", "Pipes"]
    shown = await find(home, EVERYBODY)
    assert "Pipes" not in repr(shown)
    assert {each.context.heading_path for each in shown} == {("All teams",)}
    assert shown[0].rows == ((("Child page", "Bells"),),)


@pytest.mark.parametrize(
    ("macro", "below"),
    [
        (children(), ["Bells", "Pipes"]),
        (children(depth="2"), ["Bells", "Pipes", "Reeds"]),  # the folder is a level of its own
        (children(depth="3"), ["Bells", "Clappers", "Pipes", "Reeds"]),
        (children(all="true", sort="title"), ["Bells", "Clappers", "Pipes", "Reeds"]),
        (children(page="Pipes"), ["Reeds"]),
        (children(page="Nowhere"), []),
        ('<ac:macro ac:name="children"><ac:parameter ac:name="page">DOC:Pipes</ac:parameter></ac:macro>', ["Reeds"]),
        (children("pagetree", page="@self", startDepth="3"), ["Bells", "Clappers", "Pipes", "Reeds"]),
        (children("pagetree", page="Bells"), ["Clappers"]),
        (children("pagetree", page="@home"), []),
        (children("pagetree"), []),
    ],
)
async def test_lists_show_what_is_below_a_page(home: Stores, wiki: DictWiki, macro: str, below: list[str]) -> None:
    wiki.put("1", macro, title="Teams")
    await home.sync(wiki)
    assert await titles(home) == below
    assert await home.stores.pages.find_outdated_inclusions("wiki", "DOC") == []


async def test_the_list_follows_its_pages_without_being_read(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    wiki.broken.add("1")
    wiki.put("6", "<p>New.</p>", title="Drums")
    wiki.put("2", "<p>About Bells.</p>", title="Carillon")
    wiki.parents |= {"6": "1", "3": "2"}
    await home.sync(wiki)
    assert await titles(home) == ["Carillon", "Drums"]
    del wiki.pages["6"], wiki.parents["6"], wiki.parents["2"]
    await home.sync(wiki)
    assert await titles(home) == []
    home.embedder.embedded.clear()
    (report,) = await home.sync(wiki)
    assert (home.embedder.embedded, report.pages.unchanged) == ([], 5)


async def test_a_hint_about_a_moved_page_moves_it_in_the_lists(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    wiki.parents["5"] = "1"
    stores = home.stores
    refresher = PageRefresher(home.indexer, stores.pages, stores.spaces, stores.people, SyncSettings())
    result = await refresher.refresh(wiki, Hint("DOC", "5"))
    await home.indexer.clean()
    assert result.outcome == "unchanged"
    assert await titles(home) == ["Bells", "Pipes", "Reeds"]


async def test_pages_below_each_other_in_a_circle_end(home: Stores, wiki: DictWiki) -> None:
    wiki.put("1", children(all="true"), title="Teams")
    wiki.parents["1"] = "5"
    await home.sync(wiki)
    assert await titles(home) == ["Bells", "Clappers", "Pipes", "Reeds"]
    assert await home.stores.pages.find_outdated_inclusions("wiki", "DOC") == []


async def test_a_german_page_names_its_column_in_german(home: Stores, wiki: DictWiki) -> None:
    wiki.put("1", f"<p>Das sind alle unsere Gruppen und ihre Seiten.</p>{children()}", title="Gruppen")
    await home.sync(wiki)
    rows = [each.rows[0] for each in await find(home, EVERYBODY) if each.kind == "table_row"]
    assert rows[0] == (("Unterseite", "Bells"),)


async def test_a_list_of_too_many_pages_has_the_first_and_says_so(
    home: Stores, wiki: DictWiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("core.indexing.inclusions", "adapters.store.wiki.page_queries"):
        monkeypatch.setattr(f"{module}.MOST_PAGES", 1)
    await home.sync(wiki)
    assert await titles(home) == ["Bells"]
    assert await home.stores.pages.find_outdated_inclusions("wiki", "DOC") == []
    tables = await home.stores.evidences.load_tables_and_lists(["1"], EVERYBODY)
    assert [each.structure.total for each in tables if each.structure] == [2]


async def test_a_forgotten_space_leaves_no_places(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki)
    await home.indexer.drop(await home.stores.spaces.forget("DOC"))
    assert await home.stores.pages.save_parents("DOC", {}, is_all=True) is False
