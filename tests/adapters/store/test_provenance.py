"""Random sequences of questions and changes of pages: no text has words of a page that was erased or is hidden."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from adapters.store.statements import now
from core.history import (
    find_page_parts,
    find_page_parts_of_messages,
    find_pages,
    hide_words,
    list_messages,
    select_visible,
)
from core.model import (
    Author,
    ModelCall,
    Prompt,
    PromptMessage,
    ProposedCompletion,
    Provenance,
    Question,
    Scope,
    Suggestion,
    Trace,
    Turn,
    Usage,
)
from core.ports.pages import IndexedPage
from tests.adapters.store.opened import stores_of
from tests.contracts.examples import indexed_page, turn
from tests.contracts.stores import ONLY_ANN, Stores

HERE = Scope(frozenset({"ENG"}))
MARK = re.compile(r"p\d+x\d+v\d+")
PAGES, CONVERSATIONS = range(3), range(2)

pages = st.sampled_from(PAGES)


@dataclass(frozen=True)
class Asked:
    """A question. ``follows``: the conversation of its history. ``takes``: the number of the turn that suggests it.

    ``is_held``: whether the turn is stored only after the next event.
    """

    conversation: int
    follows: int | None
    takes: int | None
    used: frozenset[int]
    author: Author
    completed: bool
    is_held: bool


@dataclass(frozen=True)
class Changed:
    """A change of a page."""

    page: int
    how: str


@dataclass(frozen=True)
class Removed:
    """The removal of a turn."""

    number: int


Event = Asked | Changed | Removed
conversations = st.sampled_from(CONVERSATIONS)
asked = st.builds(
    Asked,
    conversations,
    st.sampled_from([None, 0, 0, 1, 1]),
    st.none() | st.integers(0, 4),
    st.frozensets(pages, max_size=2),
    st.sampled_from([Author.WIKI, Author.MODEL]),
    st.sampled_from([True, True, False]),
    st.sampled_from([False, False, True]),
)
changed = st.builds(Changed, pages, st.sampled_from(["edit", "remove", "restrict", "move", "return"]))
removed = st.builds(Removed, st.integers(0, 4))
events = st.lists(st.one_of(asked, asked, asked, changed, changed, removed), min_size=5, max_size=15)


@dataclass
class World:
    """A store with pages that each contain one mark, which changes with each version.

    ``places``: the space of each page, "" if nobody here may read it. ``erased``: marks that no turn may have.
    """

    stores: Stores
    name: str
    versions: dict[int, int] = field(default_factory=dict)
    places: dict[int, str] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)
    turn_ids: list[str] = field(default_factory=list)
    held: list[Turn] = field(default_factory=list)

    def mark(self, page: int) -> str:
        return f"p{page}{self.name}v{self.versions[page]}"

    def make_page(self, page: int) -> IndexedPage:
        return indexed_page(f"{self.name}-{page}", (f"Of {self.mark(page)}.",), self.places[page] or "ENG")

    async def change(self, page: int, how: str) -> None:
        match how:
            case "remove":
                await self.stores.pages.remove([f"{self.name}-{page}"])
            case "restrict":
                restricted = indexed_page(f"{self.name}-{page}", ("Of nothing.",), "ENG", ONLY_ANN)
                await self.stores.pages.replace([restricted])
        if how in {"remove", "restrict"}:
            if self.places.get(page):
                self.erased.add(self.mark(page))
            self.places[page] = ""
            return
        if not self.places.get(page):
            self.versions[page] = self.versions.get(page, 0) + 1
        self.places[page] = "HR" if how == "move" else "ENG"
        await self.stores.pages.replace([self.make_page(page)])

    async def load(self, conversation: int) -> list[Turn]:
        stored = await self.stores.turns.load_newest(f"{self.name}-c{conversation}", 1_000)
        return select_visible(stored, HERE, await self.stores.evidences.filter_visible(find_pages(stored), HERE))

    async def ask(self, asked: Asked) -> None:
        """Make a turn whose texts repeat everything that they may be made from, as the chat does."""
        turn_id = f"{self.name}-t{len(self.turn_ids) + len(self.held)}"
        asked_at = now()
        history = await self.load(asked.follows) if asked.follows is not None else []
        provenance = Provenance(history=find_page_parts_of_messages(history))
        as_asked, suggested_in = f"Question {turn_id}", ""
        if asked.takes is not None and asked.takes < len(self.turn_ids):
            suggesting = await self.stores.turns.load_turn(self.turn_ids[asked.takes])
            if suggesting and suggesting.suggestions and await self._may_show(find_pages([suggesting])):
                as_asked, suggested_in = suggesting.suggestions[0].question, suggesting.turn_id
                provenance = replace(provenance, suggestion=find_page_parts(suggesting))
        heard = join_marks(list_messages(history))
        explicit = f"{as_asked} {heard}" if asked.completed else as_asked
        used = tuple(self.make_page(page) for page in sorted(asked.used) if self.places[page] == "ENG")
        text = join_marks([page.evidences for page in used], explicit if asked.author is Author.MODEL else "")
        made = turn(turn_id, f"{self.name}-c{asked.conversation}", asked_at, used, used, f"It is {text}.", HERE)
        calls = call("complete", heard, as_asked), call("answer", explicit, text)
        earlier = [each.question for each in await self.load(asked.conversation)]
        of_history = provenance.history.union(*(each.provenance.suggestion for each in earlier))
        question = Question(as_asked, explicit, suggested_in, provenance=replace(provenance, history=of_history))
        said = join_marks(explicit, text, [each.as_asked for each in earlier])
        made = replace(
            made,
            question=question,
            answer=replace(made.answer, author=asked.author),
            trace=Trace((ProposedCompletion(explicit),), calls),
            suggestions=tuple(Suggestion(f"Why {said}?", each.evidence.evidence_id) for each in made.evidences[:1]),
        )
        self.held.append(made)

    async def _may_show(self, page_ids: frozenset[str]) -> bool:
        return await self.stores.evidences.filter_visible(page_ids, HERE) == page_ids

    async def store_held(self) -> None:
        for made in self.held:
            await self.stores.turns.save(made)
            self.turn_ids.append(made.turn_id)
        self.held.clear()

    async def happen(self, event: Event) -> None:
        before = [*self.held]
        match event:
            case Asked():
                await self.ask(event)
            case Changed(page, how):
                await self.change(page, how)
            case Removed(number) if number < len(self.turn_ids):
                await self.stores.turns.remove(self.turn_ids[number])
        if before or not (isinstance(event, Asked) and event.is_held):
            await self.store_held()

    async def check(self) -> None:
        hidden = self.erased | {self.mark(page) for page in PAGES if self.places[page] == "HR"}
        for turn_id in self.turn_ids:
            stored = await self.stores.turns.load_turn(turn_id)
            assert not self.erased & {*MARK.findall(repr(stored))}
            if stored:
                visible = await self.stores.evidences.filter_visible(stored.question.provenance.page_ids, HERE)
                shown = hide_words(stored, visible)
                assert not hidden & {*MARK.findall(repr((shown.question, shown.suggestions)))} - of_evidences(shown)
        for conversation in CONVERSATIONS:
            told = await self.load(conversation)
            assert not hidden & {*MARK.findall(repr(list_messages(told)))}
            assert not hidden & {*MARK.findall(repr([(each.question, each.suggestions) for each in told]))}


def of_evidences(shown: Turn) -> set[str]:
    """Return the marks of the evidences, whose visibility is checked before an answer or its suggestions are shown."""
    return {*MARK.findall(repr(shown.evidences))}


def join_marks(*texts: object) -> str:
    return " ".join(sorted({*MARK.findall(repr(texts))}))


def call(name: str, *texts: str) -> ModelCall:
    return ModelCall(Prompt(name, (PromptMessage("user", " ".join(texts)),)), " ".join(texts), Usage(1), 1.0)


@pytest.fixture(scope="module", params=["SQLite", pytest.param("PostgreSQL", marks=pytest.mark.slow)])
def shared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A database for all examples, whose ids differ."""
    with ExitStack() as stack:
        if request.param == "SQLite":
            url = make_sqlite_url(tmp_path_factory.mktemp("provenance") / "w.db")
        else:
            server, template = (request.getfixturevalue(name) for name in ("postgres_server", "migrated_template"))
            url = stack.enter_context(server.new_database(template))
        opened = Database.open(url)
        stack.callback(opened.close)
        yield opened


names = count()


@settings(max_examples=settings.default.max_examples // 2, suppress_health_check=[HealthCheck.too_slow])
@given(events)
def test_no_text_has_words_of_a_page_that_was_erased_or_is_hidden(shared: Database, happened: list[Event]) -> None:
    async def run() -> None:
        world = World(stores_of(shared), f"x{next(names)}")
        for page in PAGES:
            await world.change(page, "return")
        for event in happened:
            await world.happen(event)
            await world.check()
        await world.store_held()
        await world.check()

    asyncio.run(run())
