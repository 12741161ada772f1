r"""The directions of languages in the vectors of multilingual-e5-small: `adapters/embedding/language_directions.npy`.

`python -m benchmarks.language_directions` writes that file from Django's messages, which are the same sentences in
many languages. Django is not a dependency. This command runs with it without changing `.venv`:

    VIRTUAL_ENV=$PWD/.venv .venv/bin/uv run --active --no-project --with django==5.2.19 \
        python -m benchmarks.language_directions
"""

from __future__ import annotations

import sys
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from babel.messages.pofile import read_po

from adapters.embedding.e5 import E5Embedder
from adapters.embedding.languages import DIRECTIONS
from core.ports.models import Vectors

LANGUAGES = ("en", "de", "fr", "es")
_SHORTEST = 26  # characters, since single words say little


def read_messages(package: Path) -> list[list[str]]:
    """Return the messages that exist in all languages, in the order of ``languages``."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for language in LANGUAGES:
        for file in sorted(package.glob(f"**/locale/{language}/LC_MESSAGES/django.po")):
            for message in read_po(file.open("rb")):
                is_whole = isinstance(message.id, str) and len(message.id) >= _SHORTEST and not message.fuzzy
                if is_whole and (text := message.id if language == "en" else message.string):
                    found[str(message.id)][language] = str(text)
    return [[texts[language] for language in LANGUAGES] for texts in found.values() if len(texts) == len(LANGUAGES)]


def find_directions(means: Vectors) -> Vectors:
    """Return orthonormal directions that span the differences of n mean vectors, shape (n - 1, dimension)."""
    _, _, directions = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    return np.asarray(directions[: len(means) - 1], np.float32)


def main() -> int:
    """Write the file. Return exit code 0, or 1 without Django."""
    django = find_spec("django")
    if django is None or django.origin is None:
        print(__doc__, file=sys.stderr)
        return 1
    messages, embedder = read_messages(Path(django.origin).parent), E5Embedder()
    of_language = (embedder.embed_with_tokens(list(texts), "query")[0] for texts in zip(*messages, strict=True))
    directions = find_directions(np.stack([vectors.mean(axis=0) for vectors in of_language]))
    file = Path("adapters/embedding") / DIRECTIONS
    np.save(file, directions)
    print(f"{file}: {len(messages)} messages in {', '.join(LANGUAGES)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
