"""Functions of the product begin with a verb: ``post``, not ``posted``. Properties may be nouns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documentation.sources import ROOT, list_paths, parse

_EVALUATION = list_paths("evaluation")
_REGULAR = re.compile(r"[a-z]+(?:ed|ing)")
_IRREGULAR = re.compile(
    "begun|bound|broken|brought|built|caught|chosen|done|drawn|forgotten|found|given|gone|heard|held|hidden|kept|"
    "known|left|lost|made|met|said|seen|sent|shown|sought|spent|spoken|taken|told|worn|written"
)
_OTHERS = re.compile("bring|embed|embedding|ensure|exceed|feed|heading|need|proceed|ranking|setting|string|timing")

# The verbs of the Protocols of core and bot. `page` and `keys` would also be verbs, so the verbs in use are listed.
_QUERIES = re.compile("count|embed|filter|find|generate|list|load|match|rate|read|rerank|resolve|score|search|to")
_COMMANDS = re.compile(
    "add|announce|answer|attribute|begin|check|clear|close|compact|complete|delete|end|execute|fill|finish|forget|"
    "guard|lock|mark|mix|move|narrow|note|on|open|post|prune|remove|replace|report|run|save|scrub|show|signal|start|stop|strike|"
    "suggest|tidy|update|wait"
)
_PREDICATES = re.compile("accepts|covers|has|needs|was")
_OTHER_VERBS = re.compile(
    "act|admit|advance|advise|affirm|align|anonymise|append|apply|arrange|ask|attach|authenticate|average|back|"
    "batch|beat|bind|blank|borrow|break|build|cache|calculate|call|cancel|cap|change|choose|cite|clean|cluster|collapse|collect|"
    "combine|commit|compare|compile|compose|compress|compute|conclude|configure|confirm|connect|contextualise|"
    "continue|convert|copy|correct|create|cut|date|decide|decode|decompress|defer|define|dequantise|describe|detect|digest|"
    "disown|divide|do|download|draw|drop|dump|edit|embolden|emphasise|empty|encode|ensure|enter|erase|escape|"
    "estimate|exchange|expand|expect|explain|export|extract|fence|fit|flatten|fold|follow|form|format|fuse|gather|get|give|"
    "group|handle|hash|hide|hold|identify|ignore|import|index|insert|interpret|intersect|introduce|isolate|iterate|"
    "join|judge|keep|label|launch|learn|leave|limit|link|listen|log|look|lower|make|map|mask|measure|merge|name|"
    "negate|normalise|normalize|notify|number|observe|order|own|pack|pad|pair|parse|phrase|place|plan|point|"
    "prefer|prefix|prepare|preview|print|propose|publish|put|qualify|quote|raise|rank|react|rebuild|record|redact|"
    "refresh|refuse|register|remember|rename|render|repair|repeat|replay|reply|request|require|reserve|reset|respond|"
    "restart|retrieve|retry|revise|rewrite|rotate|round|sample|say|scale|scan|select|send|separate|serialise|serve|set|"
    "settle|shape|share|shorten|sign|skip|sort|split|squeeze|stack|store|strip|submit|subtract|sum|summarise|"
    "surround|sweep|sync|take|test|tighten|trace|translate|try|unescape|unify|unlock|unpack|upgrade|upsert|use|"
    "verbalise|warm|warn|weigh|welcome|widen|withdraw|work|wrap|write|zip"
)
_OTHER_PREDICATES = re.compile(
    "accounts|addresses|adds|admits|answers|are|asks|begins|belongs|breaks|calls|can|changes|cites|closes|contains|"
    "continues|contradicts|counts|differ|divides|exists|explains|follows|fulfils|have|holds|identifies|is|knows|"
    "lacks|leaves|looks|matches|may|names|quotes|reads|refers|repeats|says|selects|shows|spans|stands|takes|wants"
)
_OTHER_NAMES = {
    "connection_lost",
    "connection_made",
    "data_received",
    "eof_received",
    "main",
    "message",
    "missing_",
    "now",
    "pause_writing",
    "plural",
    "resume_writing",
    "settings_customise_sources",
    "today",  # asyncio, entry point, clocks, gettext, enum, pydantic
}
_CONSTRUCTORS = re.compile(
    "(?:for|from|of)(?:_.*)?"
)  # such as `of` and `from_json`, of classes or of modules of settings


def _is_participle(name: str) -> bool:
    first = name.split("_")[0]
    looks_like_one = _REGULAR.fullmatch(first) or _IRREGULAR.fullmatch(first)
    return bool(looks_like_one) and not _OTHERS.fullmatch(first)


def _functions(path: Path) -> Iterator[str]:
    """Names of public functions and methods. A property may be a noun with an adjective."""
    tree = parse(path)
    for scope in [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]:
        functions = [node for node in scope.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        for function in functions:
            is_property = any("property" in ast.dump(decorator) for decorator in function.decorator_list)
            if not is_property and not function.name.startswith("_"):
                yield function.name


@pytest.mark.parametrize("name", ["posted", "running", "shown_pages", "told"])
def test_a_participle_is_recognised(name: str) -> None:
    assert _is_participle(name)


def test_no_public_function_of_the_evaluation_is_a_participle() -> None:
    names = [(path, name) for path in _EVALUATION for name in _functions(path)]
    assert [f"{path.relative_to(ROOT)}: {name}" for path, name in names if _is_participle(name)] == []


def _methods_of_ports(path: Path) -> Iterator[tuple[str, str]]:
    """Pairs of the name of a Protocol's method and what it returns. Properties are nouns."""
    for scope in ast.walk(parse(path)):
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
    methods = [found for path in list_paths("core", "bot") for found in _methods_of_ports(path)]
    assert len(methods) > 100
    assert [name for name, returns in methods if not _is_verb(name, returns)] == []


