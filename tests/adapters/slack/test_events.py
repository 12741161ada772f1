"""Parsing of Slack's payloads."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.events import (
    Bot,
    format_metadata,
    is_by_person,
    is_own_workspace,
    parse_click,
    parse_command,
    parse_edit,
    parse_message,
    parse_submission,
    parse_text,
    parse_thread,
)
from adapters.slack.windows import render_link_preview
from core.model.views import LinkView
from core.ports.chat import Click, Command, Place, ThreadMessage

BOT = Bot("T1", "UBOT1")
GRID = Bot("T1", "UBOT1", "E1")


def event(text: str = "Hello", **more: Any) -> dict[str, Any]:
    return {"type": "message", "channel": "C1", "user": "U1", "ts": "100.000001", "text": text, **more}


def body(text: str = "Hello", **more: Any) -> dict[str, Any]:
    return {"team_id": "T1", "event": event(text, **more)}


def escape(text: str) -> str:
    """Return typed text as Slack sends it."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<@UBOT1> Who is on call?", "Who is on call?"),
        ("Who, <@UBOT1>, is on call?", "Who, , is on call?"),
        ("<@UBOT1|wikiwhy> Who is on call?", "Who is on call?"),
        ("<@UBOT1>", ""),
        ("ask <@U2|ben> or <@U3>", "ask @ben or @U3"),
        ("see <#C2|general> and <#C3> and <#C4|>", "see #general and #C3 and #C4"),
        ("<!here> <!channel> <!everyone>", "@here @channel @everyone"),
        ("<!subteam^S1|@on-call> <!subteam^S1>", "@on-call @S1"),
        ("until <!date^1700000000^{date_short}|14 Nov 2023>", "until 14 Nov 2023"),
        ("until <!date^1700000000^{date}^https://x.example/a|14 Nov>", "until 14 Nov"),
        ("<https://x.example/a?b=1&amp;c=2>", "https://x.example/a?b=1&c=2"),
        ("<https://x.example|the page>", "the page"),
        ("<https://x.example|>", "https://x.example"),
        ("<mailto:ada@example.org|ada@example.org> <mailto:ben@example.org>", "ada@example.org ben@example.org"),
        ("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
        ("&amp;lt; &amp;copy; &amp;amp;", "&lt; &copy; &amp;"),
        ("&lt;@U2&gt; and &lt;!channel&gt;", "<@U2> and <!channel>"),
        ("  two\nlines\u00a0and   spaces\t", "two lines and spaces"),
        ("", ""),
        ("a <unclosed", "a <unclosed"),
    ],
)
def test_a_message_is_parsed_as_people_read_it(text: str, shown: str) -> None:
    assert parse_text(text, BOT) == shown


@given(st.text())
def test_typed_text_is_unchanged_except_for_white_space(typed: str) -> None:
    assert parse_text(escape(typed), BOT) == " ".join(typed.split())
    parse_message(body(typed), BOT)  # unescaped text raises nothing either


names = st.text(st.characters(blacklist_characters="<>|&", blacklist_categories=["Cs", "Z", "Cc"]), min_size=1)
marked = st.one_of(
    names.map(escape),
    names.map(lambda name: f"<@U2|{name}>"),
    names.map(lambda name: f"<#C2|{name}>"),
    names.map(lambda name: f"<https://x.example/|{name}>"),
    st.sampled_from(["<@U2>", "<!here>", "<!subteam^S1|@x>", "<!date^1^{date}|then>", "<@UBOT1>", "<@UBOT1|w>", " "]),
)


@given(st.lists(marked, max_size=8).map("".join))
def test_markup_and_the_bots_mention_are_removed(text: str) -> None:
    shown = parse_text(text, BOT)
    assert not re.search(r"<[@#!]|UBOT1|https?://x", shown)
    assert shown == " ".join(shown.split())


@given(st.lists(marked, max_size=8))
def test_mentions_of_the_bot_and_of_others_are_distinguished(parts: list[str]) -> None:
    read = parse_message(body("".join(parts)), BOT)
    assert read.mentioned == any("UBOT1" in part for part in parts)
    assert read.to_others == any(part.startswith(("<@U2", "<!here", "<!subteam")) for part in parts)


@pytest.mark.parametrize("typed", ["<@U2>", "<!channel>", "<@UBOT1>"])
def test_an_escaped_mention_is_not_a_mention(typed: str) -> None:
    read = parse_message(body(f"Write {escape(typed)}"), BOT)
    assert not read.mentioned
    assert not read.to_others


def test_an_app_mention_event_counts_as_a_mention() -> None:
    assert parse_message(body("Hello", type="app_mention"), BOT).mentioned
    assert not parse_message(body("Hello"), BOT).mentioned


