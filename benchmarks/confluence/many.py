"""A space of thousands of short pages: memory during the sync, and the cost of a sync without changes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from benchmarks.confluence.served import FOLDER, sync
from benchmarks.figure import Figure, at_most
from tests.servers.confluence import ConfluenceServer, Flavour, many_pages

_LISTINGS = r"/(pages|blogposts)$|/rest/api/content$|/spaces?(/|$)"


def measure_many(pages: int) -> list[Figure]:
    """Measure a first sync of Cloud, then of Data Center, whose texts are the same and not embedded again."""
    return [figure for flavour in ("cloud", "datacenter") for figure in _measured(flavour, pages)]


def _measured(flavour: Flavour, pages: int) -> Iterator[Figure]:
    name, data = f"{pages:,} pages, {flavour}", FOLDER / f"many-{flavour}"
    shutil.rmtree(data, ignore_errors=True)
    if flavour == "datacenter":
        shutil.copytree(FOLDER / "many-cloud", data)
    with ConfluenceServer(many_pages(pages), flavour) as server:
        first = sync(server, data, "BIG", "--full")
        note = (
            f"{first.total('embedded'):,} texts embedded, {first.seconds:.0f} s, {first.total('requests'):,} requests"
        )
        yield Figure(f"{name}: memory of a full sync", "MB", first.peak, at_most(1000), note)
        server.forget()
        again = sync(server, data, "BIG")
        listing, restrictions = len(server.asked(_LISTINGS)), len(server.requests) - len(server.asked(_LISTINGS))
        bodies = server.sent_bodies.total()
    allowed = at_most(pages // 100 + 10)
    (space,) = again.spaces
    missing = pages - space["pages"]["unchanged"]
    yield Figure(f"{name}: changed, though nothing was", "pages", missing, at_most(0))
    yield Figure(f"{name}, no change: bodies fetched", "pages", bodies, at_most(0), f"{again.seconds:.1f} s")
    yield Figure(f"{name}, no change: embedded", "texts", again.total("embedded"), at_most(0))
    yield Figure(f"{name}, no change: requests for the listing", "", listing, allowed)
    of_both = "read with the listing" if flavour == "datacenter" else "by the search"
    yield Figure(f"{name}, no change: requests for restrictions", "", restrictions, allowed, of_both)
    yield Figure(f"{name}, no change: memory", "MB", again.peak, at_most(1000))
