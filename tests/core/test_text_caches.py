"""No cache of texts can be forgotten by an erasure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from core.text_caches import cache_texts, clear_text_caches, register_text_cache
from tests.documentation.sources import ROOT, SOURCES, list_paths, parse

WITHOUT_TEXT = {
    "core/i18n/__init__.py load_translations": "languages",
    "core/text_caches.py": "makes the caches that are cleared",
    "core/timing.py": "TtlCache and the times of warnings, see USES_OF_TTL",
    "adapters/embedding/shared_cache.py": "registers itself",
    "adapters/store/wiki/inclusions.py unite": "numbers of pages, during one query",
    "bot/operations/serialisation.py _make_adapter": "types",
    "bot/server/webhooks.py": "ids of deliveries",
}
"""Caches that no erasure has to clear, with what they hold."""

USES_OF_TTL = {
    "core/access.py": "accounts, groups, and readers of spaces",
    "adapters/slack/platform.py": "members and audiences",
    "adapters/teams/platform.py": "members",
    "adapters/teams/people.py": "audiences",
}
"""Modules that cache what another system told about people and places, by time."""


def _parse_modules(word: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules that have a word, in any case: parsing all of them takes seconds."""
    for path in list_paths("core", "adapters", "bot"):
        if word in SOURCES[path].lower():
            yield str(path.relative_to(ROOT)), parse(path)


def _name(node: ast.expr) -> str:
    """Return the last name of a decorator or class, such as ``lru_cache`` of ``functools.lru_cache(maxsize=5)``."""
    if isinstance(node, ast.Call):
        return _name(node.func)
    if isinstance(node, ast.Subscript):
        return _name(node.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _list_caches(path: str, module: ast.Module) -> Iterator[str]:
    """Yield the cached functions with arguments of a module, and the module itself if it makes caches otherwise."""
    for node in ast.walk(module):
        match node:
            case ast.FunctionDef(args=args) | ast.AsyncFunctionDef(args=args):
                decorators = {_name(each) for each in node.decorator_list}
                if decorators & {"cache", "lru_cache"} and (args.posonlyargs or args.args or args.kwonlyargs):
                    yield f"{path} {node.name}"
            case ast.ImportFrom(module="cachetools") | ast.Call(func=ast.Call(func=ast.Name(id="lru_cache" | "cache"))):
                yield path


def test_each_cache_is_cleared_or_declared_to_have_no_text() -> None:
    found = {cache for path, module in _parse_modules("cache") for cache in _list_caches(path, module)}
    assert found == {*WITHOUT_TEXT}, "cache texts by core.text_caches, or declare the cache"


def test_each_cache_by_time_is_declared() -> None:
    made = {
        path
        for path, module in _parse_modules("ttlcache")
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and _name(node.func) == "TtlCache"
    }
    assert made == {*USES_OF_TTL}


def test_all_caches_are_cleared() -> None:
    calls = []

    @cache_texts(10)
    def fold(text: str) -> str:
        calls.append(text)
        return text.lower()

    class Words:
        def __init__(self) -> None:
            self.texts = ["Marzipan"]

        def clear(self) -> None:
            self.texts.clear()

    words = Words()
    register_text_cache(words)
    assert [fold("Marzipan"), fold("Marzipan")] == ["marzipan"] * 2
    clear_text_caches()
    assert fold("Marzipan") == "marzipan"
    assert (calls, words.texts) == (["Marzipan"] * 2, [])


def test_a_cache_that_is_gone_is_not_kept() -> None:
    class Words:
        def clear(self) -> None:
            pytest.fail("it is gone")

    register_text_cache(Words())
    clear_text_caches()
