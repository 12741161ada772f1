"""A Confluence to test against: both flavours over real HTTP, with everything that goes wrong with them.

site = from_documents(SAMPLES / "documents")
with ConfluenceServer(site, "cloud", limits=Limits(cap=25)) as server:
    ...  # server.url, server.email, server.token; then site.trash(…), server.faults.on(…), server.requests
"""

from tests.servers.confluence.contents import from_documents, many_pages, odd_pages
from tests.servers.confluence.request import Flavour, Limits
from tests.servers.confluence.server import CERTIFICATE, ConfluenceServer, Recorded
from tests.servers.confluence.site import EVERYONE, SYNCING, Comment, Page, Restriction, Site, Space, User

__all__ = [
    "CERTIFICATE",
    "EVERYONE",
    "SYNCING",
    "Comment",
    "ConfluenceServer",
    "Flavour",
    "Limits",
    "Page",
    "Recorded",
    "Restriction",
    "Site",
    "Space",
    "User",
    "from_documents",
    "many_pages",
    "odd_pages",
]
