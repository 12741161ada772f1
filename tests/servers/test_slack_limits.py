"""What Slack refuses, and what it reads in a text."""

from __future__ import annotations

from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.servers.slack import SlackWorld, pings_in
from tests.servers.slack.limits import check_blocks, check_view
from tests.servers.slack.state import Json, Refused


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


def md(text: str) -> Json:
    return {"blocks": [{"type": "markdown", "text": text}]}


def button(**about: Any) -> Json:
    return {"type": "button", "text": plain("Go"), "action_id": "go"} | about


def actions(*elements: Json) -> Json:
    return {"type": "actions", "elements": list(elements)}


def numbered(many: int) -> Json:
    return actions(*(button(action_id=str(number)) for number in range(many)))


def thumbs(**about: Any) -> Json:
    one = {"text": plain("Good"), "value": "1"}
    element = {"type": "feedback_buttons", "action_id": "t", "positive_button": one, "negative_button": one}
    return {"type": "context_actions", "elements": [element | about]}


def table(rows: int, columns: int, text: str = "x") -> Json:
    return {"type": "table", "rows": [[{"type": "raw_text", "text": text}] * columns] * rows}


def rich(*elements: Json) -> Json:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(elements)}]}


AT_THE_LIMIT: dict[str, list[Json]] = {
    "50 blocks": [{"type": "divider"}] * 50,
    "section": [{"type": "section", "text": mrkdwn("x" * 3000)}],
    "fields": [{"type": "section", "fields": [mrkdwn("x" * 1300)] * 10}],
    "header": [{"type": "header", "text": plain("x" * 150)}],
    "25 actions": [numbered(25)],
    "context": [{"type": "context", "elements": [mrkdwn("x")] * 10}],
    "button": [actions(button(text=plain("x" * 75), value="x" * 2000, action_id="x" * 255))],
    "markdown": [{"type": "markdown", "text": "x" * 12_000}],
    "table": [table(100, 20)],
    "thumbs": [thumbs()],
    "rich text": [rich({"type": "text", "text": "x"}, {"type": "user", "user_id": "U1"})],
}
BEYOND: dict[str, tuple[list[Json], str]] = {
    "51 blocks": ([{"type": "divider"}] * 51, "no more than 50 items allowed [json-pointer:/blocks]"),
    "section": (
        [{"type": "section", "text": mrkdwn("x" * 3001)}],
        "must be less than 3001 characters [json-pointer:/blocks/0/text/text]",
    ),
    "emoji count twice": ([{"type": "header", "text": plain("🙂" * 76)}], "must be less than 151 characters"),
    "empty text": ([{"type": "section", "text": mrkdwn("")}], "must be more than 0 characters"),
    "11 fields": ([{"type": "section", "fields": [mrkdwn("x")] * 11}], "no more than 10 items"),
    "long field": ([{"type": "section", "fields": [mrkdwn("x" * 2001)]}], "must be less than 2001 characters"),
    "header of mrkdwn": ([{"type": "header", "text": mrkdwn("x")}], "unsupported type: mrkdwn"),
    "26 actions": ([numbered(26)], "no more than 25 items"),
    "11 in context": ([{"type": "context", "elements": [mrkdwn("x")] * 11}], "no more than 10 items"),
    "button text": ([actions(button(text=plain("x" * 76)))], "must be less than 76 characters"),
    "button value": ([actions(button(value="x" * 2001))], "must be less than 2001 characters"),
    "button url": ([actions(button(url="javascript:alert(1)"))], "invalid url"),
    "long url": ([actions(button(url="https://x/" + "x" * 3000))], "must be less than 3001 characters"),
    "action id": ([actions(button(action_id="x" * 256))], "must be less than 256 characters"),
    "action ids twice": ([actions(button(), button())], "already exists"),
    "block ids twice": ([{"type": "divider", "block_id": "x"}] * 2, "already exists"),
    "button among thumbs": ([{"type": "context_actions", "elements": [button()]}], "unsupported type: button"),
    "thumb without value": ([thumbs(positive_button={"text": plain("Good")})], "missing required field"),
    "markdown": ([{"type": "markdown", "text": "x" * 12_001}], "must be less than 12001 characters"),
    "101 rows": ([table(101, 1)], "no more than 100 items"),
    "21 columns": ([table(1, 21)], "no more than 20 items"),
    "empty cell": ([table(1, 1, "")], "must be more than 0 characters"),
    "two tables": ([table(1, 1), table(1, 1)], "only_one_table_allowed"),
    "list item of text": (
        [
            {
                "type": "rich_text",
                "elements": [
                    {"type": "rich_text_list", "style": "bullet", "elements": [{"type": "text", "text": "x"}]}
                ],
            }
        ],
        "unsupported type: text",
    ),
    "empty rich text": ([rich({"type": "text", "text": ""})], "must be more than 0 characters"),
    "option": (
        [
            actions(
                {"type": "static_select", "action_id": "s", "options": [{"text": plain("x" * 76), "value": "x"}]},
            )
        ],
        "must be less than 76 characters",
    ),
    "no alt text": ([{"type": "image", "image_url": "https://x/y.png"}], "missing required field"),
    "unknown": ([{"type": "chapter"}], "unsupported type: chapter [json-pointer:/blocks/0/type]"),
    "unknown property": ([{"type": "divider", "colour": "red"}], "invalid additional property: colour"),
}


