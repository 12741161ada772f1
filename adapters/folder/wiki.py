"""A folder of documents as a wiki: one JSON file a page, with ``id, title, url, content, space, date``.

A page may also have ``people``: an object with the names of those whom it mentions, by the ids in its content.
A page may also have ``labels``: a list of texts.
A page may also have ``comments``: a list of objects with ``author, date, content``, and where they apply ``id``,
``parent`` (the id of the comment that it replies to), ``marked`` (the text that it is about) and ``resolved``.
A page may also have ``attachments``: a list of paths of files in the folder, or of objects with ``file`` (such a path)
and ``url`` (where people find it).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from adapters.folder.attachments import FolderFile, find_files, read_file
from core.errors import PageUnreadable, WikiUnavailable
from core.indexing.files import FileTexts
from core.model import Comment, Page, PageFacts
from core.ports.files import KnownFile
from core.ports.wiki import KnownComment, ListedPage, PageFailure, Traffic, WikiPerson

# NUL cuts texts short in C libraries; lone surrogates cannot be stored as UTF-8.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class _Document:
    path: Path
    listed: ListedPage
    people: Mapping[str, str]


_NO_REQUEST = 1_000_000


class FolderWiki:
    """Reads a documents folder. Each file is listed once; one that is broken is a failure named after the file."""

    def __init__(
        self,
        folder: Path,
        reads_comments: Callable[[str], bool] = lambda space: True,
        files: FileTexts | None = None,
    ) -> None:
        """``reads_comments``: whether the comments of the space with this key are to be read.

        ``files``: reads attached files; without it only their names are read.
        """
        self._folder = folder
        self._texts = files
        self._reads_comments = reads_comments
        self._contents: tuple[dict[str, _Document], list[PageFailure]] | None = None

    @property
    def source(self) -> str:
        return f"folder {self._folder.resolve()}"

    @property
    def traffic(self) -> Traffic:
        return Traffic()

    async def spaces(self) -> Sequence[str]:
        """The spaces that files of this folder name. Raises WikiUnavailable if no file can be read."""
        documents, failures = await self._scan()
        if not documents:
            first = f"{failures[0].title} {failures[0].cause}"
            raise WikiUnavailable(
                f"None of the {len(failures)} .json files in {self._folder} is a page: {first}. "
                "Each file should be a JSON object with id, title, url, content, space and date."
            )
        return sorted({document.listed.space for document in documents.values()})

    async def list_pages(self, space: str) -> AsyncIterator[ListedPage | PageFailure]:
        """The pages of a space, and the files that could not be read, whose space nobody knows."""
        documents, failures = await self._scan()
        for document in documents.values():
            if document.listed.space == space:
                yield document.listed
        for failure in failures:
            if failure.space in {space, None}:
                yield failure

    async def find_page(self, page_id: str) -> ListedPage | None:
        """The page of that id, None if no file has it. Raises WikiUnavailable while a file cannot be read."""
        documents, failures = await self._scan()
        if page_id in documents:
            return documents[page_id].listed
        unread = next((failure for failure in failures if failure.space is None), None)
        if unread:
            raise WikiUnavailable(
                f"Whether page {page_id} is still in {self._folder} cannot be told: {unread.title} {unread.cause}. "
                "Correct that file."
            )
        return None

    async def find_pages_with_changed_files(self, space: str, known: Mapping[str, KnownFile]) -> frozenset[str]:
        """None: attached files count as part of a file's version."""
        return frozenset()

    async def find_commented_pages(self, space: str, known: Mapping[str, KnownComment], since: str) -> frozenset[str]:
        """None: a file's comments count as part of its version."""
        return frozenset()

    async def page(self, listed: ListedPage) -> Page:
        """The page with its body, read from its file again."""
        documents, _ = await self._scan()
        document = await asyncio.to_thread(_read_document, documents[listed.page_id].path)
        page, found = await asyncio.to_thread(self._page, document)
        if (page.page_id, page.space) != (listed.page_id, listed.space):
            raise PageUnreadable("became another page while it was read. Sync again")
        version = _version(page, found)
        files = [await read_file(self._texts, page.page_id, each) for each in found] if self._texts else []
        return replace(page, version=version, files=tuple(files))

    @property
    def people_per_request(self) -> int:
        return _NO_REQUEST

    async def people(self, accounts: Collection[str]) -> Mapping[str, WikiPerson]:
        """Those whom any page gives a name."""
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
        for path in self._files():
            try:
                document = _read_document(path)
            except PageUnreadable as error:
                failures.append(PageFailure("", path.name, str(error)))
                continue
            page, found = self._page(document)
            twin = documents.get(page.page_id)
            if twin is not None:
                cause = (
                    f"its id {page.page_id} is also that of {twin.path.name}, which was taken. Give each its own id."
                )
                failures.append(PageFailure(page.page_id, path.name, cause, page.space))
                continue
            listed = ListedPage(page.page_id, page.space, page.title, _version(page, found))
            documents[page.page_id] = _Document(path, listed, _people(document))
        return documents, failures

    def _page(self, document: dict[str, object]) -> tuple[Page, list[FolderFile]]:
        """A page without the texts of its files, and the files that are to be read."""
        page = _page(document)
        found = list({each.file.file_id: each for each in find_files(document, self._folder, page.url)}.values())
        page = replace(page, attachments=tuple(sorted({each.file.name for each in found})))
        page = page if self._reads_comments(page.space) else replace(page, comments=(), facts=PageFacts())
        return page, found if self._texts and self._texts.reads_files(page.space) else []

    def _files(self) -> list[Path]:
        if not self._folder.is_dir():
            what = "is not a folder" if self._folder.exists() else "does not exist"
            raise WikiUnavailable(f"{self._folder} {what}. Name a folder that holds one JSON file a page.")
        try:
            files = sorted(self._folder.glob("*.json"))
        except OSError as error:
            raise WikiUnavailable(
                f"{self._folder} cannot be listed: {error.strerror}. Check its permissions."
            ) from error
        if not files:
            raise WikiUnavailable(
                f"{self._folder} holds no .json file, so there is nothing to sync. Is it the right folder?"
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


def _labels(document: dict[str, object]) -> tuple[str, ...]:
    listed = document.get("labels")
    given = [label for label in listed if isinstance(label, str)] if isinstance(listed, list) else []
    labels = (" ".join(_UNSTORABLE.sub("", label).split()) for label in given)
    return tuple(dict.fromkeys(label for label in labels if label))


def _people(document: dict[str, object]) -> dict[str, str]:
    """The names of people by their ids; what is none of these is ignored."""
    people = document.get("people")
    given = people.items() if isinstance(people, dict) else ()
    names = {str(person): _UNSTORABLE.sub("", name) for person, name in given if isinstance(name, str)}
    return {person: name for person, name in names.items() if name.strip()}


def _page(document: dict[str, object]) -> Page:
    page = Page(
        page_id=_field(document, "id").strip(),
        space=_field(document, "space").strip(),
        title=" ".join(_field(document, "title").split()) or f"Untitled page {_field(document, 'id').strip()}",
        url=_field(document, "url").strip(),
        content=_field(document, "content"),
        date=_field(document, "date").strip(),
        labels=_labels(document),
    )
    listed = document.get("comments")
    if not isinstance(listed, list):
        return page
    found = [_comment(each, number, page.url) for number, each in enumerate(listed, 1) if isinstance(each, dict)]
    comments = tuple({comment.comment_id: comment for comment in found}.values())
    return replace(page, comments=comments, facts=PageFacts(comments=len(comments)))


def _comment(item: dict[str, object], number: int, page_url: str) -> Comment:
    """``number``: of the comment on its page, which is its id where it has none."""
    comment_id = _field(item, "id").strip() or str(number)
    query = "&" if "?" in page_url else "?"
    return Comment(
        comment_id=comment_id,
        content=_field(item, "content"),
        author=" ".join(_field(item, "author").split()),
        date=_field(item, "date").strip(),
        url=page_url and f"{page_url}{query}focusedCommentId={comment_id}",
        parent_id=_field(item, "parent").strip(),
        marked=" ".join(_field(item, "marked").split()),
        resolved=item.get("resolved") is True,
    )


def _field(document: dict[str, object], name: str) -> str:
    value = document.get(name)
    return _UNSTORABLE.sub("", str(value)) if isinstance(value, str | int) else ""


def _version(page: Page, files: Sequence[FolderFile]) -> str:
    attached = [f"{each.file.file_id} {each.file.version} {each.file.url}" for each in files]
    labels = (f"labels {page.labels!r}",) if page.labels else ()  # versions of pages without any stay as they were
    comments = map(repr, page.comments)
    parts = (page.title, page.url, page.date, page.content, *comments, *page.attachments, *attached, *labels)
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()
