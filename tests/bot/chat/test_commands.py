"""Commands in chats and the syncs that they start, beyond what the transcripts cover."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from pydantic import SecretStr

from adapters.slack.platform import SlackPlatform
from bot.chat.connect import Chat
from bot.operations.operation import EventListener
from bot.operations.spaces import ForgetSpace
from bot.wiring import Application, now
from core.errors import DataDirectoryInUse
from core.model.views import Notice
from core.ports.chat import Command, Place
from tests.bot.chat.chatting import Syncs, chatting, wait_until_idle
from tests.contracts.examples import indexed_page
from tests.servers.confluence.fixtures import confluence, confluence_cloud, confluence_site, flavour
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.slack import SlackWorld

__all__ = ["confluence", "confluence_cloud", "confluence_site", "flavour"]


@dataclass
class Admin:
    """Ada, an admin, in a channel where ENG is searched. ``syncs``: scripted syncs."""

    world: SlackWorld
    application: Application
    platform: SlackPlatform
    user: str
    channel: str
    syncs: Syncs

    @asynccontextmanager
    async def chat(self) -> AsyncIterator[Chat]:
        async with chatting(self.application, self.platform, self.syncs) as chat:
            yield chat
            await wait_until_idle(chat)

    async def runs(self, chat: Chat, text: str, run_id: str = "13.4", language: str = "en") -> Notice:
        place = Place("slack", self.world.team, self.channel, "")
        command = Command(place, self.user, tuple(text.split()), run_id, True)
        notice = await chat.commands.execute(command, language)  # type: ignore[arg-type]
        assert isinstance(notice, Notice)
        return notice

    @property
    def shown(self) -> list[str]:
        return [message.text for message in self.world.channel(self.channel).messages.values()]


@pytest.fixture
async def admin(world: SlackWorld, application: Application, platform: SlackPlatform) -> Admin:
    ada = world.add_user("ada")
    application.settings = application.settings.model_copy(update={"admins": f"{world.team}:{ada}"})
    return Admin(world, application, platform, ada, world.add_channel("eng", members=[ada]), Syncs())


@pytest.fixture
async def searched(admin: Admin) -> None:
    await admin.application.spaces.finish_sync("ENG", "folder x", now(), "")


async def test_an_incomplete_command_is_answered_with_what_is_missing(admin: Admin) -> None:
    async with admin.chat() as chat:
        for text in ("sync", "forget", "sync A B", "Sync A?", "forget A? A?"):
            name = text.split()[0].lower()
            assert await admin.runs(chat, text) == Notice(f"Name one space, for example: /wiki {name} DOC")
        assert await admin.runs(chat, "spaces") == Notice("There are no spaces yet. Add one with /wiki sync KEY.")
        assert await chat.durable.list_unfinished() == []


@pytest.mark.usefixtures("searched")
async def test_spaces_lists_the_spaces_and_those_searched_here(admin: Admin) -> None:
    page = indexed_page("1", space="ENG", read_restrictions=(frozenset({"user:ann"}),))
    await admin.application.pages.replace([page, indexed_page("2", space="ENG"), indexed_page("3", space="HR")])
    await admin.application.spaces.finish_sync("HR", "folder x", "", "Could not be listed.")
    async with admin.chat() as chat:
        notice = await admin.runs(chat, "spaces")
        german = await admin.runs(chat, "spaces", language="de")
    assert german.text == "2 Bereiche"
    assert "ENG: 2 Seiten, davon 1 zugriffsbeschränkt, zuletzt synchronisiert: gerade eben" in german.lines
    text = "\n".join(notice.lines)
    assert notice.text == "2 spaces"
    assert "ENG: 2 pages, 1 of them restricted, synced" in text
    assert "HR: 1 page," in text
    assert "Its last sync had problems" in text
    assert "Could not be listed." not in text
    assert notice.lines[-1] == f"Searched here ({admin.world.team}:{admin.channel}): ENG"


@pytest.mark.usefixtures("searched")
async def test_a_key_may_be_typed_in_any_case(admin: Admin) -> None:
    await admin.application.spaces.finish_sync("itDocs", "folder x", now(), "")
    async with admin.chat() as chat:
        for number, key in enumerate(("eng", "ITDOCS")):
            await admin.runs(chat, f"sync {key}", run_id=f"13.{number}")
    assert {key for (key,), _ in admin.syncs.asked} == {"ENG", "itDocs"}


def use_confluence(admin: Admin, server: ConfluenceServer) -> None:
    found = {
        "confluence_url": server.url, "confluence_email": server.email, "confluence_token": SecretStr(server.token),
        "confluence_flavour": server.flavour,
    }  # fmt: skip
    admin.application.settings = admin.application.settings.model_copy(update=found)


@pytest.mark.usefixtures("searched")
async def test_a_sync_of_a_space_that_the_wiki_does_not_have_is_refused_at_once(
    admin: Admin, confluence: ConfluenceServer
) -> None:
    use_confluence(admin, confluence)
    async with admin.chat() as chat:
        english = await admin.runs(chat, "sync NOPE")
        german = await admin.runs(chat, "sync ~nobody", language="de")
        assert not english.starts_work
        assert "no space NOPE" in english.text
        assert "keinen Bereich ~nobody" in german.text
        assert (await admin.runs(chat, "sync peo")).starts_work
    assert admin.syncs.asked == [(["PEO"], "chat")]


@pytest.mark.usefixtures("searched")
async def test_a_sync_is_started_if_the_wiki_does_not_tell_its_spaces(
    admin: Admin, confluence_cloud: ConfluenceServer
) -> None:
    use_confluence(admin, confluence_cloud)
    confluence_cloud.revoke(confluence_cloud.token)
    async with admin.chat() as chat:
        assert (await admin.runs(chat, "sync new")).starts_work
    assert admin.syncs.asked == [(["NEW"], "chat")]


@pytest.mark.usefixtures("searched")
async def test_without_a_confluence_only_synced_spaces_can_be_synced(admin: Admin) -> None:
    async with admin.chat() as chat:
        assert "no space NEW" in (await admin.runs(chat, "sync NEW")).text
        assert (await admin.runs(chat, "sync ENG")).starts_work


@pytest.mark.usefixtures("searched")
@pytest.mark.parametrize(
    ("words", "meant"),
    [("forget it", False), ("forget eng", True), ("forget IT", True), ("sync ~ada", True), ("sync", True)],
)
async def test_a_message_is_a_command_if_it_names_a_space(admin: Admin, words: str, meant: bool) -> None:
    place = Place("teams", "T", "19:x", "")
    async with admin.chat() as chat:
        assert await chat.commands.is_meant(Command(place, admin.user, tuple(words.split()), "1")) == meant


@pytest.mark.usefixtures("searched")
async def test_the_message_with_a_syncs_progress_becomes_its_report(admin: Admin) -> None:
    async with admin.chat() as chat:
        for _ in range(3):
            assert "ENG" in (await admin.runs(chat, "sync ENG")).text
        await wait_until_idle(chat)
        await admin.runs(chat, "sync ENG", run_id="13.5")
    assert admin.syncs.asked == [(["ENG"], "chat")] * 2
    assert len(admin.shown) == 2
    assert all("Synced ENG" in text and "7 pages" in text for text in admin.shown)


@pytest.mark.usefixtures("searched")
async def test_a_space_is_removed_after_a_restart_and_only_the_admin_is_told(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()

    async def wait(self: ForgetSpace, application: Application, on_event: EventListener) -> None:
        begun.set()
        await asyncio.Event().wait()  # a sync of the space is running

    with monkeypatch.context() as patch:
        patch.setattr(ForgetSpace, "run", wait)
        async with chatting(admin.application, admin.platform, admin.syncs) as chat:
            assert "Removing ENG" in (await admin.runs(chat, "forget eng ENG")).text
            await asyncio.wait_for(begun.wait(), 60)
    assert [summary.key for summary in await admin.application.spaces.load_summaries()] == ["ENG"]
    async with admin.chat():
        pass
    assert not await admin.application.spaces.load_summaries()
    assert not admin.shown
    (told,) = admin.world.ephemerals(admin.user)
    assert told.text.startswith("ENG was removed")


@pytest.mark.usefixtures("searched")
async def test_a_space_that_cannot_be_removed_is_reported(admin: Admin, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(self: ForgetSpace, application: Application, on_event: EventListener) -> None:
        raise DataDirectoryInUse("An evaluation runs.")

    monkeypatch.setattr(ForgetSpace, "run", refuse)
    async with admin.chat() as chat:
        await admin.runs(chat, "forget ENG ENG", language="de")
    (told,) = admin.world.ephemerals(admin.user)
    assert "ENG konnte nicht entfernt werden" in told.text


@pytest.mark.usefixtures("searched")
@pytest.mark.parametrize(("failures", "report"), [(1, "Synced ENG"), (9, "Could not sync ENG")])
async def test_a_sync_with_an_unexpected_error_is_retried_and_reported(
    admin: Admin, failures: int, report: str
) -> None:
    admin.syncs.raises = [OSError("odd") for _ in range(failures)]
    async with admin.chat() as chat:
        await admin.runs(chat, "sync ENG")
    assert len(admin.syncs.asked) > 1
    (text,) = admin.shown
    assert report in text
    assert "odd" not in text
