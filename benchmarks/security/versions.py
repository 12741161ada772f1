"""Access to versions of pages after a sync during which people change the Confluence between any two requests.

Each case is a small site, a sync, and a second sync during which pages are restricted, opened, edited, commented,
given files, moved, deleted and viewed, in a random order between its requests. A case is a violation if the store then
lets somebody read a text, of a page, a comment or a file, that this person could not read in Confluence at any time
(``readable at no time``), or if a third sync, in which nobody changes anything, leaves more readers, other comments or
other files than Confluence has (``still readable``, ``comment still there``, ``file still there``).

    python -m benchmarks.security.versions --cases 100000 --seed 1
    python -m benchmarks.security.versions --cases 200 --http
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal, cast

from adapters.confluence.http import Connection
from adapters.confluence.wiki import ConfluenceWiki
from benchmarks.security._stores import MemoryStores
from benchmarks.security.direct_site import DirectSite
from core.errors import WikiWhyError
from core.indexing.files import FileTexts
from core.indexing.page_reader import SyncSettings
from core.indexing.page_refresh import Hint, PageRefresher
from core.indexing.synchroniser import Synchroniser
from core.model import Page, Scope
from core.ports.files import FileText
from core.ports.pages import PageStore
from tests.servers.confluence.request import Flavour
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Attachment, Comment, Site
from tests.servers.confluence.site import Page as SitePage

PEOPLE = ("ann", "bob", "eve")
_SPACES = {"ENG": PEOPLE, "OPS": ("ann",)}
_SOURCE_ACCOUNT = "wikiwhy-sync"


@dataclass
class Tally:
    """The results of the cases. ``violations``: sentences with the case's seed."""

    cases: int = 0
    acts: int = 0
    requests: int = 0
    texts: int = 0
    violations: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)


