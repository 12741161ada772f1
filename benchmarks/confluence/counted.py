"""``python -m benchmarks.confluence.counted FILE …``: run ``wikiwhy …``, with a line in FILE per embedded text.

The line is written before the text is embedded, so that the last text of a killed process counts too.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from adapters.embedding.e5 import E5Embedder
from adapters.embedding.late_interaction import TYPICAL
from bot.cli.app import main
from core.ports.models import Vectors


def count_into(path: Path) -> None:
    """Write a line for every passage that this process embeds from now on, alone or with its token vectors."""
    embed, embed_with_tokens = E5Embedder.embed_passages, E5Embedder.embed_with_tokens

    def count(texts: Sequence[str]) -> None:
        with path.open("a", encoding="ascii") as file:
            file.writelines(f"{hashlib.sha256(text.encode()).hexdigest()}\n" for text in texts if text != TYPICAL)

    async def counted(self: E5Embedder, texts: Sequence[str]) -> Vectors:
        count(texts)
        return await embed(self, texts)

    def counted_with_tokens(self: E5Embedder, texts: Sequence[str], prefix: str) -> tuple[Vectors, list[Vectors]]:
        count(texts if prefix == "passage" else [])
        return embed_with_tokens(self, texts, prefix)

    E5Embedder.embed_passages = counted  # type: ignore[method-assign]
    E5Embedder.embed_with_tokens = counted_with_tokens  # type: ignore[method-assign]


if __name__ == "__main__":
    count_into(Path(sys.argv.pop(1)))
    main()