@pytest.mark.parametrize(
    ("more", "reply", "thread"),
    [
        ({}, False, "100.000001"),
        ({"thread_ts": "100.000001"}, False, "100.000001"),
        ({"thread_ts": "90.000001"}, True, "90.000001"),
    ],
)
def test_a_reply_is_in_an_earlier_thread(more: dict[str, str], reply: bool, thread: str) -> None:
    read = parse_message(body(**more), BOT)
    assert (read.reply, read.place.thread, read.message_id) == (reply, thread, "100.000001")


@pytest.mark.parametrize(
    ("more", "direct"),
    [
        ({"channel": "D1", "channel_type": "im"}, True),
        ({"channel": "D1"}, True),
        ({"channel": "G1", "channel_type": "mpim"}, False),
        ({"channel": "G1", "channel_type": "group"}, False),
        ({"channel": "C1", "channel_type": "channel"}, False),
    ],
)
def test_only_direct_messages_with_the_bot_are_direct(more: dict[str, str], direct: bool) -> None:
    assert parse_message(body(**more), BOT).place.direct is direct


@pytest.mark.parametrize("shared", [True, False])
def test_shared_channels_are_recognised(shared: bool) -> None:
    assert parse_message({**body(), "is_ext_shared_channel": shared}, BOT).place.shared is shared


@pytest.mark.parametrize(
    "more",
    [
        {"bot_id": "B2"},
        {"bot_profile": {"id": "B2"}},
        {"user": "UBOT1"},
        {"user": None},
        {"hidden": True},
        *({"subtype": name} for name in ("bot_message", "channel_join", "message_changed", "me_message", "tombstone")),
    ],
)
def test_messages_of_people_are_distinguished_from_others(more: dict[str, Any]) -> None:
    assert not is_by_person(event(**more), BOT)
    assert all(is_by_person(event(subtype=kind), BOT) for kind in (None, "file_share", "thread_broadcast"))


@pytest.mark.parametrize(
    ("envelope", "bot", "ours"),
    [
        ({"team_id": "T1"}, BOT, True),
        ({"team_id": "T2"}, BOT, False),
        ({"team": {"id": "T1"}}, BOT, True),
        ({"user": {"team_id": "T1"}}, BOT, True),
        ({}, BOT, False),
        ({"enterprise_id": "E1"}, BOT, False),
        ({"team_id": "T2", "enterprise_id": "E1"}, GRID, True),
        ({"team_id": "T2", "enterprise_id": "E2"}, GRID, False),
        ({"team": None, "enterprise": {"id": "E1"}}, GRID, True),
    ],
)
def test_payloads_of_other_workspaces_are_recognised(envelope: dict[str, Any], bot: Bot, ours: bool) -> None:
    assert is_own_workspace(envelope, bot) is ours


def test_a_thread_is_parsed_up_to_a_message_without_bots() -> None:
    said = [
        event("first", ts="90.000001"),
        event("ours", ts="91.000001", user="UBOT1"),
        event("<@UBOT1> second", ts="92.000001", user="U2"),
        event("another bot", ts="93.000001", bot_id="B2"),
        event("the question", ts="100.000001"),
        event("later", ts="100.000002"),
    ]
    assert parse_thread(said, BOT, "100.000001") == [
        ThreadMessage("90.000001", "U1", "", "first"),
        ThreadMessage("92.000001", "U2", "", "second"),
    ]


def test_an_edited_message_has_its_new_text() -> None:
    changed = event(subtype="message_changed", user=None, hidden=True, ts="200.000001")
    changed |= {
        "message": {
            "user": "U1",
            "ts": "100.000001",
            "thread_ts": "90.000001",
            "text": "<@UBOT1> New &amp; better",
            "edited": {"user": "U1", "ts": "200.000000"},
        },
        "previous_message": {"user": "U1", "ts": "100.000001", "text": "Old"},
    }
    found = parse_edit({"event": changed}, BOT)
    assert found is not None
    assert (found.place, found.message_id) == (Place("slack", "T1", "C1", "90.000001"), "100.000001")
    assert (found.user, found.text, found.changed_at) == ("U1", "New & better", "200.000000")


def test_an_added_preview_is_not_an_edit() -> None:
    changed = event(subtype="message_changed", user=None, hidden=True, ts="200.000001")
    changed |= {"message": {"user": "U1", "ts": "100.000001", "text": "See https://wiki", "attachments": [{}]}}
    assert parse_edit({"event": changed}, BOT) is None


