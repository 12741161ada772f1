"""Attached files of Confluence pages, from the real client through the real readers into real indexes."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import pytest

from adapters.confluence.attachments import make_file_version
from adapters.confluence.http import Connection, Http
from adapters.confluence.wiki import ConfluenceWiki
from adapters.files.reader import ProcessFileReader
from adapters.store.wiki.pages import SqlPageStore
from core.errors import WikiUnavailable
from core.indexing.files import FileTexts
from core.ports.files import FileReader, FileText, KnownFile
from core.ports.pages import IndexedPage
from tests.adapters.confluence.reading import HASTY, reading, thread_evidences
from tests.attached_files import make_pdf, make_workbook
from tests.core.indexing.parts import Stores
from tests.servers.confluence import faults
from tests.servers.confluence.contents import many_pages
from tests.servers.confluence.request import Flavour
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site

LIMITS = make_workbook({"Limits": [["Country", "Hotel"], ["Norway", 180], ["Spain", 140]]})
LOG = make_pdf([["# Bearings", "The tenor's bearing was greased."], ["# Ropes", "Two ropes are worn."]])


@dataclass
class PlainReader:
    """Reads every file as text, without a process."""

    read_names: list[str] = field(default_factory=list)

    def accepts(self, name: str) -> bool:
        return name.endswith(".txt")

    async def read(self, name: str, content: bytes) -> FileText:
        self.read_names.append(name)
        if not content:
            return FileText("", "cannot be read: it is empty.")
        return FileText(f"<p>{content.decode()}</p>")


@pytest.fixture
def small() -> Site:
    """A space with six pages."""
    return many_pages(6, "ENG", per_parent=2)


@pytest.fixture
def reader() -> PlainReader:
    return PlainReader()


def texts(home: Stores, reader: FileReader, without: str = "") -> FileTexts:
    return FileTexts(home.stores.pages, reader, lambda space: space != without)


async def file_texts(home: Stores, *principals: str) -> list[str]:
    return [evidence.text for evidence in await thread_evidences(home, *principals)]


async def test_files_are_evidences_of_their_page_with_name_and_page_or_sheet(
    home: Stores, small: Site, flavour: Flavour
) -> None:
    page_id = list(small.pages)[2]
    small.attach(page_id, "Travel limits.xlsx", LIMITS)
    small.attach(page_id, "Log.pdf", LOG)
    small.attach(page_id, "tower.png", b"\x89PNG")
    with ConfluenceServer(small, flavour) as server:
        with reading(server, files=texts(home, ProcessFileReader())) as wiki:
            await home.sync(wiki)
        base = server.url
    found = await thread_evidences(home)
    assert {evidence.page_id for evidence in found} == {page_id}
    table = next(evidence for evidence in found if evidence.kind == "table")
    assert table.context.heading_path == ("Attached file Travel limits.xlsx", "Sheet Limits")
    assert table.rows == ((("Country", "Norway"), ("Hotel", "180")), (("Country", "Spain"), ("Hotel", "140")))
    assert table.url.startswith(f"{base}/pages/viewpageattachments.action?pageId={page_id}&preview=")
    bearing, ropes = (evidence for evidence in found if evidence.kind == "passage")
    assert bearing.context.heading_path == ("Attached file Log.pdf", "Page 1", "Bearings")
    assert bearing.text == "The tenor's bearing was greased."
    assert ropes.context.heading_path == ("Attached file Log.pdf", "Page 2", "Ropes")
    page = await home.stores.pages.load_page(page_id)
    assert page is not None
    assert page.attachments == ("Log.pdf", "Travel limits.xlsx", "tower.png")


async def test_what_people_do_to_files_is_followed_and_each_version_is_fetched_once(
    home: Stores, small: Site, flavour: Flavour, reader: PlainReader
) -> None:
    first, second, *_ = small.pages
    small.attach(first, "a.txt", b"Apples.")
    small.attach(second, "b.txt", b"Pears.")
    small.attach(second, "picture.png")
    with ConfluenceServer(small, flavour) as server, reading(server, files=texts(home, reader)) as wiki:
        await home.sync(wiki)
        assert await file_texts(home) == ["Apples.", "Pears."]
        server.forget()

        await home.sync(wiki)
        assert server.sent_bodies == server.sent_files == {}

        pear = small.attach(second, "b.txt", b"Plums.").attachment_id
        await home.sync(wiki)
        assert await file_texts(home) == ["Apples.", "Plums."]
        assert (server.sent_bodies, server.sent_files) == ({second: 1}, {pear: 1})
        server.forget()

        small.edit_body(first, "<p>New text.</p>")
        await home.sync(wiki)
        assert await file_texts(home) == ["Apples.", "Plums."]
        assert (server.sent_bodies, server.sent_files) == ({first: 1}, {})

        small.detach(first, "a.txt")
        await home.sync(wiki)
        assert await file_texts(home) == ["Plums."]


def _leave_out_addresses(answer: Any, asked: str) -> Any:
    return answer | {"results": [{**item, "_links": {}} for item in answer["results"]]}


async def test_files_are_followed_also_if_their_addresses_do_not_tell_page_and_version(
    home: Stores, small: Site, flavour: Flavour, reader: PlainReader
) -> None:
    first, *_, last = small.pages
    small.attach(first, "a.txt", b"Apples.")
    with ConfluenceServer(small, flavour) as server, reading(server, files=texts(home, reader)) as wiki:
        await home.sync(wiki)
        server.faults.on("type(=|%3D)attachment", faults.altered(_leave_out_addresses))
        server.forget()
        await home.sync(wiki)
        assert server.sent_bodies == {}
        small.attach(first, "a.txt", b"Pears.")
        small.attach(last, "b.txt", b"Plums.")
        await home.sync(wiki)
    assert await file_texts(home) == ["Pears.", "Plums."]


async def test_a_thousand_unchanged_files_cost_one_request(
    home: Stores, small: Site, flavour: Flavour, reader: PlainReader
) -> None:
    with ConfluenceServer(small, flavour) as server, reading(server, files=texts(home, reader)) as wiki:
        known = set()
        for number in range(1000):
            page_id = list(small.pages)[number % 6]
            file_id = small.attach(page_id, f"{number}.png").attachment_id
            known.add(KnownFile(file_id, page_id, make_file_version(1)))
        assert await wiki.find_pages_with_changed_files("ENG", known) == frozenset()
        assert wiki.traffic.requests == 1


async def test_a_file_that_moves_to_another_page_has_that_ones_readers(
    home: Stores, small: Site, flavour: Flavour, reader: PlainReader
) -> None:
    first, *_, last = small.pages
    small.add_user("ann")
    small.attach(first, "a.txt", b"Apples.")
    small.restrict(last, users=["ann"])
    with ConfluenceServer(small, flavour) as server, reading(server, files=texts(home, reader)) as wiki:
        await home.sync(wiki)
        assert await file_texts(home) == ["Apples."]
        small.move_attachment(first, "a.txt", last)
        await home.sync(wiki)
        account = small.users["ann"].account_id if flavour == "cloud" else "ann"
        assert await file_texts(home) == []
        assert await file_texts(home, f"user:{account}") == ["Apples."]


async def test_a_file_that_cannot_be_read_is_named_once_and_costs_nothing_else(
    home: Stores, small: Site, flavour: Flavour, reader: PlainReader
) -> None:
    first, *_ = small.pages
    small.attach(first, "empty.txt", b"")
    small.attach(first, "huge.txt", b"x", size=500_000_000)
    small.attach(first, "good.txt", b"Apples.")
    with ConfluenceServer(small, flavour) as server, reading(server, files=texts(home, reader)) as wiki:
        (report,) = await home.sync(wiki)
        assert (report.errors, report.pages.added) == ([], 6)
        (warning,) = report.warnings
        assert warning.cause == (
            'The attached file "empty.txt" cannot be read: it is empty. The attached file "huge.txt" was not read: it '
            "has 500,000,000 bytes, and files are read up to 50,000,000."
        )
        assert await file_texts(home) == ["Apples."]
        assert reader.read_names == ["empty.txt", "good.txt"]
        server.forget()
        (report,) = await home.sync(wiki)
        assert report.pages.unchanged == 6
        assert server.sent_files == {}


async def test_a_pdf_of_pictures_is_named_in_the_report(home: Stores, small: Site, flavour: Flavour) -> None:
    first, *_ = small.pages
    small.attach(first, "scan.pdf", make_pdf([["Text"]], is_scanned=True))
    with ConfluenceServer(small, flavour) as server, reading(server, files=texts(home, ProcessFileReader())) as wiki:
        (report,) = await home.sync(wiki)
    (warning,) = report.warnings
    assert warning.page_id == first
    assert warning.cause.startswith('The attached file "scan.pdf" has no text: its pages are pictures')


async def test_a_file_that_could_not_be_fetched_is_fetched_by_the_next_sync(
    home: Stores, small: Site, flavour: Flavour, reader: PlainReader
) -> None:
    first, *_ = small.pages
    small.attach(first, "a.txt", b"Apples.")
    with ConfluenceServer(small, flavour) as server, reading(server, files=texts(home, reader)) as wiki:
        server.faults.on("/download", faults.error(500), times=3)
        (report,) = await home.sync(wiki)
        assert "cannot be fetched" in report.warnings[0].cause
        assert await file_texts(home) == []
        (report,) = await home.sync(wiki)
        assert report.warnings == []
        assert await file_texts(home) == ["Apples."]


async def test_without_attachments_no_request_is_made_for_them_and_their_texts_go(
    home: Stores, small: Site, flavour: Flavour, reader: PlainReader
) -> None:
    small.attach(next(iter(small.pages)), "a.txt", b"Apples.")
    with ConfluenceServer(small, flavour) as server:
        with reading(server, files=texts(home, reader)) as wiki:
            await home.sync(wiki)
        with reading(server, files=texts(home, reader, without="ENG")) as wiki:
            await home.sync(wiki)
            assert await file_texts(home) == []
            server.forget()
            (report,) = await home.sync(wiki)
            assert report.pages.unchanged == 6
            assert server.asked("download|media") == []
        with reading(server, files=texts(home, reader)) as wiki:
            await home.sync(wiki)
            assert await file_texts(home) == ["Apples."]


async def test_the_token_is_sent_to_no_other_host_than_confluences(small: Site, home: Stores) -> None:
    with ConfluenceServer(small, "cloud") as server, ConfluenceServer(small, "cloud") as stranger:
        wiki = ConfluenceWiki(Connection(server.url, server.token, server.email, retries=HASTY), "cloud")
        with closing(wiki):
            assert isinstance(wiki._http, Http)
            response = wiki._http._session.start_download(f"{stranger.url}/media/1/2", {}, is_own=False)
            assert response.status_code == 401
            (asked,) = stranger.requests
            assert "Authorization" not in asked.headers
            response = wiki._http._session.start_download(f"{server.url}/media/1/2", {}, is_own=True)
            assert response.status_code == 404


async def test_what_a_removed_file_said_stays_in_no_file(
    home: Stores, small: Site, flavour: Flavour, reader: PlainReader
) -> None:
    first, *_ = small.pages
    small.attach(first, "a.txt", b"Xylophone quartz.")
    with ConfluenceServer(small, flavour) as server, reading(server, files=texts(home, reader)) as wiki:
        await home.sync(wiki)
        assert holding(home, "xylophone")
        small.detach(first, "a.txt")
        await home.sync(wiki)
    assert isinstance(home.stores.pages, SqlPageStore)
    await home.stores.pages._database.scrub()  # as the sync command does
    assert holding(home, "xylophone") == []


def holding(home: Stores, word: str) -> list[str]:
    """Return the database files that contain a word."""
    files = [path for path in home.folder.glob("*.db*") if path.is_file()]
    return [path.name for path in files if word in path.read_bytes().decode("latin-1").lower()]


async def test_a_sync_that_stopped_between_pages_with_files_goes_on_with_the_rest(
    home: Stores, small: Site, flavour: Flavour, reader: PlainReader
) -> None:
    for number, page_id in enumerate(small.pages):
        small.attach(page_id, f"{number}.txt", f"Bell number {number}.".encode())
    with ConfluenceServer(small, flavour) as server, reading(server, files=texts(home, reader)) as wiki:
        server.faults.on("/download", faults.error(401), nth=6)
        with pytest.raises(WikiUnavailable):
            await home.sync(wiki)
        server.faults.clear()
        await home.sync(wiki)
    assert await file_texts(home) == [f"Bell number {number}." for number in range(6)]
    assert set(reader.read_names) == {f"{number}.txt" for number in range(6)}


async def test_a_file_that_moved_while_pages_were_read_leaves_its_former_page(
    home: Stores, small: Site, flavour: Flavour, reader: PlainReader
) -> None:
    first, *_, last = small.pages
    small.attach(first, "a.txt", b"Apples.")
    with ConfluenceServer(small, flavour) as server, reading(server, files=texts(home, reader)) as wiki:
        await home.sync(wiki)
        page = await home.stores.pages.load_page(first)
        assert page is not None
        small.move_attachment(first, "a.txt", last)
        await home.sync(wiki)
        # As after a sync that read the first page before the move, and the last one after it:
        digest = await home.stores.pages.load_digest(first)
        await home.indexer.put([IndexedPage(page, digest, (), digest)], lambda _: None)
        await home.sync(wiki)
        assert {file.page_id for file in await home.stores.pages.load_files("ENG")} == {last}