def _all_functions(path: Path) -> Iterator[tuple[str, str]]:
    """Pairs of names of functions and what they return, without those of commands, which people type."""
    for node in ast.walk(parse(path)):
        functions = node.body if isinstance(node, ast.Module | ast.ClassDef) else []
        for function in functions:
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and not function.name.startswith("__"):
                decorators = " ".join(map(ast.unparse, function.decorator_list))
                is_command = "typer.Context" in ast.unparse(function.args) or ".command" in decorators
                is_constructor = bool(re.search("(?:class|static)method", decorators))
                is_constructor = is_constructor and bool(_CONSTRUCTORS.fullmatch(function.name))
                if not (is_command or is_constructor or "property" in decorators or ".callback" in decorators):
                    yield function.name.lstrip("_"), ast.unparse(function.returns) if function.returns else ""


def _begins_with_a_verb(name: str, returns: str) -> bool:
    first = name.split("_")[0]
    if any(verbs.fullmatch(first) for verbs in (_QUERIES, _COMMANDS, _OTHER_VERBS)):
        return True
    is_predicate = any(verbs.fullmatch(first) for verbs in (_PREDICATES, _OTHER_PREDICATES))
    return is_predicate and ("bool" in returns or "TypeGuard" in returns or "TypeIs" in returns)


@pytest.mark.parametrize(
    ("name", "returns"), [("view", "View"), ("sources_view", "View"), ("posted", "str"), ("has_page", "Page")]
)
def test_a_noun_is_no_name_of_a_function(name: str, returns: str) -> None:
    assert not _begins_with_a_verb(name, returns)


@pytest.mark.parametrize(("folder", "at_least"), [("adapters", 1000), ("bot", 700), ("core", 1700)])
def test_functions_begin_with_a_verb(folder: str, at_least: int) -> None:
    names = [(path, *found) for path in list_paths(folder) for found in _all_functions(path)]
    assert len(names) > at_least
    others = [(path, name) for path, name, returns in names if not _begins_with_a_verb(name, returns)]
    assert [f"{path.relative_to(ROOT)}: {name}" for path, name in others if name not in _OTHER_NAMES] == []
