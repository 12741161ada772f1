"""Confluence Cloud and Data Center pass the contract of wikis, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.adapters.confluence.reading import reading
from tests.contracts.wiki import BEFORE, Served, WikiContract, Written
from tests.servers.confluence import ConfluenceServer, Flavour, Limits, Site


@contextmanager
def serving(flavour: Flavour) -> Iterator[Served]:
    site = Site()
    for key in ("ENG", "PEO"):
        site.add_space(key)

    def write(page: Written) -> None:
        page_id, space, title, body = page
        if page_id not in site.pages:
            site.add_page(space, title, body, page_id=page_id)
            return
        if site.pages[page_id].body != body:
            site.edit_body(page_id, body)
        if site.pages[page_id].title != title:
            site.rename(page_id, title)

    for page in BEFORE:
        write(page)
    with ConfluenceServer(site, flavour, limits=Limits(cap=2)) as server:
        yield Served(lambda: reading(server), write, site.trash)


class TestConfluence(WikiContract):
    @pytest.fixture
    def served(self, flavour: Flavour) -> Iterator[Served]:
        with serving(flavour) as served:
            yield served
