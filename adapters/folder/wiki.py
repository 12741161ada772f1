"""A folder of documents as a wiki: one JSON file per page, with ``id, title, url, content, space, date``.

Optional fields of a page:

- ``author``: the name of who made the last change
- ``people``: an object with the names of mentioned people by the ids in the content
- ``labels``: a list of texts
- ``comments``: a list of objects with ``author, date, content``, and optionally ``id``, ``parent`` (id of the comment
  that it replies to), ``marked`` (the text that it is about) and ``resolved``
- ``attachments``: a list of paths of files in the folder, or of objects with ``file`` (a path) and ``url`` (for people)
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

from core.dates import read_day
from core.errors import PageUnreadable, WikiUnavailable
from core.indexing.files import FileTexts, PageFiles
from core.model import AttachedFile, Comment, LinkTarget, Page, PageFacts
from core.ports.files import FILE_READING_VERSION, MOST_FILE_BYTES, FileUnavailable, KnownFile
from core.ports.wiki import KnownComment, ListedPage, PageFailure, Traffic, WikiPerson

# NUL ends texts early in C libraries; lone surrogates cannot be stored as UTF-8.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class _Document:
    path: Path
    listed: ListedPage
    people: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _File:
    """The current state of a file."""

    file: AttachedFile  # its ``version`` is "" if it cannot be read
    path: Path
    size: int | None


_NO_REQUEST = 1_000_000


class FolderWiki:
    """Reads a folder of documents. Each file is listed once; broken ones become failures with the file's name."""

    def __init__(
        self,
        folder: Path,
        reads_comments: Callable[[str], bool] = lambda space: True,
        files: FileTexts | None = None,
    ) -> None:
        """``reads_comments``: whether comments of the space with this key are read.

        ``files``: reads attached files. Without it, only their names are read.
        """
        self._folder = folder
        self._texts = files
        self._reads_comments = reads_comments
        self._contents: tuple[dict[str, _Document], list[PageFailure]] | None = None

    @property
    def name(self) -> str:
        return f"folder {self._folder.resolve()}"

    @property
    def traffic(self) -> Traffic:
        return Traffic()

    async def list_spaces(self) -> Sequence[str]:
        """Return the spaces of the files. Raises WikiUnavailable if no file can be read."""
        documents, failures = await self._scan()
        if not documents:
            first = f"{failures[0].title} {failures[0].cause}"
            raise WikiUnavailable(
                f"None of the {len(failures)} .json files in {self._folder} is a page: {first}. "
                "Each file should be a JSON object with id, title, url, content, space and date."
            )
        return sorted({document.listed.space for document in documents.values()})

    async def list_pages(self, space: str) -> AsyncIterator[ListedPage | PageFailure]:
        """Yield the pages of a space, and the unreadable files, whose space is unknown."""
        documents, failures = await self._scan()
        for document in documents.values():
            if document.listed.space == space:
                yield document.listed
        for failure in failures:
            if failure.space in {space, None}:
                yield failure

    async def find_page(self, page_id: str) -> ListedPage | None:
        """Return the page with this id, or None. Raises WikiUnavailable if an unreadable file might be this page."""
        documents, failures = await self._scan()
        if page_id in documents:
            return documents[page_id].listed
        unread = next((failure for failure in failures if failure.space is None), None)
        if unread:
            raise WikiUnavailable(
                f"It is unknown whether page {page_id} is still in {self._folder}: {unread.title} {unread.cause}. "
                "Correct that file."
            )
        return None

    async def find_pages_with_changed_files(self, space: str, known: Set[KnownFile]) -> frozenset[str]:
        """Return nothing, because attached files count as part of a file's version."""
        return frozenset()

    async def list_linked(self, space: str, targets: Collection[LinkTarget]) -> Sequence[ListedPage]:
        """Return nothing, because a folder has only pages."""
        return ()

    async def find_commented_pages(self, space: str, known: Mapping[str, KnownComment], since: str) -> frozenset[str]:
        """Return nothing, because comments count as part of a file's version."""
        return frozenset()

    async def read_page(self, listed: ListedPage) -> Page:
        """Read the page's file again and return the page with its body."""
        documents, _ = await self._scan()
        document = await asyncio.to_thread(_read_document, documents[listed.page_id].path)
        page, found = await asyncio.to_thread(self._read_page_and_files, document)
        if (page.page_id, page.space) != (listed.page_id, listed.space):
            raise PageUnreadable("became another page while it was read. Sync again")
        version = _make_version(page, found)
        texts = self._texts and self._texts.start_page(page.space, page.page_id)
        files = [await _read_file(texts, each) for each in found] if texts else []
        return replace(page, version=version, files=tuple(files))

    @property
    def people_per_request(self) -> int:
        return _NO_REQUEST

    async def find_people(self, accounts: Collection[str]) -> Mapping[str, WikiPerson]:
        """Return the people to whom any page gives a name."""
        documents, _ = await self._scan()
        names = {person: name for document in documents.values() for person, name in document.people.items()}
        ids = {account: account.partition(":")[2] for account in accounts}
        return {account: WikiPerson(names[person]) for account, person in ids.items() if person in names}

    async def _scan(self) -> tuple[dict[str, _Document], list[PageFailure]]:
        if self._contents is None:
            self._contents = await asyncio.to_thread(self._scan_files)
        return self._contents

    def _scan_files(self) -> tuple[dict[str, _Document], list[PageFailure]]:
        documents: dict[str, _Document] = {}
        failures: list[PageFailure] = []
        for path in self._list_files():
            try:
                document = _read_document(path)
            except PageUnreadable as error:
                failures.append(PageFailure("", path.name, str(error)))
                continue
            page, found = self._read_page_and_files(document)
            twin = documents.get(page.page_id)
            if twin is not None:
                cause = (
                    f"its id {page.page_id} is also the id of {twin.path.name}, which was used. Give each its own id."
                )
                failures.append(PageFailure(page.page_id, path.name, cause, page.space))
                continue
            listed = ListedPage(page.page_id, page.space, page.title, _make_version(page, found))
            documents[page.page_id] = _Document(path, listed, _read_people(document))
        return documents, failures

    def _read_page_and_files(self, document: dict[str, object]) -> tuple[Page, list[_File]]:
        """Return a page without the texts of its files, and the files to read."""
        page = _read_page(document)
        found = list({each.file.file_id: each for each in _find_files(document, self._folder, page.url)}.values())
        page = replace(page, attachments=tuple(sorted({each.file.name for each in found})))
        page = page if self._reads_comments(page.space) else replace(page, comments=(), facts=PageFacts())
        return page, found if self._texts and self._texts.reads_files(page.space) else []

    def _list_files(self) -> list[Path]:
        if not self._folder.is_dir():
            what = "is not a folder" if self._folder.exists() else "does not exist"
            raise WikiUnavailable(f"{self._folder} {what}. Name a folder with one JSON file per page.")
        try:
            files = sorted(self._folder.glob("*.json"))
        except OSError as error:
            raise WikiUnavailable(
                f"{self._folder} cannot be listed: {error.strerror}. Check its permissions."
            ) from error
        if not files:
            raise WikiUnavailable(
                f"{self._folder} contains no .json file, so there is nothing to sync. Is it the right folder?"
            )
        return files


