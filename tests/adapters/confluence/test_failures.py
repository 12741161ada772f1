"""Failures of Confluence: retried where that may help, otherwise reported with cause and advice."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress

import pytest

from adapters.confluence.http import Retries
from core.errors import PageUnreadable, WikiUnavailable
from tests.adapters.confluence.reading import listing_of, reading
from tests.servers.confluence import faults
from tests.servers.confluence.contents import many_pages
from tests.servers.confluence.faults import Fault
from tests.servers.confluence.request import Flavour, Limits
from tests.servers.confluence.server import CERTIFICATE, ConfluenceServer
from tests.servers.confluence.site import Site

# The requests of a listing, and of one page, of both flavours.
LISTING = r"/spaces/\d+/pages|/rest/api/content\?"
IMPATIENT = Retries(first=0.005, longest=0.02, budget=0.2, attempts=3)

PASSING = [
    faults.too_many_requests(),
    faults.too_many_requests(0.01),
    faults.too_many_requests(0, date=True),
    faults.too_many_requests(reset=True),
    faults.too_many_requests("gibberish"),
    faults.unavailable(),
    faults.unavailable(0.01),
    faults.error(500),
    faults.error(502),
    faults.connection_reset(),
    faults.connection_cut(),
    faults.html_page(),
    faults.truncated_json(),
]


@pytest.mark.parametrize("fault", PASSING, ids=lambda fault: fault.name)
async def test_what_passes_is_tried_again(confluence_cloud: ConfluenceServer, fault: Fault) -> None:
    confluence_cloud.faults.on("", fault, nth=(1, 3, 4))
    with reading(confluence_cloud) as wiki:
        pages = await listing_of(wiki, "ENG")
        assert len(pages) == 14
        assert (await wiki.read_page(pages[0])).content
        assert wiki.traffic.waits == 3
        assert wiki.traffic.requests == len(confluence_cloud.requests)


@pytest.mark.slow
async def test_three_in_ten_refused_for_load_and_nothing_is_missing(flavour: Flavour) -> None:
    with ConfluenceServer(many_pages(215), flavour, limits=Limits(cap=25)) as server, reading(server) as wiki:
        server.faults.share(0.3, faults.too_many_requests(0.01), faults.too_many_requests(), faults.unavailable())
        pages = await listing_of(wiki, "BIG")
        assert len(pages) == 215
        read = await asyncio.gather(*(wiki.read_page(page) for page in pages))
        assert [page.content for page in read] == [server.site.pages[page.page_id].body for page in pages]
        assert wiki.traffic.waits > 30


async def test_the_server_s_wish_holds_for_all_requests(confluence_cloud: ConfluenceServer) -> None:
    confluence_cloud.faults.on("", faults.too_many_requests(0.4), nth=1)
    with reading(confluence_cloud) as wiki:
        first = asyncio.create_task(wiki.list_spaces())
        while not wiki.traffic.waits:  # noqa: ASYNC110  # a counter without notification
            await asyncio.sleep(0.01)
        assert await listing_of(wiki, "ENG")
        assert await first
    refused, *others = confluence_cloud.requests
    assert refused.status == 429
    assert all(request.at >= refused.at + 0.4 for request in others)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (faults.too_many_requests(), ["limits the number of requests (429", "Sync again later"]),
        (faults.too_many_requests(7200), ["limits the number of requests", "wait 120 minutes"]),
        (faults.unavailable(), ["is not available now (503", "Sync again later"]),
        (faults.error(500, "Boom"), ["failed (500: Boom)", "Sync again later"]),
        (faults.error(400, "No such expansion"), ["refuses the request (400: No such expansion)"]),
        (faults.error(403, "Not licensed"), ["forbids this (403: Not licensed)", "permission"]),
        (faults.captcha(), ["requires a CAPTCHA", "in a browser"]),
        (faults.html_page(), ['a web page titled "Log In - Confluence" instead of data', "login page, a proxy"]),
        (faults.truncated_json(), ["truncated or broken JSON"]),
        (faults.connection_reset(), ["closed the connection unexpectedly"]),
        (faults.connection_cut(), ["closed the connection unexpectedly"]),
        (faults.next_elsewhere("https://elsewhere.invalid"), ["another host, elsewhere.invalid"]),
        (faults.next_to_itself(), ["lists in a circle"]),
        (faults.altered(lambda answer, asked: answer | {"results": 7}), ["unknown format (a listing without results)"]),
        (faults.altered(lambda answer, asked: [1]), ["unknown format (a list)"]),
    ],
    ids=lambda value: value.name if isinstance(value, Fault) else "",
)
async def test_a_listing_that_breaks_off_names_space_cause_and_remedy(
    confluence: ConfluenceServer, fault: Fault, says: list[str]
) -> None:
    confluence.limits.cap = 5
    confluence.faults.on(LISTING, fault, nth=range(2, 100))
    with reading(confluence, retries=IMPATIENT) as wiki, pytest.raises(WikiUnavailable) as caught:
        await listing_of(wiki, "ENG")
    message = str(caught.value)
    assert all(part in message for part in ["Space ENG cannot be listed: Confluence at 127.0.0.1:", *says]), message
    assert confluence.token not in message


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (faults.html_page(), "a web page titled"),
        (faults.truncated_json(), "truncated or broken"),
        (faults.error(500), "failed (500"),
        (faults.error(404), "was deleted, or hidden"),
        (faults.altered(lambda answer, asked: {**answer, "body": {}}), "a page without its body"),
        (faults.altered(lambda answer, asked: {**answer, "status": "trashed"}), "as trashed"),
    ],
    ids=lambda value: value.name if isinstance(value, Fault) else "",
)
async def test_one_page_s_failure_is_that_page_s_alone(confluence: ConfluenceServer, fault: Fault, says: str) -> None:
    with reading(confluence, retries=IMPATIENT) as wiki:
        one, other, *_ = await listing_of(wiki, "ENG")
        confluence.faults.on(rf"/{one.page_id}\?", fault)
        with pytest.raises(PageUnreadable, match=says.replace("(", r"\(")):
            await wiki.read_page(one)
        assert (await wiki.read_page(other)).content


async def test_what_would_fail_for_every_page_ends_the_sync_and_names_the_page(confluence: ConfluenceServer) -> None:
    with reading(confluence, retries=IMPATIENT) as wiki:
        page, *_ = await listing_of(wiki, "ENG")
        confluence.revoke(confluence.token)
        with pytest.raises(WikiUnavailable) as caught:
            await wiki.read_page(page)
    assert f'Page "{page.title}" ({page.page_id}) of space ENG cannot be read' in str(caught.value)
    assert "refuses the credentials (401" in str(caught.value)
    assert confluence.token not in str(caught.value)


async def test_wrong_credentials_are_not_tried_again(confluence: ConfluenceServer) -> None:
    with reading(confluence, token="token-that-is-wrong") as wiki, pytest.raises(WikiUnavailable) as caught:
        await listing_of(wiki, "ENG")
    assert "refuses the credentials (401" in str(caught.value)
    assert "WIKIWHY_CONFLUENCE_TOKEN" in str(caught.value)
    assert "token-that-is-wrong" not in str(caught.value)
    assert len(confluence.requests) == 1


async def test_a_certificate_of_nobody_we_trust_and_the_setting_that_trusts_it(confluence_site: Site) -> None:
    with ConfluenceServer(confluence_site, "datacenter", tls=True) as server:
        with (
            reading(server) as wiki,
            pytest.raises(WikiUnavailable, match=r"certificate.*WIKIWHY_CONFLUENCE_CA_BUNDLE"),
        ):
            await wiki.list_spaces()
        with reading(server, ca_bundle=str(CERTIFICATE)) as wiki:
            assert "ENG" in await wiki.list_spaces()


async def test_addresses_where_there_is_no_confluence(confluence_data_center: ConfluenceServer) -> None:
    server = confluence_data_center
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nothing = f"http://127.0.0.1:{closed.getsockname()[1]}"
        for url, says in [
            (nothing, "refuses the connection"),
            ("http://confluence.invalid", "has an unknown host name"),
            (server.url.replace("http:", "https:"), "does not speak TLS"),
            (server.url.replace("/confluence", "/elsewhere"), r"has no such resource .*404.*WIKIWHY_CONFLUENCE_URL"),
        ]:
            with reading(server, url=url, retries=IMPATIENT) as wiki, pytest.raises(WikiUnavailable, match=says):
                await wiki.list_spaces()


async def test_a_redirect_is_not_followed(confluence_cloud: ConfluenceServer) -> None:
    target = "https://login.example.com/sso"
    fault = Fault("redirect", 302, headers=lambda: {"Location": f"{target}?secret=1"})
    confluence_cloud.faults.on("", fault)
    with reading(confluence_cloud) as wiki, pytest.raises(WikiUnavailable) as caught:
        await wiki.list_spaces()
    assert f"redirects to {target} (302)" in str(caught.value)
    assert "secret" not in str(caught.value)


async def test_a_server_that_does_not_answer_in_time(confluence_cloud: ConfluenceServer) -> None:
    confluence_cloud.faults.on("", faults.slow(1.5))
    says = r"did not answer in time.*WIKIWHY_CONFLUENCE_TIMEOUT"
    with reading(confluence_cloud, timeout=0.2, retries=IMPATIENT) as wiki, pytest.raises(WikiUnavailable, match=says):
        await wiki.list_spaces()


@pytest.mark.parametrize("pause", [0.02, 30], ids=["drips", "stops"])
async def test_a_response_that_drips_or_stops_is_ended_too(confluence_cloud: ConfluenceServer, pause: float) -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.CancelledError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n")
            for byte in b'{"results": []}'.ljust(2000):
                writer.write(bytes([byte]))
                await asyncio.sleep(pause)
        writer.close()

    async with await asyncio.start_server(drip, "127.0.0.1") as dripping:
        url = f"http://127.0.0.1:{dripping.sockets[0].getsockname()[1]}"
        once = Retries(attempts=1)
        with (
            reading(confluence_cloud, url=url, timeout=0.3, retries=once) as wiki,
            pytest.raises(WikiUnavailable, match="did not answer in time"),
        ):
            await wiki.list_spaces()
