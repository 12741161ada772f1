"""An erasure clears what is cached of texts in memory, here and at other bots."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.coordination.bots import TEXTS
from bot.settings import load_settings
from bot.wiring import Application, open_application
from core.ports.pages import NarrowedPage
from core.reading.words import split_words
from core.text_caches import register_text_cache
from tests.contracts.examples import indexed_page

PAY = indexed_page("2", ("Bob earns marzipan.",), space="ENG")
READERS = (frozenset({"user:bob"}),)


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Application]:
    with open_application(load_settings(data_dir=tmp_path / "data")) as application:
        yield application


class Words:
    def __init__(self) -> None:
        self.texts = ["marzipan"]

    def clear(self) -> None:
        self.texts.clear()


async def narrow(application: Application) -> None:
    digest = await application.pages.load_digest("2")
    await application.pages.narrow([NarrowedPage("2", "narrowed", READERS, digest)])


EACH_ERASURE: dict[str, Callable[[Application], Awaitable[object]]] = {
    "remove": lambda application: application.pages.remove(["2"]),
    "forget": lambda application: application.spaces.forget("ENG"),
    "narrow": narrow,
    "restrict": lambda application: application.pages.replace([indexed_page("2", ("New.",), "ENG", READERS)]),
}


@pytest.mark.parametrize("erase", EACH_ERASURE.values(), ids=EACH_ERASURE)
async def test_an_erasure_clears_all_caches_of_texts(
    application: Application, monkeypatch: pytest.MonkeyPatch, erase: Callable[[Application], Awaitable[object]]
) -> None:
    processes, others = [], []

    async def signal(name: str) -> None:
        others.append(name)

    monkeypatch.setattr(application.bots, "signal", signal)
    await application.pages.replace([PAY])
    split_words("Bob earns marzipan.")
    words = Words()
    register_text_cache(words)
    application.on_clear = lambda: processes.append("cleared")
    assert (words.texts, processes, others) == (["marzipan"], [], [])
    await erase(application)
    assert split_words.cache_info().currsize == 0
    assert words.texts == []
    assert processes == ["cleared"]
    assert others == [TEXTS]


async def test_a_new_version_of_a_page_keeps_the_caches(application: Application) -> None:
    await application.pages.replace([PAY])
    words = Words()
    register_text_cache(words)
    await application.pages.replace([replace(indexed_page("2", ("Bob earns nougat.",), space="ENG"))])
    assert words.texts
