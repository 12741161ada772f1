"""People whom pages mention: names after a sync, new names after the next one, and the requests for them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from adapters.confluence.wiki import ConfluenceWiki
from core.indexing.report import SpaceReport
from core.model import Scope
from tests.adapters.confluence.reading import reading
from tests.core.indexing.parts import Stores
from tests.servers.confluence import ConfluenceServer, Flavour, Site
from tests.servers.confluence.faults import error

NOON = "2026-05-01T12:00:00+00:00"
LATER = "2026-05-01T12:05:00+00:00"


@dataclass
class World:
    home: Stores
    site: Site
    server: ConfluenceServer
    wiki: ConfluenceWiki

    async def sync(self, now: str = NOON) -> SpaceReport:
        self.server.forget()
        self.home.embedder.embedded.clear()
        reports = await self.home.sync_spaces(self.wiki, "ENG", now=now)
        await self.home.state()  # checks that indexes and store agree
        return reports[0]

    async def text(self) -> str:
        return "\n".join(sorted(evidence.text for evidence in await self.home.read_evidences()))

    async def facts(self, title: str) -> str:
        found = await self.home.stores.evidences.find_facts([], [title], Scope())
        return found[0].text


@pytest.fixture
async def world(home: Stores, flavour: Flavour) -> AsyncIterator[World]:
    site = Site()
    site.add_space("ENG")
    mara, bo = site.add_user("mara", "Mara Lind"), site.add_user("bo", "Bo Hall")
    lead = f"<tr><td>Lead</td><td>{mara.mention(flavour)}</td></tr>"
    table = (
        f"<table><tr><th>Role</th><th>Who</th></tr>{lead}<tr><td>Deputy</td><td>{bo.mention(flavour)}</td></tr></table>"
    )
    site.add_page("ENG", "Team", f"<p>The ringers meet on Monday.</p>{table}", author="mara")
    site.add_page(
        "ENG",
        "Ropes",
        f"<p>Ask {mara.mention(flavour)} for ropes.</p><h2>Storage</h2><p>In the cellar.</p>",
        author="bo",
    )
    site.add_page("ENG", "Hours", "<p>The tower opens at nine.</p>")
    with ConfluenceServer(site, flavour) as server, reading(server) as wiki:
        yield World(home, site, server, wiki)


async def test_mentions_become_names(world: World) -> None:
    report = await world.sync()
    text = await world.text()
    assert "Role is Lead, and Who is Mara Lind" in text
    assert "Ask Mara Lind for ropes." in text
    assert "@" not in text
    assert report.people.error == ""
    people = {person.name for evidence in await world.home.read_evidences() for person in evidence.people}
    assert people == {"Mara Lind", "Bo Hall"}
    assert "by Mara Lind" in await world.facts("Team")


async def test_a_new_name_is_there_after_the_next_sync_and_no_page_is_read_for_it(world: World) -> None:
    await world.sync()
    before = {evidence.evidence_id for evidence in await world.home.read_evidences()}
    world.site.call("mara", "Mara van den Berg")
    report = await world.sync(LATER)
    text = await world.text()
    assert "Mara Lind" not in text
    assert "Ask Mara van den Berg for ropes." in text
    assert "by Mara van den Berg" in await world.facts("Team")
    assert not world.server.sent_bodies
    assert world.home.embedder.embedded
    assert all("Mara van den Berg" in embedded for embedded in world.home.embedder.embedded)
    assert (report.pages.unchanged, report.people.renamed) == (3, 2)
    assert {evidence.evidence_id for evidence in await world.home.read_evidences()} == before

    report = await world.sync(LATER)
    assert (report.people.renamed, world.home.embedder.embedded) == (0, [])


async def test_a_deactivated_person_keeps_the_name_and_a_hidden_one_is_a_former_user(world: World) -> None:
    await world.sync()
    world.site.deactivate("mara")
    world.site.hide_person("bo")
    await world.sync(LATER)
    text = await world.text()
    assert "Ask Mara Lind for ropes." in text
    assert "Who is former user" in text
    assert "Bo Hall" not in text


async def test_who_was_deactivated_before_the_first_sync_has_the_name(world: World) -> None:
    world.site.deactivate("mara")
    await world.sync()
    text = await world.text()
    assert "Ask Mara Lind for ropes." in text
    assert "Deactivated" not in text


async def test_who_was_gone_before_the_first_sync_is_a_former_user_everywhere(world: World, flavour: Flavour) -> None:
    bo, page_id = world.site.users["bo"], next(iter(world.site.pages))
    world.site.add_comment(page_id, f"<p>Ask {bo.mention(flavour)}.</p>", author="bo")
    world.site.hide_person("bo")
    await world.sync()
    text = await world.text()
    headings = {evidence.heading.split(",")[0] for evidence in await world.home.read_evidences()}
    assert "Ask former user." in text
    assert "In a comment by former user" in headings
    facts = await world.facts("Ropes")
    assert "by former user" in facts
    assert all(name not in f"{text} {headings} {facts}" for name in ("Former user", "Unknown User"))


async def test_where_names_cannot_be_looked_up_the_last_known_ones_stay_and_the_report_says_so(
    world: World, flavour: Flavour
) -> None:
    ida = world.site.add_user("ida", "Ida Falk")
    world.site.add_page("ENG", "Keys", f"<p>Ask {ida.mention(flavour)} for keys.</p>")
    await world.sync()
    world.site.call("ida", "Ida Berg")
    world.server.faults.on(r"/(users-bulk|rest/api/user\?)", error(403))
    report = await world.sync(LATER)
    assert "403" in report.people.error
    assert report.errors == []
    assert "Ask Ida Falk for keys." in await world.text()


async def test_where_names_cannot_be_looked_up_at_all_the_pages_are_read_all_the_same(world: World) -> None:
    world.server.faults.on(r"/(users-bulk|rest/api/user\?)", error(403))
    report = await world.sync()
    assert report.pages.added == 3
    assert "@user for ropes." in await world.text() or "Ask Mara Lind for ropes." in await world.text()
    world.server.faults.clear()
    await world.sync(LATER)
    assert "Ask Mara Lind for ropes." in await world.text()


async def test_a_cloud_without_the_bulk_lookup_is_asked_for_one_after_the_other(world: World) -> None:
    world.server.has_users_bulk = False
    await world.sync()
    assert "Ask Mara Lind for ropes." in await world.text()


async def test_names_are_asked_for_in_few_requests(world: World, flavour: Flavour) -> None:
    await world.sync()
    await world.sync(LATER)
    asked = world.server.asked("users-bulk|rest/api/user$")
    # Data Center's listing has the names of last editors, who are all the people here.
    assert len(asked) == (1 if flavour == "cloud" else 0)


async def test_a_person_who_edited_nothing_is_renamed_too(world: World, flavour: Flavour) -> None:
    ida = world.site.add_user("ida", "Ida Falk")
    world.site.add_page("ENG", "Keys", f"<p>Ask {ida.mention(flavour)} for keys.</p>", author="bo")
    await world.sync()
    world.site.call("ida", "Ida Berg")
    world.site.call("bo", "Bo Holm")
    await world.sync(LATER)
    text = await world.text()
    assert "Ask Ida Berg for keys." in text
    assert "Deputy, and Who is Bo Holm" in text
    assert len(world.server.asked("users-bulk|rest/api/user$")) == 1


async def test_people_whom_the_listing_names_are_asked_for_again_after_a_day(world: World, flavour: Flavour) -> None:
    await world.sync()
    await world.sync("2026-05-03T12:00:00+00:00")
    asked = world.server.asked("users-bulk|rest/api/user$")
    assert len(asked) == (1 if flavour == "cloud" else 3)


async def test_who_was_named_by_another_kind_of_wiki_before_a_migration_is_a_former_user(
    world: World, flavour: Flavour
) -> None:
    mara = world.site.users["mara"]
    world.site.add_page("ENG", "Old", f"<p>Ask {mara.mention('datacenter' if flavour == 'cloud' else 'cloud')}.</p>")
    world.site.add_page("ENG", "Strange", '<p>Call <ri:user ri:username="no such user"/>.</p>')
    await world.sync()
    text = await world.text()
    assert "Ask former user." in text
    assert "Call former user." in text


async def test_a_username_is_enough_on_data_center(world: World, flavour: Flavour) -> None:
    world.site.add_page("ENG", "Older", '<p>Call <ac:link><ri:user ri:username="mara"/></ac:link>.</p>')
    await world.sync()
    assert ("Call Mara Lind." if flavour == "datacenter" else "Call former user.") in await world.text()


async def test_who_changed_a_page_last_is_known_by_name(world: World) -> None:
    page_id = next(page.page_id for page in world.site.pages.values() if page.title == "Hours")
    world.site.edit_body(page_id, "<p>The tower opens at ten.</p>", editor="bo")
    await world.sync()
    assert "by Bo Hall" in await world.facts("Hours")


async def test_decisions_have_their_owners(world: World, flavour: Flavour) -> None:
    item = f"{world.site.users['bo'].mention(flavour)} buys the ropes"
    decision = f'<ac:adf-node type="decision-item"><ac:adf-content>{item}</ac:adf-content></ac:adf-node>'
    body = f'<ac:adf-extension><ac:adf-node type="decision-list">{decision}</ac:adf-node></ac:adf-extension>'
    world.site.add_page("ENG", "Decisions", body)
    await world.sync()
    assert "- Bo Hall buys the ropes" in await world.text()


async def test_a_group_is_called_by_its_name_and_nobody_is_asked_for_it(world: World) -> None:
    mention = '<ac:link><ri:group ri:group-name="bell-ringers"/></ac:link>'
    world.site.add_page("ENG", "Groups", f"<p>Call {mention} first.</p>")
    for now in (NOON, "2026-05-03T12:00:00+00:00"):  # names are asked for again after a day
        await world.sync(now)
        assert "Call bell-ringers first." in await world.text()
    asked = world.server.asked("users-bulk|rest/api/user$")
    assert not [request for request in asked if "bell-ringers" in str(request)]
