"""Access to the text of included pages, while people change pages between any two requests of a sync.

Each history is of a small wiki of two spaces whose pages include each other, themselves and missing pages, report on
each other's properties, list the pages below each other, and have smart links to each other. It is synced three times
into a real store. After the first sync, pages are renamed, while what names them stays as it was. During the second
sync, which may be interrupted, pages are restricted, opened, edited, renamed, removed and moved, and hints about them
arrive. After each sync, and at moments between, all text that a person finds is compared with what this person could
read in the wiki at some time (``readable at no time``). After the last sync, during which nothing changes, it is
compared with what the person may read now (``still readable``, ``lost``). A name may mean a page that ever had this
title. It has to mean one that was renamed between two syncs and not removed or moved since, unless a page that names it
was read after that: Confluence would have corrected the name there. A case is one person who searches everything at one
of these moments.

    python -m benchmarks.security.inclusions --cases 20000 --seed 1
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from adapters.store.sqlite import make_sqlite_url
from core.errors import PageWithdrawn, WikiWhyError
from core.evidence.inclusions import MOST_LEVELS
from core.indexing.indexer import Indexer
from core.indexing.page_reader import SyncSettings
from core.indexing.page_refresh import Hint, PageRefresher
from core.indexing.synchroniser import Synchroniser
from core.model import Evidence, Page, Scope
from core.ports.pages import IndexedPage
from core.ports.wiki import ListedPage, PageFailure
from tests.adapters.store.opened import stores_of
from tests.contracts.stores import Stores
from tests.core.indexing.parts import DictWiki
from tests.core.indexing.store_only import ImmediateDatabase, StoreOnly

PEOPLE = ("ann", "bob", "eve")
_SPACES = {"DOC": PEOPLE, "OPS": PEOPLE[:2]}
_TITLES = tuple(f"Page {number}" for number in range(5))
_TEXT = re.compile(r"number (\d+)")
_REPORTED = ("DOC", "OPS", "DOC, OPS")
_MACROS = ("include", "include", "excerpt-include")
_LISTS = ("children", "children", "pagetree")
_SITE = "https://example.org/wiki"
_LINK = re.compile(rf'href="{re.escape(_SITE)}/spaces/DOC/pages/(\w+)"')


class CutOff(Exception):
    """The simulated end of the process."""


@dataclass
class Tally:
    """The results of the cases. ``found``: evidences; ``shown``: found evidences from other pages."""

    histories: int = 0
    cases: int = 0
    found: int = 0
    shown: int = 0
    violations: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, kind: str, sentence: str) -> None:
        self.kinds[kind] += 1
        self.violations.append(f"{kind}: {sentence}")


class World(DictWiki):
    """A wiki that records who could read which text at some time. ``between``: called at each request."""

    def __init__(self, draw: random.Random) -> None:
        super().__init__(name="wiki")
        self.draw = draw
        self.could_read: dict[str, set[str]] = {}
        self.texts = 0
        self.had: set[tuple[str, str, str]] = set()  # (page id, space, title), at any time
        self.renamed: dict[tuple[str, str], str] = {}  # (space, former title) to page id; the store knew this title
        self.read_again: set[tuple[str, str]] = set()  # (space, title) that pages read after the first sync name
        self.between: Callable[[], None] = lambda: None
        for number in range(draw.randint(2, 5)):
            self._write(str(number))
        self.note()

    async def list_pages(self, space: str) -> AsyncIterator[ListedPage | PageFailure]:
        for listed in [each async for each in super().list_pages(space)]:
            self.between()
            await asyncio.sleep(0)
            yield listed

    async def read_page(self, listed: ListedPage) -> Page:
        await asyncio.sleep(0)
        self.between()
        now = await self.find_page(listed.page_id)
        if now is None or now.space != listed.space:
            raise PageWithdrawn("is not there any more")
        page = self.pages[listed.page_id]
        named = re.findall(r'content-title="(.*?)"(?: ri:space-key="(\w+)")?', page.content)
        self.read_again |= {(key or page.space, title) for title, key in named}
        return replace(page, version=now.version)

    def act(self) -> None:
        """Make a random change."""
        page_id = self.draw.choice(list(_TITLES)).rpartition(" ")[2]
        if page_id not in self.pages or self.draw.random() < 0.4:
            self._write(page_id)
        elif self.draw.random() < 0.25:
            del self.pages[page_id]
            self._forget_renamed(page_id)
        elif self.draw.random() < 0.3:
            self._move(page_id)
        else:
            readers = self._readers()
            restrictions = (frozenset({readers}),) if readers else ()
            self.pages[page_id] = replace(self.pages[page_id], read_restrictions=restrictions)
        self.note()

    def rename(self) -> None:
        """Give a page another title that nothing names. Call this after a sync, so that the store knows the title."""
        page = self.draw.choice(list(self.pages.values()))
        self.texts += 1
        self.renamed[page.space, page.title] = page.page_id
        title = f"{page.title.partition(' number')[0]} number {self.texts}"
        self.pages[page.page_id] = replace(page, title=title)
        self.note()

    def find_named(self, space: str, title: str, certain: bool) -> set[str]:
        """Return the ids of the pages that a name may mean; if ``certain``, of the one that it has to mean."""
        now = {each.page_id for each in self.pages.values() if (each.space, each.title) == (space, title)}
        if now:
            return now
        if certain:
            is_known = (space, title) in self.renamed and (space, title) not in self.read_again
            return {self.renamed[space, title]} & self.pages.keys() if is_known else set()
        return {page_id for page_id, *had in self.had if had == [space, title] and page_id in self.pages}

    def _forget_renamed(self, page_id: str) -> None:
        self.renamed = {name: each for name, each in self.renamed.items() if each != page_id}

    def note(self) -> None:
        """Record who may read which text now. The parent of a page is another page of its space."""
        for page_id, parent in self.parents.items():
            both = [self.pages[each].space for each in (page_id, parent) if each in self.pages]
            is_above = parent != page_id and len(both) == 2 and len(set(both)) == 1
            self.parents[page_id] = parent if is_above else ""
        self.had |= {(page.page_id, page.space, page.title) for page in self.pages.values()}
        for name in PEOPLE:
            for page in self.pages.values():
                if may_read(name, page):
                    for text in _TEXT.findall(f"{page.title} {page.content}"):
                        self.could_read.setdefault(text, set()).add(name)

    def _write(self, page_id: str) -> None:
        space = self.draw.choice(list(_SPACES))
        self.texts += 3
        properties = f"<table><tbody><tr><th>Value</th><td>Number number {self.texts}</td></tr></tbody></table>"
        content = f"<p>Text number {self.texts - 2}.</p>"
        content += _macro("excerpt", f"<p>Excerpt number {self.texts - 1}.</p>") + _macro("details", properties)
        content += "".join(self._include() for _ in range(self.draw.randint(0, 3)))
        if self.draw.random() < 0.4:
            cql = f"label = project and space in ({self.draw.choice(_REPORTED)})"
            content += f'<ac:structured-macro ac:name="detailssummary"><ac:parameter ac:name="cql">{cql}</ac:parameter>'
            content += "</ac:structured-macro>"
        if self.draw.random() < 0.4:
            content += self._list_pages_below()
        content += "".join(self._link() for _ in range(self.draw.choice([0, 0, 1, 2])))
        title = f"Page {page_id}"
        if self.draw.random() < 0.3:  # so that no page names it
            self.texts += 1
            title += f" number {self.texts}"
        if page_id in self.pages and self.pages[page_id].space != space:
            self._forget_renamed(page_id)
        self.put(page_id, content, space, title, self._readers())
        self._move(page_id)
        labels = ("project",) if self.draw.random() < 0.6 else ()
        url = f"{_SITE}/spaces/{space}/pages/{page_id}"
        self.pages[page_id] = replace(self.pages[page_id], labels=labels, url=url)

    def _include(self) -> str:
        key, title = self.draw.choice(["", *_SPACES]), self.draw.choice(_TITLES)
        page = f'<ri:page ri:content-title="{title}"' + (f' ri:space-key="{key}"/>' if key else "/>")
        parameter = f'<ac:parameter ac:name=""><ac:link>{page}</ac:link></ac:parameter>'
        return f'<ac:structured-macro ac:name="{self.draw.choice(_MACROS)}">{parameter}</ac:structured-macro>'

    def _link(self) -> str:
        """Return a smart link, which is an address of a page by its id. The space in it may be a former one."""
        address = f"{_SITE}/spaces/DOC/pages/{self.draw.choice(_TITLES).rpartition(' ')[2]}"
        return f'<p>See <a href="{address}" data-card-appearance="inline">{address}</a>.</p>'

    def _list_pages_below(self) -> str:
        """Return a macro that lists the pages below this page, or below another one of its space."""
        macro, title = self.draw.choice(_LISTS), self.draw.choice(["@self", *_TITLES])
        if macro == "pagetree":
            parameter = f'<ac:parameter ac:name="root"><ac:link><ri:page ri:content-title="{title}"/></ac:link>'
            return f'<ac:structured-macro ac:name="pagetree">{parameter}</ac:parameter></ac:structured-macro>'
        return '<ac:structured-macro ac:name="children"></ac:structured-macro>'

    def _move(self, page_id: str) -> None:
        self.parents[page_id] = self.draw.choice(["", *(title.rpartition(" ")[2] for title in _TITLES)])

    def _readers(self) -> str:
        return f"user:{self.draw.choice(PEOPLE)}" if self.draw.random() < 0.4 else ""


def _macro(name: str, body: str) -> str:
    return f'<ac:structured-macro ac:name="{name}"><ac:rich-text-body>{body}</ac:rich-text-body></ac:structured-macro>'


def scope_of(name: str) -> Scope:
    """Return the scope that the chat gives this person."""
    spaces = frozenset(key for key, readers in _SPACES.items() if name in readers)
    return Scope(spaces, frozenset({f"user:{name}"}))


def may_read(name: str, page: Page) -> bool:
    return scope_of(name).admits(page.space, page.read_restrictions)


class _CheckedStore(StoreOnly):
    """An indexer without indexes. ``check``: called after each change.

    ``left``: the number of stores before it is interrupted.
    """

    def __init__(self, stores: Stores, draw: random.Random, check: Callable[[], Awaitable[None]]) -> None:
        super().__init__(stores.pages)
        self._draw = draw
        self._check = check
        self.left = -1

    async def put(self, pages: Sequence[IndexedPage], on_embedded: Callable[[int], None]) -> int:
        await asyncio.sleep(self._draw.choice([0, 0, 0.005]))  # embedding takes time, in which other tasks may store
        if self.left == 0:
            raise CutOff
        self.left -= 1
        await super().put(pages, on_embedded)
        await self._check()
        return 0


async def run_history(seed: str, stores: Stores, tally: Tally) -> None:
    """Run one history, and add its results to the tally."""
    draw = random.Random(seed)  # noqa: S311  # no secret
    world = World(draw)

    async def check() -> None:
        await _check(seed, world, stores, tally)

    indexer = _CheckedStore(stores, draw, check)
    parts = (cast(Indexer, indexer), stores.pages, stores.spaces, stores.people)
    settings = SyncSettings(read_at_once=draw.choice([1, 3]))
    synchroniser = Synchroniser(*parts, time.perf_counter, settings)
    refresher = PageRefresher(*parts, settings)

    async def sync() -> None:
        with suppress(WikiWhyError, CutOff):
            await synchroniser.sync_all(world, list(_SPACES), "2026-01-01T00:00:00+00:00", lambda _: None)

    async def look() -> None:
        for _ in range(draw.choice([0, 1, 6])):
            for _ in range(draw.choice([0, 5, 20])):
                await asyncio.sleep(0)
            with suppress(WikiWhyError, CutOff):
                await refresher.refresh(world, Hint(draw.choice(list(_SPACES)), str(draw.randint(0, 4))))
            await check()

    await sync()
    await check()
    world.read_again.clear()
    for _ in range(draw.randint(0, 2)):
        world.rename()
    for _ in range(draw.randint(0, 3)):
        world.act()
    rate = draw.choice([0.1, 0.3])
    world.between = lambda: world.act() if draw.random() < rate else None
    indexer.left = draw.choice([-1, -1, 0, 1, 2, 3])
    await asyncio.gather(sync(), look())
    await check()
    world.between, indexer.left = lambda: None, -1
    await sync()
    await check()
    await _check_settled(seed, world, stores, tally)
    for space in _SPACES:
        await stores.spaces.forget(space)
    tally.histories += 1


async def _find(seed: str, name: str, stores: Stores, tally: Tally) -> list[Evidence]:
    """Return all that a person finds by the store. The access filter for the indexes must give the same.

    A sync may widen or narrow readers between these reads, so the filter before or the one after them has to admit it.
    """
    scope = scope_of(name)
    before = await stores.evidences.find_access_filter(scope)
    entries = {each.entry.key: each.entry for space in _SPACES for each in await stores.pages.load_evidences(space)}
    found = await stores.evidences.load_evidences(entries, scope)
    after = await stores.evidences.find_access_filter(scope)
    for key in found:
        entry = entries[key]
        if not any(
            entry.space in each.spaces and (not entry.access or entry.access in each.access) for each in (before, after)
        ):
            tally.add("not asked for", f"{seed}: {name} may find {entry.text}, which the access filter leaves out")
    return list(found.values())


async def _check(seed: str, world: World, stores: Stores, tally: Tally) -> None:
    for name in PEOPLE:
        tally.cases += 1
        for evidence in await _find(seed, name, stores, tally):
            tally.found += 1
            tally.shown += bool(evidence.origin)
            context = evidence.context
            around = (context.title, *context.heading_path, context.before, context.after)
            for text in _TEXT.findall(" ".join((evidence.text, str(evidence.rows), *around))):
                if name not in world.could_read.get(text, ()):
                    tally.add("readable at no time", f"{seed}: {name} finds number {text} on {evidence.page_id}")


async def _check_settled(seed: str, world: World, stores: Stores, tally: Tally) -> None:
    for name in PEOPLE:
        found = {
            (each.page_id, text) for each in await _find(seed, name, stores, tally) for text in _TEXT.findall(each.text)
        }
        certain, possible = (
            {(page.page_id, text) for page in world.pages.values() for text in _shown_to(name, page, world, is_certain)}
            for is_certain in (True, False)
        )
        for page_id, text in found - possible:
            tally.add("still readable", f"{seed}: {name} finds number {text} on {page_id}")
        for page_id, text in certain - found:
            tally.add("lost", f"{seed}: {name} does not find number {text} on {page_id}")


def _shown_to(name: str, page: Page, world: World, certain: bool) -> set[str]:
    """Return the texts that may be shown to a person on a page; if ``certain``, those that have to be shown."""
    if not may_read(name, page):
        return set()
    shown = set(_TEXT.findall(page.content))
    shown |= _included_for(name, (page,), world, certain)
    for spaces in re.findall(r"label = project and space in \((.*?)\)", page.content):
        asked_for = [each for each in world.pages.values() if each.labels and each.space in spaces.split(", ")]
        for other in asked_for:
            if may_read(name, other):
                shown |= {_TEXT.findall(other.content)[2], *(_TEXT.findall(other.title) if other != page else ())}
    for page_id in _LINK.findall(page.content):
        linked = world.pages.get(page_id)
        if linked and may_read(name, linked) and not (certain and _has_other_readers(page, linked)):
            shown |= set(_TEXT.findall(linked.title))
    for page_id in _list_below(page, world, certain):
        if page_id in world.pages and may_read(name, world.pages[page_id]):
            shown |= set(_TEXT.findall(world.pages[page_id].title))
    return shown


def _has_other_readers(page: Page, linked: Page) -> bool:
    """Whether some readers of a page may not read the linked one, or this page is itself."""
    is_restricted = linked.read_restrictions not in {(), page.read_restrictions}
    return page == linked or page.space != linked.space or is_restricted


def _included_for(name: str, path: Sequence[Page], world: World, certain: bool) -> set[str]:
    """Return the included texts at the end of a path of pages, each of which includes the next."""
    found: set[str] = set()
    macros = r'ac:name="([\w-]+)"><ac:parameter ac:name="">.*?title="(.*?)"(?: ri:space-key="(\w+)")?'
    for macro, title, key in re.findall(macros, path[-1].content):
        for page_id in world.find_named(key or path[-1].space, title, certain):
            other = world.pages[page_id]
            if may_read(name, other) and other not in path:
                own, excerpt, value = _TEXT.findall(other.content)
                found |= {own, excerpt, value} if macro == "include" else {excerpt}
                if macro == "include" and len(path) < MOST_LEVELS:
                    found |= _included_for(name, (*path, other), world, certain)
    return found


def _list_below(page: Page, world: World, certain: bool) -> set[str]:
    """Return the ids of the pages that the lists of a page show."""
    found: set[str] = set()
    if '"children"' in page.content:
        found |= {page_id for page_id, parent in world.parents.items() if parent == page.page_id}
    for title in re.findall(r'"root">.*?title="(.*?)"', page.content):
        below = {page.page_id} if title == "@self" else world.find_named(page.space, title, certain)
        while below:
            below = {page_id for page_id, parent in world.parents.items() if parent in below} - found
            found |= below
    return found - {page.page_id}


def run(cases: int, seed: int) -> Tally:
    """Run at least ``count`` cases, one history after the other in one database."""
    tally = Tally()

    async def run_all(stores: Stores) -> None:
        while tally.cases < cases:
            await run_history(f"{seed}/{tally.histories}", stores, tally)

    with tempfile.TemporaryDirectory() as folder:
        database = ImmediateDatabase.open(make_sqlite_url(Path(folder) / "wikiwhy.db"))
        asyncio.run(run_all(stores_of(database)))
        database.close()
    return tally


def main(argv: list[str]) -> int:
    """Print the results. Return 1 for a violation."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.security inclusions")
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    began = time.perf_counter()
    tally = run(options.cases, options.seed)
    for violation in tally.violations[:20]:
        print(violation)
    print("histories   cases   evidences found   of other pages   violations   seconds")
    seconds = time.perf_counter() - began
    counts = (tally.histories, tally.cases, tally.found, tally.shown, len(tally.violations), round(seconds))
    print("   ".join(map(str, counts)))
    print(dict(tally.kinds))
    return 1 if tally.violations else 0