class World:
    """A site that records who could read which text of which page at some time."""

    def __init__(self, draw: random.Random, flavour: Flavour) -> None:
        self.draw = draw
        self.flavour = flavour
        self.site = Site()
        for name in PEOPLE:
            self.site.add_user(name)
        self.site.add_space("ENG")
        self.site.add_space("OPS", users=["ann", _SOURCE_ACCOUNT], groups=[])
        self.could_read: dict[str, set[str]] = {}
        self.texts = 0
        self.acts: list[str] = []
        parent: str | None = None
        if draw.random() < 0.4:
            self.site.add_page("ENG", "Post", self._new_text(), kind="blogpost")
        for number in range(draw.randint(2, 5)):
            kind: Literal["page", "folder"] = "page"
            if flavour == "cloud" and number == 1 and draw.random() < 0.3:
                kind = "folder"
            title = f"Page {number}"
            page = self.site.add_page("ENG", title, self._new_text(), parent=parent, kind=kind)
            parent = draw.choice([page.page_id, parent, page.page_id])
        for page_id in list(self.site.pages):
            if draw.random() < 0.3:
                self._restrict(page_id)
        self.note()

    def act(self) -> None:
        """Make a random change."""
        acts: list[tuple[int, Callable[[str], None]]] = [
            (5, self._restrict), (4, self._open), (6, self._edit), (2, self._move), (1, self._trash),
            (1, self._restore), (1, self._restrict_and_edit), (1, self._rename), (4, self._comment),
            (2, self._edit_comment), (2, self._delete_comment), (1, self._resolve), (3, self._attach),
            (2, self._attach_again), (1, self._detach), (2, self._move_file),
        ]  # fmt: skip
        done = self.draw.choices([act for _, act in acts], [weight for weight, _ in acts])[0]
        page_id = self.draw.choice(list(self.site.pages))
        self.acts.append(f"{done.__name__.lstrip('_')} {page_id}")
        done(page_id)
        self.note()

    def note(self) -> None:
        """Record who may read which text now."""
        for page in self.site.pages.values():
            readers = self.could_read.setdefault(_shown_text(page), set())
            parts = [each.body for each in self._comments_of(page)]
            parts += [attached.content.decode() for attached in page.attachments]
            shown = [readers, *(self.could_read.setdefault(part, set()) for part in parts)]
            if page.status == "current":
                now = [name for name in PEOPLE if self.site.may_read(name, page)]
                for of_text in shown:
                    of_text.update(now)

    def text_of(self, page: Page) -> str:
        """Return the text of a stored page, as it was noted."""
        served = self.site.pages.get(page.page_id)
        return f"{page.page_id} {page.title}" if served and served.kind == "folder" else page.content

    def _comments_of(self, page: SitePage) -> list[Comment]:
        return self.site.comments_of(page.page_id)

    def may_read_now(self, name: str, page_id: str) -> bool:
        page = self.site.pages.get(page_id)
        return page is not None and page.status == "current" and self.site.may_read(name, page)

    def scope_of(self, name: str) -> Scope:
        """Return the scope that the chat gives this person."""
        user = self.site.users[name]
        account = user.account_id if self.flavour == "cloud" else user.name
        spaces = frozenset(key for key, readers in _SPACES.items() if name in readers)
        return Scope(spaces, frozenset({f"user:{account}", "group:confluence-users"}))

    def _new_text(self) -> str:
        self.texts += 1
        return f"<p>Text number {self.texts}.</p>"

    def _restrict(self, page_id: str) -> None:
        self.site.restrict(page_id, users=self.draw.sample(PEOPLE, self.draw.randint(0, 2)))

    def _open(self, page_id: str) -> None:
        self.site.unrestrict(page_id)

    def _edit(self, page_id: str) -> None:
        if self.site.pages[page_id].kind != "folder":
            self.site.edit_body(page_id, self._new_text())

    def _rename(self, page_id: str) -> None:
        self.site.rename(page_id, f"Title {self.draw.randint(1, 99)}")

    def _restrict_and_edit(self, page_id: str) -> None:
        """Restrict a page or a page above it, then write a secret into it."""
        above = [page.page_id for page in self.site.ancestors(page_id)]
        self._restrict(self.draw.choice([page_id, *above]))
        self.note()
        self._edit(page_id)

    def _comment(self, page_id: str) -> None:
        if self.site.pages[page_id].kind != "folder":
            others = [each.comment_id for each in self._comments_of(self.site.pages[page_id])]
            self.site.add_comment(page_id, self._new_text(), parent=self.draw.choice([None, *others]))

    def _edit_comment(self, page_id: str) -> None:
        for comment in self._comments_of(self.site.pages[page_id])[-1:]:
            self.site.edit_comment(comment.comment_id, self._new_text())

    def _delete_comment(self, page_id: str) -> None:
        for comment in self._comments_of(self.site.pages[page_id])[-1:]:
            self.site.delete_comment(comment.comment_id)

    def _resolve(self, page_id: str) -> None:
        for comment in self._comments_of(self.site.pages[page_id])[:1]:
            self.site.resolve(comment.comment_id, not comment.resolved)

    def _attach(self, page_id: str) -> None:
        if self.site.pages[page_id].kind != "folder":
            self.site.attach(page_id, f"{self.texts}.txt", self._new_text().encode())

    def _attach_again(self, page_id: str) -> None:
        for attached in self.site.pages[page_id].attachments[-1:]:
            self.site.attach(page_id, attached.title, self._new_text().encode())

    def _detach(self, page_id: str) -> None:
        for attached in self.site.pages[page_id].attachments[:1]:
            self.site.detach(page_id, attached.title)

    def _move_file(self, page_id: str) -> None:
        targets = [each.page_id for each in self.site.pages.values() if each.kind != "folder"]
        for attached in self.site.pages[page_id].attachments[:1]:
            self.site.move_attachment(page_id, attached.title, self.draw.choice(targets))

    def _move(self, page_id: str) -> None:
        below = {page.page_id for page in self.site.descendants(page_id)}
        if self.site.pages[page_id].kind == "blogpost":
            return
        pages = [each for each in self.site.pages.values() if each.kind != "blogpost"]
        parents = [None, *(each.page_id for each in pages if each.page_id not in {page_id, *below})]
        parent = self.draw.choice(parents)
        self.site.move(page_id, parent=parent, space=None if parent else self.draw.choice(list(_SPACES)))

    def _trash(self, page_id: str) -> None:
        if self.site.pages[page_id].kind != "folder":
            self.site.trash(page_id)

    def _restore(self, page_id: str) -> None:
        trashed = [page.page_id for page in self.site.pages.values() if page.status == "trashed"]
        if trashed:
            self.site.restore(self.draw.choice(trashed))