@pytest.mark.parametrize("blocks", AT_THE_LIMIT.values(), ids=AT_THE_LIMIT)
def test_blocks_may_be_as_large_as_documented(blocks: list[Json]) -> None:
    check_blocks(blocks)


@pytest.mark.parametrize(("blocks", "why"), BEYOND.values(), ids=BEYOND)
def test_blocks_beyond_a_limit_are_refused_saying_where(blocks: list[Json], why: str) -> None:
    with pytest.raises(Refused) as refusal:
        check_blocks(blocks)
    assert refusal.value.error == "invalid_blocks"
    assert why in refusal.value.more["response_metadata"]["messages"][0]


@pytest.mark.parametrize(
    "blocks",
    [
        [{"type": "section", "text": mrkdwn("x" * 2900)}] * 5,
        [{"type": "markdown", "text": "x" * 6001}] * 2,
    ],
)
def test_blocks_have_a_limit_together(blocks: list[Json]) -> None:
    with pytest.raises(Refused, match="msg_blocks_too_long"):
        check_blocks(blocks)


@pytest.mark.parametrize(
    "changed",
    [
        {"title": plain("x" * 25)},
        {"close": plain("x" * 25)},
        {"private_metadata": "x" * 3001},
        {"blocks": [{"type": "divider"}] * 101},
        {"blocks": [{"type": "markdown", "text": "x"}]},
        {"blocks": [{"type": "input", "label": plain("x"), "element": {"type": "plain_text_input"}}]},
    ],
)
def test_a_modal_has_limits(changed: Json) -> None:
    modal: Json = {"type": "modal", "title": plain("x" * 24), "blocks": [{"type": "divider"}] * 100}
    check_view(modal)
    with pytest.raises(Refused, match="invalid_arguments"):
        check_view(modal | changed)


async def test_a_refused_message_is_reported_and_not_posted(slack_world: SlackWorld, slack: AsyncWebClient) -> None:
    eng = slack_world.add_channel("eng")
    with pytest.raises(SlackApiError) as refusal:
        await slack.chat_postMessage(channel=eng, text="x", blocks=BEYOND["section"][0])
    assert refusal.value.response["error"] == "invalid_blocks"
    assert slack_world.refusals[0].method == "chat.postMessage"
    assert slack_world.channel(eng).messages == {}
    posted = await slack.chat_postMessage(channel=eng, text="x" * 40_001)
    assert posted["warning"] == "message_truncated"
    with pytest.raises(SlackApiError, match="msg_too_long"):
        await slack.chat_update(channel=eng, ts=posted["ts"], text="x" * 4001)


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ({"text": "<!channel> <@U1|ada> <#C1> <!subteam^S1>"}, "broadcast:channel user:U1 channel:C1 group:S1"),
        ({"text": "&lt;!channel&gt; &lt;@U1&gt; a &amp; b < @U1 >"}, ""),
        ({"text": "<!here>", "mrkdwn": False}, ""),
        ({"text": "<javascript:alert(1)|x> https://a.b/c."}, "link:javascript:alert(1) link:https://a.b/c"),
        ({"blocks": [{"type": "section", "text": plain("<!here> https://x.y")}]}, ""),
        ({"blocks": [{"type": "section", "text": mrkdwn("<!here>")}], "text": "<@U1>"}, "user:U1 broadcast:here"),
        (md("<!here> [x](https://a.b) `[x](https://c.d)`"), "broadcast:here link:https://a.b"),
        (md("[x](javascript:y) ![z](http://i.j)\n\n[r]: d:"), "link:javascript:y link:http://i.j link:d:"),
        ({"blocks": [rich({"type": "broadcast", "range": "all"}, {"type": "text", "text": "<@U>"})]}, "broadcast:all"),
        ({"blocks": [table(1, 1, "<!here>")]}, ""),
        ({"blocks": [actions(button(url="https://a.b"))]}, "link:https://a.b"),
    ],
)  # fmt: skip
def test_pings_are_found_by_the_type_of_each_field(message: Json, found: str) -> None:
    assert " ".join(f"{ping.kind}:{ping.target}" for ping in pings_in(message)) == found


def test_the_scheme_of_a_link_is_told() -> None:
    assert [ping.scheme for ping in pings_in({"text": "<JavaScript:x|y> <https://z>"})] == ["javascript", "https"]
