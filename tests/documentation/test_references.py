"""Files, modules and sections that the documentation names exist."""

from __future__ import annotations

import ast
import functools
import importlib
import re
from pathlib import Path

import pytest

from tests.documentation.sources import ROOT, SOURCES, parse

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_FOLDERS = "adapters|benchmarks|bot|core|deploy|docs|evaluation|migrations|prompts|samples|tests"
_PATH = re.compile(rf"`((?:{_FOLDERS})/(?!NAME)[\w./-]*)`")
_FILE = re.compile(r"`(?:[\w/]*/)?(\w+\.py)`")
_MODULE = re.compile(r"python -m ((?:benchmarks|tests)[a-z_.]*)")
_MEMBER = re.compile(r"`(?:[a-z_]+\.)*([A-Z]\w+)\.([a-z]\w+)(?:\(.*?\))?`")
_FUNCTION = re.compile(r":(?:meth|func):`(\w+)`")
_ENOUGH = 12  # characters by which the beginning of a log message is recognised
_LINK = re.compile(r"\]\((?!https?:)([^)#]*)(#[^)]*)?\)")


def _page(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _anchors(page: str) -> set[str]:
    """As GitHub makes them from headings."""
    titles = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    return {"#" + re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=_page)
def test_paths_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    assert [path for path in _PATH.findall(text) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=_page)
def test_files_exist(page: Path) -> None:
    """A name without its folder: the text says which folder is meant."""
    files = {path.name for folder in _FOLDERS.split("|") for path in (ROOT / folder).rglob("*.py")}
    assert [name for name in _FILE.findall(page.read_text("utf-8")) if name not in files] == []


@pytest.mark.parametrize("page", PAGES, ids=_page)
def test_modules_exist(page: Path) -> None:
    folders = [ROOT / name.rstrip(".").replace(".", "/") for name in _MODULE.findall(page.read_text("utf-8"))]
    assert [str(at) for at in folders if not at.with_suffix(".py").exists() and not (at / "__main__.py").exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=_page)
def test_links_lead_to_files_and_sections(page: Path) -> None:
    wrong = []
    for path, anchor in _LINK.findall(page.read_text("utf-8")):
        target = (page.parent / path) if path else page
        if not target.exists() or (anchor and anchor not in _anchors(target.read_text("utf-8"))):
            wrong.append(f"{path}{anchor}")
    assert wrong == []


@functools.cache
def _list_texts() -> list[str]:
    """The texts in the code, with "…" in place of values."""
    texts = []
    for tree in map(parse, SOURCES):
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(re.sub(r"%[a-z]|\{\w+\}", "…", node.value))
            elif isinstance(node, ast.JoinedStr):
                parts = (part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
                texts.append("".join(map(str, parts)))
    return texts


_LOG_TABLE = "| log message |"


@pytest.mark.parametrize("page", [page for page in PAGES if _LOG_TABLE in page.read_text("utf-8")], ids=_page)
def test_log_messages_exist(page: Path) -> None:
    """A table may end a message early, and name a value where the code has a variable."""
    _, _, table = page.read_text("utf-8").partition(_LOG_TABLE)
    quoted = re.findall(r"\*([^*|]+)\*", "".join(re.findall(r"^\|([^|]*)\|", table.partition("\n\n")[0], re.MULTILINE)))
    texts = _list_texts()
    beginnings = tuple(begin for text in texts if len(begin := text.partition("…")[0]) >= _ENOUGH and begin != text)
    whole = "\n".join(texts)
    assert [each for each in quoted if each.partition("…")[0] not in whole and not each.startswith(beginnings)] == []


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _list_members() -> dict[str, set[str]]:
    """The attributes that the classes of the product define or set, by class name, with those of their bases."""
    members: dict[str, set[str]] = {}
    bases: dict[str, list[str]] = {}
    for tree in map(parse, SOURCES):
        for scope in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
            names = {node.name for node in scope.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
            names |= {ast.unparse(node.target) for node in scope.body if isinstance(node, ast.AnnAssign)}
            names |= {node.attr for node in ast.walk(scope) if isinstance(node, ast.Attribute) and _is_self(node.value)}
            names |= {
                ast.unparse(target) for node in scope.body if isinstance(node, ast.Assign) for target in node.targets
            }
            members.setdefault(scope.name, set()).update(names)
            bases.setdefault(scope.name, []).extend(ast.unparse(base).partition("[")[0] for base in scope.bases)
    return {name: own.union(*(members.get(base, set()) for base in bases[name])) for name, own in members.items()}


def test_members_of_classes_exist() -> None:
    """`EvidenceStore.load_facts` in documentation, and in docstrings also as a reference."""
    texts = {_page(path): path.read_text("utf-8") for path in PAGES} | {
        _page(path): text for path, text in SOURCES.items()
    }
    members = _list_members()
    named = [(page, *found) for page, text in texts.items() for found in _MEMBER.findall(text) if found[0] in members]
    assert len(named) > 50
    assert [each for each in named if each[2] not in members[each[1]]] == []


def test_functions_of_a_module_exist() -> None:
    """A docstring's reference without the name of a class or module is to something in the same file."""
    named = [(path, name) for path, text in SOURCES.items() for name in _FUNCTION.findall(text)]
    assert len(named) > 50
    assert [(_page(path), name) for path, name in named if f"def {name}(" not in SOURCES[path]] == []


def test_a_reading_order_has_at_most_twelve_files() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    orders = re.split(r"^### ", page[page.index("## Reading order") :].split("\n## ")[0], flags=re.MULTILINE)[1:]
    assert len(orders) == 3
    for order in orders:
        assert 5 < len(re.findall(r"^\d+\. `", order, re.MULTILINE)) <= 12


def test_what_the_dockerfile_imports_exists() -> None:
    imports = re.findall(
        r"from ((?:adapters|bot|core|evaluation)[\w.]*) import (\w+)", (ROOT / "Dockerfile").read_text("utf-8")
    )
    assert imports
    assert [name for module, name in imports if not hasattr(importlib.import_module(module), name)] == []


def test_the_table_of_ports_names_each_port() -> None:
    table = (ROOT / "docs" / "architecture.md").read_text("utf-8").partition("## Ports and contract suites")[2]
    sources = [text for path, text in SOURCES.items() if path.parent == ROOT / "core" / "ports"]
    ports = re.findall(r"^class (\w+)\(.*Protocol", "\n".join(sources), re.MULTILINE)
    assert len(ports) > 20
    assert [port for port in ports if f"`{port}`" not in table] == []
