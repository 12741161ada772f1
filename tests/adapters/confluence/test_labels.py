"""Labels do not change the version of their page: a listing finds the pages whose labels changed."""

from __future__ import annotations

import pytest

from core.model import Scope
from tests.adapters.confluence.reading import reading
from tests.adapters.confluence.test_inclusions import read_rows
from tests.core.indexing.parts import Stores
from tests.core.indexing.test_reports import properties, report
from tests.servers.confluence.request import Flavour
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site


@pytest.fixture
def small() -> Site:
    site = Site()
    site.add_space("ENG")
    for name in ("Bells", "Pipes"):
        site.add_page("ENG", name, properties(Status=f"{name} open"), labels=["project"])
    site.add_page("ENG", "Projects", report('label = "project"'))
    return site


async def labels_of(home: Stores, page_id: str) -> tuple[str, ...]:
    (facts,) = await home.stores.evidences.find_facts([page_id], [], Scope())
    assert facts.facts is not None
    return facts.facts.labels


async def test_only_pages_with_other_labels_are_read_again(home: Stores, small: Site, flavour: Flavour) -> None:
    bells = next(page.page_id for page in small.pages.values() if page.title == "Bells")
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
        assert await read_rows(home, Scope()) == ["Bells, Bells open", "Pipes, Pipes open"]
        (unchanged,) = await home.sync(wiki)
        server.sent_bodies.clear()
        small.label(bells, "done", "old")
        (report,) = await home.sync(wiki)
        assert server.sent_bodies == {bells: 1}
        assert await read_rows(home, Scope()) == ["Pipes, Pipes open"]
        assert await labels_of(home, bells) == ("done", "old")
        (after,) = await home.sync(wiki)
        assert (report.pages.updated, after.pages.unchanged) == (1, 3)
        assert after.traffic.requests == unchanged.traffic.requests
        assert server.sent_bodies == {bells: 1}


async def test_labels_that_only_the_syncing_account_has_do_not_count(
    home: Stores, small: Site, flavour: Flavour
) -> None:
    bells = next(page.page_id for page in small.pages.values() if page.title == "Bells")
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
        server.sent_bodies.clear()
        small.label(bells, "project", "my:favourite")
        await home.sync(wiki)
        assert not server.sent_bodies
        small.label(bells, "project", "my:favourite", "new")
        await home.sync(wiki)
        assert await labels_of(home, bells) == ("project", "new")


async def test_a_page_that_the_search_lacks_keeps_its_labels(home: Stores, small: Site) -> None:
    with ConfluenceServer(small, "cloud") as server, reading(server) as wiki:
        small.stop_index()
        late = small.add_page("ENG", "Reeds", "<p>Reeds.</p>", labels=["project"]).page_id
        await home.sync(wiki)
        server.sent_bodies.clear()
        await home.sync(wiki)
        assert not server.sent_bodies
        small.label(late, "done")
        small.start_index()
        await home.sync(wiki)
        assert await labels_of(home, late) == ("done",)
