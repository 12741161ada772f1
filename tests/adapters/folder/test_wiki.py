from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adapters.folder.wiki import FolderWiki
from benchmarks.security._stores import MemoryPages
from core.errors import PageUnreadable, WikiUnavailable
from core.indexing.files import FileTexts
from core.ports.files import FileText
from core.ports.wiki import ListedPage, PageFailure


def write(folder: Path, name: str, **fields: object) -> None:
    (folder / name).write_text(json.dumps({"id": "1", "space": "DOC", "content": "<p>x</p>", "title": "T", **fields}))


async def listed(wiki: FolderWiki, space: str) -> list[ListedPage | PageFailure]:
    return [item async for item in wiki.list_pages(space)]


async def test_pages_come_back_as_they_were_written(tmp_path: Path) -> None:
    write(tmp_path, "a.json", id=7, title="  A \n title ", content="a\x00b", url="https://x/7", date="2026-01-01")
    wiki = FolderWiki(tmp_path)
    assert await wiki.list_spaces() == ["DOC"]
    (item,) = await listed(wiki, "DOC")
    assert isinstance(item, ListedPage)
    page = await wiki.read_page(item)
    assert (page.page_id, page.title, page.content) == ("7", "A title", "ab")
    assert (page.url, page.date, page.read_restrictions) == ("https://x/7", "2026-01-01", ())


@pytest.mark.parametrize("change", [{"title": "U"}, {"content": "y"}, {"url": "https://y"}, {"date": "2027-01-01"}])
async def test_a_version_changes_with_all_that_a_reader_sees(tmp_path: Path, change: dict[str, str]) -> None:
    write(tmp_path, "a.json")
    (before,) = await listed(FolderWiki(tmp_path), "DOC")
    (same,) = await listed(FolderWiki(tmp_path), "DOC")
    write(tmp_path, "a.json", **change)
    (after,) = await listed(FolderWiki(tmp_path), "DOC")
    assert isinstance(before, ListedPage)
    assert isinstance(after, ListedPage)
    assert before == same
    assert before.version != after.version


async def test_a_failure_is_shown_to_the_spaces_it_may_concern(tmp_path: Path) -> None:
    write(tmp_path, "a.json")
    write(tmp_path, "b.json", space="OPS")
    write(tmp_path, "c.json", id="2", space="OPS")
    (tmp_path / "d.json").write_text("{")
    wiki = FolderWiki(tmp_path)
    failures = {
        space: [item.title for item in await listed(wiki, space) if isinstance(item, PageFailure)]
        for space in ("DOC", "OPS")
    }
    assert failures == {"DOC": ["d.json"], "OPS": ["b.json", "d.json"]}


async def test_a_file_that_becomes_another_page_between_listing_and_reading_is_not_mixed_up(tmp_path: Path) -> None:
    write(tmp_path, "a.json")
    wiki = FolderWiki(tmp_path)
    (item,) = await listed(wiki, "DOC")
    assert isinstance(item, ListedPage)
    write(tmp_path, "a.json", id="2")
    with pytest.raises(PageUnreadable, match="Sync again"):
        await wiki.read_page(item)


async def test_a_folder_without_pages_is_unavailable(tmp_path: Path) -> None:
    for folder, message in ((tmp_path / "none", "does not exist"), (tmp_path, "no .json file")):
        with pytest.raises(WikiUnavailable, match=message):
            await FolderWiki(folder).list_spaces()


async def test_one_page_is_told_as_listed_unless_an_unread_file_may_be_it(tmp_path: Path) -> None:
    write(tmp_path, "a.json", id=7)
    wiki = FolderWiki(tmp_path)
    assert [await wiki.find_page("7")] == await listed(wiki, "DOC")
    assert await wiki.find_page("8") is None
    (tmp_path / "b.json").write_text("{")
    with pytest.raises(WikiUnavailable, match=r"whether page 8 .*: b\.json is not valid JSON"):
        await FolderWiki(tmp_path).find_page("8")
    assert await FolderWiki(tmp_path).find_page("7") is not None


async def test_pages_name_people_and_what_is_no_name_is_ignored(tmp_path: Path) -> None:
    write(tmp_path, "a.json", people={"a:1": "Mara Lind", "b": 7, "c": " "})
    write(tmp_path, "b.json", id="2", people=["nobody"])
    found = await FolderWiki(tmp_path).find_people(["account-id:a:1", "userkey:b", "username:c", "username:d"])
    assert {account: person.name for account, person in found.items()} == {"account-id:a:1": "Mara Lind"}


