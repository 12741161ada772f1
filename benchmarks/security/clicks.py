"""Clicks after a place has changed: a click must never show more than a new question at that place and time.

Every combination of platform, kind of conversation, its state when the question was asked, its state now, who clicks,
and what they click. States: the audience (our own people, or also people of another organisation), and whether the
channels file names spaces for the place. Places and clicks are real (test servers over HTTP, the real service, a
real database); only workflows are recorded instead of run.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast
from unittest import mock

from adapters.slack.calls import SlackCalls
from adapters.slack.platform import SlackPlatform
from adapters.teams.connector import Connector
from adapters.teams.credentials import Credentials, Registration
from adapters.teams.platform import TeamsPlatform
from bot.chat.clicked_answers import ClickedAnswers
from bot.chat.message_poster import MessagePoster
from bot.chat.service import ChatService
from bot.durable import Durable
from bot.settings import load_settings
from bot.wiring import Application, now, open_application, today
from core.access import Access, Channel, Channels, ChatAccess, Identities, IdentitySettings
from core.accounts import ChatAccounts
from core.chat.limits import ChatLimits, LimitSettings
from core.chat.requests import ExplanationRequest, QuestionRequest
from core.history import ThreadHistory
from core.model import Question, Scope, Suggestion
from core.ports.chat import ChatPlatform, Click, Place, Platform
from core.ports.chat_stores import Post
from core.ports.wiki import Account, Emails, SpaceReaders
from tests.contracts.chat_world import ChatWorld
from tests.contracts.examples import indexed_page, turn
from tests.servers.slack import SlackWorld
from tests.servers.slack.chat_world import SlackChatWorld
from tests.servers.teams import TeamsWorld
from tests.servers.teams.chat_world import TeamsChatWorld, TenantReferences

PLATFORMS: tuple[Platform, ...] = ("slack", "teams")
KINDS = ("channel", "group", "direct")
PEOPLE = ("member", "guest", "foreign")
CLICKS = (
    "load_sources", "load_answer", "explain", "share", "load_completed_question",
    "load_question_to_correct", "correct", "suggested", "good", "reason",
)  # fmt: skip
DEFAULT, NAMED = "DEF", "NAM"
"""The default space, and the space in the channels file."""

PAGES = {
    "def": indexed_page("def", ("Token-def.",), space=DEFAULT),
    "nam": indexed_page("nam", ("Token-nam.",), space=NAMED),
    "own": indexed_page("own", ("Token-own.",), "OWN", (frozenset({"user:ada"}),)),
}


@dataclass(frozen=True, slots=True)
class State:
    """A place's state. ``mixed``: people of another organisation can read; ``named``: the channels file names it."""

    mixed: bool = False
    named: bool = False


STATES = tuple(State(*flags) for flags in itertools.product((False, True), repeat=2))


@dataclass(frozen=True, slots=True)
class Case:
    """One combination."""

    platform: Platform
    kind: str
    asked: State
    now: State
    person: str
    click: str


def all_cases() -> list[Case]:
    """Return all combinations. A direct message has only one state."""
    cases = []
    for platform, kind in itertools.product(PLATFORMS, KINDS):
        pairs = [(State(), State())] if kind == "direct" else itertools.product(STATES, STATES)
        for (before, after), person, click in itertools.product(pairs, PEOPLE, CLICKS):
            cases.append(Case(platform, kind, before, after, person, click))
    return cases


class Wiki:
    """A wiki in which Ada, the member, has an account, and everybody may read each space."""

    name = "confluence"

    async def find_account(self, account_id: str) -> Account | None:
        return Account(account_id, active=True)

    async def list_emails(self) -> Emails:
        return Emails((("ada@example.org", "ada"),), complete=True)

    async def find_groups(self, account_id: str) -> frozenset[str]:
        return frozenset()

    async def find_readers(self, space: str) -> SpaceReaders:
        return SpaceReaders(everybody=True)


@dataclass
class Recorded:
    """Records workflows instead of running them."""

    requests: list[QuestionRequest | ExplanationRequest] = field(default_factory=list)

    async def is_started_here(self, key: str) -> bool:
        return False

    async def start(self, request: QuestionRequest | ExplanationRequest) -> None:
        self.requests.append(request)

    async def restart(self, request: ExplanationRequest) -> bool:
        self.requests.append(request)
        return True


