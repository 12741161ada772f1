from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from adapters.teams.cards import render_message, shorten_message
from adapters.teams.connector import Connector
from adapters.teams.elements import render_block
from adapters.teams.platform import TeamsPlatform
from core.errors import ChatRefused, ChatUnavailable
from core.model.views import Notice, View
from core.ports.chat import ChatPlatform, Place
from core.views.document import Bar, Chart, Paragraph, Run
from tests.contracts.chat_examples import ANSWER, LONG_EXPLANATION, WAITING
from tests.contracts.chat_platform import LATE, ChatPlatformContract
from tests.contracts.chat_world import ChatWorld
from tests.servers.faults import Fault
from tests.servers.teams.chat_world import TeamsChatWorld, TenantReferences, read_message


class TestTeamsPlatform(ChatPlatformContract):
    """In Teams a bot can read neither people's messages nor its own: some tests of the contract differ."""

    test_a_posted_message_is_found_by_its_key = None  # type: ignore[assignment]
    test_a_message_is_found_in_a_thread_of_1200_messages = None  # type: ignore[assignment]

    async def test_a_message_is_found_if_the_response_to_posting_was_lost(
        self, world: ChatWorld, platform: ChatPlatform, place: Place
    ) -> None:
        world.trouble("post", "cut")
        with pytest.raises(ChatUnavailable):
            await platform.post(place, WAITING, "ask:1")
        assert await platform.find_message(place, "ask:1") is None
        assert sum(shown.user == world.bot for shown in world.thread(place.channel, place.thread)) == 1

    async def test_a_thread_is_what_people_wrote_oldest_first(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, ada: str
    ) -> None:
        world.say(ada, place.channel, "And in Germany?", place.thread, calling=True)
        assert await platform.load_messages(place, LATE) == []

    test_messages_are_read_without_markup_and_without_our_mention = None  # type: ignore[assignment]
    test_the_first_and_the_newest_of_1200_messages_are_read = None  # type: ignore[assignment]

    async def test_a_channel_that_is_gone_refuses(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, ada: str
    ) -> None:
        message_id = await platform.post(place, WAITING, "ask:1")
        for operation in ("post", "update"):
            world.trouble(operation, "gone")
        with pytest.raises(ChatRefused, match="removed from it"):
            await platform.post(place, WAITING, "ask:2")
        with pytest.raises(ChatRefused):
            await platform.update(place, message_id, ANSWER)


@pytest.fixture
def ada(world: TeamsChatWorld) -> str:
    return world.person("ada", email="ada@example.com")


@pytest.fixture
def chat(world: TeamsChatWorld, ada: str) -> Place:
    """Return Ada's chat with the bot."""
    return Place("teams", world.teams.tenant, world.teams.personal(world.accounts[ada]), "", direct=True)


async def test_in_a_personal_chat_the_answer_ends_a_stream_with_label_citations_feedback_and_buttons(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place
) -> None:
    stream = await platform.show_work(chat, WAITING, "ask:1")
    assert await platform.post(chat, ANSWER, "ask:1", stream) == stream
    (message,) = world.teams.answers(chat.channel)
    assert message.stream
    assert message.stream.informed == "Reading the wiki …"
    assert message.stream.state == "final"
    assert message.text == "The limit is €165. [1]"
    assert "Explain" in read_message(message).buttons
    assert message.ai_generated
    assert [(each["position"], each["name"]) for each in message.citations] == [(1, "Travel policy › Hotels")]
    assert message.feedback_loop
    assert world.updates == 0


async def test_a_table_at_the_end_of_a_stream_is_in_the_card(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place
) -> None:
    table = "\n\n| country | limit |\n|---|---|\n| Belgium | €170 [1] |\n| Italy | €160 [1] |"
    said = "These are the limits [1]:"
    for before, text in ((said, said), ("", "Travel policy › Hotels [1]")):
        stream = await platform.show_work(chat, WAITING, "ask:1")
        view = replace(ANSWER, text=before + table, markup="markdown")
        message = world.teams.message(chat.channel, await platform.post(chat, view, "ask:1", stream))
        assert message.text == text
        assert read_message(message).says("country", "€170")
        assert message.cards[0]["msteams"] == {"width": "Full"}
        assert message.citations


async def test_a_row_is_a_list_in_a_stream_and_a_table_of_fields_in_a_card(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place
) -> None:
    row = "| country | limit per night |\n|---|---|\n| Belgium | €170 [1] |"
    view = replace(ANSWER, text=row, markup="markdown")
    stream = await platform.show_work(chat, WAITING, "ask:1")
    ended = world.teams.message(chat.channel, await platform.post(chat, view, "ask:1", stream))
    assert ended.text == "- **country**: Belgium\n\n- **limit per night**: €170 [1]"
    (card,) = world.teams.message(chat.channel, await platform.post(chat, view, "ask:2")).cards
    assert [len(each["cells"]) for each in card["body"][0]["rows"]] == [2, 2]
    assert "msteams" not in card