async def run_case(seed: str, flavour: Flavour, tally: Tally, http: bool = False) -> None:
    """Run one case, and add its results to the tally."""
    draw = random.Random(seed)  # noqa: S311  # no secret
    world = World(draw, flavour)
    stores = MemoryStores()
    rate = draw.choice([0.05, 0.2, 0.5, 1.0])
    files = FileTexts(cast(PageStore, stores.pages), _PlainReader())
    with _served(world, http, files) as (wiki, hooks):
        if draw.random() < 0.2:
            hooks.nests = False  # the restrictions of ancestors are not always in one response
        if lags := draw.random() < 0.2:
            world.site.stop_index()
        settings = SyncSettings(read_at_once=draw.choice([1, 3]))
        synchroniser = Synchroniser(
            stores.indexer, stores.pages, stores.spaces, stores.people, time.perf_counter, settings
        )
        refresher = PageRefresher(stores.indexer, stores.pages, stores.spaces, stores.people, SyncSettings())
        await _sync(synchroniser, wiki)
        for _ in range(draw.randint(0, 4)):
            world.act()

        def between() -> None:
            tally.requests += 1
            while draw.random() < rate / 2:
                world.act()

        hooks.before_request = between
        hints = _look_meanwhile(draw, world, refresher, wiki, stores)
        await asyncio.gather(_sync(synchroniser, wiki), hints)
        hooks.before_request = lambda: None
        _check(seed, world, stores.stored, tally)
        await _sync(synchroniser, wiki)
        _check_settled(seed, world, stores.stored, lags, tally)
    tally.cases += 1
    tally.acts += len(world.acts)
    tally.texts += world.texts


async def _sync(synchroniser: Synchroniser, wiki: ConfluenceWiki) -> None:
    with suppress(WikiWhyError):  # a space that cannot be listed while it changes is kept
        await synchroniser.sync_all(wiki, ["ENG", "OPS"], "2026-01-01", lambda _: None)


async def _look_meanwhile(
    draw: random.Random, world: World, refresher: PageRefresher, wiki: ConfluenceWiki, stores: MemoryStores
) -> None:
    """Follow webhooks during a sync. The product separates them by a lock, which is missing here."""
    for _ in range(draw.choice([0, 0, 1, 3])):
        for _ in range(draw.randint(0, 30)):
            await asyncio.sleep(0)
        with suppress(WikiWhyError):
            await refresher.refresh(wiki, Hint("ENG", draw.choice(list(world.site.pages))))


def _shown_text(page: SitePage) -> str:
    """Return what only this version of the page shows: its body, or the title of a folder."""
    return f"{page.page_id} {page.title}" if page.kind == "folder" else page.body


def _check(seed: str, world: World, stored: Sequence[Page], tally: Tally) -> None:
    for page in stored:
        for name in PEOPLE:
            if not world.scope_of(name).admits(page.space, page.read_restrictions):
                continue
            files = [file.content for file in page.files if file.content]
            for text in (world.text_of(page), *(comment.content for comment in page.comments), *files):
                if name not in world.could_read[text]:
                    tally.kinds["readable at no time"] += 1
                    tally.violations.append(f"{seed}: {name} may read {page.page_id} with {text}")


