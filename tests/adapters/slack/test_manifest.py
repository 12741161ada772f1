"""The manifest asks for what the code uses, and for nothing else."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from slack_bolt.request.async_request import AsyncBoltRequest

from adapters.slack.calls import SlackCalls
from adapters.slack.manifest import COMMAND, EVENTS, LINK_EVENTS, LINK_SCOPES, SCOPES, manifest
from adapters.slack.receiver import Bot, bolt_app
from core.languages import CATALOGUES
from core.views.help import ADMIN_COMMANDS
from tests.adapters.slack.listener import Heard
from tests.servers.slack.payloads import envelope
from tests.servers.slack.server import SCOPES as GRANTED
from tests.servers.slack.world import SlackWorld

ROOT = Path(__file__).parents[3]

READS_MESSAGES = {"channels:history", "groups:history", "im:history", "mpim:history"}
SCOPES_OF_METHODS: Mapping[str, set[str]] = {
    "apps.connections.open": set(),  # the app-level token's connections:write
    "assistant.threads.setStatus": {"chat:write"},
    "auth.test": set(),
    "chat.delete": {"chat:write"},
    "chat.getPermalink": set(),
    "chat.postEphemeral": {"chat:write"},
    "chat.postMessage": {"chat:write"},
    "chat.stopStream": {"chat:write"},
    "chat.unfurl": {"links:write"},
    "chat.update": {"chat:write"},
    "conversations.history": READS_MESSAGES,
    "conversations.info": {"channels:read", "groups:read", "mpim:read"},
    "conversations.open": {"im:write"},
    "conversations.replies": READS_MESSAGES,
    "users.info": {"users:read", "users:read.email"},  # the second for the address in it
    "views.open": set(),
    "views.publish": set(),
    "views.update": set(),
}
"""What https://docs.slack.dev/reference/methods names for each method that is called."""

SCOPES_OF_EVENTS = {
    "agent_session_stopped": "assistant:write",
    "app_mention": "app_mentions:read",
    "channel_shared": "channels:read",
    "channel_unshared": "channels:read",
    "link_shared": "links:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
}
ALL_SCOPES = SCOPES.keys() | LINK_SCOPES.keys()
WITHOUT_SCOPE = {"app_home_opened"}
_METHOD = re.compile(
    r"(admin|api|apps|assistant|auth|bookmarks|bots|canvases|chat|conversations|dnd|emoji|entity|files|functions|im|mpim"
    r"|oauth|openid|pins|reactions|reminders|search|slackLists|stars|team|usergroups|users|views|workflows)"
    r"(\.[a-z]\w*)+"
)


