"""Contract suite of chat platforms: inherit :class:`ChatPlatformContract`."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from core.errors import ChatRefused, ChatUnavailable
from core.model.views import AnswerView, Notice, PageLink, Waiting
from core.ports.chat import ChatPlatform, Place
from tests.contracts.chat_examples import ANSWER, CITATION, LONG, PINGS, WAITING
from tests.contracts.chat_world import ChatWorld, Shown, Trouble

LATE = "9999999999.0"
"""A message id that sorts after all others."""


class ChatPlatformContract:
    """Fixtures: ``world``, a :class:`ChatWorld`, and ``platform``, the platform under test in it."""

    @pytest.fixture
    def ada(self, world: ChatWorld) -> str:
        return world.person("ada", email="ada@example.com")

    @pytest.fixture
    def channel(self, world: ChatWorld, ada: str) -> str:
        return world.channel("eng", ada)

    @pytest.fixture
    def place(self, world: ChatWorld, ada: str, channel: str) -> Place:
        """Return a thread that Ada began."""
        return world.place(channel, world.say(ada, channel, "What is the hotel limit?"))

    # posting

    async def test_a_message_can_be_posted_outside_of_any_thread(
        self, world: ChatWorld, platform: ChatPlatform, place: Place
    ) -> None:
        message_id = await platform.post(replace(place, thread=""), Notice("Syncing ENG has begun."), "sync:1")
        assert [shown.message_id for shown in world.in_channel(place.channel)] == [message_id]

    async def test_an_answer_is_one_message_which_no_update_follows(
        self, world: ChatWorld, platform: ChatPlatform, place: Place
    ) -> None:
        stream = await platform.show_work(place, WAITING, "ask:1")
        message_id = await platform.post(place, ANSWER, "ask:1", stream)
        (answer,) = _ours(world, place)
        assert answer.message_id == message_id
        assert answer.says("The limit is €165.", "Travel policy")
        assert world.updates == 0

    async def test_an_answer_whose_beginning_was_shown_is_one_message_with_all_of_it(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, ada: str
    ) -> None:
        """Platforms show a beginning in streams, and each text contains the one before it."""
        whole = replace(ANSWER, text="The limit is €165. [1] It includes tax. [1]", markup="markdown", rows=())
        parts = [replace(whole, text=text) for text in ("The limit is €165. [1]", whole.text)]
        stream = shown = await platform.show_work(place, WAITING, "ask:1")
        for part in parts:
            shown = await platform.show_part(place, ada, part, shown)
        if shown and not stream:
            await platform.update(place, shown, whole)
        else:
            await platform.post(place, whole, "ask:1", stream)
        (answer,) = _ours(world, place)
        assert answer.says("The limit is €165.", "It includes tax.")
        assert "Explain" in answer.buttons
        assert world.updates == 0

    async def test_a_beginning_that_the_answer_does_not_have_is_replaced(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, ada: str
    ) -> None:
        stream = await platform.show_work(place, WAITING, "ask:1")
        begun = replace(ANSWER, text="The limit is €170. [1]", markup="markdown", rows=())
        shown = await platform.show_part(place, ada, begun, stream)
        if shown and not stream:
            await platform.update(place, shown, ANSWER)
        else:
            await platform.post(place, ANSWER, "ask:1", stream)
        (answer,) = _ours(world, place)
        assert answer.says("The limit is €165.")
        assert not answer.says("€170")

    async def test_an_update_takes_the_place_of_what_was_there(
        self, world: ChatWorld, platform: ChatPlatform, place: Place
    ) -> None:
        message_id = await platform.post(place, WAITING, "sync:1")
        assert _last(world, place).message_id == message_id
        assert _last(world, place).says("Reading the wiki")
        await platform.update(place, message_id, ANSWER)
        assert len(_ours(world, place)) == 1
        assert _last(world, place).says("The limit is €165.", "Travel policy")
        assert not _last(world, place).says("Reading the wiki")

    async def test_an_answer_that_replaces_another_is_the_only_one(
        self, world: ChatWorld, platform: ChatPlatform, place: Place
    ) -> None:
        first = await platform.post(place, Notice("The limit is €160."), "ask:1")
        message_id = await platform.replace(place, first, ANSWER, "ask:1")
        (answer,) = _ours(world, place)
        assert answer.message_id == message_id
        assert answer.says("The limit is €165.")

    async def test_a_message_is_removed_once_and_one_that_is_gone_fails_nothing(
        self, world: ChatWorld, platform: ChatPlatform, place: Place
    ) -> None:
        message_id = await platform.post(place, ANSWER, "ask:1")
        for _ in range(2):
            await platform.remove(place, message_id)
            assert not _ours(world, place)

    async def test_a_refused_deletion_is_known_to_the_caller(
        self, world: ChatWorld, platform: ChatPlatform, place: Place
    ) -> None:
        message_id = await platform.post(place, ANSWER, "ask:1")
        world.trouble("remove", "forbidden", times=9)
        with pytest.raises(ChatRefused):
            await platform.remove(place, message_id)
        world.up()
        await platform.remove(place, message_id)
        assert not _ours(world, place)

    @pytest.mark.parametrize("trouble", ["broken", "gone", "cut"])
    async def test_an_error_while_showing_the_work_sign_is_ignored(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, trouble: Trouble
    ) -> None:
        world.trouble("show", trouble, times=9)
        stream = await platform.show_work(place, WAITING, "ask:1")
        world.up()
        await platform.post(place, ANSWER, "ask:1", stream)
        assert _last(world, place).says("The limit is €165.")

    # what is too long, and what is harmful

    async def test_a_table_with_a_cell_of_5000_characters_is_shown_and_never_refused(
        self, world: ChatWorld, platform: ChatPlatform, place: Place
    ) -> None:
        for cell in ("word " * 1_000, "x" * 5_000):
            table = f"| City | Remark |\n|---|---|\n| Bonn | {cell} |\n| Delft | none |"
            view = AnswerView("t1", "en", table, True, "markdown", question="What is the remark on Bonn?")
            await platform.post(place, view, f"ask:{cell[:2]}")
            assert _last(world, place).says("Bonn", cell[:400].strip())

    @pytest.mark.parametrize("view", LONG.values(), ids=LONG.keys())
    async def test_long_messages_are_shortened_and_never_refused(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, view: AnswerView
    ) -> None:
        message_id = await platform.post(place, WAITING, "ask:1")
        await platform.update(place, message_id, view)
        await platform.post(place, view, "ask:2")
        changed, posted = _ours(world, place)
        assert len(changed.text) > 200
        assert changed.text[:600] == posted.text[:600]
        assert "Explain" in posted.buttons or not isinstance(view, AnswerView)

    @pytest.mark.parametrize("markup", ["plain", "markdown"])
    async def test_text_of_pages_and_models_pings_nobody(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, markup: str
    ) -> None:
        message_id = await platform.post(place, WAITING, "ask:1")
        citation = replace(CITATION, title=PINGS, heading=PINGS)
        view = replace(ANSWER, text=f"It says {PINGS} [1]", citations=(citation,), understood_as=PINGS, asked=PINGS)
        await platform.update(place, message_id, replace(view, markup=markup, suggestions=(PINGS,), notes=(PINGS,)))
        await platform.post(place, Notice(PINGS, (PINGS,), links=(PageLink(PINGS, CITATION.url),)), "x")
        assert not any(shown.pings for shown in _ours(world, place))
        assert _ours(world, place)[0].says("It says <!channel>")

    @pytest.mark.parametrize("markup", ["plain", "markdown"])
    async def test_links_lead_nowhere_but_to_the_wiki(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, markup: str
    ) -> None:
        text = "[x](javascript:alert(1)) [y](https://evil.example) <https://evil.example|wiki> https://evil.example [1]"
        citations = (CITATION, replace(CITATION, number=2, url="javascript:alert(1)"))
        await platform.post(place, replace(ANSWER, text=text, markup=markup, citations=citations), "ask:1")
        links = _last(world, place).links
        assert ("[1]", CITATION.url) in links
        assert {address for _, address in links} == {CITATION.url}

    # found again

    async def test_a_posted_message_is_found_by_its_key(self, platform: ChatPlatform, place: Place) -> None:
        first = await platform.post(place, WAITING, "ask:1")
        second = await platform.post(place, Waiting("en", "explanation"), "explain:1")
        assert await platform.find_message(place, "ask:1") == first
        assert await platform.find_message(place, "explain:1") == second

    async def test_a_message_that_was_not_posted_is_not_found(
        self, world: ChatWorld, platform: ChatPlatform, place: Place
    ) -> None:
        assert await platform.find_message(place, "ask:1") is None
        await platform.post(place, WAITING, "ask:1")
        assert await platform.find_message(place, "ask:2") is None
        assert await platform.find_message(place, "explain:2") is None

    async def test_a_message_is_found_if_the_response_to_posting_was_lost(
        self, world: ChatWorld, platform: ChatPlatform, place: Place
    ) -> None:
        world.trouble("post", "cut")
        with pytest.raises(ChatUnavailable):
            await platform.post(place, WAITING, "ask:1")
        assert await platform.find_message(place, "ask:1") == _last(world, place).message_id
        assert len(_ours(world, place)) == 1

    async def test_a_message_is_found_in_a_thread_of_1200_messages(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, ada: str
    ) -> None:
        world.fill(ada, place.channel, place.thread, [f"message {at}" for at in range(1_200)])
        message_id = await platform.post(place, WAITING, "ask:1")
        assert await platform.find_message(place, "ask:1") == message_id

    async def test_a_message_has_an_address(self, platform: ChatPlatform, place: Place) -> None:
        assert (await platform.find_link(place, await platform.post(place, ANSWER, "ask:1"))).startswith("https://")

    async def test_a_missing_message_has_no_address(self, platform: ChatPlatform, place: Place) -> None:
        assert await platform.find_link(place, "1.000000") == ""

    # reading a thread

    async def test_a_thread_is_what_people_wrote_oldest_first(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, ada: str
    ) -> None:
        ben, robot = world.person("ben"), world.person("robot", robot=True)
        await platform.post(place, WAITING, "ask:1")
        world.say(ben, place.channel, "It was €165 last year.", place.thread)
        world.say(robot, place.channel, "Build failed.", place.thread)
        before = world.say(ada, place.channel, "And in Germany?", place.thread, calling=True)
        world.say(ben, place.channel, "Too late.", place.thread)
        said = await platform.load_messages(place, before)
        assert [(one.user, one.text) for one in said] == [
            (ada, "What is the hotel limit?"),
            (ben, "It was €165 last year."),
        ]
        assert said[0].message_id == place.thread

    async def test_messages_are_read_without_markup_and_without_our_mention(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, ada: str
    ) -> None:
        world.say(ada, place.channel, "is R&D < 3 people?", place.thread, calling=True)
        said = await platform.load_messages(place, world.say(ada, place.channel, "?", place.thread))
        assert said[-1].text == "is R&D < 3 people?"

    async def test_the_first_and_the_newest_of_1200_messages_are_read(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, ada: str
    ) -> None:
        world.fill(ada, place.channel, place.thread, [f"message {at}" for at in range(1_200)])
        said = await platform.load_messages(place, world.say(ada, place.channel, "?", place.thread))
        assert (said[0].text, said[-1].text) == ("What is the hotel limit?", "message 1199")

    # people

    async def test_a_member_has_a_name_and_an_address(self, platform: ChatPlatform, place: Place, ada: str) -> None:
        member = await platform.find_member(place, ada)
        assert (member.user, member.name, member.email, member.guest) == (ada, "ada", "ada@example.com", False)

    async def test_a_member_may_have_no_address(self, world: ChatWorld, platform: ChatPlatform, place: Place) -> None:
        member = await platform.find_member(place, world.person("ben"))
        assert (member.email, member.guest) == (None, False)

    @pytest.mark.parametrize("about", [{"guest": True}, {"elsewhere": True}])
    async def test_guests_and_strangers_are_guests_without_an_address(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, about: dict[str, bool]
    ) -> None:
        member = await platform.find_member(place, world.person("guest", email="ada@example.com", **about))
        assert (member.email, member.guest) == (None, True)

    @pytest.mark.parametrize("trouble", ["gone", "unknown"])
    async def test_a_refused_look_up_of_a_person_makes_nobody_a_guest_and_is_not_repeated_at_once(
        self,
        world: ChatWorld,
        platform: ChatPlatform,
        place: Place,
        ada: str,
        trouble: Trouble,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        world.trouble("people", trouble)
        for _ in range(2):
            with pytest.raises(ChatRefused):
                await platform.find_member(place, ada)
        (warning,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
        assert world.people_call in warning
        assert not (await platform.find_member(place, world.person("ben"))).guest

    async def test_a_platform_that_does_not_answer_makes_nobody_a_guest(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, ada: str
    ) -> None:
        world.trouble("people", "broken", times=9)
        with pytest.raises(ChatUnavailable):
            await platform.find_member(place, ada)
        world.up()
        assert not (await platform.find_member(place, ada)).guest

    # who can read a place

    async def test_a_channel_is_read_by_our_own_people_as_long_as_no_others_join(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, channel: str
    ) -> None:
        assert await platform.find_audience(place) == "own"
        partners = world.channel("partners", shared=True)
        assert await platform.find_audience(world.place(partners, place.thread)) == "mixed"

    async def test_a_guest_of_another_organisation_makes_the_audience_mixed(
        self, world: ChatWorld, platform: ChatPlatform, ada: str
    ) -> None:
        channel = world.channel("partners", ada)
        world.share(channel)
        assert await platform.find_audience(world.place(channel, "1.0")) == "mixed"

    async def test_an_audience_is_cached(self, world: ChatWorld, platform: ChatPlatform, place: Place) -> None:
        found = await asyncio.gather(*(platform.find_audience(place) for _ in range(5)))
        world.trouble("audience", "unknown")
        assert {*found, await platform.find_audience(place)} == {"own"}

    @pytest.mark.parametrize("trouble", ["gone", "unknown"])
    async def test_a_refused_audience_is_unknown_and_requested_again(
        self,
        world: ChatWorld,
        platform: ChatPlatform,
        place: Place,
        trouble: Trouble,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        world.trouble("audience", trouble, times=2)
        for _ in range(2):
            assert await platform.find_audience(place) == "unknown"
        (warning,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
        assert world.audience_call in warning
        assert await platform.find_audience(place) == "own"

    async def test_an_unavailable_platform_raises_instead_of_an_audience(
        self, world: ChatWorld, platform: ChatPlatform, place: Place
    ) -> None:
        world.trouble("audience", "broken", times=9)
        with pytest.raises(ChatUnavailable):
            await platform.find_audience(place)

    async def test_only_known_members_of_another_organisation_are_foreign(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, ada: str
    ) -> None:
        stranger = await platform.find_member(place, world.person("eve", elsewhere=True))
        assert stranger.foreign
        assert not (await platform.find_member(place, ada)).foreign

    # faults

    async def test_rate_limits_are_respected(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, ada: str
    ) -> None:
        for operation in ("post", "update", "people", "thread"):
            world.trouble(operation, "slow down")
        message_id, _, _ = await asyncio.gather(
            platform.post(place, WAITING, "ask:1"),
            platform.find_member(place, ada),
            platform.load_messages(place, LATE),
        )
        await platform.update(place, message_id, ANSWER)
        assert [shown.says("€165") for shown in _ours(world, place)] == [True]

    async def test_idempotent_calls_are_retried_after_errors(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, ada: str
    ) -> None:
        message_id = await platform.post(place, WAITING, "ask:1")
        for operation in ("update", "people", "thread"):
            world.trouble(operation, "broken")
        await asyncio.gather(
            platform.update(place, message_id, ANSWER),
            platform.find_member(place, ada),
            platform.load_messages(place, LATE),
        )
        assert _last(world, place).says("€165")

    async def test_a_failed_post_raises_chat_unavailable(
        self, world: ChatWorld, platform: ChatPlatform, place: Place
    ) -> None:
        world.trouble("post", "broken", times=9)
        with pytest.raises(ChatUnavailable):
            await platform.post(place, WAITING, "ask:1")

    async def test_a_channel_that_is_gone_refuses(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, ada: str
    ) -> None:
        message_id = await platform.post(place, WAITING, "ask:1")
        for operation in ("post", "update", "thread"):
            world.trouble(operation, "gone")
        with pytest.raises(ChatRefused):
            await platform.post(place, WAITING, "ask:2")
        with pytest.raises(ChatRefused):
            await platform.update(place, message_id, ANSWER)
        with pytest.raises(ChatRefused):
            await platform.load_messages(place, LATE)

    async def test_a_channel_without_us_refuses(self, world: ChatWorld, platform: ChatPlatform, ada: str) -> None:
        channel = world.channel("private", ada, with_bot=False)
        place = world.place(channel, world.say(ada, channel, "Who is there?"))
        with pytest.raises(ChatRefused):
            await platform.post(place, WAITING, "ask:1")


def _ours(world: ChatWorld, place: Place) -> list[Shown]:
    return [shown for shown in world.thread(place.channel, place.thread) if shown.user == world.bot]


def _last(world: ChatWorld, place: Place) -> Shown:
    return _ours(world, place)[-1]
