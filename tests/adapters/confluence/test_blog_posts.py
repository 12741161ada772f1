"""Blog posts of Confluence: read, restricted and deleted like pages."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.model import Evidence, Scope
from tests.adapters.confluence.reading import answering, pages_of, reading
from tests.core.indexing.parts import Stores
from tests.servers.confluence.contents import many_pages
from tests.servers.confluence.request import Flavour
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site

MAY = datetime(2026, 5, 3, 9, 0, tzinfo=UTC)


@pytest.fixture
def small() -> Site:
    """A space with two pages and a blog post."""
    site = many_pages(2, "ENG")
    site.add_user("ann")
    body = "<p>The tenor is back.</p><h2>Thanks</h2><p>To all ringers.</p>"
    site.add_page("ENG", "News", body, page_id="77", kind="blogpost", modified=MAY)
    return site


async def evidences_of(home: Stores, page_id: str, *principals: str) -> list[Evidence]:
    found = await home.read_evidences(Scope(principals=frozenset(principals)))
    return [evidence for evidence in found if evidence.page_id == page_id]


async def test_a_blog_post_says_when_it_was_published(home: Stores, small: Site, flavour: Flavour) -> None:
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        (report,) = await home.sync(wiki)
        assert (report.pages.added, report.errors, report.warnings) == (3, [], [])
        first, second = await evidences_of(home, "77")
        assert first.context.heading_path == ("Blog post of 3 May 2026",)
        assert second.context.heading_path == ("Blog post of 3 May 2026", "Thanks")
        server.forget()
        (report,) = await home.sync(wiki)
    assert (report.pages.unchanged, server.sent_bodies.total()) == (3, 0)
    assert "77" in first.url


async def test_what_people_do_to_a_blog_post_is_followed(home: Stores, small: Site, flavour: Flavour) -> None:
    ann = small.users["ann"]
    principal = f"user:{ann.account_id if flavour == 'cloud' else ann.name}"
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
        small.edit_body("77", "<p>Edited.</p>")
        small.add_comment("77", "<p>Hear, hear.</p>", author="ann", written=MAY)
        await home.sync(wiki)
        assert [each.text for each in await evidences_of(home, "77")] == ["Edited.", "Hear, hear."]
        small.restrict("77", users=["ann"])
        await home.sync(wiki)
        assert await evidences_of(home, "77") == []
        assert [each.text for each in await evidences_of(home, "77", principal)] == ["Edited.", "Hear, hear."]
        small.trash("77")
        await home.sync(wiki)
        assert "77" not in await answering(home, principal)


async def test_a_blog_post_is_found_by_itself(small: Site, flavour: Flavour) -> None:
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        assert await wiki.find_page("77") == replace((await pages_of(wiki, "ENG"))["News"], labels=None)
        small.restrict("77", users=["ann"], and_syncing=False)
        assert await wiki.find_page("77") is None
