"""The oracle: decides which text may leave, without the product's access code.

A text may leave to a place if the readers there may read it *then, as far as the bot can know it then*:

- of pages, the bot knows what the last committed sync or refresh stored: space, readers, version. Whoever
  may read a page may also read its older versions (the wiki shows the history). A page that is not in the store
  may not be read by anybody, and no newer version than the stored one may leave;
- it knows at once which spaces are enabled for a channel, and whether people of other organisations are members;
- it may cache accounts, groups and readers of spaces by a setting, which is 0 here, so it knows them at once too.

In a channel or group: unrestricted pages of its enabled spaces; with people of other organisations only pages of
spaces that the channels file names for that place. In a direct chat: what the person's own account may read;
without an account in the wiki, unrestricted pages of the default spaces; nothing for guests.
Canary words in titles, addresses, questions and suggestions count like any others. Keys of spaces count in texts that
all people of a place can read. A key may be shown to an admin alone.

Each fact is read by its own await, and the world may change between two awaits. So a text may leave if the facts
allowed it at any time since the *last check began*: the last uninterrupted run of reading operations (`READS`) of the
task that sends the text, or, if a check only reads from memory, since the text was handed to the
platform. Text in a prompt of a language model must be admitted for the question's place and asker at
any time since that workflow step began. A committed version must not be readable by more people than could
read the page in the wiki at some time since the version was written.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Generic, TypeVar

from benchmarks.security._canary_loop import ACTOR, Scheduler
from benchmarks.security._canary_world import ADMIN, CANARY, ENG, KEY, OPS, PEOPLE, ROOMS, Room, World
from core.ports.chat import Place
from core.ports.pages import IndexedPage

T = TypeVar("T")

READS = (
    "platform.find_member", "platform.place", "platform.find_audience", "platform.foreign", "confluence.",
    "spaces.load_keys", "spaces.load_summaries", "evidences.filter_visible", "evidences.find_access_filter",
    "evidences.load_facts", "turns.load_turn", "turns.has_whole", "turns.load_some", "turns.load_newest",
    "posts.load_post", "posts.find_by_message", "posts.find_in_conversation", "posts.find_newest", "posts.find_of_turn",
    "posts.find_questions", "posts.has_some", "pages.load_page", "accounts.",
)  # fmt: skip
"""Prefixes of the operations that only read facts for access decisions."""

_SHOWING = ("platform.post", "platform.update", "platform.draft", "platform.fill_window", "platform.post_private")


class Timeline(Generic[T]):
    """A fact with its earlier values."""

    def __init__(self, value: T) -> None:
        self._values: list[tuple[int, T]] = [(0, value)]

    def set(self, at: int, value: T) -> None:
        if self._values[-1][1] != value:
            self._values.append((at, value))

    def since(self, moment: int) -> list[T]:
        """Return all values since this moment, oldest first."""
        found: list[T] = []
        for at, value in reversed(self._values):
            found.append(value)
            if at < moment:
                break
        return found[::-1]


@dataclass(frozen=True, slots=True)
class Stored:
    """The stored facts of a page."""

    space: str
    restrictions: tuple[frozenset[str], ...]
    version: int


@dataclass(frozen=True, slots=True)
class Violation:
    """A violation. ``rule``: the broken rule; ``by``: how the text left, and the actor."""

    rule: str
    by: str
    where: str
    what: str
    at: int

    def __str__(self) -> str:
        return f"step {self.at}: {self.rule}: {self.what} by {self.by} in {self.where}"


@dataclass(slots=True)
class Oracle:
    """Receives commits and texts that leave, and records violations."""

    world: World
    scheduler: Scheduler
    violations: list[Violation] = field(default_factory=list)
    texts: int = 0
    words: int = 0
    longest: int = 0
    _stored: dict[str, Timeline[Stored | None]] = field(default_factory=dict)
    _listed: dict[str, Timeline[Stored | None]] = field(default_factory=dict)
    _config: dict[str, Timeline[frozenset[str] | None]] = field(default_factory=dict)
    _shared: dict[str, Timeline[bool]] = field(default_factory=dict)
    _principals: dict[str, Timeline[frozenset[str]]] = field(default_factory=dict)
    _readable: dict[str, Timeline[frozenset[str]]] = field(default_factory=dict)
    _known: dict[str, Timeline[bool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        world = self.world
        self._stored = {letter: Timeline[Stored | None](None) for letter in world.ids}
        self._listed = {letter: Timeline[Stored | None](None) for letter in world.ids}
        self._config = {name: Timeline(world.config[name]) for name in ROOMS}
        self._shared = {name: Timeline(world.shared[name]) for name in ROOMS}
        self._principals = {user: Timeline(world.principals(person)) for user, person in PEOPLE.items()}
        self._readable = {user: Timeline(self._spaces_of(user)) for user in PEOPLE}
        self._known = {user: Timeline(world.has_account(person)) for user, person in PEOPLE.items()}
        world.changed.append(self.look)

    def begin_with(self, stored: Mapping[str, Stored | None]) -> None:
        """Set the initial pages of the store."""
        self._stored = {letter: Timeline(stored[letter]) for letter in self.world.ids}

    def stored_now(self) -> dict[str, Stored | None]:
        """Return the stored facts of each page."""
        return {letter: kept.since(self.scheduler.now + 1)[-1] for letter, kept in self._stored.items()}

    def _spaces_of(self, user: str) -> frozenset[str]:
        return frozenset(key for key in (ENG, OPS) if self.world.reads_space(PEOPLE[user], key))

    def look(self) -> None:
        """Record the current facts."""
        now = self.scheduler.now
        for name in ROOMS:
            self._config[name].set(now, self.world.config[name])
            self._shared[name].set(now, self.world.shared[name])
        for user, person in PEOPLE.items():
            self._principals[user].set(now, self.world.principals(person))
            self._readable[user].set(now, self._spaces_of(user))
            self._known[user].set(now, self.world.has_account(person))

    # ------------------------------------------------------------------------------------------ what the bot knows

    def heard_pages(self, method: str, arguments: tuple[Any, ...], result: Any) -> None:
        """Receive what the page store committed."""
        if method == "replace":
            for indexed in arguments[0]:
                self._committed(indexed)
        elif method == "remove":
            self._removed(arguments[0], arguments[1] if len(arguments) > 1 else None)

    def heard_spaces(self, method: str, arguments: tuple[Any, ...], result: Any) -> None:
        """Receive that the store forgot a space."""
        if method == "forget":
            gone = [letter for letter, stored in self.stored_now().items() if stored and stored.space == arguments[0]]
            self._removed([self.world.ids[letter] for letter in gone])

    def _committed(self, indexed: IndexedPage) -> None:
        page = indexed.page
        letter = self.world.pages[page.page_id].letter
        found = [ord(version.lower()) - 96 for _, version, _ in CANARY.findall(page.title + page.content)]
        version = max(found, default=1)
        self._stored[letter].set(self.scheduler.now, Stored(page.space, page.read_restrictions, version))
        admitted = self.world.admitted(page.read_restrictions)
        could = self.world.readers_since(letter, version)
        if admitted and not any(space == page.space and admitted <= people for space, people in could):
            what = f"page {letter} version {version} stored in {page.space} for {sorted(admitted)}"
            self._note("body newer than its readers", ACTOR.get(), "store", what)

    def _removed(self, page_ids: Sequence[str], space: str | None = None) -> None:
        """Remove pages. ``space``: only pages of this space."""
        kept = self.stored_now()
        for letter in (self.world.pages[page_id].letter for page_id in page_ids if page_id in self.world.pages):
            stored = kept[letter]
            if space is None or (stored and stored.space == space):
                self._stored[letter].set(self.scheduler.now, None)

    def heard_listed(self, page_id: str, space: str, title: str, restrictions: tuple[frozenset[str], ...]) -> None:
        """Receive a listed page. Its title may be shown to its readers before it is stored."""
        found = CANARY.search(title)
        if found and page_id in self.world.pages:
            version = ord(found[2].lower()) - 96
            self._listed[found[1].lower()].set(self.scheduler.now, Stored(space, restrictions, version))

    # ------------------------------------------------------------------------------------------ what leaves

    def leaves(self, place: Place, by: str, content: object, to: str = "", said: Collection[str] = ()) -> None:
        """Receive a text that leaves to all in a place, or to one person (``to``) there.

        ``said``: keys of spaces that a person just wrote there, and that may be repeated.
        """
        self._check(self.room_of(place), by, content, self._last_check_began(), to, said)

    def prompted(self, place: Place, user: str, content: object, since: int) -> None:
        """Receive a prompt to a language model for a question in a place."""
        self._check(self.room_of(place), "prompt", content, since, user, ())

    def room_of(self, place: Place) -> Room:
        """Return the room of a place."""
        for room in ROOMS.values():
            if room.channel == place.channel or room.user == place.channel:
                return room
        person = PEOPLE.get(place.channel)
        return Room(f"direct {person.name}" if person else place.channel, place.platform, place.channel, place.channel)

    def _last_check_began(self) -> int:
        began = self.scheduler.now
        for step in reversed(self.scheduler.steps_of_this_task()):
            if step.at == self.scheduler.now and step.name in _SHOWING:
                began = step.arrived  # the text is on its way to the platform and cannot be withdrawn
                continue
            if not step.name.startswith(READS):
                break
            began = step.arrived  # what it read without waiting was true then
        self.longest = max(self.longest, self.scheduler.now - began)
        return began

    def _check(self, room: Room, by: str, content: object, since: int, to: str, said: Collection[str]) -> None:
        text = repr(content)
        self.texts += 1
        found = {(letter.lower(), ord(version.lower()) - 96, part) for letter, version, part in CANARY.findall(text)}
        for letter, version, part in sorted(found):
            self.words += 1
            why = self._why_not(room, letter, version, part, since)
            if why:
                what = f"word {part} of page {letter} version {version}"
                self._note(why, f"{by} ({ACTOR.get()})", room.name, what)
        if by != "prompt" and to != ADMIN and room.user != ADMIN:
            allowed = self._spaces(room, since)
            for key in sorted({*KEY.findall(_without_addresses(text))} - {*said}):
                if not any(key in spaces for spaces in allowed):
                    self._note("key of another space", f"{by} ({ACTOR.get()})", room.name, key)

    def _spaces(self, room: Room, since: int) -> list[frozenset[str]]:
        """Return the spaces whose keys may be shown in a room, for each state since a moment."""
        if room.direct:
            open_here = frozenset({ENG})
            return [spaces | open_here for spaces in self._readable[room.user].since(since)]
        return [
            config if config is not None else frozenset() if shared else frozenset({ENG})
            for config, shared in product(self._config[room.name].since(since), self._shared[room.name].since(since))
        ]

    def _why_not(self, room: Room, letter: str, version: int, part: str, since: int) -> str:
        """Return why a word must not leave, "" if it may."""
        kept = [stored for stored in self._stored[letter].since(since) if stored]
        if part == "t":  # a listing has titles before the page is stored
            kept += [listed for listed in self._listed[letter].since(since) if listed and listed.version == version]
        if not kept:
            return "page is gone"
        known = [stored for stored in kept if version <= stored.version]
        if not known:
            return "version was never stored"
        if room.direct:
            return self._why_not_person(room.user, known, since)
        spaces = self._spaces(room, since)
        there = [stored for stored in known if any(stored.space in enabled for enabled in spaces)]
        if not there:
            shared = self._shared[room.name].since(since)[-1]
            return "shared place, space not named for it" if shared else "space not enabled here"
        return "" if any(not stored.restrictions for stored in there) else "restricted page in a place of many"

    def _why_not_person(self, user: str, known: Sequence[Stored], since: int) -> str:
        if PEOPLE[user].guest:
            return "guest in a direct chat"
        if not all(self._known[user].since(since)) and any(
            kept.space == ENG and not kept.restrictions for kept in known
        ):
            return ""
        there = [stored for stored in known if any(stored.space in one for one in self._readable[user].since(since))]
        if not there:
            return "space is not readable for the person"
        principals = self._principals[user].since(since)
        for stored, own in product(there, principals):
            if all(allowed & own for allowed in stored.restrictions):
                return ""
        return "page is not readable for the person"

    def _note(self, rule: str, by: str, where: str, what: str) -> None:
        self.scheduler.note(f"VIOLATION {rule}: {what} by {by} in {where}")
        self.violations.append(Violation(rule, by, where, what, self.scheduler.now))


def _without_addresses(text: str) -> str:
    """Return the text without web addresses, whose keys are covered by the check of the cited page's words."""
    return " ".join(word for word in text.replace("'", " ").split() if "://" not in word)
