"""Who owns and created a space: a text of its home page, with current names."""

from __future__ import annotations

import pytest

from core.model import Scope
from tests.adapters.confluence.reading import reading
from tests.core.indexing.parts import Stores
from tests.servers.confluence import ConfluenceServer, Flavour, Site

NOON = "2026-05-01T12:00:00+00:00"
LATER = "2026-05-01T12:05:00+00:00"


@pytest.fixture
def site() -> Site:
    site = Site()
    site.add_space("ENG", "Bell Engineering")
    site.add_user("ann", "Ann Lee")
    site.add_user("bo", "Bo Hall")
    home = site.add_page("ENG", "Welcome", "<p>All about bells.</p>").page_id
    site.add_page("ENG", "Ropes", "<p>Ropes are in the cellar.</p>", parent=home)
    site.set_home("ENG", home, owner="ann", creator="bo")
    return site


async def texts(home: Stores, *principals: str) -> str:
    found = await home.read_evidences(Scope(principals=frozenset(principals)))
    return "\n".join(evidence.text for evidence in found)


async def test_the_home_page_tells_whose_space_it_is(home: Stores, site: Site, flavour: Flavour) -> None:
    with ConfluenceServer(site, flavour) as server, reading(server) as wiki:
        await home.sync(wiki, now=NOON)
    text = await texts(home)
    assert "The space Bell Engineering (ENG) was created by Bo Hall." in text
    assert text.count("Bell Engineering") == (2 if flavour == "cloud" else 1)
    assert ("The space Bell Engineering (ENG) is owned by Ann Lee." in text) == (flavour == "cloud")


async def test_a_new_owner_and_a_new_name_are_there_after_the_next_sync(
    home: Stores, site: Site, flavour: Flavour
) -> None:
    page_id = site.spaces["ENG"].home_id
    with ConfluenceServer(site, flavour) as server, reading(server) as wiki:
        await home.sync(wiki, now=NOON)
        server.forget()
        site.call("bo", "Bo Holm")
        await home.sync(wiki, now=LATER)
        assert "was created by Bo Holm." in await texts(home)
        assert not server.sent_bodies
        site.set_home("ENG", page_id, owner="bo", creator="bo")
        await home.sync(wiki, now=LATER)
        assert ("is owned by Bo Holm." in await texts(home)) == (flavour == "cloud")
        assert server.sent_bodies == ({page_id: 1} if flavour == "cloud" else {})
        server.forget()
        await home.sync(wiki, now=LATER)
        assert not server.sent_bodies


async def test_an_owner_without_a_name_is_left_out(home: Stores, site: Site, flavour: Flavour) -> None:
    site.hide_person("ann")
    site.hide_person("bo")
    with ConfluenceServer(site, flavour) as server, reading(server) as wiki:
        await home.sync(wiki, now=NOON)
    assert "The space" not in await texts(home)


async def test_whoever_may_not_read_the_home_page_is_not_told(home: Stores, site: Site, flavour: Flavour) -> None:
    site.restrict(site.spaces["ENG"].home_id, users=["ann"])
    ann = site.users["ann"]
    with ConfluenceServer(site, flavour) as server, reading(server) as wiki:
        await home.sync(wiki, now=NOON)
    assert "The space" not in await texts(home)
    assert "The space" in await texts(home, f"user:{ann.account_id if flavour == 'cloud' else ann.name}")
