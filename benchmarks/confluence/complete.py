"""Completeness: every page that the account may read is found, with short listing pages and with refused requests."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from benchmarks.confluence.served import FOLDER, Synced, client, sync
from benchmarks.confluence.state import read_state
from benchmarks.figure import Figure, at_least
from core.ports.wiki import ListedPage
from tests.servers.confluence import ConfluenceServer, Flavour, Limits, Site, from_documents
from tests.servers.confluence.faults import too_many_requests, unavailable

_CAP = 25
_REFUSED = 0.3


def measure_complete(documents: Path, synced: Path) -> list[Figure]:
    """Measure the client on ``documents``, and the command with refusals on ``synced``, which has few texts."""
    flavours: tuple[Flavour, ...] = ("cloud", "datacenter")
    figures = [measure_found(flavour, documents, refused) for refused in (0.0, _REFUSED) for flavour in flavours]
    return figures + [_synced(flavour, synced) for flavour in flavours]


def measure_found(flavour: Flavour, documents: Path, refused: float) -> Figure:
    """Return the share of readable pages whose right body the client returns; 0 if it returns other pages too."""
    site = from_documents(documents)
    for page_id in list(site.pages)[::10]:
        site.hide(page_id)
    readable = {page.page_id: page for page in site.pages.values() if site.may_read(site.syncing, page)}
    with ConfluenceServer(site, flavour, limits=Limits(cap=_CAP)) as server:
        if refused:
            server.faults.share(refused, too_many_requests(0.01), too_many_requests(), unavailable())
        read = asyncio.run(_read(server))
        asked = len(server.requests)
    right = sum(read.get(page_id) == page.body for page_id, page in readable.items())
    share = 0.0 if read.keys() - readable.keys() else right / len(readable)
    name = f"pages found and read, {flavour}, {_CAP} at once" + (f", {refused:.0%} refused" if refused else "")
    return Figure(
        name, "", share, at_least(1), f"{right} of {len(readable)} that may be read; {asked} requests to {server.url}"
    )


async def _read(server: ConfluenceServer) -> dict[str, str]:
    with client(server) as wiki:
        spaces = await wiki.list_spaces()
        items = [item for space in spaces async for item in wiki.list_pages(space)]
        listed = [item for item in items if isinstance(item, ListedPage)]
        pages = await asyncio.gather(*(wiki.read_page(each) for each in listed))
    return {page.page_id: page.content for page in pages}


def _synced(flavour: Flavour, documents: Path) -> Figure:
    """Run the real command with its waits. Return the pages that are in the store and answer."""
    data = FOLDER / "refused"
    shutil.rmtree(data, ignore_errors=True)
    site = from_documents(documents)
    with ConfluenceServer(site, flavour, limits=Limits(cap=_CAP)) as server:
        server.faults.share(_REFUSED, too_many_requests(0.05), too_many_requests(), unavailable())
        done = sync(server, data, *site.spaces)
    stored = len(read_state(data).answering)
    note = f"{stored} of {len(site.pages)}; {_waits(done)}, {done.seconds:.0f} s"
    return Figure(f"pages synced, {flavour}, {_REFUSED:.0%} refused", "", stored / _texts(site), at_least(1), note)


def _texts(site: Site) -> int:
    """Return the pages that have text."""
    return sum(bool(page.body.strip()) for page in site.pages.values())


def _waits(done: Synced) -> str:
    return f"{done.total('waits')} waits after {done.total('requests')} requests"
