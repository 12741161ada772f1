"""Previews of links to pages, at places where all readers may read the page."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from core.access import Access, ChatAccess
from core.evidence.links import read_address
from core.languages import Language
from core.model import Evidence, PageFacts
from core.model.views import LinkView, Notice
from core.ports.chat import Place
from core.views.notices import choose_notice
from core.views.sources import describe_page

_MOST = 5  # links of a message


@dataclass(frozen=True, slots=True)
class LinkPreviews:
    """Finds previews. Rights are checked immediately before showing."""

    access: ChatAccess

    async def find(self, place: Place, user: str, urls: Sequence[str], language: Language) -> Mapping[str, LinkView]:
        """Return previews by address for pages that may be shown at the place now. ``user``: who posted the links."""
        wanted = {url: page_id for url in urls[:_MOST] if (page_id := read_address(url).page_id)}
        if not wanted:
            return {}
        access = await self.access.find_access(place, user)
        if not isinstance(access, Access):
            return {}
        texts = await self._find_texts(frozenset(wanted.values()), access)
        facts = await self.access.load_still_visible_facts(place, user, access, texts.keys())
        return {
            url: _build_preview(texts[page_id], facts[page_id], language)
            for url, page_id in wanted.items()
            if page_id in facts and _is_same_wiki(texts[page_id], url)
        }

    async def load_title(
        self, place: Place, user: str, page_id: str, language: Language, url: str = ""
    ) -> str | Notice:
        """Return the title of a page, for a person who wants to ask about it.

        ``url``: the link, if its wiki has not been compared with the page's yet.
        """
        access = await self.access.find_access(place, user)
        if not isinstance(access, Access):
            return choose_notice(access, language)
        texts = await self._find_texts([page_id], access)
        visible = await self.access.load_still_visible_facts(place, user, access, texts.keys())
        is_page = page_id in visible and (not url or _is_same_wiki(texts[page_id], url))
        return texts[page_id].context.title if is_page else choose_notice("page_outside", language)

    async def _find_texts(self, pages: Collection[str], access: Access) -> dict[str, Evidence]:
        """Return the first evidence of each page, preferably a passage; none for pages that may not be shown."""
        found: dict[str, Evidence] = {}
        for text in await self.access.evidences.load_texts(pages, access.scope):
            first = found.get(text.page_id)
            is_better = first is None or (text.kind == "passage" and first.kind != "passage")
            if is_better and not text.thread and not text.origin:
                found[text.page_id] = text
        return found


def _is_same_wiki(page: Evidence, url: str) -> bool:
    """Whether an address belongs to the page's wiki; ids of two wikis may be the same."""
    try:
        return urlsplit(page.url).hostname == urlsplit(url).hostname
    except ValueError:
        return False


def _build_preview(page: Evidence, facts: PageFacts, language: Language) -> LinkView:
    about = tuple(each.render(language) for each in describe_page(facts))
    text = page.text if page.kind == "passage" else ""
    return LinkView(language, page.page_id, page.context.title, page.url.partition("#")[0], about, text)
