"""Two spaces are synced concurrently while pages are edited, moved between them and deleted."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from core.errors import PageWithdrawn
from core.model import Page
from core.ports.wiki import ListedPage, PageFailure
from tests.core.indexing.parts import DictWiki, Stores, open_stores

SPACES = ("ENG", "LAW")


@dataclass
class BusyWiki(DictWiki):
    """A wiki that changes ``changes`` times, between its answers."""

    chance: random.Random = field(default_factory=random.Random)
    changes: int = 0

    async def list_pages(self, space: str) -> AsyncIterator[ListedPage | PageFailure]:
        for item in [item async for item in super().list_pages(space)]:
            await self._pause()
            yield item

    async def read_page(self, listed: ListedPage) -> Page:
        await self._pause()
        page = self.pages.get(listed.page_id)
        if page is None or page.space != listed.space:
            raise PageWithdrawn("is not there any more")
        return page

    async def _pause(self) -> None:
        for _ in range(self.chance.randrange(4)):
            await asyncio.sleep(0)
        if self.changes and self.chance.random() < 0.3:
            self.changes -= 1
            self.change()

    def change(self) -> None:
        """Edit, move or delete a page."""
        page_id = str(self.chance.randrange(6))
        if page_id in self.pages and self.chance.random() < 0.2:
            del self.pages[page_id]
        else:
            readers = self.chance.choice(["", "", "user:ann"])
            text = f"<p>Version {self.chance.randrange(1000)} of page {page_id}.</p>"
            self.put(page_id, text, self.chance.choice(SPACES), readers=readers)


async def stored(home: Stores) -> dict[str, tuple[str, str]]:
    """Return page id to space and text in the store."""
    found = {}
    for space in SPACES:
        for page_id in await home.stores.pages.load_digests(space):
            page = await home.stores.pages.load_page(page_id)
            assert page is not None
            found[page_id] = (page.space, page.content)
    return found


@pytest.mark.parametrize("seed", range(6))
async def test_whatever_happens_meanwhile_the_next_sync_makes_everything_right(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    wiki = BusyWiki(chance=chance)
    for space in SPACES:  # one page each stays, so that neither space is dropped
        wiki.put(f"stays in {space}", "<p>This page stays where it is.</p>", space)
    for _ in range(8):
        wiki.change()
    with open_stores(tmp_path / "home") as home:
        await home.sync_spaces(wiki, *SPACES)
        wiki.changes = 6
        tasks = [asyncio.create_task(home.sync_spaces(wiki, space)) for space in SPACES]
        if seed % 3 == 0:  # cancel one of the syncs
            for _ in range(chance.randrange(60)):
                await asyncio.sleep(0)
            tasks[0].cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert not [each for each in results if isinstance(each, Exception)]
        wiki.changes = 0
        await home.sync_spaces(wiki, *SPACES)
        assert await stored(home) == {page.page_id: (page.space, page.content) for page in wiki.pages.values()}
        await home.state()


async def test_a_page_that_moves_while_both_spaces_are_synced_is_in_one_of_them(tmp_path: Path) -> None:
    for seed in range(4):
        wiki = BusyWiki(chance=random.Random(seed))
        for space in SPACES:
            wiki.put(f"stays in {space}", "<p>This page stays where it is.</p>", space)
        wiki.put("0", "<p>It is in ENG.</p>", "ENG")
        with open_stores(tmp_path / str(seed)) as home:
            await home.sync_spaces(wiki, *SPACES)
            wiki.put("0", "<p>It is in LAW.</p>", "LAW")
            await asyncio.gather(*(home.sync_spaces(wiki, space) for space in SPACES))
            assert (await stored(home))["0"] == ("LAW", "<p>It is in LAW.</p>")