@dataclass
class Attack:
    """The service with one platform. ``channels``: the channels file."""

    application: Application
    world: ChatWorld
    platform: ChatPlatform
    name: Platform
    channels: Channels = field(default_factory=Channels)
    people: dict[str, str] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        self.people = {
            "member": self.world.person("ada", email="ada@example.org"),
            "guest": self.world.person("guest", email="ada@example.org", guest=True),
            "foreign": self.world.person("eve", email="ada@example.org", elsewhere=True),
        }
        self.access = ChatAccess(
            Identities(
                Wiki(), ChatAccounts, self.application.spaces, lambda wiki_name: False, time.monotonic,
                IdentitySettings(lambda synced: frozenset({DEFAULT}) & frozenset(synced)),
            ),
            self.application.spaces, self.application.evidences, {self.name: self.platform},
            lambda: self.channels, lambda synced: frozenset({DEFAULT}) & frozenset(synced),
        )  # fmt: skip

    def open_answers(self, durable: Recorded) -> ClickedAnswers:
        platforms = {self.name: self.platform}
        history = ThreadHistory(
            self.application.turns, self.application.evidences, self.application.posts, self.application.threads,
            platforms, len,
        )  # fmt: skip
        limits = ChatLimits(
            LimitSettings(10**6, 10**6), self.application.recent_questions, self.application.tokens, today
        )
        posts, turns, runs = self.application.posts, self.application.turns, cast(Durable, durable)
        poster = MessagePoster(posts, platforms, lambda key: True)
        service = ChatService(
            platforms, posts, turns, self.access, history, limits, runs, poster, self.application.wait_for_threads
        )
        feedback = self.application.feedback
        return ClickedAnswers(service, platforms, posts, turns, feedback, self.access, limits, runs)

    async def violations(self, cases: Sequence[Case]) -> list[str]:
        """Return what the clicks of these cases show and a new question would not. All have the same history."""
        first = cases[0]
        found: list[str] = []
        for person in dict.fromkeys(case.person for case in cases):
            place = await asyncio.to_thread(self._made, first.kind, person)
            await self._become(place, first.kind, first.asked)
            turn_id = await self._answered(replace(place, shared=first.asked.mixed), person)
            await asyncio.to_thread(self._join, place, person)
            await self._become(place, first.kind, first.now)
            promised = self._promised(place, first, person)
            new = await self._new_question(place, first, person)
            if new - promised:
                found.append(f"{first} by {person}: a new question sees {sorted(new)}, not {sorted(promised)} only")
            new &= promised
            for case in cases:
                if case.person == person:
                    seen = await self._clicked(case, place, turn_id)
                    if seen - new:
                        found.append(f"{case}: sees {sorted(seen - new)} beyond {sorted(new)}")
        return found

    def _made(self, kind: str, person: str) -> Place:
        user = self.people[person]
        if kind == "direct":
            return self.world.place(self.world.direct(user), f"{next(self._numbers)}.000100")
        channel = self.world.channel(f"{kind}-{next(self._numbers)}", self.people["member"])
        if kind == "group" and isinstance(self.world, TeamsChatWorld):
            channel = self.world.teams.add_group("group", members=[self.world.accounts[self.people["member"]]])
        return self.world.place(channel, f"{next(self._numbers)}.000100")

    def _join(self, place: Place, person: str) -> None:
        """Add the clicking person to the conversation."""
        if isinstance(self.world, TeamsChatWorld) and not place.direct:
            self.world.teams.join(self.world.accounts[self.people[person]], place.room)
        elif isinstance(self.world, SlackChatWorld) and not place.direct:
            self.world.slack.join(self.people[person], place.channel)

    async def _become(self, place: Place, kind: str, state: State) -> None:
        """Change the conversation's audience and the channels file, with the platform's events about it."""
        if kind == "direct":
            return
        await asyncio.to_thread(self.world.share, place.room, state.mixed)
        self._forget(place)
        key = f"{place.platform}:{place.team}:{place.room}"
        self.channels = Channels({key: Channel(frozenset({NAMED}))} if state.named else {})

    def _forget(self, place: Place) -> None:
        if isinstance(self.platform, SlackPlatform):
            self.platform.audiences.forget(place.channel)
        elif isinstance(self.platform, TeamsPlatform):
            self.platform.audiences.forget()

    async def _answered(self, place: Place, person: str) -> str:
        """Store an answer that rests on all pages of its place at that time, with a suggestion."""
        user = self.people["member"] if not place.direct else self.people[person]
        access = await self.access.find_access(place, user)
        scope = access.scope if isinstance(access, Access) else Scope(frozenset())
        visible = await self.application.evidences.filter_visible(PAGES.keys(), scope)
        used = tuple(PAGES[page] for page in sorted(visible))
        text = " ".join(page.evidences[0].evidence.text for page in used)
        made = turn(f"t{next(self._numbers)}-{self.name}", place.conversation_id, now(), used, used, text, scope)
        evidences = [page.evidences[0].evidence for page in used]
        suggestions = tuple(Suggestion(f"What of {each.text}", each.evidence_id) for each in evidences)
        made = replace(made, question=Question("What?", "What?"), suggestions=suggestions)
        await self.application.turns.add(made)
        await self.application.posts.save(Post(f"ask:{made.turn_id}", place, f"m-{made.turn_id}", made.turn_id, True))
        return made.turn_id

    def _promised(self, place: Place, case: Case, person: str) -> frozenset[str]:
        """Return the pages that may be shown according to docs/slack.md and docs/teams.md."""
        if place.direct:
            return frozenset(PAGES) if person == "member" else frozenset()
        if case.now.named:
            return frozenset({"nam"})
        foreign = person == "foreign" or (person == "guest" and self.name == "teams")
        return frozenset() if case.now.mixed or foreign else frozenset({"def"})

    async def _new_question(self, place: Place, case: Case, person: str) -> frozenset[str]:
        """Return the pages that a new question may use. Slack's events say whether a channel is shared."""
        shared = case.now.mixed and self.name == "slack"
        asked = await self.access.find_access(replace(place, shared=shared), self.people[person])
        scope = asked.scope if isinstance(asked, Access) else Scope(frozenset())
        return await self.application.evidences.filter_visible(PAGES.keys(), scope)

    async def _clicked(self, case: Case, place: Place, turn_id: str) -> frozenset[str]:
        """Return the pages whose words a click shows, or that the workflow it starts may use."""
        durable = Recorded()
        answers, user = self.open_answers(durable), self.people[case.person]
        click = Click(place, f"m-{turn_id}", user, f"{next(self._numbers)}.5", turn_id)
        match case.click:
            case "correct":
                shown: object = await answers.correct(click, "Who?")
            case "suggested":
                shown = [await answers.ask_suggestion(click, index) for index in range(3)]
            case "good":
                shown = await answers.save_feedback(click, "good")
            case "reason":
                shown = await answers.save_feedback(click, "bad", "wrong")
            case name:
                shown = await getattr(answers, name)(click)
        seen = {page for page in PAGES if f"Token-{page}." in repr(shown)}
        for request in durable.requests:
            access = await self.access.find_access(request.place, user)
            if isinstance(access, Access):
                seen |= await self.application.evidences.filter_visible(PAGES.keys(), access.scope)
            seen |= {page for page in PAGES if f"Token-{page}." in repr(request)}
        return frozenset(seen)


