"""Sync generated files from a test Confluence, and count requests, failures and memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePath

from adapters.confluence.attachments import make_file_version
from adapters.confluence.http import Connection
from adapters.confluence.wiki import ConfluenceWiki
from adapters.files.process import KINDS
from adapters.files.reader import ProcessFileReader
from benchmarks.attachments.files import GeneratedFile
from benchmarks.security._stores import MemoryPages
from core.indexing.files import FileTexts
from core.model import AttachedFile
from core.ports.files import KnownFile
from core.ports.pages import PageStore
from core.ports.wiki import KnownComment
from tests.core.indexing.parts import open_stores
from tests.servers.confluence import ConfluenceServer, Flavour, many_pages
from tests.servers.confluence.site import Site

_PER_PAGE = 10
_ENDED = "the process that read it ended"
# A small process of its own, because Linux adds the memory of the forking process.
_MEASURED = """
import json, os, subprocess, sys
most = 0
for kind, path in json.load(sys.stdin):
    with open(path, "rb") as file:
        child = subprocess.Popen([sys.executable, "-I", "-m", "adapters.files.process", kind], stdin=file,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        child.stdout.read()
    _, _, usage = os.wait4(child.pid, 0)
    most = max(most, usage.ru_maxrss)
print(most)
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Broken files missing from the report, valid files without their text, and ended processes."""

    unnamed: list[str]
    unread: list[str]
    crashes: int
    causes: dict[str, str]
    errors: int


async def sync_files(files: Sequence[GeneratedFile], flavour: Flavour) -> Outcome:
    """Sync pages with these files, which have unique names."""
    site = many_pages(len(files) // _PER_PAGE + 1, "ENG")
    pages = list(site.pages)
    for at, file in enumerate(files):
        site.attach(pages[at // _PER_PAGE], file.name, file.content, file.size)
    with tempfile.TemporaryDirectory() as folder, open_stores(Path(folder) / "data") as home:
        texts = FileTexts(home.stores.pages, ProcessFileReader())
        with ConfluenceServer(site, flavour) as server, closing(_client(server, texts)) as wiki:
            (report,) = await home.sync(wiki)
        stored = {file.name: file for page in pages for file in await _files_of(home.stores.pages, page)}
    said = " ".join(warning.cause for warning in report.warnings)
    causes = {name: file.problem for name, file in stored.items() if file.problem}
    return Outcome(
        unnamed=[file.name for file in files if not file.word and f'"{file.name}"' not in said],
        unread=[file.name for file in files if file.word and file.word not in stored[file.name].content],
        crashes=said.count(_ENDED),
        causes=causes,
        errors=len(report.errors),
    )


async def _files_of(pages: PageStore, page_id: str) -> Sequence[AttachedFile]:
    page = await pages.load_page(page_id)
    return page.files if page else ()


def measure_memory(files: Sequence[GeneratedFile]) -> float:
    """Return the most memory in MB of a process that read one of these files."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = []
        for file in files:
            path = Path(folder) / file.name
            path.write_bytes(file.content)
            wanted.append((KINDS[PurePath(file.name).suffix], str(path)))
        done = subprocess.run(
            [sys.executable, "-c", _MEASURED], input=json.dumps(wanted), capture_output=True, text=True, check=True
        )
    return int(done.stdout) / 1000


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests of a sync without changes: of the pages alone, and with comments and attached files."""

    before: int
    now: int


async def count_requests(pages: int, files: int, comments: int, flavour: Flavour) -> Requests:
    """Count the requests of a sync without changes."""
    site = _fill(pages, files, comments)
    known_comments = {each.comment_id: KnownComment(each.page_id, "1") for each in site.comments.values()}
    known_files = {
        KnownFile(file.attachment_id, page.page_id, make_file_version(file.version))
        for page in site.pages.values()
        for file in page.attachments
    }
    with ConfluenceServer(site, flavour) as server:
        texts = FileTexts(MemoryPages(), ProcessFileReader())
        with closing(_client(server, texts)) as wiki:
            found = [page async for page in wiki.list_pages("BIG")]
            before = wiki.traffic.requests
            now = datetime.now(UTC).isoformat()
            commented = await wiki.find_commented_pages("BIG", known_comments, now)
            changed = await wiki.find_pages_with_changed_files("BIG", known_files)
            assert (len(found), commented, changed) == (pages, frozenset(), frozenset())
            return Requests(before, wiki.traffic.requests)


def _fill(pages: int, files: int, comments: int) -> Site:
    site = many_pages(pages, "BIG")
    ids = list(site.pages)
    long_ago = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(files):
        site.attach(ids[number % pages], f"{number}.txt", b"x")
    for number in range(comments):
        site.add_comment(ids[number % pages], "<p>Yes.</p>", written=long_ago)
    return site


def _client(server: ConfluenceServer, texts: FileTexts) -> ConfluenceWiki:
    account = server.email if server.flavour == "cloud" else ""
    return ConfluenceWiki(Connection(server.url, server.token, account), server.flavour, files=texts)
