"""The manifest requests exactly the scopes and events that the code uses."""

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
from adapters.slack.events import Bot
from adapters.slack.manifest import COMMAND, EVENTS, LINK_EVENTS, LINK_SCOPES, SCOPES, make_manifest
from adapters.slack.receiver import make_app
from core.languages import CATALOGUES
from core.views.help import ADMIN_COMMANDS
from tests.adapters.slack.listener import RecordingListener
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
    "chat.appendStream": {"chat:write"},
    "chat.startStream": {"chat:write"},
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
"""Scopes of each called method, from https://docs.slack.dev/reference/methods."""

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


def find_called_methods() -> Iterator[str]:
    for pattern in ("adapters/slack/*.py", "bot/slack.py", "bot/health/*.py"):
        for file in sorted(ROOT.glob(pattern)):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and _METHOD.fullmatch(node.value):
                    yield node.value


def test_every_called_method_has_its_scopes() -> None:
    methods = set(find_called_methods())
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


async def dispatch(body: dict[str, Any]) -> RecordingListener:
    """Dispatch a body to the whole app, as Socket Mode does."""
    listener = RecordingListener()

    async def bot() -> Bot:
        return Bot(SlackWorld.team, SlackWorld.bot)

    with SlackWorld() as world:
        app = make_app(SlackCalls(world.bot_token, world.api_url), "", bot, listener)
        response = await app.async_dispatch(AsyncBoltRequest(body=body, mode="socket_mode"))
    assert response.status == 200
    return listener


@pytest.mark.parametrize("name", [name for name in EVENTS if name.startswith("channel_")])
async def test_sharing_events_are_handled(name: str) -> None:
    event = {"type": name, "connected_team_id": "E0PARTNER01", "channel": "C1", "event_ts": "1700000000.000100"}
    assert (await dispatch(envelope(event, None))).handled == [("shared", "C1")]


async def test_posted_links_are_handled_and_links_being_typed_are_not() -> None:
    links = [{"domain": "wiki.example", "url": "https://wiki.example/pages/1"}]
    event = {"type": "link_shared", "user": "U1", "channel": "C1A", "message_ts": "1.5", "links": links}
    assert (await dispatch(envelope(event, None))).handled == [("links", "C1A", "1.5", "https://wiki.example/pages/1")]
    typed = {**event, "channel": "COMPOSER", "message_ts": "uuid", "source": "composer"}
    assert not (await dispatch(envelope(typed, None))).handled


async def test_links_in_direct_messages_of_two_people_are_ignored() -> None:
    links = [{"domain": "wiki.example", "url": "https://wiki.example/pages/1"}]
    event = {"type": "link_shared", "user": "U1", "channel": "D1A", "message_ts": "1.5", "links": links}
    assert (await dispatch(envelope({**event, "is_bot_user_member": True}, None))).handled
    assert not (await dispatch(envelope({**event, "is_bot_user_member": False}, None))).handled


def test_link_scopes_are_requested_only_with_wiki_hosts() -> None:
    without, made = make_manifest(), make_manifest("", ["wiki.example"])
    assert "links:read" not in str(without)
    assert made["features"]["unfurl_domains"] == ["wiki.example"]
    assert {*LINK_SCOPES} <= {*made["oauth_config"]["scopes"]["bot"]}
    assert {*LINK_EVENTS} <= {*made["settings"]["event_subscriptions"]["bot_events"]}


async def test_pressing_stop_is_handled() -> None:
    event = {"type": "agent_session_stopped", "user": "U1", "channel": "D1", "thread_ts": "1.5", "event_ts": "2.5"}
    handled = (await dispatch(envelope({**event, "streaming_message_ts": ["1.7"]}, None))).handled
    assert handled == [("stopped", "D1", "1.5", "U1", "1.7")]


async def test_pressing_stop_by_nobody_is_ignored() -> None:
    event = {"type": "agent_session_stopped", "channel": "D1", "thread_ts": "1.5", "event_ts": "2.5"}
    assert not (await dispatch(envelope(event, None))).handled


async def test_opening_the_home_tab_is_handled() -> None:
    event = {"type": "app_home_opened", "user": "U1", "channel": "D1", "tab": "home", "event_ts": "1700000000.000100"}
    assert (await dispatch(envelope(event, None))).handled == [("home", "D1", "U1")]
    assert not (await dispatch(envelope({**event, "tab": "messages"}, None))).handled


@pytest.mark.parametrize("name", [name for name in EVENTS if name.startswith(("app_mention", "message."))])
async def test_every_subscribed_event_is_handled(name: str) -> None:
    kind, _, where = name.partition(".")
    event = {"type": kind, "user": "U1", "channel": "G1", "ts": "1700000000.000100", "text": "Who approves travel?"}
    if where:
        event["channel_type"] = {"channels": "channel", "groups": "group"}.get(where, where)
    listener = await dispatch(envelope(event, None))
    (message,) = listener.messages
    assert message.text == "Who approves travel?"
    assert message.place.direct == (name == "message.im")


async def test_the_command_is_handled_and_named_by_help() -> None:
    body = {"command": COMMAND, "text": "spaces", "team_id": SlackWorld.team, "channel_id": "C1", "user_id": "U1"}
    listener = await dispatch(body)
    assert listener.handled == [("commanded", "spaces")]
    for command in ADMIN_COMMANDS:
        assert all(command.render(language).startswith(f"{COMMAND} ") for language in CATALOGUES)


@pytest.mark.parametrize("url", ["", "https://wikiwhy.example.com/slack/events"])
def test_the_manifest_keeps_slacks_limits(url: str) -> None:
    made = make_manifest(url)
    assert len(made["display_information"]["name"]) <= 35
    assert len(made["display_information"]["description"]) <= 140
    assert len(made["features"]["bot_user"]["display_name"]) <= 80
    (command,) = made["features"]["slash_commands"]
    assert len(command["command"]) <= 32
    assert len(command["description"]) <= 2_000
    assert len(command["usage_hint"]) <= 1_000


def test_an_agent_has_prompts_within_slacks_limits() -> None:
    agent = make_manifest()["features"]["agent_view"]
    assert len(agent["agent_description"]) <= 300
    assert 0 < len(agent["suggested_prompts"]) <= 4
    assert all(0 < len(prompt[name]) <= 75 for prompt in agent["suggested_prompts"] for name in ("title", "message"))


def test_all_requests_are_sent_to_one_address() -> None:
    url = "https://wikiwhy.example.com/slack/events"
    made = make_manifest(url)
    assert made["settings"]["event_subscriptions"]["request_url"] == url
    assert made["settings"]["interactivity"] == {"is_enabled": True, "request_url": url}
    assert made["features"]["slash_commands"][0]["url"] == url
    assert not made["settings"]["socket_mode_enabled"]


def test_socket_mode_has_no_address() -> None:
    made = make_manifest()
    assert made["settings"]["socket_mode_enabled"]
    assert "http" not in str(made)


@pytest.mark.parametrize("name", [*SCOPES, *EVENTS, *LINK_SCOPES, *LINK_EVENTS])
def test_the_setup_page_names_each_scope_and_event(name: str) -> None:
    assert f"`{name}`" in (ROOT / "docs" / "slack.md").read_text("utf-8")


def test_the_file_in_the_docs_is_current() -> None:
    """The file is made by: wikiwhy slack manifest --url https://wikiwhy.example.com > docs/slack-manifest.json."""
    written = json.loads((ROOT / "docs" / "slack-manifest.json").read_text("utf-8"))
    assert written == make_manifest("https://wikiwhy.example.com/slack/events")
