"""A Confluence to try ``wikiwhy sync confluence`` with, where there is none.

python -m tests.servers.confluence --flavour cloud --port 8200
"""

from __future__ import annotations

import argparse
import threading
from collections import Counter
from pathlib import Path

from tests.servers.confluence.contents import from_documents, many_pages, odd_pages
from tests.servers.confluence.faults import too_many_requests, unavailable
from tests.servers.confluence.fixtures import SAMPLES
from tests.servers.confluence.request import Limits
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site


def main() -> None:
    given = _arguments()
    site = _site(given)
    server = ConfluenceServer(site, given.flavour, port=given.port, limits=Limits(cap=given.cap), tls=given.tls)
    server.latency = given.latency
    if given.failing:
        server.faults.share(given.failing, too_many_requests(1), too_many_requests(), unavailable())
    with server:
        print(_introduction(server), flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print(f"\n{len(server.requests)} requests, {server.sent_bodies.total()} bodies")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.servers.confluence", description=__doc__)
    parser.add_argument("--flavour", choices=["cloud", "datacenter"], default="cloud")
    parser.add_argument("--port", type=int, default=8200)
    parser.add_argument(
        "--documents", type=Path, default=SAMPLES, help="folder of JSON documents (default: the samples)"
    )
    parser.add_argument("--pages", type=int, default=0, metavar="N", help="adds a space BIG of N short pages")
    parser.add_argument("--odd", action="store_true", help="adds a space ODD of broken pages, and an empty one")
    parser.add_argument("--cap", type=int, metavar="N", help="no answer lists more than N, whatever is asked")
    parser.add_argument(
        "--failing", type=float, default=0.0, metavar="SHARE", help="share of requests answered 429 or 503"
    )
    parser.add_argument("--latency", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--tls", action="store_true", help="with a certificate that nobody trusts")
    return parser.parse_args()


def _site(given: argparse.Namespace) -> Site:
    site = from_documents(given.documents)
    site.add_user("ada", "Ada Lovelace")
    site.add_user("ben", "Ben Nevis")
    site.add_group("board", ["ada"])
    if given.pages:
        many_pages(given.pages, site=site)
    if given.odd:
        odd_pages(site)
    return site


def _introduction(server: ConfluenceServer) -> str:
    counts = Counter(page.space for page in server.site.pages.values())
    spaces = ", ".join(f"{key} ({counts[key]} pages)" for key in server.site.spaces)
    lines = [f"WIKIWHY_CONFLUENCE_URL={server.url}", f"WIKIWHY_CONFLUENCE_FLAVOUR={server.flavour}"]
    lines += [f"WIKIWHY_CONFLUENCE_EMAIL={server.email}"] if server.flavour == "cloud" else []
    lines += [f"WIKIWHY_CONFLUENCE_TOKEN={server.token}"]
    return "\n".join([*lines, f"Spaces: {spaces}", "Stop it with Ctrl-C."])


if __name__ == "__main__":
    main()
