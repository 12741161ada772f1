"""Token vectors in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from core.model import IndexedEvidence
from core.ports.models import TokenVectors


@dataclass
class MemoryTokenVectors:
    """See :class:`core.ports.store.TokenVectorStore`. Knows no spaces."""

    by_hash: dict[tuple[str, str], TokenVectors] = field(default_factory=dict)
    of_units: dict[tuple[str, str], TokenVectors] = field(default_factory=dict)
    complete: set[tuple[str, str]] = field(default_factory=set)

    async def load_tokens(self, model: str, hashes: Collection[str]) -> dict[str, TokenVectors]:
        return {each: self.by_hash[model, each] for each in hashes if (model, each) in self.by_hash}

    async def find_missing(self, model: str, hashes: Collection[str]) -> frozenset[str]:
        return frozenset(each for each in hashes if (model, each) not in self.by_hash)

    async def save(self, model: str, tokens: Mapping[str, TokenVectors]) -> None:
        self.by_hash |= {(model, each): value for each, value in tokens.items()}

    async def load_units(self, model: str, hashes: Collection[str]) -> dict[str, TokenVectors]:
        return {each: self.of_units[model, each] for each in hashes if (model, each) in self.of_units}

    async def find_without_units(self, model: str, hashes: Collection[str]) -> frozenset[str]:
        return frozenset(each for each in hashes if (model, each) not in self.complete)

    async def save_units(self, model: str, units: Mapping[str, Mapping[str, TokenVectors]]) -> None:
        self.complete |= {(model, each) for each in units}
        self.of_units |= {(model, each): value for some in units.values() for each, value in some.items()}

    async def find_incomplete(self, model: str, unit_model: str, space: str, limit: int) -> list[IndexedEvidence]:
        return []

    async def note_incomplete(self, space: str) -> None:
        pass
