"""What a chat user may see, whatever the wiki's permissions and however the look-ups end."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.access import Access, Identities, IdentitySettings
from core.accounts import ChatAccounts, parse_accounts
from core.errors import AccountsUnreadable, LookupUnsupported, SpaceUnknown, WikiUnavailable, WikiWhyError
from core.model import Person, Scope
from core.ports.pages import SpaceSummary
from core.ports.wiki import Account, Emails, SpaceReaders
from core.views.notices import format_reason

ADA = Person("slack", "T1", "U1", "Ada@Example.org")
WIKI, FOLDER = "confluence https://w", "folder /w"


@dataclass
class People:
    """A directory of dicts. ``down``: what raises which error, by method or by space."""

    accounts: dict[str, Account] = field(default_factory=lambda: {"ada": Account("ada", True)})
    addresses: list[tuple[str, str]] = field(default_factory=lambda: [("ada@example.org", "ada")])
    complete: bool = True
    member: dict[str, frozenset[str]] = field(default_factory=dict)
    open_to: dict[str, SpaceReaders] = field(default_factory=dict)
    down: dict[str, WikiWhyError] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    slow: asyncio.Event | None = None
    name: str = WIKI

    def _ask(self, what: str) -> None:
        self.asked.append(what)
        if what in self.down:
            raise self.down[what]

    async def find_account(self, account_id: str) -> Account | None:
        self._ask("account")
        return self.accounts.get(account_id)

    async def list_emails(self) -> Emails:
        self._ask("emails")
        if self.slow:
            await self.slow.wait()
        return Emails(tuple(self.addresses), self.complete)

    async def find_groups(self, account_id: str) -> frozenset[str]:
        self._ask("groups")
        return self.member.get(account_id, frozenset())

    async def find_readers(self, space: str) -> SpaceReaders:
        self._ask(space)
        return self.open_to.get(space, SpaceReaders())


@dataclass
class Synced:
    sources: dict[str, str]

    async def load_summaries(self) -> list[SpaceSummary]:
        return [SpaceSummary(key, source, 1, {}, "") for key, source in self.sources.items()]

    async def finish_sync(self, space: str, wiki_name: str, at: str, error: str) -> None:
        raise AssertionError

    async def forget(self, space: str) -> list:  # type: ignore[type-arg]
        raise AssertionError


@dataclass
class World:
    people: People = field(default_factory=People)
    file: str = ""
    sources: dict[str, str] = field(default_factory=lambda: {"ENG": WIKI, "HR": WIKI, "DOC": FOLDER, "OLD": "other"})
    open_spaces: frozenset[str] = frozenset({"ENG", "DOC"})
    now: float = 0.0
    unreadable: bool = False
    alone: bool = False
    patience: float = 60.0

    def __post_init__(self) -> None:
        settings = IdentitySettings(self.open_spaces.intersection, 900, self.patience)
        directory = None if self.alone else self.people
        self.identities = Identities(
            directory, self._accounts, Synced(self.sources), FOLDER.__eq__, lambda: self.now, settings
        )

    def _accounts(self) -> ChatAccounts:
        if self.unreadable:
            raise AccountsUnreadable("It is gone. Put it back.")
        return parse_accounts(self.file)

    async def message(self, person: Person = ADA) -> Access:
        return await self.identities.find_account_access(person)


PUBLIC = Scope(frozenset({"ENG", "DOC"}))
READERS = SpaceReaders(frozenset({"group:crew"}))
DOWN = WikiUnavailable("It is down. Try again later.")
UNTOLD = LookupUnsupported("It does not tell. Use the accounts file.")


def crew(**changes: object) -> People:
    people = People(member={"ada": frozenset({"crew"})}, open_to={"ENG": READERS, "HR": READERS})
    return replace(people, **changes)  # type: ignore[arg-type]


OWN = Scope(frozenset({"ENG", "HR", "DOC"}), frozenset({"user:ada", "group:crew"}))


async def test_a_direct_message_sees_what_the_account_may_read() -> None:
    assert await World(crew()).message() == Access(OWN)


async def test_the_file_comes_before_the_e_mail_address() -> None:
    people = crew(accounts={"ada": Account("ada", True), "ben": Account("ben", True)})
    world = World(people, "slack:T1:U1,ben")
    assert (await world.message()).scope == Scope(frozenset({"DOC"}), frozenset({"user:ben"}))
    assert "emails" not in people.asked
    world.file = ""
    assert (await world.message()).scope == OWN


async def test_an_open_space_that_the_account_may_not_read_is_left_out_of_its_messages() -> None:
    world = World(crew(open_to={"HR": READERS}))
    assert (await world.message()).scope == replace(OWN, spaces=frozenset({"HR", "DOC"}))


async def test_a_space_of_another_wiki_is_nobody_s() -> None:
    people = crew()
    people.open_to["OLD"] = READERS
    assert "OLD" not in ((await World(people, open_spaces=frozenset({"OLD"})).message()).scope.spaces or ())


@pytest.mark.parametrize(
    ("reason", "world", "person"),
    [
        ("unmapped", World(crew()), replace(ADA, email=None)),
        ("unmapped", World(crew()), replace(ADA, email="nobody@example.org")),
        ("unmapped", World(crew(), alone=True), ADA),
        ("hidden", World(crew(addresses=[], complete=False)), ADA),
        ("hidden", World(crew(down={"emails": UNTOLD})), ADA),
        ("ambiguous", World(crew(addresses=[("ada@example.org", "ada"), ("ADA@example.org", "ben")])), ADA),
        ("ambiguous", World(crew(), "slack:T1:U1,ada\nslack:T1:U1,ben"), ADA),
        ("ambiguous", World(crew(), "slack:T1:U1,"), ADA),
        ("missing", World(crew(), "slack:T1:U1,adda"), ADA),
        ("deactivated", World(crew(accounts={"ada": Account("ada", False)})), ADA),
        ("unavailable", World(crew(), unreadable=True), ADA),
        ("unavailable", World(crew(down={"emails": DOWN})), ADA),
        ("unavailable", World(crew(down={"account": DOWN})), ADA),
        ("unavailable", World(crew(down={"groups": DOWN})), ADA),
        ("unavailable", World(crew(down={"HR": DOWN})), ADA),
        ("unavailable", World(crew(down={"HR": UNTOLD, "ENG": UNTOLD})), ADA),
    ],
)
async def test_unknown_means_no_more_than_everybody(reason: str, world: World, person: Person) -> None:
    assert await world.message(person) == Access(PUBLIC, reason)  # type: ignore[arg-type]
    assert format_reason(reason, "de").endswith(".")  # type: ignore[arg-type]


@pytest.mark.parametrize("error", [SpaceUnknown("It is gone."), UNTOLD])
async def test_a_space_whose_readers_are_not_told_is_left_out(error: WikiWhyError) -> None:
    world = World(crew(down={"HR": error}))
    assert await world.message() == Access(replace(OWN, spaces=frozenset({"ENG", "DOC"})))


async def test_everybody_with_an_account_are_all_but_guests() -> None:
    people = People(open_to={"ENG": SpaceReaders(everybody=True), "HR": SpaceReaders(anonymous=True)})
    assert (await World(people).message()).scope.spaces == {"ENG", "HR", "DOC"}
    people.accounts["ada"] = Account("ada", True, guest=True)
    assert (await World(people).message()).scope.spaces == {"HR", "DOC"}


async def test_nothing_is_asked_twice_before_it_expires_and_nothing_wider_outlives_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = World(crew())
    people = world.people
    await world.message()
    await world.message()
    assert sorted(people.asked) == sorted(["emails", "account", "groups", "ENG", "HR"])
    people.member["ada"] = frozenset()
    world.now = 899
    assert (await world.message()).scope == OWN
    world.now = 900
    assert (await world.message()).scope == Scope(frozenset({"DOC"}), frozenset({"user:ada"}))
    people.member["ada"] = frozenset({"crew"})
    people.down = dict.fromkeys(["groups"], DOWN)
    world.now = 1800
    assert await world.message() == Access(PUBLIC, "unavailable")
    assert "Only open spaces are searched for slack:T1:U1: permissions unknown: It is down" in caplog.text
    assert "example.org" not in caplog.text.lower()
    people.down = {}
    world.now = 1860
    assert (await world.message()).scope == OWN


async def test_a_question_does_not_wait_for_long_and_the_next_one_has_what_came_meanwhile(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = World(crew(slow=asyncio.Event()), patience=0.02)
    assert await world.message() == Access(PUBLIC, "unavailable")
    assert "did not answer within 0.02 seconds" in caplog.text
    assert world.people.slow
    world.people.slow.set()
    found = [await world.message() for _ in range(100)]
    assert Access(OWN) in found
    assert world.people.asked.count("emails") == 1


async def test_that_somebody_is_nobody_is_remembered_too() -> None:
    world = World(crew(accounts={}))
    for _ in range(3):
        assert (await world.message()).reason == "missing"
    assert world.people.asked == ["emails", "account"]


NAMES = st.sampled_from(["ada", "ben", "cam"])
GROUPS = st.frozensets(st.sampled_from(["crew", "board"]))
PRINCIPALS = st.frozensets(st.sampled_from(["user:ada", "user:ben", "group:crew", "group:board"]))
SPACES = st.frozensets(st.sampled_from(["ENG", "HR", "DOC", "OLD"]))
FAILING = st.dictionaries(
    st.sampled_from(["account", "emails", "groups", "ENG", "HR"]),
    st.sampled_from([DOWN, UNTOLD, SpaceUnknown("Gone.")]),
)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    accounts = {name: Account(name, draw(st.booleans()), draw(st.booleans())) for name in draw(st.frozensets(NAMES))}
    people = People(
        accounts,
        draw(st.lists(st.tuples(st.sampled_from(["ada@example.org", "ben@example.org", ""]), NAMES), max_size=4)),
        draw(st.booleans()),
        draw(st.dictionaries(NAMES, GROUPS)),
        draw(
            st.dictionaries(
                st.sampled_from(["ENG", "HR", "OLD"]),
                st.builds(SpaceReaders, PRINCIPALS, st.booleans(), st.booleans()),
            )
        ),
        draw(FAILING),
    )
    lines = draw(st.lists(st.tuples(st.sampled_from(["U1", "U2"]), NAMES | st.just("")), max_size=3))
    file = "\n".join(f"slack:T1:{user},{name}" for user, name in lines)
    return World(people, file, open_spaces=draw(SPACES), unreadable=draw(st.booleans()), alone=draw(st.booleans()))


RESTRICTIONS = st.lists(PRINCIPALS, max_size=2).map(tuple)


@given(world=worlds(), space=st.sampled_from(["ENG", "HR", "DOC", "OLD"]), restrictions=RESTRICTIONS)
def test_no_page_is_seen_that_neither_everybody_nor_the_account_may_read(
    world: World, space: str, restrictions: tuple[frozenset[str], ...]
) -> None:
    if world.sources[space] not in {WIKI, "other"}:  # its pages know no accounts, and so no restrictions
        restrictions = ()
    access = asyncio.run(world.message())
    if access.scope.admits(space, restrictions):
        assert (space in world.open_spaces and not restrictions) or _may_read(world, space, restrictions)
    if access.reason:
        assert access.scope == Scope(world.open_spaces & world.sources.keys())


def _may_read(world: World, space: str, restrictions: tuple[frozenset[str], ...]) -> bool:
    """As the wiki itself would decide for the only account that Ada may be."""
    people = world.people
    mapped = [line.partition(",")[2] for line in world.file.splitlines() if line.startswith("slack:T1:U1,")]
    candidates = set(mapped) or {account for address, account in people.addresses if address == "ada@example.org"}
    if len(candidates) != 1 or world.alone or world.unreadable:
        return False
    account = people.accounts.get(candidates.pop())
    readers = people.open_to.get(space)
    if account is None or not account.active or readers is None or world.sources[space] != WIKI:
        return False
    name = account.account_id
    mine = {f"user:{name}", *(f"group:{group}" for group in people.member.get(name, ()))}
    reads = readers.anonymous or (readers.everybody and not account.guest) or bool(readers.principals & mine)
    return reads and all(allowed & mine for allowed in restrictions)
