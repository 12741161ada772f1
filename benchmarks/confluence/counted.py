"""``python -m benchmarks.confluence.counted FILE …``: run ``wikiwhy …``, with a line in FILE per embedded evidence.

The line is written before the text is embedded, so that the last evidence of a killed process counts too.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from adapters.embedding.e5 import E5Embedder
from adapters.embedding.late_interaction import E5WordMatcher
from bot.cli.app import main
from core.ports.models import TokenVectors, Vectors


def count_into(path: Path) -> None:
    """Write a line for every evidence that this process embeds from now on, alone or with its token vectors.

    The units of evidences are not counted: their token vectors need a pass of their own, even if a unit has the same
    text as its evidence.
    """
    embed, embed_with_tokens = E5Embedder.embed_passages, E5WordMatcher.embed

    def count(texts: Sequence[str]) -> None:
        with path.open("a", encoding="ascii") as file:
            file.writelines(f"{hashlib.sha256(text.encode()).hexdigest()}\n" for text in texts)

    async def embed_counted(self: E5Embedder, texts: Sequence[str]) -> Vectors:
        count(texts)
        return await embed(self, texts)

    async def embed_counted_with_tokens(
        self: E5WordMatcher, texts: Sequence[str]
    ) -> tuple[Vectors, list[TokenVectors]]:
        count(texts)
        return await embed_with_tokens(self, texts)

    E5Embedder.embed_passages = embed_counted  # type: ignore[method-assign]
    E5WordMatcher.embed = embed_counted_with_tokens  # type: ignore[method-assign]


if __name__ == "__main__":
    count_into(Path(sys.argv.pop(1)))
    main()
