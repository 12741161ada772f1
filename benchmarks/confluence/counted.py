"""``python -m benchmarks.confluence.counted FILE …``: run ``wikiwhy …``, with a line in FILE per embedded text.

The line is written before the text is embedded, so that the last text of a killed process counts too.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from adapters.embedding.e5 import E5Embedder
from bot.cli.app import main
from core.ports.models import Vectors


def count_into(path: Path) -> None:
    """Write a line for every passage that this process embeds from now on."""
    embed = E5Embedder.embed_passages

    async def counted(self: E5Embedder, texts: Sequence[str]) -> Vectors:
        with path.open("a", encoding="ascii") as file:
            file.writelines(f"{hashlib.sha256(text.encode()).hexdigest()}\n" for text in texts)
        return await embed(self, texts)

    E5Embedder.embed_passages = counted  # type: ignore[method-assign]


if __name__ == "__main__":
    count_into(Path(sys.argv.pop(1)))
    main()
