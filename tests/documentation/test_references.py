"""Files, modules and sections that the documentation names exist."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_FOLDERS = "adapters|benchmarks|bot|core|deploy|docs|evaluation|migrations|prompts|samples|tests"
_PATH = re.compile(rf"`((?:{_FOLDERS})/(?!NAME)[\w./-]*)`")
_FILE = re.compile(r"`(?:[\w/]*/)?(\w+\.py)`")
_MODULE = re.compile(r"python -m ((?:benchmarks|tests)[a-z_.]*)")
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


def test_a_reading_order_has_at_most_twelve_files() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    orders = re.split(r"^### ", page[page.index("## Reading order") :].split("\n## ")[0], flags=re.MULTILINE)[1:]
    assert len(orders) == 2
    for order in orders:
        assert 5 < len(re.findall(r"^\d+\. `", order, re.MULTILINE)) <= 12


def test_what_the_dockerfile_imports_exists() -> None:
    imports = re.findall(
        r"from ((?:adapters|bot|core|evaluation)[\w.]*) import (\w+)", (ROOT / "Dockerfile").read_text("utf-8")
    )
    assert imports
    assert [name for module, name in imports if not hasattr(importlib.import_module(module), name)] == []
