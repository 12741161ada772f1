"""Smart links: the title of the linked page is shown where everybody who may read the link may read the page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.model import Scope
from tests.core.indexing.parts import DictWiki, Stores

SITE = "https://example.atlassian.net/wiki"
ADDRESS = f"{SITE}/spaces/DOC/folder/2"
LINK = f'<a href="{ADDRESS}" data-card-appearance="inline">{ADDRESS}</a>'
ANN, EVERYBODY = Scope(principals=frozenset({"user:ann"})), Scope()


class SiteWiki(DictWiki):
    """A wiki whose pages have addresses."""

    def put(self, page_id: str, content: str, space: str = "DOC", title: str = "", readers: str = "") -> None:
        super().put(page_id, content, space, title, readers)
        self.pages[page_id] = replace(self.pages[page_id], url=f"{SITE}/spaces/{space}/pages/{page_id}")


@pytest.fixture
def wiki() -> SiteWiki:
    made = SiteWiki()
    made.put("1", f"<p>The moulds are in {LINK} on the left.</p>", title="Foundry")
    made.put("2", "", title="Archive drawer")
    return made


async def read_link(home: Stores, scope: Scope = EVERYBODY) -> str:
    """Return what the page shows for the link."""
    shown = [each.text for each in await home.read_evidences(scope) if each.page_id == "1"]
    assert await home.stores.pages.find_outdated_inclusions("wiki", "DOC") == []
    return " ".join(shown).removeprefix("The moulds are in ").removesuffix(" on the left.")


async def test_a_link_shows_the_current_title(home: Stores, wiki: SiteWiki) -> None:
    await home.sync(wiki)
    assert await read_link(home) == f"Archive drawer ({ADDRESS})"
    wiki.put("2", "", title="Attic")
    wiki.broken.add("1")
    await home.sync(wiki)
    assert await read_link(home) == f"Attic ({ADDRESS})"
    home.embedder.embedded.clear()
    await home.sync(wiki)
    assert home.embedder.embedded == []


async def test_a_title_in_the_address_is_replaced_by_the_current_one(home: Stores, wiki: SiteWiki) -> None:
    old = f"{SITE}/spaces/DOC/pages/2/Archive+drawer"
    wiki.put("1", f'<p>The moulds are in <a href="{old}" data-card-appearance="inline">{old}</a> on the left.</p>')
    wiki.put("2", "<p>Text.</p>", title="Attic")
    await home.sync(wiki)
    assert await read_link(home) == f"Attic ({old})"


async def test_a_link_follows_a_page_that_comes_and_goes(home: Stores, wiki: SiteWiki) -> None:
    drawer = wiki.pages.pop("2")
    await home.sync(wiki)
    assert await read_link(home) == ADDRESS
    wiki.pages["2"] = drawer
    await home.sync(wiki)
    assert await read_link(home) == f"Archive drawer ({ADDRESS})"
    del wiki.pages["2"]
    wiki.put("3", "<p>Left.</p>")
    await home.sync(wiki)
    assert await read_link(home) == ADDRESS


async def test_a_link_does_not_show_a_title_that_some_of_its_readers_may_not_see(home: Stores, wiki: SiteWiki) -> None:
    await home.sync(wiki)
    wiki.put("2", "", title="Archive drawer", readers="user:ann")
    await home.sync(wiki)
    assert await read_link(home) == ADDRESS
    assert await read_link(home, ANN) == ADDRESS
    wiki.put("1", f"<p>The moulds are in {LINK} on the left.</p>", title="Foundry", readers="user:ann")
    await home.sync(wiki)
    assert await read_link(home, ANN) == f"Archive drawer ({ADDRESS})"
    wiki.put("2", "", space="OPS", title="Archive drawer")
    await home.sync(wiki)
    assert await read_link(home, ANN) == ADDRESS


async def test_a_title_is_no_person_and_is_not_looked_up(home: Stores, wiki: SiteWiki) -> None:
    await home.sync(wiki)
    (evidence,) = [each for each in await home.read_evidences(EVERYBODY) if each.page_id == "1"]
    assert evidence.people == ()
    assert wiki.asked_for == []
