"""Add and remove random entries, then count the letters of removed ones in the files.

Run as a script, it uses the SQLite of the package pysqlite3.
"""

from __future__ import annotations

import asyncio
import random
import re
import sys
import tempfile
from pathlib import Path

CYRILLIC = [chr(code) for code in range(0x430, 0x450)]
LATIN = list("abcdefghijklmnopqrstuvwxyz")
LEFT = re.compile(rb"(?:[\xd0\xd1][\x80-\xbf]){3}")
"""Three Cyrillic letters in a row: shorter than a 4-gram, and improbable in binary data."""


async def remove_all(seed: int, folder: Path, rounds: int = 25) -> int:
    """Remove all entries with Cyrillic words, and return how often Cyrillic letters are still in the files."""
    from adapters.index.lexical import Fts5LexicalIndex
    from core.ports.indexes import IndexEntry

    rng = random.Random(seed)

    def entry(key: str, letters: list[str]) -> IndexEntry:
        def words(number: int) -> str:
            return " ".join("".join(rng.choices(letters, k=rng.randrange(4, 10))) for _ in range(number))

        return IndexEntry(key, "DOC", "", words(2), words(2), words(rng.randrange(3, 60)), words(10))

    index = Fts5LexicalIndex.open(folder / "lexical.db")
    keys: list[str] = []
    for number in range(rounds):
        names = [f"{rng.choice('cl')}{number}-{at}" for at in range(rng.randrange(1, 60))]
        await index.add([entry(name, CYRILLIC if name[0] == "c" else LATIN) for name in names])
        keys += names
        for _ in range(rng.randrange(3)):
            gone = rng.sample(keys, min(len(keys), rng.randrange(1, 30)))
            await index.remove("DOC", gone)
            keys = [key for key in keys if key not in gone]
            if rng.random() < 0.3:
                await index.tidy(rng.randrange(3))
    await index.remove("DOC", [key for key in keys if key[0] == "c"])
    while not await index.tidy(1):
        pass
    assert await index.count("DOC") == len(await index.keys("DOC")) == sum(key[0] == "l" for key in keys)
    left = len(LEFT.findall(read_all(folder)))
    index.close()
    return left


def read_all(folder: Path) -> bytes:
    """Return the content of all files of a folder."""
    return b"".join(file.read_bytes() for file in folder.iterdir())


if __name__ == "__main__":
    import pysqlite3

    sys.modules["sqlite3"] = pysqlite3
    from adapters.index import lexical_erasure

    assert lexical_erasure.has_secure_delete(), pysqlite3.sqlite_version
    for one in range(3):
        with tempfile.TemporaryDirectory() as made:
            print(asyncio.run(remove_all(one, Path(made))))
