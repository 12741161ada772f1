"""Who may see what, end to end: a Confluence over HTTP, synced into the real index, asked as chat users."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.folder.wiki import FolderWiki
from bot.chat.connect import open_identities
from bot.settings import Settings, load_settings
from bot.wikis import confluence_for
from bot.wiring import Application, now, open_application
from core.access import Access, Identities
from core.errors import AccountsUnreadable, SettingsInvalid
from core.person import Person
from core.timing import Stopwatch
from tests.bot.cli.running import document, write_documents
from tests.servers.confluence import faults
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
    file: Path

    async def sync(self) -> None:
        with closing(confluence_for(self.settings)) as wiki:
            synchroniser = self.application.synchroniser(allow_mass_delete=True)
            await synchroniser.sync_all(wiki, await wiki.spaces(), now(), lambda progress: None)

    async def pages(self, access: Access) -> set[str]:
        """The pages that answer, which are those that the store calls visible."""
        ranked = await self.application.retriever.retrieve(PAY, access.scope, Stopwatch(lambda: 0.0))
        found = {each.evidence.page_id for each in ranked}
        assert await self.application.evidences.visible(self.server.site.pages, access.scope) == found
        return found

    async def asking(self, person: Person) -> set[str]:
        """In a direct message, as one who was never looked up before."""
        with open_identities(_open(self.settings, "PUB"), self.application.spaces) as known:
            return await self.pages(await known.scope_for(person, None))


def _open(settings: Settings, *spaces: str) -> Settings:
    """With these default spaces."""
    return settings.model_copy(update={"default_spaces": ",".join(spaces)})


@contextmanager
def identities_of(running: Running, *open_spaces: str) -> Iterator[Identities]:
    with open_identities(_open(running.settings, *open_spaces), running.application.spaces) as known:
        yield known


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
            yield Running(server, settings, application, pay, below, file)


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


@pytest.mark.parametrize("by", ["itself", "its ancestor", "the trash", "the archive", "deletion"])
async def test_a_page_that_is_taken_away_answers_others_no_more_after_the_next_sync(running: Running, by: str) -> None:
    site = running.server.site
    await running.sync()
    assert await running.asking(BEN) == {"1", running.pay, running.below}
    match by:
        case "itself":
            site.restrict(running.below, users=["a"])
        case "its ancestor":
            site.restrict(running.pay, users=["a"])
        case "the trash":
            site.trash(running.below)
        case "the archive":
            site.archive(running.below)
        case "deletion":
            site.purge(running.below)
    await running.sync()
    for person in (BEN, CAM, EVE):
        assert running.below not in await running.asking(person)
    assert (running.below in await running.asking(ADA)) == (by in {"itself", "its ancestor"})
    assert (running.pay in await running.asking(BEN)) == (by != "its ancestor")


async def test_a_channel_answers_without_restricted_pages_whoever_asks(running: Running) -> None:
    running.server.site.restrict(running.pay, users=["a"])
    running.server.site.add_page("HR", "Holidays", "<p>The carillonneur has 30 days.</p>", page_id="4")
    await running.sync()
    with identities_of(running) as known:
        for person in (ADA, EVE):
            assert await running.pages(await known.scope_for(person, {"HR"})) == {"4"}
            assert await running.pages(await known.scope_for(person, set())) == set()


async def test_a_space_taken_away_is_no_longer_read_even_before_a_sync(running: Running) -> None:
    await running.sync()
    running.server.site.open_space_to("HR", users=[running.server.site.syncing, "a"])
    assert await running.asking(ADA) == {"1", running.pay, running.below}
    assert await running.asking(BEN) == {"1"}
    running.server.site.open_space_to("PUB", groups=["board"], users=[running.server.site.syncing])
    assert "1" not in await running.asking(ADA)


async def test_without_the_file_people_are_known_by_e_mail_where_confluence_tells_it(running: Running) -> None:
    site = running.server.site
    site.restrict(running.pay, groups=["board"])
    await running.sync()
    running.file.write_text("")
    site.users[site.syncing].super_user = True  # for Data Center, which tells e-mail addresses to nobody else
    assert await running.asking(BEN) == {"1", running.pay, running.below}
    assert await running.asking(Person("slack", "T1", "U1", None)) == {"1"}
    site.users["a"].email = "B@Example.org"
    with identities_of(running) as known:
        assert (await known.scope_for(BEN, None)).reason == "ambiguous"
    site.users["a"].email, site.users["b"].email_visible = "a@example.org", False
    site.users[site.syncing].super_user = False
    with identities_of(running) as known:
        assert (await known.scope_for(BEN, None)).reason == "hidden"


async def test_while_confluence_is_down_only_open_spaces_answer(running: Running) -> None:
    running.server.site.restrict(running.pay, users=["a"])
    await running.sync()
    running.server.faults.on("", faults.unavailable())
    with identities_of(running, "PUB") as known:
        access = await known.scope_for(ADA, None)
        assert (access.reason, await running.pages(access)) == ("unavailable", {"1"})


async def test_settings_that_cannot_work_are_said_at_once(running: Running) -> None:
    running.file.unlink()
    with pytest.raises(AccountsUnreadable), identities_of(running):
        pass
    lacking = running.settings.model_copy(
        update={"accounts": "", "confluence_flavour": "cloud", "confluence_email": ""}
    )
    with pytest.raises(SettingsInvalid), open_identities(lacking, running.application.spaces):
        pass


async def test_without_confluence_folders_are_open_as_the_admin_says(tmp_path: Path, embedder: E5Embedder) -> None:
    pages = write_documents(tmp_path / "pages", *(document(space, "<p>Ring.</p>", space) for space in ("ENG", "HR")))
    settings = Settings(data_dir=tmp_path / "data")
    with open_application(settings) as application:
        application.__dict__["embedder"] = embedder
        wiki = FolderWiki(pages)
        await application.synchroniser().sync_all(wiki, await wiki.spaces(), now(), lambda progress: None)
        with open_identities(_open(settings, "ENG"), application.spaces) as known:
            access = await known.scope_for(ADA, None)
        assert access.reason == "unmapped"
        assert await application.evidences.visible({"ENG", "HR"}, access.scope) == {"ENG"}


async def test_beside_confluence_open_folders_are_seen_with_an_account_too(running: Running, tmp_path: Path) -> None:
    pages = write_documents(tmp_path / "pages", *(document(space, "<p>Ring.</p>", space) for space in ("OPEN", "SHUT")))
    await running.sync()
    wiki = FolderWiki(pages)
    await running.application.synchroniser().sync_all(wiki, await wiki.spaces(), now(), lambda progress: None)
    with identities_of(running, "OPEN") as known:
        access = await known.scope_for(ADA, None)
    assert access.scope.spaces == {"PUB", "HR", "OPEN"}
