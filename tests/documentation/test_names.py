"""Public functions are verbs or nouns, never participles: ``post``, not ``posted``.

Methods of ports begin with a verb, and so does every function of ``bot``.
"""

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

# The verbs of the Protocols of core and bot. `page` and `keys` would also be verbs, so the verbs in use are listed.
_QUERIES = re.compile("count|embed|filter|find|generate|list|load|match|read|rerank|resolve|score|search|to")
_COMMANDS = re.compile(
    "add|announce|answer|attribute|begin|check|clear|close|compact|complete|delete|end|execute|fill|finish|forget|guard|"
    "lock|mark|move|note|on|open|post|prune|remove|replace|report|run|save|scrub|show|signal|start|stop|strike|suggest|"
    "tidy|update|wait"
)
_PREDICATES = re.compile("accepts|covers|has|needs|was")
_VERBS_OF_BOT = re.compile(
    "act|advise|append|ask|authenticate|beat|build|choose|clean|collect|commit|configure|confirm|connect|convert|copy|"
    "correct|create|describe|do|draw|dump|ensure|erase|expand|explain|export|follow|format|get|give|handle|hold|ignore|"
    "keep|launch|leave|link|listen|log|make|measure|name|normalise|notify|observe|own|parse|point|print|publish|put|"
    "react|rebuild|record|redact|refuse|register|render|repeat|replay|reply|require|reserve|respond|restart|revise|"
    "round|sample|say|select|serve|share|shorten|sign|split|store|submit|subtract|summarise|sweep|sync|take|trace|try|"
    "unlock|warm|warn|welcome|withdraw|work|write|"
    "asks|belongs|closes|have|is|knows|matches|may|reads|takes"
)
_OTHERS_OF_BOT = {"from_json", "main", "now", "settings_customise_sources", "today"}


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


def _methods_of_ports(source: str) -> Iterator[tuple[str, str]]:
    """Pairs of the name of a Protocol's method and what it returns. Properties are nouns."""
    for scope in ast.walk(ast.parse(source)):
        if isinstance(scope, ast.ClassDef) and "Protocol" in [ast.unparse(base) for base in scope.bases]:
            methods = [node for node in scope.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
            for method in methods:
                if not method.decorator_list and not method.name.startswith("_"):
                    yield f"{scope.name}.{method.name}", ast.unparse(method.returns) if method.returns else ""


def _is_verb(method: str, returns: str) -> bool:
    """Whether a method says if it is a query (it returns something), a command or a predicate (it returns a bool)."""
    first = method.partition(".")[2].split("_")[0]
    if _PREDICATES.fullmatch(first):
        return returns == "bool"
    return bool(_COMMANDS.fullmatch(first) or (_QUERIES.fullmatch(first) and returns != "None"))


@pytest.mark.parametrize(
    ("method", "returns"),
    [("EvidenceStore.current", "dict[str, Evidence]"), ("DenseIndex.keys", "set[str]"), ("Wiki.page", "Page"),
     ("ReferenceStore.of", "Reference | None"), ("TurnStore.load_turn", "None"), ("PageStore.has_page", "Page")],
)  # fmt: skip
def test_a_noun_is_recognised(method: str, returns: str) -> None:
    assert not _is_verb(method, returns)


def test_methods_of_ports_begin_with_a_verb() -> None:
    folders = (ROOT / "core", ROOT / "bot")
    sources = [path.read_text("utf-8") for folder in folders for path in sorted(folder.rglob("*.py"))]
    methods = [found for source in sources for found in _methods_of_ports(source)]
    assert len(methods) > 100
    assert [name for name, returns in methods if not _is_verb(name, returns)] == []


def _functions_of_bot(path: Path) -> Iterator[str]:
    """Names of functions and methods, without those of commands, which have the names that people type."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        functions = node.body if isinstance(node, ast.Module | ast.ClassDef) else []
        for function in functions:
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and not function.name.startswith("__"):
                decorators = " ".join(map(ast.unparse, function.decorator_list))
                is_command = "typer.Context" in ast.unparse(function.args) or ".command" in decorators
                if not is_command and "property" not in decorators and ".callback" not in decorators:
                    yield function.name.lstrip("_")


def test_functions_of_bot_begin_with_a_verb() -> None:
    names = [(path, name) for path in sorted((ROOT / "bot").rglob("*.py")) for name in _functions_of_bot(path)]
    assert len(names) > 700
    verbs = (_QUERIES, _COMMANDS, _PREDICATES, _VERBS_OF_BOT)
    others = [each for each in names if not any(known.fullmatch(each[1].split("_")[0]) for known in verbs)]
    assert [f"{path.relative_to(ROOT)}: {name}" for path, name in others if name not in _OTHERS_OF_BOT] == []
