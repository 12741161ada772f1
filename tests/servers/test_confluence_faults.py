"""What goes wrong on purpose, when, and what is on record of it."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
import urllib.error
from email.utils import parsedate_to_datetime

import pytest

from tests.servers.confluence import ConfluenceServer, Site, faults
from tests.servers.confluence_client import everything, get, listing, signed_in, walk

LISTING = r"/pages\?|/content\?"


def test_429_comes_with_seconds_a_date_or_neither(confluence: ConfluenceServer) -> None:
    for given in (
        faults.too_many_requests(3),
        faults.too_many_requests(90, date=True, reset=True),
        faults.too_many_requests(),
    ):
        confluence.faults.on("/user/current", given, times=1)
    told = [get(confluence, "/rest/api/user/current") for _ in range(4)]
    assert [answer.status for answer in told] == [429, 429, 429, 200]
    assert told[0].headers["Retry-After"] == "3"
    assert parsedate_to_datetime(told[1].headers["Retry-After"]).tzinfo
    assert told[1].headers["X-RateLimit-Reset"].endswith("Z")
    assert told[2].headers["Retry-After"] is None
    assert [request.fault for request in confluence.requests] == ["429", "429", "429", None]


def test_503_an_error_a_captcha_and_a_login_page_come_in_place_of_the_answer(confluence: ConfluenceServer) -> None:
    for given in (faults.unavailable(2), faults.error(500), faults.captcha(), faults.html_page()):
        confluence.faults.on("/user/current", given, times=1)
    told = [get(confluence, "/rest/api/user/current") for _ in range(4)]
    assert [answer.status for answer in told] == [503, 500, 403, 200]
    assert told[0].headers["Retry-After"] == "2"
    assert told[3].headers["Content-Type"].startswith("text/html")


def test_a_truncated_answer_looks_whole_but_is_not_json(confluence: ConfluenceServer) -> None:
    confluence.faults.on(LISTING, faults.truncated_json(), times=1)
    with pytest.raises(json.JSONDecodeError):
        listing(confluence, "ENG")
    assert len(everything(confluence, "/rest/api/content/search", cql="space=ENG")) == 14


def test_a_connection_breaks_before_or_within_the_answer(confluence: ConfluenceServer) -> None:
    confluence.faults.on("/user/current", faults.connection_reset(), nth=1)
    confluence.faults.on("/user/current", faults.connection_cut(), nth=2)
    with pytest.raises((OSError, http.client.HTTPException)):
        get(confluence, "/rest/api/user/current")
    with pytest.raises((OSError, http.client.HTTPException)):
        get(confluence, "/rest/api/user/current")
    assert get(confluence, "/rest/api/user/current").status == 200
    assert [request.status for request in confluence.requests] == [0, 0, 200]


def test_a_next_may_lead_to_itself(confluence: ConfluenceServer) -> None:
    confluence.faults.on(LISTING, faults.next_to_itself(), nth=2)
    pages = [answer.ids for answer in listing(confluence, "ENG", limit=5)]
    assert [len(page) for page in pages] == [5, 5, 5, 4]
    assert pages[1] == pages[2]


def test_a_next_may_lead_to_another_host_or_be_missing(confluence: ConfluenceServer) -> None:
    confluence.faults.on(LISTING, faults.next_elsewhere(), nth=1)
    confluence.faults.on(LISTING, faults.no_next(), nth=2)
    path = "/api/v2/pages" if confluence.flavour == "cloud" else "/rest/api/content"
    assert (
        get(confluence, path, limit=5)
        .json["_links"]["next"]
        .startswith(f"https://elsewhere.invalid{confluence.context}/")
    )
    assert "next" not in get(confluence, path, limit=5).json["_links"]
    assert len(list(walk(confluence, path, limit=5))) == 6


def test_a_listing_may_say_everything_twice(confluence: ConfluenceServer) -> None:
    confluence.faults.on(LISTING, faults.every_result_twice(), nth=1)
    assert len(listing(confluence, "ENG")[0].ids) == 28


def test_the_site_may_change_between_two_requests(confluence: ConfluenceServer) -> None:
    site = confluence.site
    confluence.faults.on(LISTING, faults.first(lambda: site.trash("1048617")), nth=2)
    seen = [page_id for answer in listing(confluence, "ENG", limit=5) for page_id in answer.ids]
    assert "1048617" in seen  # was listed before it went
    assert site.pages["1048617"].status == "trashed"


def test_a_share_of_requests_fails_the_same_way_for_the_same_seed(confluence_site: Site) -> None:
    def statuses(seed: int) -> list[int]:
        with ConfluenceServer(confluence_site, seed=seed) as server:
            server.faults.share(0.3, faults.too_many_requests(0), faults.unavailable())
            return [get(server, "/api/v2/pages", limit=1 + number % 50).status for number in range(200)]

    first = statuses(1)
    assert first == statuses(1)
    assert first != statuses(2)
    assert 30 < sum(status != 200 for status in first) < 90
    assert {429, 503} < set(first)


def test_no_request_fails_more_often_in_a_row_than_said(confluence_cloud: ConfluenceServer) -> None:
    confluence_cloud.faults.share(1.0, faults.unavailable(), at_most_in_a_row=2)
    assert [get(confluence_cloud, "/api/v2/pages").status for _ in range(6)] == [503, 503, 200, 503, 503, 200]
    confluence_cloud.faults.clear()
    assert get(confluence_cloud, "/api/v2/pages").status == 200


def test_a_rate_limit_says_how_long_to_wait(confluence_cloud: ConfluenceServer) -> None:
    confluence_cloud.faults.limit_rate(3, seconds=60)
    told = [get(confluence_cloud, "/api/v2/pages") for _ in range(4)]
    assert [answer.status for answer in told] == [200, 200, 200, 429]
    assert 0 < float(told[3].headers["Retry-After"]) <= 61


def test_slow_answers_overlap_and_the_most_at_once_is_on_record(confluence_cloud: ConfluenceServer) -> None:
    confluence_cloud.faults.on("/pages", faults.slow(0.3))
    threads = [threading.Thread(target=get, args=(confluence_cloud, "/api/v2/pages")) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert confluence_cloud.at_once > 1
    confluence_cloud.forget()
    assert (confluence_cloud.requests, confluence_cloud.at_once) == ([], 0)


def test_tls_is_with_a_certificate_that_nobody_trusts(confluence_site: Site) -> None:
    with ConfluenceServer(confluence_site, tls=True) as server:
        with pytest.raises(urllib.error.URLError) as refused:
            get(server, "/api/v2/pages")
        assert isinstance(refused.value.reason, ssl.SSLCertVerificationError)


def test_the_record_says_who_asked_what_and_when(confluence: ConfluenceServer) -> None:
    before = time.monotonic()
    get(confluence, "/rest/api/user/current", expand="status")
    request = confluence.requests[0]
    assert (request.method, request.path) == ("GET", f"{confluence.context}/rest/api/user/current")
    assert request.query == {"expand": ["status"]}
    assert (request.status, request.account) == (200, confluence.site.syncing)
    assert request.at >= before
    assert request.headers["Authorization"] == signed_in(confluence)["Authorization"]
