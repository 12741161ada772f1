"""Reads a test Confluence with the real client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from adapters.confluence.http import Connection, Retries
from adapters.confluence.wiki import ConfluenceWiki
from core.indexing.files import FileTexts
from core.model import Evidence, Scope
from core.ports.wiki import ListedPage, PageFailure
from tests.core.indexing.parts import Stores
from tests.servers.confluence.server import ConfluenceServer

HASTY = Retries(first=0.005, longest=0.02, budget=5.0, attempts=3)


@contextmanager
def reading(
    server: ConfluenceServer,
    *,
    url: str = "",
    token: str = "",
    ca_bundle: str = "",
    timeout: float = 20.0,
    concurrency: int = 4,
    retries: Retries = HASTY,
    reads_comments: Callable[[str], bool] = lambda space: True,
    files: FileTexts | None = None,
) -> Iterator[ConfluenceWiki]:
    account = server.email if server.flavour == "cloud" else ""
    connection = Connection(url or server.url, token or server.token, account, timeout, concurrency, ca_bundle, retries)
    with closing(ConfluenceWiki(connection, server.flavour, reads_comments, files)) as wiki:
        yield wiki


async def pages_of(wiki: ConfluenceWiki, space: str) -> dict[str, ListedPage]:
    """Return the pages by title."""
    return {page.title: page for page in await listing_of(wiki, space)}


async def listing_of(wiki: ConfluenceWiki, space: str) -> list[ListedPage]:
    listed: list[ListedPage | PageFailure] = [item async for item in wiki.list_pages(space)]
    pages = [item for item in listed if isinstance(item, ListedPage)]
    assert len(pages) == len(listed) == len({page.page_id for page in pages})
    return pages


async def answering(home: Stores, *principals: str) -> set[str]:
    """Return the ids of the pages whose evidences this account gets."""
    return {evidence.page_id for evidence in await home.read_evidences(Scope(principals=frozenset(principals)))}


async def thread_evidences(home: Stores, *principals: str) -> list[Evidence]:
    """Return the evidences of comments and attached files that this account gets, by page and ordinal."""
    found = await home.read_evidences(Scope(principals=frozenset(principals)))
    return [evidence for evidence in found if evidence.thread]
