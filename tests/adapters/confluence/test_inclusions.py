"""Pages that Confluence pages include, from the real client into real indexes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.folder.wiki import FolderWiki
from core.model import Scope
from tests.adapters.confluence.reading import reading
from tests.core.indexing.parts import Stores
from tests.core.indexing.test_children import children
from tests.core.indexing.test_inclusions import include
from tests.core.indexing.test_reports import properties, report
from tests.servers.confluence.request import Flavour
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site


@pytest.fixture
def small() -> Site:
    """Two spaces; one page includes a page of its own space, another one a page of the other space."""
    site = Site()
    for name in ("ann", "bob"):
        site.add_user(name)
    for space in ("ENG", "OPS"):
        site.add_space(space)
    site.add_page("ENG", "Door", "<p>The door is 07.</p>")
    site.add_page("ENG", "Handbook", f"<h2>Entry</h2>{include('Door')}")
    site.add_page("OPS", "Night duty", f"<h2>Way in</h2>{include('Door', space='ENG')}")
    return site


def find_page(site: Site, title: str) -> str:
    return next(page.page_id for page in site.pages.values() if page.title == title)


async def read_included(home: Stores, scope: Scope) -> list[str]:
    """Return the evidences of inclusions that this account gets, by page."""
    return sorted(f"{each.context.title}: {each.text}" for each in await home.read_evidences(scope) if each.origin)


async def read_rows(home: Stores, scope: Scope) -> list[str]:
    """Return the evidences of reports that this account gets, by row."""
    found = [each for each in await home.read_evidences(scope) if each.origin and each.kind == "table_row"]
    return sorted(", ".join(value for _, value in each.rows[0]) for each in found)


async def test_included_pages_follow_their_text_and_readers(home: Stores, small: Site, flavour: Flavour) -> None:
    door = find_page(small, "Door")
    ann = small.users["ann"]
    both = Scope(principals=frozenset({f"user:{ann.account_id if flavour == 'cloud' else 'ann'}"}))
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
        shown = ["Handbook: The door is 07.", "Night duty: The door is 07."]
        assert await read_included(home, both) == await read_included(home, Scope()) == shown
        assert await read_included(home, Scope(frozenset({"OPS"}))) == []
        assert await read_included(home, Scope(frozenset({"ENG"}))) == shown[:1]
        small.restrict(door, users=["ann"])
        server.sent_bodies.clear()
        await home.sync(wiki)
        assert await read_included(home, Scope()) == []
        assert await read_included(home, both) == shown
        small.edit_body(door, "<p>The door is 09.</p>")
        await home.sync(wiki)
        assert await read_included(home, both) == ["Handbook: The door is 09.", "Night duty: The door is 09."]
        small.trash(door)
        await home.sync(wiki)
        assert await read_included(home, both) == []
        assert set(server.sent_bodies) <= {door}


async def test_includes_in_comments_and_included_pages_are_for_the_readers_of_all(
    home: Stores, small: Site, flavour: Flavour
) -> None:
    handbook = find_page(small, "Handbook")
    guide = small.add_page("ENG", "Guide", include("Handbook")).page_id
    small.add_comment(guide, f"<p>See:</p>{include('Door')}")
    both = [f"user:{small.users[name].account_id if flavour == 'cloud' else name}" for name in ("ann", "bob")]
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
        of_guide = ["Guide: The door is 07."] * 2
        assert (await read_included(home, Scope()))[:2] == of_guide
        small.restrict(handbook, users=["ann"])
        await home.sync(wiki)
        assert (await read_included(home, Scope())).count(of_guide[0]) == 1
        small.restrict(find_page(small, "Door"), users=["bob"])
        await home.sync(wiki)
        assert await read_included(home, Scope(principals=frozenset(both[:1]))) == []
        assert (await read_included(home, Scope(principals=frozenset(both[1:])))).count(of_guide[0]) == 1
        assert (await read_included(home, Scope(principals=frozenset(both)))).count(of_guide[0]) == 2


async def test_a_page_that_is_not_synced_yet_or_any_more_shows_nothing(
    home: Stores, small: Site, flavour: Flavour
) -> None:
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        await home.sync_spaces(wiki, "OPS")
        assert await read_included(home, Scope()) == []
        server.sent_bodies.clear()
        await home.sync_spaces(wiki, "ENG")
        assert await read_included(home, Scope()) == ["Handbook: The door is 07.", "Night duty: The door is 07."]
        assert server.sent_bodies[find_page(small, "Night duty")] == 1  # another page may have had the title before
        server.sent_bodies.clear()
        await home.sync_spaces(wiki, "ENG")
        assert not server.sent_bodies
        await home.indexer.drop(await home.stores.spaces.forget("ENG"))
        assert await read_included(home, Scope()) == []


async def test_a_page_renamed_before_the_first_sync_of_its_space_is_found_by_its_new_title(
    home: Stores, small: Site, flavour: Flavour
) -> None:
    door, duty = find_page(small, "Door"), small.pages[find_page(small, "Night duty")]
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        await home.sync_spaces(wiki, "OPS")
        small.rename(door, "Front door")
        duty.body = duty.body.replace("Door", "Front door")  # as Confluence does, without a new version
        server.sent_bodies.clear()
        await home.sync_spaces(wiki, "ENG")
        assert await read_included(home, Scope()) == ["Night duty: The door is 07."]
        assert server.sent_bodies[duty.page_id] == 1
        server.sent_bodies.clear()
        await home.sync(wiki)
        assert not server.sent_bodies


async def test_rows_of_a_report_are_for_the_readers_of_their_pages(home: Stores, small: Site, flavour: Flavour) -> None:
    for number, users in enumerate(((), ("ann",))):
        page = small.add_page("ENG", f"Project {number}", properties(Status=f"open {number}"), labels=["project"])
        if users:
            small.restrict(page.page_id, users=list(users))
    small.add_page("OPS", "Projects", report('label = "project" and space = "ENG"'))
    ann = Scope(principals=frozenset({f"user:{small.users['ann'].account_id if flavour == 'cloud' else 'ann'}"}))
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
    assert await read_rows(home, Scope()) == ["Project 0, open 0"]
    assert await read_rows(home, ann) == ["Project 0, open 0", "Project 1, open 1"]
    assert await read_rows(home, replace(ann, spaces=frozenset({"OPS"}))) == []


async def test_child_pages_follow_moves_and_readers_without_being_read(
    home: Stores, small: Site, flavour: Flavour
) -> None:
    top = small.add_page("ENG", "Teams", children(all="true")).page_id
    bells = small.add_page("ENG", "Bells", parent=top).page_id
    below = small.add_page("ENG", "Folder", parent=bells, kind="folder" if flavour == "cloud" else "page").page_id
    small.add_page("ENG", "Clappers", parent=below)
    in_folder = ["Clappers"] if flavour == "cloud" else []  # which the folder itself shows
    ann = Scope(principals=frozenset({f"user:{small.users['ann'].account_id if flavour == 'cloud' else 'ann'}"}))
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
        assert await read_rows(home, Scope()) == sorted(["Bells", "Clappers", "Folder", *in_folder])
        server.sent_bodies.clear()
        small.restrict(below, users=["ann"])
        await home.sync(wiki)
        assert await read_rows(home, Scope()) == ["Bells"]
        assert await read_rows(home, ann) == sorted(["Bells", "Clappers", "Folder", *in_folder])
        small.move(below, parent=None)
        await home.sync(wiki)
        assert await read_rows(home, ann) == ["Bells", *in_folder]
        assert not server.sent_bodies


async def test_a_folder_s_pages_show_each_other_too(home: Stores, tmp_path: Path) -> None:
    contents = {
        "Handbook": include("Door") + report('label = "project"'),
        "Door": "<p>The door is 07.</p>",
        "Bells": properties(Status="open"),
    }
    for number, (title, content) in enumerate(contents.items()):
        labels = ["project"] if title == "Bells" else []
        page = {"id": str(number), "space": "DOC", "title": title, "content": content, "labels": labels}
        (tmp_path / f"{number}.json").write_text(json.dumps(page))
    await home.sync(FolderWiki(tmp_path))
    assert await read_rows(home, Scope()) == ["Bells, open"]
    assert "Handbook: The door is 07." in await read_included(home, Scope())