def called() -> Iterator[str]:
    for folder in ("adapters/slack", "bot/slack", "bot/health"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and _METHOD.fullmatch(node.value):
                    yield node.value


def test_every_method_that_is_called_is_allowed_by_a_scope() -> None:
    methods = set(called())
    assert methods == SCOPES_OF_METHODS.keys()
    for method in methods:
        assert SCOPES_OF_METHODS[method] <= ALL_SCOPES


def test_every_scope_is_needed_by_a_method_an_event_or_the_command() -> None:
    needed = {scope for scopes in SCOPES_OF_METHODS.values() for scope in scopes}
    assert needed | set(SCOPES_OF_EVENTS.values()) | {"commands"} == ALL_SCOPES
    assert set(GRANTED) == ALL_SCOPES


def test_every_event_has_its_scope() -> None:
    assert SCOPES_OF_EVENTS.keys() | WITHOUT_SCOPE == EVENTS.keys() | LINK_EVENTS.keys()
    assert set(SCOPES_OF_EVENTS.values()) <= ALL_SCOPES


async def sent(body: dict[str, Any]) -> Heard:
    """The body, as Socket Mode brings it, to the whole app."""
    heard = Heard()

    async def bot() -> Bot:
        return Bot(SlackWorld.team, SlackWorld.bot)

    with SlackWorld() as world:
        app = bolt_app(SlackCalls(world.bot_token, world.api_url), "", bot, heard)
        response = await app.async_dispatch(AsyncBoltRequest(body=body, mode="socket_mode"))
    assert response.status == 200
    return heard


@pytest.mark.parametrize("name", [name for name in EVENTS if name.startswith("channel_")])
async def test_every_event_of_sharing_is_handled(name: str) -> None:
    event = {"type": name, "connected_team_id": "E0PARTNER01", "channel": "C1", "event_ts": "1700000000.000100"}
    assert (await sent(envelope(event, None))).what == [("shared", "C1")]


async def test_a_link_that_is_posted_is_handled_and_one_that_is_being_typed_is_not() -> None:
    links = [{"domain": "wiki.example", "url": "https://wiki.example/pages/1"}]
    event = {"type": "link_shared", "user": "U1", "channel": "C1A", "message_ts": "1.5", "links": links}
    assert (await sent(envelope(event, None))).what == [("links", "C1A", "1.5", "https://wiki.example/pages/1")]
    typed = {**event, "channel": "COMPOSER", "message_ts": "uuid", "source": "composer"}
    assert not (await sent(envelope(typed, None))).what


async def test_a_link_in_direct_messages_of_two_people_is_left_alone() -> None:
    links = [{"domain": "wiki.example", "url": "https://wiki.example/pages/1"}]
    event = {"type": "link_shared", "user": "U1", "channel": "D1A", "message_ts": "1.5", "links": links}
    assert (await sent(envelope({**event, "is_bot_user_member": True}, None))).what
    assert not (await sent(envelope({**event, "is_bot_user_member": False}, None))).what


def test_only_where_there_is_a_wiki_its_links_are_asked_for() -> None:
    without, made = manifest(), manifest("", ["wiki.example"])
    assert "links:read" not in str(without)
    assert made["features"]["unfurl_domains"] == ["wiki.example"]
    assert {*LINK_SCOPES} <= {*made["oauth_config"]["scopes"]["bot"]}
    assert {*LINK_EVENTS} <= {*made["settings"]["event_subscriptions"]["bot_events"]}


async def test_pressing_stop_is_handled() -> None:
    event = {"type": "agent_session_stopped", "user": "U1", "channel": "D1", "thread_ts": "1.5", "event_ts": "2.5"}
    assert (await sent(envelope({**event, "streaming_message_ts": []}, None))).what == [("stopped", "D1", "1.5")]


async def test_opening_the_apps_own_page_is_handled() -> None:
    event = {"type": "app_home_opened", "user": "U1", "channel": "D1", "tab": "home", "event_ts": "1700000000.000100"}
    assert (await sent(envelope(event, None))).what == [("home", "D1", "U1")]
    assert not (await sent(envelope({**event, "tab": "messages"}, None))).what


@pytest.mark.parametrize("name", [name for name in EVENTS if name.startswith(("app_mention", "message."))])
async def test_every_event_that_is_subscribed_to_is_handled(name: str) -> None:
    kind, _, where = name.partition(".")
    event = {"type": kind, "user": "U1", "channel": "G1", "ts": "1700000000.000100", "text": "Who approves travel?"}
    if where:
        event["channel_type"] = {"channels": "channel", "groups": "group"}.get(where, where)
    heard = await sent(envelope(event, None))
    (message,) = heard.messages
    assert message.text == "Who approves travel?"
    assert message.place.direct == (name == "message.im")


async def test_the_command_is_handled_and_is_the_one_that_help_names() -> None:
    body = {"command": COMMAND, "text": "spaces", "team_id": SlackWorld.team, "channel_id": "C1", "user_id": "U1"}
    heard = await sent(body)
    assert heard.what == [("commanded", "spaces")]
    for command in ADMIN_COMMANDS:
        assert all(command.render(language).startswith(f"{COMMAND} ") for language in CATALOGUES)


@pytest.mark.parametrize("url", ["", "https://wikiwhy.example.com/slack/events"])
def test_it_keeps_slacks_limits(url: str) -> None:
    made = manifest(url)
    assert len(made["display_information"]["name"]) <= 35
    assert len(made["display_information"]["description"]) <= 140
    assert len(made["features"]["bot_user"]["display_name"]) <= 80
    (command,) = made["features"]["slash_commands"]
    assert len(command["command"]) <= 32
    assert len(command["description"]) <= 2_000
    assert len(command["usage_hint"]) <= 1_000


def test_an_agent_has_prompts_within_slacks_limits() -> None:
    agent = manifest()["features"]["agent_view"]
    assert len(agent["agent_description"]) <= 300
    assert 0 < len(agent["suggested_prompts"]) <= 4
    assert all(0 < len(prompt[name]) <= 75 for prompt in agent["suggested_prompts"] for name in ("title", "message"))


def test_by_requests_everything_is_sent_to_one_address() -> None:
    url = "https://wikiwhy.example.com/slack/events"
    made = manifest(url)
    assert made["settings"]["event_subscriptions"]["request_url"] == url
    assert made["settings"]["interactivity"] == {"is_enabled": True, "request_url": url}
    assert made["features"]["slash_commands"][0]["url"] == url
    assert not made["settings"]["socket_mode_enabled"]


def test_socket_mode_names_no_address() -> None:
    made = manifest()
    assert made["settings"]["socket_mode_enabled"]
    assert "http" not in str(made)


@pytest.mark.parametrize("name", [*SCOPES, *EVENTS, *LINK_SCOPES, *LINK_EVENTS])
def test_the_setup_page_says_what_each_is_for(name: str) -> None:
    assert f"`{name}`" in (ROOT / "docs" / "slack.md").read_text("utf-8")


def test_the_file_in_the_docs_is_what_the_command_prints() -> None:
    """Made by: wikiwhy slack manifest --url https://wikiwhy.example.com > docs/slack-manifest.json."""
    written = json.loads((ROOT / "docs" / "slack-manifest.json").read_text("utf-8"))
    assert written == manifest("https://wikiwhy.example.com/slack/events")
