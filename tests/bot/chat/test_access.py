"""Access rights: who may ask where, and who may see an answer again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.platform import SlackPlatform
from bot.chat.commands import HelpBuilder
from bot.settings import load_settings
from bot.wiring import Application, now, open_application
from core.access import Access, Channel, Channels, ChatAccess, Identities, IdentitySettings
from core.accounts import ChatAccounts
from core.errors import ChatRefused
from core.model import Scope
from core.model.reasons import NoAccessReason
from core.ports.chat import Audience, Capabilities, ChatPlatform, Member, Place
from core.ports.wiki import Account, Emails, SpaceReaders
from tests.contracts.examples import indexed_page, turn

SPACES = ("ENG", "HR", "OPS")
ANN, BOARD = frozenset({"user:ann"}), frozenset({"group:board"})
RESTRICTIONS = ((), (ANN,), (BOARD,), (ANN, BOARD))
PAGES = {
    f"{space}-{at}": indexed_page(f"{space}-{at}", space=space, read_restrictions=restrictions)
    for space in SPACES
    for at, restrictions in enumerate(RESTRICTIONS)
}


class Wiki:
    """Accounts of a wiki: ann is in the group board, bob in none; everybody reads all spaces but HR."""

    name = "confluence"

    async def find_account(self, account_id: str) -> Account | None:
        return Account(account_id, active=True)

    async def list_emails(self) -> Emails:
        return Emails((("ann@example.org", "ann"), ("bob@example.org", "bob")), complete=True)

    async def find_groups(self, account_id: str) -> frozenset[str]:
        return frozenset({"board"}) if account_id == "ann" else frozenset()

    async def find_readers(self, space: str) -> SpaceReaders:
        return SpaceReaders(BOARD) if space == "HR" else SpaceReaders(everybody=True)


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    with open_application(load_settings(data_dir=tmp_path_factory.mktemp("access"))) as application:
        asyncio.run(_filled(application))
        yield application


async def _filled(application: Application) -> None:
    await application.pages.replace(list(PAGES.values()))
    for space in SPACES:
        await application.spaces.finish_sync(space, "confluence", now(), "")


@dataclass
class Told:
    """A platform with a scripted member and audience."""

    capabilities: ClassVar[Capabilities] = SlackPlatform.capabilities

    person: Member | None = field(default_factory=lambda: Member("U1", "Ann"))  # None: the platform refuses
    readers: Audience = "own"

    async def find_member(self, place: Place, user: str) -> Member:
        if self.person is None:
            raise ChatRefused("Slack refuses users.info.")
        return replace(self.person, user=user)

    async def find_audience(self, place: Place) -> Audience:
        return self.readers


def access_of(
    application: Application, channels: Channels, defaults: frozenset[str], told: Told | None = None
) -> ChatAccess:
    platform = cast(ChatPlatform, told or Told())
    identities = Identities(
        Wiki(), ChatAccounts, application.spaces, lambda wiki_name: False, lambda: 0.0,
        IdentitySettings(lambda synced: defaults & frozenset(synced)),
    )  # fmt: skip
    return ChatAccess(
        identities, application.spaces, application.evidences, {"slack": platform},
        lambda: channels, lambda synced: defaults & {*synced},
    )  # fmt: skip


members = st.builds(
    Member,
    st.sampled_from(["U1", "U2"]),
    st.just("Ann"),
    st.sampled_from([None, "ann@example.org", "bob@example.org", "eve@example.org"]),
    st.booleans(),
    st.booleans(),
)
audiences = st.sampled_from(get_args(Audience))
some_spaces = st.frozensets(st.sampled_from(SPACES))
configured = st.builds(
    lambda own: Channels({} if own is None else {"slack:T1:C1": Channel(own)}), st.one_of(st.none(), some_spaces)
)
in_channels = st.builds(Place, st.just("slack"), st.just("T1"), st.just("C1"), st.just("1.0"), shared=st.booleans())


async def seen(application: Application, scope: Scope) -> set[str]:
    return set(await application.evidences.filter_visible(PAGES.keys(), scope))


@given(in_channels, members, configured, some_spaces, audiences)
async def test_a_channel_never_sees_restricted_pages_nor_other_spaces_than_its_own(
    application: Application,
    place: Place,
    member: Member,
    channels: Channels,
    defaults: frozenset[str],
    audience: Audience,
) -> None:
    access = access_of(application, channels, defaults, Told(member, audience))
    own, shared = channels.find_channel(place).spaces, place.shared or member.foreign or audience == "mixed"
    allowed = own if own is not None else (frozenset() if shared or audience == "unknown" else defaults)
    scope = await access.find_access(place, member.user)
    if not allowed:
        assert scope == ("unknown_audience" if audience == "unknown" and own is None and not shared else "no_spaces")
    else:
        assert isinstance(scope, Access)
        assert await seen(application, scope.scope) == {f"{space}-0" for space in allowed}


async def test_a_person_whom_the_platform_does_not_tell_sees_nothing_alone_and_in_a_channel_what_all_see(
    application: Application,
) -> None:
    access = access_of(application, Channels(), frozenset({"ENG"}), Told(None))
    assert await access.find_access(Place("slack", "T1", "D1", "1.0", direct=True), "U1") == "unknown_person"
    found = await access.find_access(Place("slack", "T1", "C1", "1.0"), "U1")
    assert isinstance(found, Access)
    assert await seen(application, found.scope) == {"ENG-0"}


@given(members, some_spaces)
async def test_in_a_direct_message_guests_are_refused_and_others_see_what_their_account_may_read(
    application: Application, member: Member, defaults: frozenset[str]
) -> None:
    place = Place("slack", "T1", "D1", "1.0", direct=True)
    scope = await access_of(application, Channels(), defaults, Told(member)).find_access(place, member.user)
    if member.guest:
        assert scope == "guest"
        return
    assert isinstance(scope, Access)
    expected = {
        "ann@example.org": set(PAGES),
        "bob@example.org": {"ENG-0", "OPS-0"},
    }.get(member.email or "", {f"{space}-0" for space in defaults})
    assert await seen(application, scope.scope) == expected
    assert (scope.reason is None) == (member.email in {"ann@example.org", "bob@example.org"})


asked = st.builds(
    Scope,
    some_spaces,
    st.sampled_from([frozenset(), frozenset({"user:ann", "group:board"}), frozenset({"user:bob"})]),
)


@given(asked, in_channels, members, configured, some_spaces, st.booleans())
async def test_an_answer_is_shown_again_only_to_people_with_the_rights_it_was_made_with(
    application: Application,
    scope: Scope,
    place: Place,
    member: Member,
    channels: Channels,
    defaults: frozenset[str],
    direct: bool,
) -> None:
    access = access_of(application, channels, defaults, Told(member))
    place = replace(place, channel="D1", direct=True) if direct else place
    made = turn(used=tuple(PAGES.values()), scope=scope)
    found = await access.find_access_to(made, place, member.user)
    if not isinstance(found, Access):
        assert found in get_args(NoAccessReason)
        return
    assert scope.principals <= found.scope.principals
    visible = await access.find_visible_pages(made.page_ids, found.scope)
    assert visible == await seen(application, found.scope)
    assert await access.may_show_turn(made, found) == (visible == PAGES.keys())
    if not direct:
        assert scope.principals == frozenset()
        assert all(page.endswith("-0") for page in visible)


async def test_erased_sources_do_not_prevent_showing_a_turn(application: Application) -> None:
    access = access_of(application, Channels(), frozenset({"ENG"}))
    made = turn(used=(PAGES["ENG-0"], PAGES["HR-1"]))
    found = Access(Scope(frozenset({"ENG"})))
    assert not await access.may_show_turn(made, found)
    erased = tuple(
        replace(each, evidence=replace(each.evidence, text="")) if each.evidence.page_id == "HR-1" else each
        for each in made.evidences
    )
    assert await access.may_show_turn(replace(made, evidences=erased), found)


@pytest.mark.parametrize(
    ("place", "spaces"),
    [
        (Place("slack", "T1", "C1", "1.0"), ("HR",)),
        (Place("slack", "T1", "C2", "1.0"), ("ENG", "OPS")),
        (Place("slack", "T1", "C2", "1.0", shared=True), ()),
        (Place("slack", "T1", "D1", "1.0", direct=True), ("ENG", "OPS")),
    ],
)
async def test_help_names_the_spaces_searched_at_its_place(
    application: Application, place: Place, spaces: tuple[str, ...]
) -> None:
    channels = Channels({"slack:T1:C1": Channel(frozenset({"HR"}))})
    helping = HelpBuilder(access_of(application, channels, frozenset({"OPS", "ENG"})), frozenset())
    view = await helping.build_view(place, "U1", "de")
    assert (view.spaces, view.direct, view.language) == (spaces, place.direct, "de")


@pytest.mark.parametrize(
    ("admins", "admin"),
    [({"U1"}, True), ({"T1:U1"}, True), ({"T2:U1", "U2"}, False), (set(), False), ({"T1"}, False)],
)
async def test_admin_ids_may_include_the_team(application: Application, admins: set[str], admin: bool) -> None:
    helping = HelpBuilder(access_of(application, Channels(), frozenset()), frozenset(admins))
    place = Place("slack", "T1", "C1", "1.0")
    assert helping.is_admin(place, "U1") is admin
    assert (await helping.build_view(place, "U1", "en")).admin is admin
