"""Doubles of slow or external parts in a canary case: models, indexes, Confluence's HTTP, the chat platform.

Each outputs as much as it can, so that every possible leak shows.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from adapters.slack.platform import SlackPlatform
from adapters.teams.platform import TeamsPlatform
from benchmarks.security._canary_loop import Scheduler
from benchmarks.security._canary_oracle import Oracle
from benchmarks.security._canary_world import PEOPLE, World
from core.languages import Language
from core.model import IndexEntry, Prompt, Usage
from core.model.views import AnswerView, PrivateView, View, Waiting
from core.ports.chat import Audience, Capabilities, Member, Place, ThreadMessage
from core.ports.indexes import AccessFilter, Hit, LexicalHits
from core.ports.models import (
    Generation,
    Matrix,
    Sampling,
    TextInContext,
    TextListener,
    TokenVectors,
    Vectors,
    WordMatches,
)
from core.text import list_words

_DIMENSION = 64

ASKED_AT: ContextVar[tuple[Place, str, int] | None] = ContextVar("asked_at", default=None)
"""The place and person for which a step works, and the operation at which it began."""


@lru_cache(maxsize=50_000)
def _vector(word: str) -> Vectors:
    random = np.random.default_rng(zlib.crc32(word.encode()))
    return random.standard_normal(_DIMENSION).astype(np.float32)


_COMMON = _vector("what all texts have in common")
_COMMON = _COMMON / np.linalg.norm(_COMMON)


class HashingEmbedder:
    """The vector of a text is the sum of random vectors of its words, so that shared words mean similarity.

    All vectors share a part, so that cosines are as high as for the default embedder, whose thresholds apply.
    """

    name = "hashing"
    dimension = _DIMENSION

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self.embed_passages(texts)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        rows = [np.sum([_vector(word) for word in list_words(text)] or [_vector("")], axis=0) for text in texts]
        if not rows:
            return np.zeros((0, _DIMENSION), np.float32)
        found = np.stack(rows)
        mixed = 0.5 * found / np.linalg.norm(found, axis=1, keepdims=True) + 0.87 * _COMMON
        return np.asarray(mixed / np.linalg.norm(mixed, axis=1, keepdims=True), np.float32)


class HashingMatcher:
    """A matcher by equal words, without token vectors."""

    name = unit_name = "canary"
    embedder = "none"

    async def embed(self, texts: Sequence[str]) -> tuple[Vectors, list[TokenVectors]]:
        return np.zeros((len(texts), 1), np.float32), [b""] * len(texts)

    async def embed_units(self, texts: Sequence[str]) -> list[TokenVectors]:
        return [b""] * len(texts)

    async def match_words(self, question: str, texts: Sequence[str]) -> WordMatches:
        asked = tuple(question.split())
        folded = [set(list_words(word)) for word in asked]
        scores = np.array([[0.8 * bool(word & set(list_words(text))) for word in folded] for text in texts])
        count = max(len(asked), 1)
        return WordMatches(asked, np.full(len(asked), 1.0 / count), scores.reshape(len(texts), len(asked)))

    async def rate_answers(self, question: str, texts: Sequence[TextInContext]) -> Matrix:
        return np.zeros(len(texts))

    async def match_stored(self, question: str, hashes: Collection[str]) -> dict[str, float]:
        return {}

    def clear(self) -> None:
        """Do nothing."""


class MemoryIndex:
    """The entries of an index by key. A search finds only admitted ones."""

    def __init__(self) -> None:
        self.entries: dict[str, tuple[IndexEntry, frozenset[str], Vectors | None]] = {}

    def take(self, other: MemoryIndex) -> None:
        """Copy the entries of another index."""
        self.entries = dict(other.entries)

    async def remove(self, space: str, keys: Collection[str]) -> None:
        for key in keys:
            if key in self.entries and self.entries[key][0].space == space:
                del self.entries[key]

    async def load_keys(self, space: str) -> set[str]:
        return {key for key, (entry, _, _) in self.entries.items() if entry.space == space}

    async def count(self, space: str) -> int:
        return len(await self.load_keys(space))

    def within(self, access_filter: AccessFilter) -> list[tuple[IndexEntry, frozenset[str], Vectors | None]]:
        return [
            held
            for held in self.entries.values()
            if held[0].space in access_filter.spaces and (not held[0].access or held[0].access in access_filter.access)
        ]


class MemoryDense(MemoryIndex):
    """A :class:`core.ports.indexes.DenseIndex`."""

    async def add(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        for entry, vector in zip(entries, vectors, strict=True):
            self.entries.setdefault(entry.key, (entry, frozenset(), vector))

    async def search(self, vector: Vectors, access_filter: AccessFilter, limit: int) -> list[Hit]:
        held = self.within(access_filter)
        if not held:
            return []
        scores = np.stack([row for _, _, row in held if row is not None]) @ vector
        hits = [Hit(entry.key, float(score)) for (entry, _, _), score in zip(held, scores, strict=True)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.key))[:limit]


class MemoryLexical(MemoryIndex):
    """A :class:`core.ports.indexes.LexicalIndex` that counts the words of the question."""

    async def add(self, entries: Sequence[IndexEntry]) -> None:
        for entry in entries:
            said = frozenset(list_words(f"{entry.title} {entry.heading} {entry.text} {entry.surroundings}"))
            self.entries.setdefault(entry.key, (entry, said, None))

    async def search(self, question: str, access_filter: AccessFilter, limit: int) -> LexicalHits:
        asked = frozenset(list_words(question))
        hits = [
            Hit(entry.key, float(len(asked & said))) for entry, said, _ in self.within(access_filter) if asked & said
        ]
        return LexicalHits(sorted(hits, key=lambda hit: (-hit.score, hit.key))[:limit], [])

    async def tidy(self, steps: int) -> bool:
        """Do nothing: no removed text is left."""
        return True

    async def compact(self) -> bool:
        """Do nothing: there is no file."""
        return False


_SOURCE = re.compile(r'<source number="(\d+)" page="([^"]*)"[^>]*>\n(.*?)\n</source>', re.DOTALL)


@dataclass(slots=True)
class QuotingModel:
    """A language model that repeats its prompt. Every prompt goes to the oracle."""

    scheduler: Scheduler
    oracle: Oracle
    name: str = "quoting"
    context_tokens: int = 100_000

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    async def load(self) -> None:
        """Do nothing: it is always loaded."""

    async def generate(self, prompt: Prompt, sampling: Sampling, on_text: TextListener | None = None) -> Generation:
        await self.scheduler.checkpoint("model.generate")
        asked_at = ASKED_AT.get()
        if asked_at is not None:
            self.oracle.prompted(*asked_at[:2], prompt, asked_at[2])
        text = _written(prompt)
        if on_text is not None:
            half = text[: len(text) // 2]
            on_text(half)
            await self.scheduler.checkpoint("model.piece")
            on_text(text)
        await self.scheduler.checkpoint("model.written")
        return Generation(text, usage=Usage(1, 10, 10))


def _written(prompt: Prompt) -> str:
    asked = prompt.messages[-1].text
    sources = _SOURCE.findall(asked)
    match prompt.name:
        case "answer":
            return " ".join(f"{_line(text)} [{number}]" for number, _, text in sources[:4])
        case "suggest":
            return "\n".join(f"What does {page} say about {_line(text)[:60]}?" for _, page, text in sources[:4])
        case "complete":
            pages = re.findall(r"^Page: (.*)$", asked, re.MULTILINE)
            last = re.findall(r"^Last question: (.*)$", asked, re.MULTILINE)
            return f"{last[-1]} ({pages[-1]})" if pages and last else ""
    return ""


def _line(text: str) -> str:
    return " ".join(text.split()).removeprefix("… ")


@dataclass(slots=True)
class CanaryPlatform:
    """A chat platform that passes all shown text to the oracle. :class:`CanaryTeams` has the capabilities of Teams."""

    capabilities: ClassVar[Capabilities] = SlackPlatform.capabilities

    scheduler: Scheduler
    oracle: Oracle
    world: World
    posts: dict[str, str] = field(default_factory=dict)
    shown: dict[str, View] = field(default_factory=dict)
    number: int = 2000

    def begin_with(self, posts: Mapping[str, str], number: int) -> None:
        """Set the initial messages. ``number``: of the last message or click."""
        self.posts, self.number = dict(posts), number

    def next_id(self) -> str:
        """Return the next id of a message or click. Ids increase with time."""
        self.number += 1
        return f"{self.number}.000001"

    async def show_work(self, place: Place, waiting: Waiting, key: str) -> str:
        await self.scheduler.checkpoint("platform.show_work")
        return f"stream of {key}"

    async def end_work(self, place: Place, key: str) -> None:
        await self.scheduler.checkpoint("platform.end_work")

    async def post(self, place: Place, view: View, key: str, stream: str = "") -> str:
        await self.scheduler.checkpoint("platform.post")
        self.oracle.leaves(place, "post", view)
        message_id = self.next_id()
        self.posts[key], self.shown[message_id] = message_id, view
        return message_id

    async def open_window(self, place: Place, waiting: Waiting, key: str, trigger: str) -> str:
        await self.scheduler.checkpoint("platform.open_window")
        return trigger

    async def fill_window(self, place: Place, window: str, view: PrivateView, language: Language) -> None:
        await self.scheduler.checkpoint("platform.fill_window")
        self.oracle.leaves(place, "window", view)

    async def post_private(self, place: Place, user: str, view: PrivateView) -> str:
        await self.scheduler.checkpoint("platform.post_private")
        self.oracle.leaves(place, "private", view, user)
        return self.next_id()

    async def update(self, place: Place, message_id: str, view: View) -> None:
        await self.scheduler.checkpoint("platform.update")
        self.oracle.leaves(place, "update", view)
        self.shown[message_id] = view

    async def replace(self, place: Place, message_id: str, view: View, key: str) -> str:
        await self.update(place, message_id, view)
        return message_id

    async def remove(self, place: Place, message_id: str) -> None:
        await self.scheduler.checkpoint("platform.remove")
        self.shown.pop(message_id, None)  # missing if it was posted before the case

    async def show_part(self, place: Place, user: str, view: AnswerView, stream: str) -> str:
        return ""

    async def find_streams(self, place: Place) -> list[str]:
        return []

    async def find_message(self, place: Place, key: str) -> str | None:
        await self.scheduler.checkpoint("platform.posted")
        return self.posts.get(key)

    async def find_link(self, place: Place, message_id: str) -> str:
        await self.scheduler.checkpoint("platform.find_link")
        return f"https://chat.example.com/{message_id}"

    async def load_messages(self, place: Place, before: str) -> list[ThreadMessage]:
        await self.scheduler.checkpoint("platform.load_messages")
        return []

    async def resolve_mentions(self, place: Place, text: str) -> str:
        return text

    async def find_member(self, place: Place, user: str) -> Member:
        await self.scheduler.checkpoint("platform.find_member")
        person = PEOPLE.get(user)
        if person is None:
            return Member(user, user, guest=True)
        return Member(user, person.name, guest=person.guest, foreign=person.foreign)

    async def find_audience(self, place: Place) -> Audience:
        """Return who can read a place now."""
        await self.scheduler.checkpoint("platform.find_audience")
        return "mixed" if self.world.shared[self.oracle.room_of(place).name] else "own"


class CanaryTeams:
    """A canary platform with the capabilities of Teams."""

    capabilities = TeamsPlatform.capabilities

    def __init__(self, platform: CanaryPlatform) -> None:
        self._platform = platform

    def __getattr__(self, name: str) -> Any:
        return getattr(self._platform, name)