@asynccontextmanager
async def _slack(application: Application) -> AsyncIterator[Attack]:
    with SlackWorld() as slack:
        calls = SlackCalls(slack.bot_token, slack.api_url)
        await calls.open()
        platform = SlackPlatform(calls, time.monotonic)
        yield Attack(application, SlackChatWorld(slack), platform, "slack")
        await calls.close()


@asynccontextmanager
async def _teams(application: Application) -> AsyncIterator[Attack]:
    with TeamsWorld() as teams, mock.patch.dict("os.environ", teams.environment):
        registration = Registration(teams.app_id, teams.secret, teams.tenant, teams.metadata_url, teams.login_url)
        connector = Connector(Credentials(registration))
        await connector.open()
        world = TeamsChatWorld(teams)
        platform = TeamsPlatform(connector, TenantReferences(world), time.monotonic)
        yield Attack(application, world, platform, "teams")
        await connector.close()


@contextmanager
def _application(folder: Path) -> Iterator[Application]:
    with open_application(load_settings(data_dir=folder / "data")) as application:
        yield application


async def attack(cases: Sequence[Case]) -> list[str]:
    """Return a line for each violation in these cases."""
    found: list[str] = []
    with tempfile.TemporaryDirectory() as folder, _application(Path(folder)) as application:
        await application.pages.replace(list(PAGES.values()))
        for space in (DEFAULT, NAMED, "OWN"):
            await application.spaces.finish_sync(space, Wiki.name, now(), "")
        for name, opening in (("slack", _slack), ("teams", _teams)):
            mine = [case for case in cases if case.platform == name]
            if not mine:
                continue
            async with opening(application) as attacked:
                for _, group in itertools.groupby(mine, lambda case: (case.kind, case.asked, case.now)):
                    found += await attacked.violations(list(group))
    return found


def main(arguments: list[str]) -> int:
    """Run all combinations, or some of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.security clicks", description=__doc__)
    parser.add_argument("--cases", type=int, default=0, help="so many of all combinations; default: all")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    cases, started = all_cases(), time.monotonic()
    if given.cases:
        chosen = random.Random(given.seed).sample(range(len(cases)), min(given.cases, len(cases)))  # noqa: S311
        cases = [cases[at] for at in sorted(chosen)]
    found = asyncio.run(attack(cases))
    for line in found[:20]:
        print(line, file=sys.stderr)
    print("attack   cases  violations  seconds")
    print(f"clicks  {len(cases):6,}  {len(found):10,}  {time.monotonic() - started:7.1f}")
    return 1 if found else 0
