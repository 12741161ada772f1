"""From a webhook to the answer: what is hinted at is looked at once, and what hangs below follows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from sqlalchemy import text

from bot.operations.sync import sync_spaces
from bot.server.hints import HintBatch, HintQueue, follow, follow_all
from bot.server.service import BackgroundService
from bot.server.webhooks import DATA_CENTER_PATH, make_webhook_routes
from bot.settings import load_settings
from bot.wiring import Application, open_application
from core.errors import DatabaseUnavailable
from core.indexing.page_refresh import Hint
from core.model import Scope
from core.ports.wiki import Wiki
from tests.adapters.confluence.reading import reading
from tests.core.indexing.parts import HashEmbedder
from tests.servers.confluence import faults
from tests.servers.confluence.contents import many_pages
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site
from tests.servers.confluence.v1 import webhook

SECRET = "a-secret-of-thirty-two-characters"


@pytest.fixture
def site() -> Site:
    """ENG of six pages, the first of them above two others; PEO of one. Both are synced."""
    site = many_pages(6, "ENG", per_parent=2)
    site.add_group("crew", [site.syncing])
    site.add_space("PEO")
    site.add_page("PEO", "Home", "<p>Home.</p>")
    return site


@pytest.fixture
async def application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Application]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("bot.wiring.make_embedder", lambda settings: HashEmbedder())
    with open_application(load_settings(data_dir=tmp_path / "data")) as running:
        yield running


async def synced(application: Application, server: ConfluenceServer) -> None:
    with reading(server) as wiki:
        await sync_spaces(application, wiki, application.make_synchroniser(), ["ENG", "PEO"], lambda _: None)
    server.forget()


async def answering(application: Application) -> set[str]:
    entries = [entry.entry for key in ("ENG", "PEO") for entry in await application.pages.load_evidences(key)]
    current = await application.evidences.load_evidences([entry.key for entry in entries], Scope())
    return {evidence.page_id for evidence in current.values()}


async def last_errors(application: Application) -> dict[str, str]:
    return {summary.key: summary.last_error for summary in await application.spaces.load_summaries()}


@asynccontextmanager
async def following(queue: HintQueue, application: Application, wiki: Wiki) -> AsyncIterator[BackgroundService]:
    service = BackgroundService("webhooks", lambda: follow_all(queue, application, wiki))
    await service.start()
    try:
        yield service
    finally:
        async with asyncio.timeout(20):
            await service.stop()


async def rename_table(application: Application, name: str, new_name: str) -> None:
    """Make the statements about a table fail, or work again."""
    await application.database.run_write(
        lambda connection: connection.execute(text(f"ALTER TABLE {name} RENAME TO {new_name}"))
    )


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110  # nothing there tells of it
            await asyncio.sleep(0.01)


async def test_a_webhook_about_a_restriction_hides_the_page_and_all_below_it(
    application: Application, site: Site
) -> None:
    top, *_ = site.pages
    below = {page.page_id for page in site.descendants(top)}
    queue = HintQueue(settling=0.01)
    hooks = web.Application()
    hooks.add_routes(make_webhook_routes(SECRET, queue))
    with ConfluenceServer(site, "datacenter") as server, reading(server) as wiki:
        await synced(application, server)
        site.restrict(top, groups=["crew"])
        following = asyncio.create_task(follow_all(queue, application, wiki))
        async with TestClient(TestServer(hooks)) as client:
            body, headers = webhook(site, "content_permissions_updated", top, SECRET)
            assert (await client.post(DATA_CENTER_PATH, data=body, headers=headers)).status == 202
            async with asyncio.timeout(60):
                while {top, *below} & await answering(application):  # noqa: ASYNC110  # as a person would ask again
                    await asyncio.sleep(0.05)
        following.cancel()
    assert await answering(application) == set(site.pages) - {top, *below}


async def test_a_page_is_looked_at_once_however_often_it_was_named(application: Application, site: Site) -> None:
    queue = HintQueue(settling=0.0)
    one, other, *_ = site.pages
    for page_id in (one, other, one, one, "999"):
        await queue.note_hint(Hint("ENG", page_id))
    heard = await queue.take_all()
    assert heard == HintBatch([Hint("ENG", one), Hint("ENG", other), Hint("ENG", "999")])
    with ConfluenceServer(site, "cloud") as server, reading(server) as wiki:
        await synced(application, server)
        site.edit_body(other, "<p>Edited.</p>")
        await follow(application, wiki, heard)
        assert set(server.sent_bodies) == {other}
        assert server.asked("/spaces/.*/pages$") == [], "no sync"
    assert await application.stale.list_entries() == []


async def test_more_hints_than_can_be_followed_one_by_one_become_a_sync(application: Application, site: Site) -> None:
    queue = HintQueue(most=2, settling=0.0)
    for number, page_id in enumerate(site.pages):
        await queue.note_hint(Hint("ENG" if number < 4 else "NOT-SYNCED", page_id))
    heard = await queue.take_all()
    assert (len(heard.hints), heard.spaces) == (2, {"ENG", "NOT-SYNCED"})
    with ConfluenceServer(site, "cloud") as server, reading(server) as wiki:
        await synced(application, server)
        last = list(site.pages)[5]
        site.edit_body(last, "<p>Edited.</p>")
        await follow(application, wiki, heard)
        assert set(server.sent_bodies) == {last}
        assert server.asked("/spaces/.*/pages$")


async def test_pages_that_moved_together_keep_their_place(application: Application, site: Site) -> None:
    top, *_ = site.pages
    below = {page.page_id for page in site.descendants(top)}
    with ConfluenceServer(site, "cloud") as server, reading(server) as wiki:
        await synced(application, server)
        site.move(top, space="PEO")
        await follow(application, wiki, HintBatch([Hint("PEO", top)]))
    assert {top, *below} <= (await application.pages.load_digests("PEO")).keys()
    assert await answering(application) == set(site.pages)


async def test_where_a_look_fails_the_sync_that_follows_notes_why(application: Application, site: Site) -> None:
    top, *_ = site.pages
    with ConfluenceServer(site, "cloud") as server, reading(server) as wiki:
        await synced(application, server)
        site.trash(top)
        server.faults.on("", faults.error(401))
        await follow(application, wiki, HintBatch([Hint("", top), Hint("PEO", "999")]))
        assert ["401" in cause for cause in (await last_errors(application)).values()] == [True, True]
        server.faults.clear()
        await follow(application, wiki, HintBatch([Hint("", top)]))
    assert (await last_errors(application))["ENG"] == ""
    assert top not in await answering(application)


async def test_hints_at_most_of_a_space_gone_do_not_get_round_the_safety_of_a_sync(
    application: Application, site: Site
) -> None:
    """One page is hinted at; that all others are gone too is for a person to confirm."""
    many_pages(30, "BIG", site)
    big = [page.page_id for page in site.in_space("BIG")]
    with ConfluenceServer(site, "datacenter") as server, reading(server) as wiki:
        await synced(application, server)
        await sync_spaces(application, wiki, application.make_synchroniser(), ["BIG"], lambda _: None)
        for page_id in big[:25]:
            site.trash(page_id)
        await follow(application, wiki, HintBatch([Hint("BIG", big[0])]))
    assert "would remove 24 of the 29 pages of space BIG" in (await last_errors(application))["BIG"]
    assert len(await application.pages.load_digests("BIG")) == 29


@pytest.fixture
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.server.hints._FIRST_PAUSE", 0.01)
    monkeypatch.setattr("bot.server.hints._LONGEST_PAUSE", 0.05)


@pytest.mark.usefixtures("short_pauses")
@pytest.mark.parametrize("table", ["pages", "spaces", "audit"])
async def test_hints_that_the_database_kept_from_being_followed_are_followed_when_it_works_again(
    application: Application, site: Site, caplog: pytest.LogCaptureFixture, table: str
) -> None:
    queue = HintQueue(settling=0.01)
    one, other, *_ = site.pages
    with ConfluenceServer(site, "cloud") as server, reading(server) as wiki:
        await synced(application, server)
        async with following(queue, application, wiki) as service:
            await rename_table(application, table, "away")
            site.edit_body(one, "<p>Edited.</p>")
            await queue.note_hint(Hint("ENG", one))
            await until(lambda: caplog.text.count("Trying again in 0.05 seconds") > 2)
            site.edit_body(other, "<p>Edited.</p>")
            await queue.note_hint(Hint("ENG", other))
            assert service.find_problem() == ""
            await rename_table(application, "away", table)
            await until(lambda: server.sent_bodies.keys() >= {one, other})
            await until(lambda: not queue.count_waiting())
            assert service.find_problem() == ""


@pytest.mark.usefixtures("short_pauses")
async def test_an_error_of_the_database_does_not_cancel_a_refresh_that_is_running(
    application: Application, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    queue = HintQueue(settling=0.01)
    one, *_ = site.pages
    with ConfluenceServer(site, "cloud") as server, reading(server) as wiki:
        await synced(application, server)
        site.edit_body(one, "<p>Edited.</p>")
        async with following(queue, application, wiki), application.syncing.hold(["ENG"]):
            await queue.note_hint(Hint("ENG", one))
            await until(lambda: not queue.count_waiting())
            [refresh] = [task for task in asyncio.all_tasks() if "_follow_safely" in repr(task.get_coro())]
            await asyncio.sleep(0.1)  # until it waits for its space
            await rename_table(application, "pages", "away")
            await queue.note_hint(Hint("PEO", "999"))
            await until(lambda: "Trying again" in caplog.text)
            await rename_table(application, "away", "pages")
            await until(lambda: not queue.count_waiting())
            assert not refresh.done()
        assert refresh.cancelled(), "with the service"


@pytest.mark.usefixtures("short_pauses")
async def test_a_sync_that_the_database_stopped_is_made_up_for(
    application: Application, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is gone from the store at the second try, which therefore finds nothing to sync."""
    top, *_ = site.pages
    below = {page.page_id for page in site.descendants(top)}
    queue, failing = HintQueue(settling=0.01), [DatabaseUnavailable("The server is restarting.")]
    clean = application.indexer.clean

    async def clean_or_fail() -> None:
        if failing:
            raise failing.pop()
        await clean()

    with ConfluenceServer(site, "cloud") as server, reading(server) as wiki:
        await synced(application, server)
        monkeypatch.setattr(type(application.indexer), "clean", lambda indexer: clean_or_fail())
        for page_id in (top, *below):
            site.trash(page_id)
        async with following(queue, application, wiki):
            await queue.note_hint(Hint("ENG", top))
            async with asyncio.timeout(60):
                while {top, *below} & await answering(application):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
    assert failing == []


async def test_the_server_stops_at_once_while_the_database_does_not_work(
    application: Application, site: Site, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.server.hints._FIRST_PAUSE", 3600.0)
    queue = HintQueue(settling=0.01)
    with ConfluenceServer(site, "cloud") as server, reading(server) as wiki:
        async with following(queue, application, wiki):
            await rename_table(application, "pages", "away")
            await queue.note_hint(Hint("ENG", "1"))
            await until(lambda: "Trying again" in caplog.text)
            assert queue.count_waiting() == 1
    await rename_table(application, "away", "pages")


async def test_hints_put_back_into_a_full_queue_become_a_sync() -> None:
    queue = HintQueue(most=2, settling=0.0)
    for page_id in ("1", "2"):
        await queue.note_hint(Hint("ENG", page_id))
    batch = await queue.take_all()
    for page_id in ("3", "2"):
        await queue.note_hint(Hint("PEO", page_id))
    await queue.put_back(batch)
    assert await queue.take_all() == HintBatch([Hint("PEO", "3"), Hint("PEO", "2")], frozenset({"ENG"}))