async def test_buttons_are_one_row_with_at_most_three_suggestions_below(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place
) -> None:
    view = replace(ANSWER, understood_as="What is the limit?", suggestions=("a?", "b?", "c?", "d?"))
    view = replace(view, text="\n\n".join(f"Paragraph {at}: {'words ' * 60}" for at in range(300)))
    message = world.teams.message(chat.channel, await platform.post(chat, view, "ask:1"))
    (row,) = [element for element in message.cards[0]["body"] if element["type"] == "ActionSet"]
    titles = [action["title"] for action in row["actions"]]
    assert titles == ["Show the whole answer", "Explain", "Sources", "Not what I meant"]
    assert sum("selectAction" in element for element in message.cards[0]["body"]) == 3


def test_details_are_hidden_until_their_button_is_pressed() -> None:
    body = render_message(LONG_EXPLANATION)["attachments"][0]["content"]["body"]
    at = next(at for at, element in enumerate(body) if element.get("isVisible") is False)
    assert LONG_EXPLANATION.made in str(body[at])
    [toggle] = body[at - 1]["actions"]
    assert toggle == {"type": "Action.ToggleVisibility", "title": "Details", "targetElements": [body[at]["id"]]}
    assert "ToggleVisibility" not in str(shorten_message(render_message(LONG_EXPLANATION)))


def test_bars_with_the_same_title_have_different_labels() -> None:
    bars = tuple(Bar(0.3, "30%", "30 percent", label, ()) for label in ("Policy (2)", "Policy", "Policy", "Policy"))
    (chart, *_) = render_block(Chart("What it rests on", bars))
    assert [each["x"] for each in chart["data"]] == ["Policy (2)", "Policy", "Policy (3)", "Policy (4)"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [("What this answer rests on", "TextBlock"), ("Not **this**", "RichTextBlock"), ("1. x", "RichTextBlock")],
)
def test_a_heading_of_plain_words_is_accessible(text: str, kind: str) -> None:
    (element,) = render_block(Paragraph((Run(text),), "heading"))
    assert (element["type"], element.get("style", "heading")) == (kind, "heading")


async def test_without_a_stream_an_answer_is_a_card_and_a_notice_a_text(
    world: TeamsChatWorld, platform: TeamsPlatform, ada: str
) -> None:
    channel = world.channel("eng", ada)
    place = world.place(channel, world.say(ada, channel, "What is the hotel limit?"))
    answer = world.teams.message(channel, await platform.post(place, ANSWER, "ask:1"))
    assert (answer.text, len(answer.cards), answer.ai_generated, len(answer.citations)) == ("", 1, True, 1)
    notice = world.teams.message(channel, await platform.post(place, Notice("*Done*", ("- ENG",), "done"), "ask:2"))
    assert not notice.cards
    assert read_message(notice).text == "✓ *Done*\n- ENG"


async def test_without_a_stream_typing_is_shown_until_the_answer(
    world: TeamsChatWorld, platform: TeamsPlatform, ada: str
) -> None:
    channel = world.channel("eng", ada)
    place = world.place(channel, world.say(ada, channel, "What is the hotel limit?"))
    assert await platform.show_work(place, WAITING, "ask:1") == ""
    await world.teams.until(lambda: world.teams.typing(place.channel))
    await platform.post(place, ANSWER, "ask:1")
    assert not platform._typing


async def test_nothing_follows_a_stream_that_a_person_stopped(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place
) -> None:
    stream = await platform.show_work(chat, WAITING, "ask:1")
    world.teams.cancel_stream(chat.channel, stream)
    calls = len(world.teams.calls)
    assert await platform.post(chat, ANSWER, "ask:1", stream) == stream
    assert len(world.teams.calls) == calls + 1
    assert not [read_message(each) for each in world.teams.answers(chat.channel) if read_message(each).says("€165")]


async def test_the_answer_follows_a_stream_that_took_too_long(
    world: TeamsChatWorld, connector: Connector, references: TenantReferences, chat: Place
) -> None:
    seconds = [0.0]
    platform = TeamsPlatform(connector, references, lambda: seconds[0])
    stream = await platform.show_work(chat, WAITING, "ask:1")
    seconds[0], world.teams.stream_life = 121.0, 0.0
    message_id = await platform.post(chat, ANSWER, "ask:1", stream)
    assert message_id != stream
    assert read_message(world.teams.message(chat.channel, message_id)).says("€165")


