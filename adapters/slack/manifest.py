"""The app's manifest: what Slack has to allow and to send (https://docs.slack.dev/reference/app-manifest)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

COMMAND = "/wiki"

DESCRIPTION = "Answers questions from the team's wiki, cites the place, and explains its answers."

PROMPTS = ("Who approves travel?", "How do I report sick?", "Where do I find the on-call plan?")
"""Questions that Slack offers to who opens the app. Wikis differ: they are to be edited."""

SCOPES: Mapping[str, str] = {
    "assistant:write": "to be an agent, which people can stop",
    "app_mentions:read": "to hear of messages that mention it",
    "channels:history": "to hear follow-ups in public channels that it is in, and read threads it is called into",
    "channels:read": "to know whether a public channel is shared with other organisations",
    "chat:write": "to answer, in channels that it is in and in direct messages",
    "commands": f"to offer {COMMAND}",
    "groups:history": "the same in private channels that it is in",
    "groups:read": "the same of private channels",
    "im:history": "to hear questions in direct messages",
    "im:write": "to report a sync to the admin who asked for it where it may not write",
    "mpim:history": "to hear questions in group messages that it is in",
    "mpim:read": "the same of group messages",
    "users:read": "to know people's names, and who is a guest",
    "users:read.email": "to find people's Confluence accounts, for direct messages",
}
"""What the bot token has to be granted, and what for."""

EVENTS: Mapping[str, str] = {
    "agent_session_stopped": "somebody presses stop while it works",
    "app_home_opened": "somebody opens its own page",
    "app_mention": "somebody mentions it",
    "channel_shared": "a channel is shared with another organisation",
    "channel_unshared": "it is not any more",
    "message.channels": "follow-ups without a mention, edited and deleted messages in public channels",
    "message.groups": "the same in private channels",
    "message.im": "questions in direct messages",
    "message.mpim": "questions and follow-ups in group messages",
}
"""What Slack sends, and what for. Of messages in channels only those where the bot is a member."""

LINK_SCOPES: Mapping[str, str] = {
    "links:read": "to hear of links to the wiki",
    "links:write": "to show what the pages are about",
}
LINK_EVENTS: Mapping[str, str] = {"link_shared": "somebody posts a link to the wiki"}
"""The same where links to a wiki's pages are shown with what they lead to."""


def _prompt(question: str) -> dict[str, str]:
    return {"title": question, "message": question}


def manifest(request_url: str = "", wiki_hosts: Sequence[str] = ()) -> dict[str, Any]:
    """As ``https://api.slack.com/apps`` takes it.

    ``request_url``: where Slack sends to, "" for Socket Mode. ``wiki_hosts``: those of links that we hear of.
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
            "agent_view": {"agent_description": DESCRIPTION, "suggested_prompts": list(map(_prompt, PROMPTS))},
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
