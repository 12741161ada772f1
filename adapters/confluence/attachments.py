"""The attached files of a page, and which pages have changed files.

Changing an attached file changes neither version nor date of its page. So a sync searches for all attached files of a
space, with their pages and versions. Searching only for changed ones would be cheaper, but would miss files that were
moved to another page, which may have other readers. Page and version of a file are in the address of its bytes, which
comes without expansion, so one request returns a thousand files instead of 200.

Cloud redirects downloads to its media store, on another host, with an address that is valid for a while. No token is
sent there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from adapters.confluence.failures import Refusal
from adapters.confluence.http import Http, Json, Parameters
from adapters.confluence.paging import iterate_items
from adapters.confluence.restrictions import CONTENT
from adapters.confluence.site import quote_cql, read_part, read_text, read_version_number
from core.indexing.files import FileTexts, PageFiles
from core.model import AttachedFile, Page
from core.ports.files import FILE_READING_VERSION, FileUnavailable, KnownFile

_AT_ONCE = 1000  # maximum of v1's search without expansion
_EXPANDED_AT_ONCE = 200  # with expanded content
# ``/download/attachments/65551/Limits.xlsx?version=2&modificationDate=…``, from the file's page as it is now
_ADDRESS = re.compile(r"/download/attachments/(\d{1,19})/")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A listed file."""

    file: AttachedFile
    path: str  # of its bytes, below Confluence's base URL
    parameters: Parameters
    size: int | None  # in bytes


def read_attachments(listed: Sequence[Json], page_id: str, base: str) -> list[Attachment]:
    """Read the files in a listing of a page's attachments, of either flavour. ``base``: Confluence's base URL."""
    current = (item for item in listed if item.get("status", "current") == "current" and read_text(item.get("title")))
    return [_read_attachment(item, page_id, base) for item in current]


def _read_attachment(item: Json, page_id: str, base: str) -> Attachment:
    file_id, name = str(item["id"]), read_text(item.get("title"))
    links = read_part(item, "_links")
    shown = read_text(item.get("webuiLink")) or read_text(links.get("webui"))
    if not shown.startswith("/"):
        shown = f"/pages/viewpageattachments.action?{urlencode({'pageId': page_id})}"
    size = item.get("fileSize", read_part(item, "extensions").get("fileSize"))
    version = read_version_number(item)
    if "fileSize" in item:  # v2, whose own download path does not accept some kinds of tokens
        path = f"{CONTENT}/{quote(page_id, safe='')}/child/attachment/{quote(file_id, safe='')}/download"
        parameters: Parameters = {"version": version}
    else:
        path, parameters = read_text(links.get("download")).lstrip("/"), {}
    file = AttachedFile(file_id, " ".join(name.split()), make_file_version(version), f"{base}{shown}")
    return Attachment(file, path, parameters, size if isinstance(size, int) else None)


def make_file_version(number: int) -> str:
    """Return the version of a file from its version number in Confluence."""
    return f"{FILE_READING_VERSION}.{number}"


@dataclass(eq=False)
class AttachmentReader:
    """Reads the attached files of one page. Caches them, in case the page has to be read again."""

    http: Http
    texts: FileTexts

    def __post_init__(self) -> None:
        self._read: dict[tuple[str, str], AttachedFile] = {}
        self._files: PageFiles | None = None

    async def add_files(self, page: Page, attachments: Sequence[Attachment]) -> Page:
        """Return the page with its attached files and their texts."""
        self._files = self._files or self.texts.start_page(page.space, page.page_id)
        files = [await self._add_text(self._files, attachment) for attachment in attachments]
        return replace(page, files=tuple(files))

    async def _add_text(self, files: PageFiles, attachment: Attachment) -> AttachedFile:
        async def fetch(most: int) -> bytes:
            try:
                return await self.http.download(attachment.path, attachment.parameters, most)
            except Refusal as refusal:
                if refusal.is_site_wide:
                    raise
                raise FileUnavailable(f"cannot be fetched: Confluence {refusal}") from refusal

        file = attachment.file
        key = (file.file_id, file.version)
        if key not in self._read:
            self._read[key] = await files.add_text(file, attachment.size, fetch)
        return self._read[key]


def has_text(page: Page) -> bool:
    """Whether any attached file has text."""
    return any(file.content for file in page.files)


def list_names(attachments: Sequence[Attachment]) -> tuple[str, ...]:
    """Return the names of the files, without duplicates."""
    return tuple(dict.fromkeys(attachment.file.name for attachment in attachments))


def has_same_files(page: Page, attachments: Sequence[Attachment]) -> bool:
    """Whether all files that were read are still attached and unchanged.

    If so, they were attached all the time, so whoever could read the page meanwhile could read them too.
    """
    now = {attachment.file.file_id: attachment.file.version for attachment in attachments}
    return all(now.get(file.file_id) == file.version for file in page.files if file.content)


async def find_pages_with_changed_files(http: Http, space: str, known: Set[KnownFile]) -> frozenset[str]:
    """See :meth:`core.ports.wiki.Wiki.find_pages_with_changed_files`."""
    # A file that moved while pages were read is stored with both pages, so files are not compared by id alone.
    return frozenset(file.page_id for file in known ^ await _list_files(http, space))


async def _list_files(http: Http, space: str) -> set[KnownFile]:
    """Return all attached files of a space."""
    cql = f"type=attachment and space={quote_cql(space)}"
    path = f"{CONTENT}/search"
    found: set[KnownFile] = set()
    async for item in iterate_items(http.get, http.host, path, {"cql": cql, "limit": _AT_ONCE}):
        file = _read_address(item)
        if file is None:  # this Confluence has other addresses
            break
        found.add(file)
    else:
        return found
    parameters: Parameters = {"cql": cql, "expand": "container,version", "limit": _EXPANDED_AT_ONCE}
    listed = iterate_items(http.get, http.host, path, parameters)
    return {
        _read_known_file(item, str(read_part(item, "container").get("id", "")), read_version_number(item))
        async for item in listed
    }


def _read_address(item: Json) -> KnownFile | None:
    """Return a file by the address of its bytes, or None if that lacks the page or the version."""
    parts = urlsplit(read_text(read_part(item, "_links").get("download")))
    page, versions = _ADDRESS.search(parts.path), parse_qs(parts.query).get("version", [])
    if page is None or len(versions) != 1 or not versions[0].isdecimal():
        return None
    return _read_known_file(item, page[1], int(versions[0]))


def _read_known_file(item: Json, page_id: str, version: int) -> KnownFile:
    return KnownFile(str(item["id"]), page_id, make_file_version(version))