def _read_document(path: Path) -> dict[str, object]:
    try:
        document = json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise PageUnreadable(f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PageUnreadable(f"is not UTF-8 (byte {error.start})") from error
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits
        where = f" (line {error.lineno}: {error.msg})" if isinstance(error, json.JSONDecodeError) else ""
        raise PageUnreadable(f"is not valid JSON{where}") from error
    if not isinstance(document, dict):
        raise PageUnreadable("is not a JSON object with id, title, url, content, space and date")
    missing = [name for name in ("id", "content", "space") if not isinstance(document.get(name), str | int)]
    if missing or not str(document["id"]).strip() or not str(document["space"]).strip():
        raise PageUnreadable(f"lacks {', '.join(missing) or 'an id or a space'}")
    return document


def _read_labels(document: dict[str, object]) -> tuple[str, ...]:
    listed = document.get("labels")
    given = [label for label in listed if isinstance(label, str)] if isinstance(listed, list) else []
    labels = (" ".join(_UNSTORABLE.sub("", label).split()) for label in given)
    return tuple(dict.fromkeys(label for label in labels if label))


def _read_people(document: dict[str, object]) -> dict[str, str]:
    """Return the names of people by id; malformed entries are ignored."""
    people = document.get("people")
    given = people.items() if isinstance(people, dict) else ()
    names = {str(person): _UNSTORABLE.sub("", name) for person, name in given if isinstance(name, str)}
    return {person: name for person, name in names.items() if name.strip()}


def _read_page(document: dict[str, object]) -> Page:
    page = Page(
        page_id=_read_field(document, "id").strip(),
        space=_read_field(document, "space").strip(),
        title=" ".join(_read_field(document, "title").split())
        or f"Untitled page {_read_field(document, 'id').strip()}",
        url=_read_field(document, "url").strip(),
        content=_read_field(document, "content"),
        date=_read_field(document, "date").strip(),
        labels=_read_labels(document),
    )
    if author := " ".join(_read_field(document, "author").split()):
        page = replace(page, facts=PageFacts(editor=author, updated=read_day(page.date)))
    listed = document.get("comments")
    if not isinstance(listed, list):
        return page
    found = [_read_comment(each, number, page.url) for number, each in enumerate(listed, 1) if isinstance(each, dict)]
    comments = tuple({comment.comment_id: comment for comment in found}.values())
    return replace(page, comments=comments, facts=replace(page.facts, comments=len(comments)))


def _read_comment(item: dict[str, object], number: int, page_url: str) -> Comment:
    """``number``: of the comment on its page, used as id if it has none."""
    comment_id = _read_field(item, "id").strip() or str(number)
    query = "&" if "?" in page_url else "?"
    return Comment(
        comment_id=comment_id,
        content=_read_field(item, "content"),
        author=" ".join(_read_field(item, "author").split()),
        date=_read_field(item, "date").strip(),
        url=page_url and f"{page_url}{query}focusedCommentId={comment_id}",
        parent_id=_read_field(item, "parent").strip(),
        marked=" ".join(_read_field(item, "marked").split()),
        resolved=item.get("resolved") is True,
    )


def _read_field(document: dict[str, object], name: str) -> str:
    value = document.get(name)
    return _UNSTORABLE.sub("", str(value)) if isinstance(value, str | int) else ""


def _make_version(page: Page, files: Sequence[_File]) -> str:
    attached = [f"{each.file.file_id} {each.file.version} {each.file.url}" for each in files]
    labels = (f"labels {page.labels!r}",) if page.labels else ()  # keeps the versions of pages without labels
    editor = (f"editor {page.facts.editor}",) if page.facts.editor else ()
    comments = map(repr, page.comments)
    parts = (page.title, page.url, page.date, page.content, *comments, *page.attachments, *attached, *labels, *editor)
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()


def _find_files(document: dict[str, object], folder: Path, page_url: str) -> Iterator[_File]:
    """Yield the files that a document names. Files outside the folder have no version."""
    listed = document.get("attachments")
    for item in listed if isinstance(listed, list) else ():
        given = item if isinstance(item, dict) else {"file": item}
        name = _UNSTORABLE.sub("", named) if isinstance(named := given.get("file"), str) else ""
        if not name.strip():
            continue
        path, url = _find_path(folder, name), given.get("url")
        version, size = _read_file_version(path) if path.is_relative_to(folder.resolve()) else ("", None)
        file = AttachedFile(f"file:{name}", path.name, version, url if isinstance(url, str) else page_url)
        yield _File(file, path, size)


def _find_path(folder: Path, name: str) -> Path:
    """Return the path of a named file; as it is named if it leads nowhere, such as in a circle."""
    try:
        return (folder / name).resolve()
    except (OSError, ValueError, RuntimeError):
        return Path(name)


def _read_file_version(path: Path) -> tuple[str, int | None]:
    try:
        size = path.stat().st_size
        if size > MOST_FILE_BYTES:
            return f"{FILE_READING_VERSION}.{size} bytes", size
        return f"{FILE_READING_VERSION}.{hashlib.sha256(path.read_bytes()).hexdigest()}", size
    except OSError:
        return "", None


async def _read_file(texts: PageFiles, found: _File) -> AttachedFile:
    """Return the file with its text."""

    async def fetch(most: int) -> bytes:
        if not found.file.version:
            raise FileUnavailable("is not in the folder, or cannot be opened.")
        try:
            with found.path.open("rb") as file:
                return file.read(most + 1)
        except OSError as error:
            raise FileUnavailable(f"cannot be read: {error.strerror}.") from error

    return await texts.add_text(found.file, found.size, fetch)
