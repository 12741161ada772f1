"""Public functions are verbs or nouns, never participles: ``post``, not ``posted``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_MODULES = [path for name in ("adapters", "bot", "core", "evaluation") for path in sorted((ROOT / name).rglob("*.py"))]
_REGULAR = re.compile(r"[a-z]+(?:ed|ing)")
_IRREGULAR = re.compile(
    "begun|bound|broken|brought|built|caught|chosen|done|drawn|forgotten|found|given|gone|heard|held|hidden|kept|known|"
    "left|lost|made|met|said|seen|sent|shown|sought|spent|spoken|taken|told|worn|written"
)
_OTHERS = re.compile("bring|embed|embedding|ensure|exceed|feed|heading|need|proceed|ranking|setting|string|timing")


def _is_participle(name: str) -> bool:
    first = name.split("_")[0]
    looks_like_one = _REGULAR.fullmatch(first) or _IRREGULAR.fullmatch(first)
    return bool(looks_like_one) and not _OTHERS.fullmatch(first)


def _functions(path: Path) -> Iterator[str]:
    """Names of public functions and methods. A property may be a noun with an adjective."""
    tree = ast.parse(path.read_text("utf-8"))
    for scope in [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]:
        functions = [node for node in scope.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        for function in functions:
            is_property = any("property" in ast.dump(decorator) for decorator in function.decorator_list)
            if not is_property and not function.name.startswith("_"):
                yield function.name


@pytest.mark.parametrize("name", ["posted", "running", "shown_pages", "told"])
def test_a_participle_is_recognised(name: str) -> None:
    assert _is_participle(name)


def test_no_public_function_is_a_participle() -> None:
    names = [(path, name) for path in _MODULES for name in _functions(path)]
    assert [f"{path.relative_to(ROOT)}: {name}" for path, name in names if _is_participle(name)] == []
