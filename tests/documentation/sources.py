"""The modules of the product: their text, and their syntax trees, which all tests of a process share."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = {
    path: path.read_text("utf-8")
    for folder in ("adapters", "bot", "core", "evaluation")
    for path in sorted((ROOT / folder).rglob("*.py"))
}


@functools.cache
def parse(path: Path) -> ast.Module:
    return ast.parse(SOURCES[path])


def list_paths(*folders: str) -> list[Path]:
    """The modules below folders of the root."""
    return [path for path in SOURCES if path.relative_to(ROOT).parts[0] in folders]