def _check_settled(seed: str, world: World, stored: Sequence[Page], lags: bool, tally: Tally) -> None:
    """Check the state after the last sync. ``lags``: the search does not find new content."""
    for page in stored:
        for name in PEOPLE:
            if world.scope_of(name).admits(page.space, page.read_restrictions):
                now = world.site.pages.get(page.page_id)
                is_old = now is None or _shown_text(now) != world.text_of(page)
                if is_old or not world.may_read_now(name, page.page_id):
                    tally.kinds["still readable"] += 1
                    tally.violations.append(f"{seed}: {name} may still read {page.page_id} with {page.content}")
        left = {(each.comment_id, each.body, each.resolved) for each in world.site.comments_of(page.page_id)}
        if gone := {(each.comment_id, each.content, each.resolved) for each in page.comments} - left:
            tally.kinds["comment still there"] += 1
            tally.violations.append(f"{seed}: {page.page_id} still has {gone}")
        elif len(left) > len(page.comments) and world.may_read_now(_SOURCE_ACCOUNT, page.page_id) and not lags:
            tally.kinds["comment lost"] += 1
            tally.violations.append(f"{seed}: {page.page_id} lacks comments of {left}")
        _check_files(seed, world, page, tally)
    texts = {page.content for page in stored}
    for now in world.site.pages.values():
        synced = now.kind != "folder" and now.status == "current" and world.site.may_read(_SOURCE_ACCOUNT, now)
        if synced and now.body not in texts:
            tally.kinds["lost"] += 1
            tally.violations.append(f"{seed}: {now.page_id} is not stored as it is now")


def _check_files(seed: str, world: World, page: Page, tally: Tally) -> None:
    attached = {(each.attachment_id, each.content.decode()) for each in _attached_to(world, page.page_id)}
    if gone_files := {(file.file_id, file.content) for file in page.files} - attached:
        tally.kinds["file still there"] += 1
        tally.violations.append(f"{seed}: {page.page_id} still has {gone_files}")
    elif len(attached) > len(page.files) and world.may_read_now(_SOURCE_ACCOUNT, page.page_id):
        tally.kinds["file lost"] += 1
        tally.violations.append(f"{seed}: {page.page_id} lacks files of {attached}")


def _attached_to(world: World, page_id: str) -> list[Attachment]:
    return world.site.pages[page_id].attachments if page_id in world.site.pages else []


class _PlainReader:
    """Reads files without a process."""

    def accepts(self, name: str) -> bool:
        return True

    async def read(self, name: str, content: bytes) -> FileText:
        return FileText(content.decode())


@contextmanager
def _served(
    world: World, http: bool, files: FileTexts
) -> Iterator[tuple[ConfluenceWiki, DirectSite | ConfluenceServer]]:
    server: DirectSite | ConfluenceServer
    if not http:
        server = DirectSite(world.site, world.flavour)
        with closing(_client(server, files)) as wiki:
            server.connect(wiki)
            yield wiki, server
        return
    with ConfluenceServer(world.site, world.flavour) as server, closing(_client(server, files)) as wiki:
        yield wiki, server


def _client(server: DirectSite | ConfluenceServer, files: FileTexts) -> ConfluenceWiki:
    account = server.email if server.flavour == "cloud" else ""
    return ConfluenceWiki(Connection(server.url, server.token, account, concurrency=2), server.flavour, files=files)


def run(cases: int, seed: int, http: bool = False) -> Tally:
    """Run ``count`` cases, half of each flavour."""
    tally = Tally()

    async def run_all() -> None:
        for number in range(cases):
            flavour: Flavour = "cloud" if number % 2 else "datacenter"
            await run_case(f"{seed}/{number}", flavour, tally, http)

    asyncio.run(run_all())
    return tally


def main(argv: list[str]) -> int:
    """Print the results. Return 1 for a violation."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.security versions")
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--http", action="store_true", help="over real HTTP, which is slow")
    options = parser.parse_args(argv)
    began = time.perf_counter()
    tally = run(options.cases, options.seed, options.http)
    for violation in tally.violations[:20]:
        print(violation)
    print("cases   acts   requests   texts   violations   seconds")
    print(
        f"{tally.cases}   {tally.acts}   {tally.requests}   {tally.texts}   {len(tally.violations)}   "
        f"{time.perf_counter() - began:.0f}"
    )
    print(dict(tally.kinds))
    return 1 if tally.violations else 0