@pytest.mark.parametrize("again", ["the same process", "another process"])
async def test_a_stream_whose_end_lost_its_response_is_recognised(
    world: TeamsChatWorld,
    platform: TeamsPlatform,
    connector: Connector,
    references: TenantReferences,
    chat: Place,
    again: str,
) -> None:
    stream = await platform.show_work(chat, WAITING, "ask:1")
    world.trouble("post", "cut")
    with pytest.raises(ChatUnavailable):
        await platform.post(chat, ANSWER, "ask:1", stream)
    if again == "another process":
        platform = TeamsPlatform(connector, references, lambda: 0.0)
    assert await platform.post(chat, ANSWER, "ask:1", stream) == stream
    (message,) = world.teams.answers(chat.channel)
    assert read_message(message).says("€165")


async def test_a_stream_of_a_killed_process_ends_with_the_answer(
    world: TeamsChatWorld, platform: TeamsPlatform, connector: Connector, references: TenantReferences, chat: Place
) -> None:
    stream = await platform.show_work(chat, WAITING, "ask:1")
    again = TeamsPlatform(connector, references, lambda: 0.0)
    await again.post(chat, ANSWER, "ask:1", stream)
    (message,) = world.teams.answers(chat.channel)
    assert message.citations
    assert world.updates == 0


async def test_a_message_that_cannot_be_updated_is_replaced_once(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place
) -> None:
    message_id = await platform.post(chat, WAITING, "ask:1")
    world.teams.faults.add("update", Fault(status=404, error="ActivityNotFoundInConversation"), times=2)
    await platform.update(chat, message_id, ANSWER)
    await platform.update(chat, message_id, ANSWER)
    answers = [read_message(message) for message in world.teams.answers(chat.channel)]
    assert [answer.says("The limit is €165.") for answer in answers].count(True) == 1