@dataclass
class PlainReader:
    """Reads every file as text."""

    def accepts(self, name: str) -> bool:
        return name.endswith(".txt")

    async def read(self, name: str, content: bytes) -> FileText:
        return FileText(f"<p>{content.decode()}</p>")


async def attached(folder: Path, *attachments: object) -> tuple[str, list[tuple[str, str, str, str]]]:
    """Return the version of a page with these attachments; and name, URL, content and problem of each file."""
    write(folder, "one.json", url="https://w/1", attachments=attachments)
    wiki = FolderWiki(folder, files=FileTexts(MemoryPages(), PlainReader()))
    (page,) = await listed(wiki, "DOC")
    assert isinstance(page, ListedPage)
    read = await wiki.read_page(page)
    return page.version, [(file.name, file.url, file.content, file.problem) for file in read.files]


async def test_files_that_a_page_names_are_attached_to_it_and_are_part_of_its_version(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.txt").write_text("Apples.")
    version, files = await attached(tmp_path, {"file": "files/a.txt", "url": "https://w/a.txt"}, "b.png", 3)
    assert files == [("a.txt", "https://w/a.txt", "<p>Apples.</p>", ""), ("b.png", "https://w/1", "", "")]
    (tmp_path / "files" / "a.txt").write_text("Pears.")
    other, files = await attached(tmp_path, {"file": "files/a.txt", "url": "https://w/a.txt"}, "b.png", 3)
    assert other != version
    assert files[0][2] == "<p>Pears.</p>"


async def test_a_file_outside_the_folder_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text("Secret.")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    assert (await attached(folder, "\x00", {"file": "\ud800 "}))[1] == []
    _, files = await attached(folder, "../secret.txt", str(tmp_path / "secret.txt"), "link.txt", "missing.txt")
    assert {content for _, _, content, _ in files} == {""}
    assert {problem for *_, problem in files} == {"is not in the folder, or cannot be opened."}


_TEXTS = st.text(st.one_of(st.characters(), st.sampled_from("\x00\ud800/.\u2028")), max_size=20)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["file", "url", "id", "content", "date"]), inner, max_size=3)
    ),
    max_leaves=5,
)
_FIELDS = st.sampled_from(["title", "url", "date", "author", "people", "labels", "comments", "attachments"])


@given(st.dictionaries(_FIELDS, _VALUES))
@example({"attachments": ["a\x00b"]})
@example({"attachments": ["\ud800"]})
@example({"attachments": ["circle"]})
@example({"attachments": ["x" * 5_000]})
@settings(max_examples=60, deadline=None)
def test_no_page_stops_the_others(fields: dict[str, object]) -> None:
    async def read() -> set[str]:
        wiki = FolderWiki(folder, files=FileTexts(MemoryPages(), PlainReader()))
        pages = [each for each in await listed(wiki, "DOC") if isinstance(each, ListedPage)]
        return {(await wiki.read_page(each)).page_id for each in pages}

    with TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "circle").symlink_to("circle")
        write(folder, "a.json", id="hostile", **fields)
        write(folder, "b.json", id="2")
        assert asyncio.run(read()) >= {"2"}


async def test_pages_have_labels_which_are_part_of_their_version(tmp_path: Path) -> None:
    page = {"id": "1", "space": "DOC", "content": "<p>Ring.</p>", "title": "Bells"}
    versions = set[str]()
    for labels in (None, ["bells", " bells ", 7, ""], ["towers"]):
        (tmp_path / "1.json").write_text(json.dumps(page if labels is None else {**page, "labels": labels}))
        listed = await FolderWiki(tmp_path).find_page("1")
        assert listed is not None
        versions.add(listed.version)
        found = await FolderWiki(tmp_path).read_page(listed)
        assert found.labels == {None: (), "bells": ("bells",), "towers": ("towers",)}[labels and str(labels[0])]
    assert len(versions) == 3


async def test_the_author_of_a_page_made_its_last_change(tmp_path: Path) -> None:
    page = {"id": "1", "space": "DOC", "content": "<p>Ring.</p>", "title": "Bells", "date": "2026-09-17"}
    versions = set[str]()
    for author in ("", " Ada  Byron "):
        (tmp_path / "1.json").write_text(json.dumps({**page, "author": author}))
        listed = await FolderWiki(tmp_path).find_page("1")
        assert listed is not None
        versions.add(listed.version)
        facts = (await FolderWiki(tmp_path).read_page(listed)).facts
        assert (facts.editor, facts.updated) == (("Ada Byron", date(2026, 9, 17)) if author else ("", None))
    assert len(versions) == 2
