"""Finds the words that docs/glossary.md lists under "never", by codespell: ``python -m tests.documentation.glossary``.

A phrase is found within a line only, also with underscores in an identifier. Words of compound identifiers are checked
one by one.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from codespell_lib import main as codespell

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"
CHECKED = (
    *("adapters", "benchmarks", "bot", "core", "docs", "evaluation", "prompts", "tests"),
    *("Dockerfile", "Makefile", "README.md", "pyproject.toml"),
)
_SKIPPED = (
    *(str(GLOSSARY), "*/documentation/test_glossary.py", "*/node_modules", "LICENSE"),
    *("*.json", "*.jsonl", "*.png", "*.pyc"),
)
_ROW = re.compile(r"^\| (?P<term>[^|]+) \| (?P<meaning>[^|]+) \|(?P<never>[^|]*)\|$", re.MULTILINE)
_WORD = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])"


def has_never_words(paths: Sequence[Path]) -> bool:
    """Whether there are any. Prints each with its file and line."""
    never = never_words(GLOSSARY.read_text("utf-8"))
    phrases = [phrase.replace(" ", "[ _]") for phrase in never if " " in phrase]
    lines = [f"{spelled}->{term}" for word, term in never.items() for spelled in {word, word.replace(" ", "_")}]
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as dictionary:
        dictionary.write("\n".join(lines) + "\n")
        dictionary.flush()
        pattern = "|".join([*(rf"\b(?i:{phrase})\b" for phrase in phrases), _WORD])
        options = ["--dictionary", dictionary.name, "--regex", pattern, "--skip", ",".join(_SKIPPED)]
        return codespell(*options, "--quiet-level", "2", *map(str, paths)) != 0


def never_words(glossary: str) -> dict[str, str]:
    """Each word or phrase that is never used, with the term to use."""
    return {
        word.lower(): row["term"].split(",")[0]
        for row in _ROW.finditer(glossary)
        for word in re.findall(r"`([^`]+)`", row["never"])
    }


if __name__ == "__main__":
    sys.exit(has_never_words([ROOT / name for name in CHECKED]))