@pytest.mark.parametrize("status", [400, 403, 405])
async def test_an_answer_that_cannot_be_deleted_is_followed_by_the_new_one(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    before = await platform.post(chat, Notice("The limit is €160."), "ask:1")
    world.teams.faults.add("delete", Fault(status=status), times=2)
    assert await platform.replace(chat, before, ANSWER, "ask:1") != before
    assert len(world.teams.answers(chat.channel)) == 2
    assert f"could not be deleted: Teams refuses: {status}" in caplog.text


async def test_a_targeted_message_is_deleted_by_its_own_call(
    world: TeamsChatWorld, platform: TeamsPlatform, ada: str
) -> None:
    channel = world.channel("eng", ada)
    place = world.place(channel, world.say(ada, channel, "What is the limit?"))
    message_id = await platform.post_private(place, ada, Notice("The limit is €165."))
    world.teams.faults.add("delete", Fault(status=400), where=lambda given: "isTargetedActivity" not in given)
    await platform.remove(place, message_id)
    assert not world.teams.targeted(world.accounts[ada])


def is_final(activity: Mapping[str, Any]) -> bool:
    return any(entity.get("streamType") == "final" for entity in activity.get("entities") or ())


@pytest.mark.parametrize("status", [409, 413, 422])
@pytest.mark.parametrize("part", ["", "The limit is €165. [1]"])
async def test_an_answer_that_teams_refuses_as_the_end_of_a_stream_is_posted_instead(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place, status: int, part: str
) -> None:
    stream = await platform.show_work(chat, WAITING, "ask:1")
    if part:
        await platform.show_part(chat, "ada", replace(ANSWER, text=part, markup="markdown", rows=()), stream)
    world.teams.faults.add("post", Fault(status=status), times=None, where=is_final)
    message_id = await platform.post(chat, ANSWER, "ask:1", stream)
    (message,) = world.teams.answers(chat.channel)
    assert message.id == message_id != stream
    assert read_message(message).says("The limit is €165.", "Travel policy")


async def test_a_progress_line_does_not_stay_where_teams_accepts_no_answer(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place
) -> None:
    stream = await platform.show_work(chat, WAITING, "ask:1")
    world.teams.faults.add("post", Fault(status=413), times=None)
    with pytest.raises(ChatRefused):
        await platform.post(chat, ANSWER, "ask:1", stream)
    assert not world.teams.answers(chat.channel)
    world.up()
    await platform.post(chat, Notice("Something went wrong."), "ask:1", stream)
    (message,) = world.teams.answers(chat.channel)
    assert read_message(message).says("Something went wrong.")


async def test_a_progress_line_that_cannot_be_deleted_does_not_stay_unfinished(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place
) -> None:
    stream = await platform.show_work(chat, WAITING, "ask:1")
    world.trouble("remove", "forbidden", times=9)
    too_long = lambda activity: len(str(activity.get("text") or activity)) > 1  # noqa: E731
    world.teams.faults.add("post", Fault(status=413), times=None, where=too_long)
    with pytest.raises(ChatRefused):
        await platform.post(chat, ANSWER, "ask:1", stream)
    (message,) = world.teams.answers(chat.channel)
    assert message.stream
    assert message.stream.state == "final"
    assert "Reading" not in read_message(message).text


@pytest.mark.parametrize(
    ("instead", "is_repeated"), [(ANSWER, True), (Notice("The sources of this answer changed."), False)]
)
async def test_a_beginning_that_cannot_be_deleted_is_repeated_only_if_the_answer_still_begins_so(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place, instead: View, is_repeated: bool
) -> None:
    part = replace(ANSWER, text="The limit is €165. [1]", markup="markdown", rows=())
    stream = await platform.show_work(chat, WAITING, "ask:1")
    await platform.show_part(chat, "ada", part, stream)
    world.trouble("remove", "forbidden", times=9)
    world.teams.faults.add("post", Fault(status=413), where=is_final)
    world.teams.calls.clear()
    await platform.post(chat, instead, "ask:1", stream)
    sent = [str(call.arguments.get("text")) for call in world.teams.calls if is_final(call.arguments)]
    assert [text.startswith("The limit is €165.") for text in sent[-1:]] == [is_repeated]


async def test_a_second_question_starts_no_second_stream(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place
) -> None:
    assert await platform.show_work(chat, WAITING, "ask:1")
    assert await platform.show_work(chat, WAITING, "ask:2") == ""


async def test_without_permission_to_stream_the_answer_is_posted(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place
) -> None:
    world.teams.streams = False
    assert await platform.show_work(chat, WAITING, "ask:1") == ""
    message_id = await platform.post(chat, ANSWER, "ask:1")
    assert read_message(world.teams.message(chat.channel, message_id)).says("The limit")


async def test_a_notification_begins_with_the_answer_and_has_no_markup(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place
) -> None:
    text = "## Limits\n\nThe **limit** is `€165`. [1]"
    view = replace(ANSWER, text=text, markup="markdown", understood_as="What is the limit?", asked="And here?")
    message = world.teams.message(chat.channel, await platform.post(chat, view, "ask:1"))
    assert message.activity["summary"] == "Limits The limit is €165."


async def test_a_message_that_teams_finds_too_long_is_shortened(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place
) -> None:
    world.teams.faults.add("post", Fault(status=413, error="MessageSizeTooBig"))
    message_id = await platform.post(chat, ANSWER, "ask:1")
    assert read_message(world.teams.message(chat.channel, message_id)).says("The limit is €165.")
    assert "Explain" in read_message(world.teams.message(chat.channel, message_id)).buttons


async def test_a_report_for_a_person_is_sent_to_their_chat(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place, ada: str
) -> None:
    to_ada = Place("teams", world.teams.tenant, ada, "17000", direct=True)
    message_id = await platform.post(to_ada, WAITING, "sync:1")
    await platform.update(to_ada, message_id, ANSWER)
    assert read_message(world.teams.message(chat.channel, message_id)).says("The limit")


async def test_tokens_are_reused_and_retries_limited(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place
) -> None:
    asked = world.teams.identity.asked
    for at in range(3):
        await platform.post(chat, WAITING, f"ask:{at}")
    assert world.teams.identity.asked <= asked + 1


BEGINNING, MORE = (
    replace(ANSWER, text=text, markup="markdown", rows=())
    for text in ("The limit is €165. [1]", "The limit is €165. [1] It includes tax. [1]")
)


@pytest.mark.parametrize("text", [MORE.text, "It is €165, tax included. [1]"])
async def test_a_kill_during_a_stream_leaves_one_whole_answer(
    world: TeamsChatWorld,
    platform: TeamsPlatform,
    connector: Connector,
    references: TenantReferences,
    chat: Place,
    text: str,
) -> None:
    stream = await platform.show_work(chat, WAITING, "ask:1")
    assert await platform.show_part(chat, "ada", BEGINNING, stream) == stream
    again = TeamsPlatform(connector, references, lambda: 0.0)
    assert await again.show_part(chat, "ada", MORE, stream) == ""
    await again.post(chat, replace(MORE, text=text), "ask:1", stream)
    (message,) = world.teams.answers(chat.channel)
    assert read_message(message).says("€165", "tax")
    # Teams takes no end that does not begin with what it shows, and an update loses the citations.
    assert bool(message.citations) is text.startswith(BEGINNING.text)


async def test_a_part_that_does_not_repeat_the_one_before_is_not_sent(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place
) -> None:
    stream = await platform.show_work(chat, WAITING, "ask:1")
    for view, shown in ((MORE, stream), (BEGINNING, ""), (MORE, stream)):
        assert await platform.show_part(chat, "ada", view, stream) == shown
    (message,) = world.teams.answers(chat.channel)
    assert message.stream
    assert message.stream.texts == [MORE.text]
