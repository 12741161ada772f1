"""Accounts, groups, e-mail addresses and readers, over HTTP from either flavour."""

from __future__ import annotations

import pytest

from core.errors import LookupUnsupported, SpaceUnknown, WikiUnavailable
from core.ports.wiki import Account, SpaceReaders
from tests.adapters.confluence.reading import reading
from tests.servers.confluence import faults
from tests.servers.confluence.server import ConfluenceServer


def id_of(server: ConfluenceServer, name: str) -> str:
    return server.site.users[name].account_id if server.flavour == "cloud" else name


async def test_an_account_is_active_or_not_or_there_is_none(confluence: ConfluenceServer) -> None:
    site = confluence.site
    site.add_user("ada")
    site.add_user("ben").active = False
    ada, ben = id_of(confluence, "ada"), id_of(confluence, "ben")
    with reading(confluence) as wiki:
        assert await wiki.find_account(ada) == Account(ada, active=True)
        found = await wiki.find_account(ben)
        assert found is not None
        assert not found.active
        for nobody in ("nobody", 'a" or type=user', "", "ada@hollerbell.example"):
            assert await wiki.find_account(nobody) is None


async def test_on_cloud_guests_are_told_and_who_may_not_use_the_site_is_not_active(
    confluence_cloud: ConfluenceServer,
) -> None:
    site = confluence_cloud.site
    guest, other = site.add_user("guest", everyone=False), site.add_user("other", everyone=False)
    guest.guest = True
    with reading(confluence_cloud) as wiki:
        assert await wiki.find_account(guest.account_id) == Account(guest.account_id, active=True, guest=True)
        assert await wiki.find_account(other.account_id) == Account(other.account_id, active=False, guest=True)


async def test_all_groups_of_an_account_are_found_whatever_the_server_caps(confluence: ConfluenceServer) -> None:
    site = confluence.site
    site.add_user("ada")
    site.add_user("ben")
    wanted = {f"crew {number}" for number in range(230)}
    for name in wanted:
        site.add_group(name, ["ada"])
    confluence.limits.cap = 25
    with reading(confluence) as wiki:
        assert await wiki.find_groups(id_of(confluence, "ada")) == wanted | {"confluence-users"}
        assert len(confluence.asked("memberof")) == 10
        assert await wiki.find_groups(id_of(confluence, "ben")) == {"confluence-users"}


async def test_a_list_of_groups_that_breaks_off_is_no_shorter_list(confluence: ConfluenceServer) -> None:
    confluence.site.add_user("ada")
    for number in range(30):
        confluence.site.add_group(f"crew {number}", ["ada"])
    confluence.limits.cap = 25
    confluence.faults.on(r"memberof.*start=25", faults.truncated_json())
    with (
        reading(confluence) as wiki,
        pytest.raises(WikiUnavailable, match=r"The groups of account .* cannot be listed"),
    ):
        await wiki.find_groups(id_of(confluence, "ada"))


async def test_cloud_tells_the_addresses_that_are_shown(confluence_cloud: ConfluenceServer) -> None:
    site = confluence_cloud.site
    people = [site.add_user(f"ringer {number}", email=f"ringer.{number}@example.org") for number in range(60)]
    for person in site.users.values():
        person.email_visible = True
    site.leave("confluence-users", "ringer 3")
    people[3].guest = True
    confluence_cloud.limits.cap = 25
    members = [site.users[name] for name in site.groups["confluence-users"].members]
    wanted = {(person.email, person.account_id) for person in (*members, people[3])}
    with reading(confluence_cloud) as wiki:
        told = await wiki.list_emails()
        assert (set(told.of_accounts), told.complete) == (wanted, True)
        people[7].email_visible = False
        told = await wiki.list_emails()
        assert set(told.of_accounts) == wanted - {(people[7].email, people[7].account_id)}
        assert not told.complete


async def test_data_center_tells_addresses_to_administrators_alone(confluence_data_center: ConfluenceServer) -> None:
    site = confluence_data_center.site
    site.add_user("ada", email="shared@example.org")
    site.add_user("ben", email="shared@example.org")
    site.add_user("cam", email="cam@example.org").active = False
    with reading(confluence_data_center) as wiki:
        with pytest.raises(LookupUnsupported, match=r"E-mail addresses cannot be looked up.*forbids this \(403"):
            await wiki.list_emails()
        site.users[site.syncing].super_user = True
        told = await wiki.list_emails()
    assert (site.users[site.syncing].email, site.syncing) in told.of_accounts
    others = {pair for pair in told.of_accounts if not pair[0].endswith("@hollerbell.example")}
    assert others == {("shared@example.org", "ada"), ("shared@example.org", "ben")}
    assert told.complete


async def test_what_an_old_data_center_cannot_tell_is_not_nobody(confluence_data_center: ConfluenceServer) -> None:
    confluence_data_center.version = (8, 5)
    with reading(confluence_data_center) as wiki, pytest.raises(LookupUnsupported, match="The readers of space ENG"):
        await wiki.find_readers("ENG")


async def test_a_server_that_is_down_or_refuses_is_not_nobody(confluence: ConfluenceServer) -> None:
    confluence.site.add_user("ada")
    ada = id_of(confluence, "ada")
    with reading(confluence) as wiki:
        confluence.faults.on("", faults.error(500))
        for work in (wiki.find_account(ada), wiki.find_groups(ada), wiki.find_readers("ENG"), wiki.list_emails()):
            with pytest.raises(WikiUnavailable):
                await work
        confluence.faults.clear()
        confluence.revoke(confluence.token)
        for work in (wiki.find_account(ada), wiki.find_groups(ada), wiki.find_readers("ENG"), wiki.list_emails()):
            with pytest.raises(WikiUnavailable, match="refuses the credentials"):
                await work


async def test_the_readers_of_a_space_that_is_not_seen_are_not_told(confluence: ConfluenceServer) -> None:
    confluence.site.add_space("SECRET", groups=[])
    with reading(confluence) as wiki, pytest.raises(SpaceUnknown):
        await wiki.find_readers("SECRET")


def test_readers_admit_who_is_named_and_guests_only_then() -> None:
    ada, guest = Account("ada", True), Account("ada", True, guest=True)
    mine = {"user:ada", "group:crew"}
    for named in ("user:ada", "group:crew"):
        assert SpaceReaders(frozenset({named, "group:board"})).admit(guest, mine)
    assert not SpaceReaders(frozenset({"user:ben", "group:ada", "user:crew"})).admit(ada, mine)
    assert not SpaceReaders().admit(ada, mine)
    assert SpaceReaders(everybody=True).admit(ada, mine)
    assert not SpaceReaders(everybody=True).admit(guest, mine)
    assert SpaceReaders(anonymous=True).admit(guest, mine)
