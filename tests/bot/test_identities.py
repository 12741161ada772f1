"""Who may see what, end to end: a Confluence over HTTP, synced into the real index, asked as chat users."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.folder.wiki import FolderWiki
from bot.chat.connect import open_identities
from bot.settings import Settings, load_settings
from bot.wikis import make_confluence
from bot.wiring import Application, now, open_application
from core.access import Access
from core.errors import AccountsUnreadable
from core.model import Person, Scope
from core.trace import Stopwatch
from tests.bot.cli.running import document, write_documents
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site

ADA, BEN, CAM, EVE = (Person("slack", "T1", f"U{number}", f"{name}@example.org") for number, name in enumerate("abce"))
PAY = "What does the carillonneur earn?"


@dataclass
class Running:
    server: ConfluenceServer
    settings: Settings
    application: Application
    pay: str
    below: str

    async def sync(self) -> None:
        with closing(make_confluence(self.settings)) as wiki:
            synchroniser = self.application.make_synchroniser(allow_mass_delete=True)
            await synchroniser.sync_all(wiki, await wiki.list_spaces(), now(), lambda progress: None)

    async def pages(self, access: Access) -> set[str]:
        """The pages that answer, which are those that the store calls visible."""
        ranked = await self.application.retriever.retrieve(PAY, access.scope, Stopwatch(lambda: 0.0))
        found = {each.evidence.page_id for each in ranked}
        assert await self.application.evidences.filter_visible(self.server.site.pages, access.scope) == found
        return found

    async def asking(self, person: Person) -> set[str]:
        """In a direct message, as one who was never looked up before."""
        with open_identities(_open(self.settings, "PUB"), self.application.spaces) as known:
            return await self.pages(await known.find_account_access(person))


def _open(settings: Settings, *spaces: str) -> Settings:
    """With these default spaces."""
    return settings.model_copy(update={"default_spaces": ",".join(spaces)})


@pytest.fixture(params=["cloud", "datacenter"])
def running(request: pytest.FixtureRequest, tmp_path: Path, embedder: E5Embedder) -> Iterator[Running]:
    """Ada and Ben ring; Ben is of the board; Cam left; Eve has an account and reads nothing but PUB."""
    site = Site()
    for name in "abce":
        site.add_user(name, email=f"{name}@example.org", everyone=name != "e").email_visible = True
    site.users["c"].active = False
    site.add_group("board", ["b", "c"])
    site.add_space("PUB", groups=["confluence-users"])
    site.open_space_to("PUB", groups=["confluence-users"], users=["e"])
    site.add_space("HR")
    site.add_page("PUB", "Bells", "<p>The carillonneur plays at noon.</p>", page_id="1")
    pay = site.add_page("HR", "Pay", "<p>The carillonneur earns 4,711 crowns.</p>", page_id="2").page_id
    below = site.add_page("HR", "Bonus", "<p>The carillonneur earns a bonus.</p>", page_id="3", parent=pay).page_id
    cloud = request.param == "cloud"
    ids = {name: user.account_id if cloud else name for name, user in site.users.items()}
    file = tmp_path / "accounts.csv"
    file.write_text("".join(f"slack:T1:U{number},{ids[name]}\n" for number, name in enumerate("abce")))
    with ConfluenceServer(site, request.param) as server:
        settings = load_settings(
            data_dir=tmp_path / "data",
            confluence_url=server.url,
            confluence_flavour=request.param,
            confluence_token=server.token,
            confluence_email=server.email,
            accounts=str(file),
        )
        with open_application(settings) as application:
            application.__dict__["embedder"] = embedder
            yield Running(server, settings, application, pay, below)


async def test_restricted_pages_answer_their_readers_alone_by_user_and_by_group(running: Running) -> None:
    site = running.server.site
    site.restrict(running.pay, users=["a"], groups=["board"])
    site.restrict(running.below, users=["a"])
    await running.sync()
    assert await running.asking(ADA) == {"1", running.pay, running.below}
    assert await running.asking(BEN) == {"1", running.pay}
    assert await running.asking(CAM) == {"1"}
    assert await running.asking(EVE) == {"1"}
    assert await running.asking(Person("slack", "T2", "U0")) == {"1"}
    site.leave("board", "b")
    site.join("board", "a")
    assert await running.asking(BEN) == {"1"}


async def test_a_channel_answers_without_restricted_pages(running: Running) -> None:
    running.server.site.restrict(running.pay, users=["a"])
    running.server.site.add_page("HR", "Holidays", "<p>The carillonneur has 30 days.</p>", page_id="4")
    await running.sync()
    assert await running.pages(Access(Scope(frozenset({"HR"})))) == {"4"}
    assert await running.pages(Access(Scope(frozenset()))) == set()


async def test_a_space_taken_away_is_no_longer_read_even_before_a_sync(running: Running) -> None:
    await running.sync()
    running.server.site.open_space_to("HR", users=[running.server.site.syncing, "a"])
    assert await running.asking(ADA) == {"1", running.pay, running.below}
    assert await running.asking(BEN) == {"1"}
    running.server.site.open_space_to("PUB", groups=["board"], users=[running.server.site.syncing])
    assert "1" not in await running.asking(ADA)


async def test_without_confluence_folders_are_open_as_the_admin_says(tmp_path: Path, embedder: E5Embedder) -> None:
    pages = write_documents(tmp_path / "pages", *(document(space, "<p>Ring.</p>", space) for space in ("ENG", "HR")))
    settings = Settings(data_dir=tmp_path / "data")
    with open_application(settings) as application:
        application.__dict__["embedder"] = embedder
        wiki = FolderWiki(pages)
        await application.make_synchroniser().sync_all(wiki, await wiki.list_spaces(), now(), lambda progress: None)
        with open_identities(_open(settings, "ENG"), application.spaces) as known:
            access = await known.find_account_access(ADA)
        assert access.reason == "unmapped"
        assert await application.evidences.filter_visible({"ENG", "HR"}, access.scope) == {"ENG"}


async def test_beside_confluence_open_folders_are_seen_with_an_account_too(running: Running, tmp_path: Path) -> None:
    pages = write_documents(tmp_path / "pages", *(document(space, "<p>Ring.</p>", space) for space in ("OPEN", "SHUT")))
    await running.sync()
    wiki = FolderWiki(pages)
    await running.application.make_synchroniser().sync_all(wiki, await wiki.list_spaces(), now(), lambda progress: None)
    with open_identities(_open(running.settings, "OPEN"), running.application.spaces) as known:
        access = await known.find_account_access(ADA)
    assert access.scope.spaces == {"PUB", "HR", "OPEN"}


def test_a_file_of_accounts_that_is_not_there_is_said_at_once(running: Running) -> None:
    Path(running.settings.accounts).unlink()
    with pytest.raises(AccountsUnreadable), open_identities(running.settings, running.application.spaces):
        pass
