"""What links to pages lead to, for places where all readers may read the page, as an answer would."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from core.access import Access, ChatAccess
from core.languages import Language
from core.model import Evidence, PageFacts
from core.ports.chat import Place
from core.views.building import describe_page, notice_for
from core.views.model import LinkView, Notice

_MOST = 5  # links of a message
_PAGE_ID = re.compile(r"/pages/(\d{1,20})(?:/|$)|[?&]pageId=(\d{1,20})(?:&|$)")
"""As in …/wiki/spaces/ENG/pages/2097217/Title, or Data Center's …/pages/viewpage.action?pageId=2097217."""


@dataclass(frozen=True, slots=True)
class LinkPreviews:
    """Asks at the moment of showing who may read there."""

    access: ChatAccess

    async def find(self, place: Place, user: str, urls: Sequence[str], spoken: Language) -> Mapping[str, LinkView]:
        """By address, those of the pages that may be shown at the place now; ``user``: who posted the links."""
        wanted = {url: page_id for url in urls[:_MOST] if (page_id := _page_id(url))}
        if not wanted:
            return {}
        access = await self.access.now(place, user)
        if not isinstance(access, Access):
            return {}
        pages = await asyncio.gather(*(self._find_page(page_id, access) for page_id in wanted.values()))
        found = zip(wanted, pages, strict=True)
        return {url: _view(page, facts, spoken) for url, (page, facts) in found if page and _is_of(page, url)}

    async def title(self, place: Place, user: str, page_id: str, spoken: Language) -> str | Notice:
        """The title of a page, for a person who wants to ask it."""
        access = await self.access.now(place, user)
        if not isinstance(access, Access):
            return notice_for(access, spoken)
        page, _ = await self._find_page(page_id, access)
        return page.context.title if page else notice_for("outside", spoken)

    async def _find_page(self, page_id: str, access: Access) -> tuple[Evidence | None, PageFacts]:
        """The first text of a page, and what is known of it; nothing of a page that may not be shown."""
        texts = await self.access.evidences.page_texts([page_id], access.scope)
        own = [text for text in texts if not text.thread and not text.origin]
        facts = await self.access.page_facts([page_id], access.scope)
        first = next((text for text in own if text.kind == "passage"), next(iter(own), None))
        return first, facts.get(page_id, PageFacts())


def _page_id(url: str) -> str:
    found = _PAGE_ID.search(url)
    return (found[1] or found[2]) if found else ""


def _is_of(page: Evidence, url: str) -> bool:
    """Whether an address is of the wiki that the page is from: two wikis count their pages alike."""
    try:
        return urlsplit(page.url).hostname == urlsplit(url).hostname
    except ValueError:
        return False


def _view(page: Evidence, facts: PageFacts, spoken: Language) -> LinkView:
    about = tuple(each.render(spoken) for each in describe_page(facts))
    text = page.text if page.kind == "passage" else ""
    return LinkView(spoken, page.page_id, page.context.title, page.url.partition("#")[0], about, text)
