"""The pages and questions for measurements."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

from adapters.folder.wiki import FolderWiki
from benchmarks.figure import Bound
from core.model import Page
from core.ports.wiki import PageFailure

ROOT = Path(__file__).resolve().parents[1]
UNANSWERABLE = ROOT / "tests" / "questions" / "unanswerable.json"
SUBJECT_CHANGES = ROOT / "tests" / "questions" / "subject_changes.json"


@dataclass(frozen=True, slots=True)
class Corpus:
    """A documents folder with its questions. Targets apply to ConfQuestions only."""

    name: str
    documents: Path
    questions: Path
    is_confquestions: bool

    def required(self, bound: Bound) -> Bound | None:
        return bound if self.is_confquestions else None


def corpus() -> Corpus:
    """ConfQuestions if it is there (``WIKIWHY_CONFQUESTIONS``, ``../shared/confquestions``), else the samples."""
    given = os.environ.get("WIKIWHY_CONFQUESTIONS")
    folder = Path(given).absolute() if given else ROOT.parent / "shared" / "confquestions"
    documents, questions = folder / "documents", folder / "qa-pairs.dev.json"
    if documents.is_dir() and questions.is_file():
        return Corpus("ConfQuestions", documents, questions, is_confquestions=True)
    samples = ROOT / "samples"
    return Corpus("samples", samples / "documents", samples / "questions.json", is_confquestions=False)


def pages_of(documents: Path) -> list[Page]:
    """Read all pages of a documents folder. Raises ValueError if one cannot be read, as figures would differ."""
    return asyncio.run(_pages(FolderWiki(documents)))


async def _pages(wiki: FolderWiki) -> list[Page]:
    pages: list[Page] = []
    for space in await wiki.list_spaces():
        async for listed in wiki.list_pages(space):
            if isinstance(listed, PageFailure):
                raise ValueError(f"{listed.title} {listed.cause}")
            pages.append(await wiki.read_page(listed))
    return pages
