"""The app's manifest: scopes, events and features (https://docs.slack.dev/reference/app-manifest)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

COMMAND = "/wiki"

DESCRIPTION = "Answers questions from the team's wiki, cites the place, and explains its answers."

PROMPTS = ("Who approves travel?", "How do I report sick?", "Where do I find the on-call plan?")
"""Suggested prompts that Slack shows when a person opens the app. Admins edit them to fit their wiki."""

SCOPES: Mapping[str, str] = {
    "assistant:write": "to be an agent, which people can stop",
    "app_mentions:read": "to receive messages that mention it",
    "channels:history": "to receive follow-ups in public channels that it is in, and read threads it is mentioned in",
    "channels:read": "to know whether a public channel is shared with other organisations",
    "chat:write": "to answer, in channels that it is in and in direct messages",
    "commands": f"to offer {COMMAND}",
    "groups:history": "the same in private channels that it is in",
    "groups:read": "the same of private channels",
    "im:history": "to receive questions in direct messages",
    "im:write": "to report a sync to the admin who asked for it in a channel where it may not post",
    "mpim:history": "to receive questions in group messages that it is in",
    "mpim:read": "the same of group messages",
    "users:read": "to read people's names, and whether they are guests",
    "users:read.email": "to find people's Confluence accounts, for direct messages",
}
"""Scopes of the bot token, with their purpose."""

EVENTS: Mapping[str, str] = {
    "agent_session_stopped": "a person presses stop while it works",
    "app_home_opened": "a person opens its home tab",
    "app_mention": "a person mentions it",
    "channel_shared": "a channel is shared with another organisation",
    "channel_unshared": "a channel is no longer shared",
    "message.channels": "follow-ups without a mention, edited and deleted messages in public channels",
    "message.groups": "the same in private channels",
    "message.im": "questions in direct messages",
    "message.mpim": "questions and follow-ups in group messages",
}
"""Events that Slack sends, with their meaning. The bot receives messages only of channels that it is a member of."""

LINK_SCOPES: Mapping[str, str] = {
    "links:read": "to receive links to the wiki",
    "links:write": "to show previews of the pages",
}
LINK_EVENTS: Mapping[str, str] = {"link_shared": "a person posts a link to the wiki"}
"""Additional scopes and events for previews of links to the wiki."""


def _make_prompt(question: str) -> dict[str, str]:
    return {"title": question, "message": question}


def make_manifest(request_url: str = "", wiki_hosts: Sequence[str] = ()) -> dict[str, Any]:
    """Return the manifest in the format of ``https://api.slack.com/apps``.

    ``request_url``: where Slack sends requests, "" for Socket Mode. ``wiki_hosts``: hosts whose links get previews.
    """
    url = {"url": request_url} if request_url else {}
    scopes, events = list(SCOPES), list(EVENTS)
    if wiki_hosts:
        scopes, events = sorted([*scopes, *LINK_SCOPES]), sorted([*events, *LINK_EVENTS])
    sent_to = {"request_url": request_url} if request_url else {}
    return {
        "display_information": {
            "name": "WikiWhy",
            "description": DESCRIPTION,
        },
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "agent_view": {"agent_description": DESCRIPTION, "suggested_prompts": list(map(_make_prompt, PROMPTS))},
            "bot_user": {"display_name": "WikiWhy", "always_online": True},
            "slash_commands": [
                {
                    "command": COMMAND,
                    **url,
                    "description": "Ask the wiki; see how; for admins: spaces and syncs",
                    "usage_hint": "your question | help | spaces | sync KEY | forget KEY",
                    "should_escape": False,
                }
            ],
            **({"unfurl_domains": list(wiki_hosts)} if wiki_hosts else {}),
        },
        "oauth_config": {"scopes": {"bot": scopes}},
        "settings": {
            "event_subscriptions": {**sent_to, "bot_events": events},
            "interactivity": {"is_enabled": True, **sent_to},
            "org_deploy_enabled": False,
            "socket_mode_enabled": not request_url,
            "token_rotation_enabled": False,
        },
    }
