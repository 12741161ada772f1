"""Comments on Confluence pages, from the real client into real indexes."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from adapters.confluence.http import Connection
from adapters.confluence.wiki import ConfluenceWiki
from benchmarks.security.direct_site import DirectSite
from core.ports.wiki import KnownComment
from tests.adapters.confluence.reading import listing_of, reading, thread_evidences
from tests.core.indexing.parts import Stores
from tests.servers.confluence import faults
from tests.servers.confluence.contents import many_pages
from tests.servers.confluence.request import Flavour, Limits
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site

MAY = datetime(2026, 5, 3, 9, 0, tzinfo=UTC)


@pytest.fixture
def small() -> Site:
    """A space with six pages, the third of which has a thread of two comments."""
    site = many_pages(6, "ENG", per_parent=2)
    site.add_user("mara", "Mara Lind")
    site.add_user("jon", "Jon Berg")
    page_id = list(site.pages)[2]
    first = site.add_comment(page_id, "<p>Is it muffled on Fridays?</p>", author="mara", written=MAY)
    site.add_comment(page_id, "<p>Yes, with felt.</p>", author="jon", parent=first.comment_id, written=MAY)
    return site


async def test_comments_are_evidences_of_their_page_with_who_and_when(
    home: Stores, small: Site, flavour: Flavour
) -> None:
    page_id = list(small.pages)[2]
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
        first, reply = await thread_evidences(home)
    assert (first.page_id, first.text) == (page_id, "Is it muffled on Fridays?")
    assert first.context.heading_path == ("In a comment by Mara Lind, 3 May 2026",)
    assert reply.text == "Yes, with felt."
    assert reply.context.heading_path == ("In a comment by Mara Lind, 3 May 2026", "Reply by Jon Berg, 3 May 2026")
    assert (reply.context.before, first.context.after) == (first.text, reply.text)
    assert f"focusedCommentId={first.thread}" in first.url
    page = await home.stores.pages.load_page(page_id)
    assert page is not None
    assert (page.facts.comments, page.facts.commenters) == (2, ("Mara Lind", "Jon Berg"))


async def test_an_inline_comment_says_what_it_is_about_and_whether_it_is_resolved(
    home: Stores, small: Site, flavour: Flavour
) -> None:
    page_id = list(small.pages)[4]
    comment = small.add_comment(page_id, "<p>Since when?</p>", author="jon", marked="tenor  weighs", written=MAY)
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
        *_, inline = await thread_evidences(home)
        assert inline.context.heading_path == ("In a comment by Jon Berg, 3 May 2026 on “tenor weighs”",)
        small.resolve(comment.comment_id)
        await home.sync(wiki)
        *_, inline = await thread_evidences(home)
        assert inline.context.heading_path == ("In a resolved comment by Jon Berg, 3 May 2026 on “tenor weighs”",)


async def test_what_people_do_to_comments_is_followed_and_only_their_pages_are_read(
    home: Stores, small: Site, flavour: Flavour
) -> None:
    pages = list(small.pages)
    first, reply = small.comments
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:

        async def sync() -> tuple[set[str], list[str]]:
            server.forget()
            await home.sync(wiki, now=datetime.now(UTC).isoformat())
            return set(server.sent_bodies), [evidence.text for evidence in await thread_evidences(home)]

        await sync()
        assert await sync() == (set(), ["Is it muffled on Fridays?", "Yes, with felt."])
        small.edit_comment(reply, "<p>Yes, with leather.</p>")
        assert await sync() == ({pages[2]}, ["Is it muffled on Fridays?", "Yes, with leather."])
        new = small.add_comment(pages[5], "<p>Nice.</p>").comment_id
        assert await sync() == ({pages[5]}, ["Is it muffled on Fridays?", "Yes, with leather.", "Nice."])
        small.delete_comment(reply)
        assert await sync() == ({pages[2]}, ["Is it muffled on Fridays?", "Nice."])
        small.delete_comment(new)
        small.delete_comment(first)
        assert await sync() == ({pages[2], pages[5]}, [])
        assert await sync() == (set(), [])


async def test_an_edit_is_followed_although_the_clock_was_ahead_at_the_sync_before(
    home: Stores, small: Site, flavour: Flavour
) -> None:
    _, reply = small.comments
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        for ahead in (timedelta(), timedelta(days=2)):
            await home.sync(wiki, now=(datetime.now(UTC) + ahead).isoformat())
        small.edit_comment(reply, "<p>Yes, with leather.</p>")
        small.comments[reply].modified = datetime.now(UTC) - timedelta(hours=3)
        await home.sync(wiki, now=datetime.now(UTC).isoformat())
    assert [evidence.text for evidence in await thread_evidences(home)][1] == "Yes, with leather."


async def test_unchanged_comments_cost_few_requests(home: Stores, flavour: Flavour) -> None:
    site = many_pages(30, "ENG")
    with ConfluenceServer(site, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
        (before,) = await home.sync(wiki)
        for page_id in site.pages:
            for number in range(2):
                site.add_comment(page_id, f"<p>Comment {number}.</p>", written=MAY)
        (with_them,) = await home.sync(wiki, now=datetime.now(UTC).isoformat())
        assert with_them.pages.updated == 30
        (after,) = await home.sync(wiki, now=datetime.now(UTC).isoformat())
    assert (after.pages.unchanged, after.embedded) == (30, 0)
    assert after.traffic.requests <= before.traffic.requests + 1


@pytest.mark.slow
async def test_20000_unchanged_comments_on_10000_pages_cost_half_as_many_requests_again_at_most(
    flavour: Flavour,
) -> None:
    site = many_pages(10_000)
    for page_id in site.pages:
        for _ in range(2):
            site.add_comment(page_id, "<p>Yes.</p>", written=MAY)
    known = {each.comment_id: KnownComment(each.page_id, "1") for each in site.comments.values()}
    direct = DirectSite(site, flavour)
    account = direct.email if flavour == "cloud" else ""
    with closing(ConfluenceWiki(Connection(direct.url, direct.token, account), flavour)) as wiki:
        direct.connect(wiki)
        await listing_of(wiki, "BIG")
        without = len(direct.requests)
        assert await wiki.find_commented_pages("BIG", known, datetime.now(UTC).isoformat()) == frozenset()
    assert len(direct.requests) <= 1.5 * without


async def test_comments_are_read_by_whoever_may_read_their_page_and_nobody_else(
    home: Stores, small: Site, flavour: Flavour
) -> None:
    page_id = list(small.pages)[2]
    jon = small.users["jon"]
    principal = f"user:{jon.account_id if flavour == 'cloud' else jon.name}"
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
        small.restrict(page_id, users=["jon"])
        await home.sync(wiki)
        assert await thread_evidences(home) == []
        assert len(await thread_evidences(home, principal)) == 2


async def test_all_of_many_comments_are_read(small: Site, flavour: Flavour) -> None:
    page_id = list(small.pages)[3]
    for number in range(90):
        small.add_comment(page_id, f"<p>Comment {number}.</p>")
    with ConfluenceServer(small, flavour, limits=Limits(cap=40)) as server, reading(server) as wiki:
        listed = {page.page_id: page for page in await listing_of(wiki, "ENG")}
        page = await wiki.read_page(listed[page_id])
    assert [comment.content for comment in page.comments] == [f"<p>Comment {number}.</p>" for number in range(90)]


async def test_who_wrote_a_comment_is_renamed_without_reading_the_page(
    home: Stores, small: Site, flavour: Flavour
) -> None:
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
        small.call("mara", "Mara Berg")
        server.forget()
        await home.sync(wiki, now="2026-01-03")
        first, _ = await thread_evidences(home)
        assert server.sent_bodies.total() == 0
    assert first.context.heading_path == ("In a comment by Mara Berg, 3 May 2026",)


async def test_a_comment_mentions_people_by_name(home: Stores, small: Site, flavour: Flavour) -> None:
    mention = small.users["mara"].mention(flavour)
    small.add_comment(list(small.pages)[5], f"<p>Ask {mention}.</p>")
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
    assert [each.text for each in await thread_evidences(home)][-1] == "Ask Mara Lind."


async def test_comments_that_cannot_be_listed_keep_no_page_from_being_synced(
    home: Stores, small: Site, flavour: Flavour
) -> None:
    page_id = list(small.pages)[4]
    with ConfluenceServer(small, flavour) as server, reading(server) as wiki:
        await home.sync(wiki)
        server.faults.on("type%3Dcomment", faults.error(400, "No such field"))
        small.edit_body(page_id, "<p>Edited.</p>")
        (report,) = await home.sync(wiki, now=datetime.now(UTC).isoformat())
        assert report.pages.updated == 1
        assert [error.title for error in report.errors] == ["Comments of ENG"]
        server.faults.clear()
        small.delete_comment(next(iter(small.comments)))
        (report,) = await home.sync(wiki, now=datetime.now(UTC).isoformat())
    assert (report.errors, await thread_evidences(home)) == ([], [])


async def test_the_comments_of_a_space_can_be_left_out(home: Stores, small: Site, flavour: Flavour) -> None:
    with ConfluenceServer(small, flavour) as server:
        with reading(server) as wiki:
            await home.sync(wiki)
        with reading(server, reads_comments=lambda space: space != "ENG") as wiki:
            server.forget()
            await home.sync(wiki)
            assert await thread_evidences(home) == []
            assert not server.asked("comment")
            (report,) = await home.sync(wiki)
            assert report.pages.unchanged == len(small.pages)
        with reading(server) as wiki:
            await home.sync(wiki)
    assert len(await thread_evidences(home)) == 2


async def test_a_comment_is_read_with_the_readers_of_its_moment(home: Stores, small: Site, flavour: Flavour) -> None:
    """While the page is read, somebody restricts it, writes a secret comment, deletes it, and opens the page again."""
    page_id = list(small.pages)[3]
    secrets: list[str] = []

    def write_secret() -> None:
        if not secrets:
            small.restrict(page_id, users=["jon"])
            secrets.append(small.add_comment(page_id, "<p>Secret.</p>").comment_id)

    def delete_secret() -> None:
        small.delete_comment(secrets[0])
        small.unrestrict(page_id)

    small.add_comment(page_id, "<p>Open.</p>")
    with ConfluenceServer(small, flavour) as server, reading(server, concurrency=1) as wiki:
        server.faults.on(f"{page_id}/descendant/comment", faults.first(write_secret), nth=1)
        listed = {page.page_id: page for page in await listing_of(wiki, "ENG")}
        asked = len(server.requests)
        server.before_request = lambda: (
            delete_secret() if secrets and secrets[0] in small.comments and _has_read_comments(server, asked) else None
        )
        page = await wiki.read_page(listed[page_id])
    assert [comment.content for comment in page.comments] == ["<p>Open.</p>"]


def _has_read_comments(server: ConfluenceServer, asked: int) -> bool:
    return any("descendant" in request.path for request in server.requests[asked:])
