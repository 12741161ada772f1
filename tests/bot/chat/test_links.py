"""Link previews show only what all readers of the place may read at that moment."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.chat.links import LinkPreviews
from bot.settings import load_settings
from bot.wiring import Application, now, open_application
from core.access import Channels
from core.model import Evidence, Scope
from core.model.views import Notice
from core.ports.chat import Place
from tests.bot.chat.test_access import ANN, Told, access_of
from tests.contracts.examples import indexed_page

CHANNEL = Place("slack", "T1", "C1", "1.0")
URL = "https://wiki/pages/1/Title"


@pytest.fixture
async def application(tmp_path: Path) -> AsyncIterator[Application]:
    with open_application(load_settings(data_dir=tmp_path)) as application:
        await application.pages.replace([indexed_page("1")])
        await application.spaces.finish_sync("DOC", "confluence", now(), "")
        yield application


class ChangingEvidences:
    """The evidence store, with an action after each read."""

    def __init__(self, application: Application, happens: Callable[[], Awaitable[object]]) -> None:
        self._evidences, self._happens = application.evidences, happens

    def __getattr__(self, name: str) -> Any:
        return getattr(self._evidences, name)

    async def load_texts(self, page_ids: Collection[str], scope: Scope) -> list[Evidence]:
        found = await self._evidences.load_texts(page_ids, scope)
        await self._happens()
        return found


def previews(application: Application, told: Told, happens: Callable[[], Awaitable[object]]) -> LinkPreviews:
    access = access_of(application, Channels(), frozenset({"DOC"}), told)
    return LinkPreviews(replace(access, evidences=ChangingEvidences(application, happens)))


async def test_a_page_that_all_may_read_has_a_preview(application: Application) -> None:
    async def nothing() -> None: ...

    links = previews(application, Told(), nothing)
    found = await links.find(CHANNEL, "U1", [URL, "https://elsewhere/pages/1/Title", "https://wiki/pages/9"], "en")
    assert [(url, view.title, bool(view.text)) for url, view in found.items()] == [(URL, "Title of 1", True)]
    assert await links.load_title(CHANNEL, "U1", "1", "en") == "Title of 1"


async def test_a_page_restricted_while_its_preview_is_made_is_not_shown(application: Application) -> None:
    async def restrict() -> None:
        await application.pages.replace([indexed_page("1", read_restrictions=(ANN,))])

    links = previews(application, Told(), restrict)
    assert await links.find(CHANNEL, "U1", [URL], "en") == {}
    await application.pages.replace([indexed_page("1")])
    assert isinstance(await links.load_title(CHANNEL, "U1", "1", "en"), Notice)


async def test_a_channel_shared_while_a_preview_is_made_gets_none(application: Application) -> None:
    told = Told()

    async def share() -> None:
        told.readers = "mixed"

    links = previews(application, told, share)
    assert await links.find(CHANNEL, "U1", [URL], "en") == {}
    told.readers = "own"
    assert isinstance(await links.load_title(CHANNEL, "U1", "1", "en"), Notice)
