"""The files that are attached to a page, and which pages have others than before.

An attached file changes neither version nor date of its page. So a sync asks the search for all of a space with their
pages and versions, 200 in a request. Asking only for what changed would cost less, but says nothing of a file that was
moved to another page, which other people may read.

Cloud gives the bytes of a file by sending on to its media store, on another host, with an address that is good for a
while. Nobody's token is sent there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode

from adapters.confluence.failures import Refusal
from adapters.confluence.http import Http, Json, Parameters
from adapters.confluence.paging import items
from adapters.confluence.restrictions import CONTENT
from adapters.confluence.site import part, quote_cql, text, version_number
from core.indexing.files import FileTexts
from core.model import AttachedFile, Page
from core.ports.files import FILE_READING_VERSION, FileUnavailable, KnownFile

_AT_ONCE = 200  # the most that v1's search gives of expanded content


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file as it is listed. ``path``: where its bytes are, below Confluence's address; ``size``: in bytes."""

    file: AttachedFile
    path: str
    parameters: Parameters
    size: int | None


def read_attachments(listed: Sequence[Json], page_id: str, base: str) -> list[Attachment]:
    """The files in a listing of a page's attachments, of either flavour. ``base``: Confluence's address."""
    current = (item for item in listed if item.get("status", "current") == "current" and text(item.get("title")))
    return [_attachment(item, page_id, base) for item in current]


def _attachment(item: Json, page_id: str, base: str) -> Attachment:
    file_id, name = str(item["id"]), text(item.get("title"))
    links = part(item, "_links")
    shown = text(item.get("webuiLink")) or text(links.get("webui"))
    if not shown.startswith("/"):
        shown = f"/pages/viewpageattachments.action?{urlencode({'pageId': page_id})}"
    size = item.get("fileSize", part(item, "extensions").get("fileSize"))
    version = version_number(item)
    if "fileSize" in item:  # of v2, whose own address of the bytes takes no token of some kinds
        path = f"{CONTENT}/{quote(page_id, safe='')}/child/attachment/{quote(file_id, safe='')}/download"
        parameters: Parameters = {"version": version}
    else:
        path, parameters = text(links.get("download")).lstrip("/"), {}
    file = AttachedFile(file_id, " ".join(name.split()), make_version(version), f"{base}{shown}")
    return Attachment(file, path, parameters, size if isinstance(size, int) else None)


def make_version(number: int) -> str:
    """The version of a file of which this is the number of its version in Confluence."""
    return f"{FILE_READING_VERSION}.{number}"


@dataclass(eq=False)
class AttachmentReader:
    """Reads the attached files of one page. It keeps what it has read, in case the page is read again."""

    http: Http
    texts: FileTexts

    def __post_init__(self) -> None:
        self._read: dict[tuple[str, str], AttachedFile] = {}

    async def add_files(self, page: Page, attachments: Sequence[Attachment]) -> Page:
        """The page with its attached files and their texts."""
        files = [await self._add_text(page.page_id, attachment) for attachment in attachments]
        return replace(page, files=tuple(files))

    async def _add_text(self, page_id: str, attachment: Attachment) -> AttachedFile:
        async def fetch(most: int) -> bytes:
            try:
                return await self.http.download(attachment.path, attachment.parameters, most)
            except Refusal as refusal:
                if refusal.of_site:
                    raise
                raise FileUnavailable(f"cannot be fetched: Confluence {refusal}") from refusal

        file = attachment.file
        key = (file.file_id, file.version)
        if key not in self._read:
            self._read[key] = await self.texts.add_text(page_id, file, attachment.size, fetch)
        return self._read[key]


def has_text(page: Page) -> bool:
    """Whether the text of any of its attached files is known."""
    return any(file.content for file in page.files)


def names_of(attachments: Sequence[Attachment]) -> tuple[str, ...]:
    """What the files are called, each name once."""
    return tuple(dict.fromkeys(attachment.file.name for attachment in attachments))


def has_same_files(page: Page, attachments: Sequence[Attachment]) -> bool:
    """Whether all files that were read are still attached, unchanged.

    If so, they were there all the time: whoever could read the page meanwhile could read them too.
    """
    now = {attachment.file.file_id: attachment.file.version for attachment in attachments}
    return all(now.get(file.file_id) == file.version for file in page.files if file.content)


async def find_pages_with_changed_files(http: Http, space: str, known: Mapping[str, KnownFile]) -> frozenset[str]:
    """See :meth:`core.ports.wiki.Wiki.find_pages_with_changed_files`."""
    parameters: Parameters = {
        "cql": f"type=attachment and space={quote_cql(space)}",
        "expand": "container,version",
        "limit": _AT_ONCE,
    }
    there = {
        str(item["id"]): KnownFile(str(part(item, "container").get("id", "")), make_version(version_number(item)))
        async for item in items(http.get, http.host, f"{CONTENT}/search", parameters)
    }
    changed = {file.page_id for file_id, file in there.items() if known.get(file_id) != file}
    moved_or_gone = {file.page_id for file_id, file in known.items() if there.get(file_id) != file}
    return frozenset(changed | moved_or_gone)