@pytest.mark.parametrize(
    "how", [{"subtype": "message_deleted"}, {"subtype": "message_changed", "message": {"subtype": "tombstone"}}]
)
def test_a_deleted_message_has_no_text_also_as_a_tombstone(how: dict[str, Any]) -> None:
    gone = event(**how, user=None, ts="200.000001") | {
        "previous_message": {"user": "U1", "ts": "90.000001", "thread_ts": "90.000001", "text": "Secret"}
    }
    found = parse_edit({"event": gone}, BOT)
    assert found is not None
    assert (found.message_id, found.user, found.text) == ("90.000001", "U1", None)
    assert found.place.thread == "90.000001"


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"subtype": "message_changed", "message": {"user": "UBOT1", "ts": "1.0", "text": "ours"}},
        {"subtype": "message_changed", "message": {"bot_id": "B2", "user": "U5", "ts": "1.0"}},
        {"subtype": "message_deleted"},
        {"subtype": "channel_join"},
    ],
)
def test_other_events_are_not_edits(more: dict[str, Any]) -> None:
    assert parse_edit(body(**more), BOT) is None


def make_click(value: str = "turn-1", **container: str) -> dict[str, Any]:
    return {
        "user": {"id": "U1"},
        "container": {"type": "message", "channel_id": "C1", "message_ts": "100.000001", **container},
        "actions": [{"action_id": "explain", "action_ts": "150.5", "value": value}],
    }


@pytest.mark.parametrize(("value", "turn"), [("turn-1", "turn-1"), ("good:turn-1", "turn-1"), ("", "")])
def test_a_click_leads_to_its_turn(value: str, turn: str) -> None:
    assert parse_click(make_click(value, thread_ts="90.000001"), BOT) == Click(
        Place("slack", "T1", "C1", "90.000001"), "100.000001", "U1", "150.5", turn
    )
    assert parse_click(make_click(value), BOT).place.thread == "100.000001"


def test_a_click_on_the_button_of_a_page_and_its_form_lead_to_the_page() -> None:
    preview = render_link_preview(LinkView("en", "folder:123", "Pipes", "https://wiki.example.com/pipes"))
    (button,) = next(block["elements"] for block in preview["blocks"] if block["type"] == "actions")
    assert (button["action_id"], button["value"]) == ("page", "folder:123")  # as in messages of earlier versions
    body = make_click(thread_ts="90.000001")
    body["actions"][0] |= button
    click = parse_click(body, BOT)
    assert (click.page_id, click.turn_id) == ("folder:123", "")
    metadata = format_metadata(click.place, click.message_id, click.page_id)
    view = {"id": "V1", "callback_id": "page", "private_metadata": metadata, "state": {"values": {}}}
    _, sent, _ = parse_submission({"user": {"id": "U9"}, "view": view}, BOT)
    assert (sent.page_id, sent.turn_id, sent.message_id) == ("folder:123", "", "100.000001")


@pytest.mark.parametrize("lacking", ["container", "actions", "user"])
def test_a_click_without_its_message_is_refused(lacking: str) -> None:
    body = make_click()
    del body[lacking]
    with pytest.raises(LookupError):
        parse_click(body, BOT)


@given(st.from_regex(r"[CD][A-Z0-9]{1,9}", fullmatch=True), st.text(min_size=1))
def test_a_submission_names_where_its_form_was_opened(channel: str, entered: str) -> None:
    view = {
        "id": "V1",
        "callback_id": "correction",
        "private_metadata": format_metadata(Place("slack", "T1", channel, "90.000001"), "100.000001", "turn-1"),
        "state": {"values": {"b": {"a": {"type": "plain_text_input", "value": entered}}}},
    }
    form, sent, text = parse_submission({"user": {"id": "U9"}, "view": view}, BOT)
    assert (form, text) == ("correction", entered)
    assert (sent.place.channel, sent.place.thread, sent.place.direct) == (channel, "90.000001", channel[0] == "D")
    assert (sent.message_id, sent.user, sent.action_id, sent.turn_id) == ("100.000001", "U9", "V1", "turn-1")


@pytest.mark.parametrize(
    ("text", "words"), [("sync  ENG", ("sync", "ENG")), ("", ()), (None, ()), (" help ", ("help",))]
)
def test_a_command_has_its_words_and_its_trigger_id(text: str | None, words: tuple[str, ...]) -> None:
    given = {"channel_id": "C1", "user_id": "U1", "text": text, "trigger_id": "13.4"}
    assert parse_command(given, BOT) == Command(Place("slack", "T1", "C1", ""), "U1", words, "13.4", private=True)
    assert parse_command({**given, "channel_id": "D1"}, BOT).place.direct
