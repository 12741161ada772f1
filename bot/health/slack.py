"""Slack: the app's tokens and permissions, how its events arrive, and the file of channels."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from adapters.slack.calls import Json, SlackCalls
from adapters.slack.manifest import SCOPES
from bot.channels import Channels, read_channels
from bot.health.finding import Finding, guarded
from bot.platforms import missing_of_slack
from bot.settings import Settings
from bot.slack.running import PATH

_AGAIN = "At https://api.slack.com/apps give the app the manifest of `wikiwhy slack manifest`, and install it again."


def findings(settings: Settings) -> list[Finding]:
    """The app, how it hears of what people do, and where they may ask what."""
    if missing := list(missing_of_slack(settings)):
        return [Finding("Slack", "broken", " ".join(missing))]
    teams: list[str] = []
    parts = [guarded("Slack", lambda: _app(settings, teams))]
    if settings.slack_app_token.get_secret_value():
        parts.append(guarded("Slack's events", lambda: _socket_mode(settings)))
    else:
        parts.append(Finding("Slack's events", "works", _requests(settings)))
    return [*parts, guarded("channels", lambda: _channels(settings, teams))]


def _app(settings: Settings, teams: list[str]) -> Finding:
    """Asks who we are. Adds our workspace to ``teams``."""
    me, scopes = asyncio.run(_calls(settings, settings.slack_bot_token.get_secret_value()).granted())
    found = f"workspace {me.get('team')} ({me.get('team_id')}), as {me.get('user')}"
    teams.append(str(me.get("team_id")))
    if not me.get("bot_id"):
        advice = "Set WIKIWHY_SLACK_BOT_TOKEN to the Bot User OAuth Token (xoxb-…) of OAuth & Permissions."
        return Finding("Slack", "broken", f"{found}: that is no bot, but a person", advice)
    if scopes is not None and (lacking := sorted(SCOPES.keys() - scopes)):
        return Finding("Slack", "broken", f"{found}, without the permission {', '.join(lacking)}", _AGAIN)
    return Finding("Slack", "works", found)


def _socket_mode(settings: Settings) -> Finding:
    async def address() -> Json:
        return await _calls(settings, settings.slack_app_token.get_secret_value()).set("apps.connections.open")

    asyncio.run(address())
    return Finding("Slack's events", "works", "by Socket Mode, which the app-level token may open")


def _requests(settings: Settings) -> str:
    if settings.base_url:
        return f"by requests to {settings.base_url.rstrip('/')}{PATH}, signed"
    return f"by requests to {PATH} of the server's public address, signed"


def _channels(settings: Settings, teams: Sequence[str]) -> Finding:
    channels = read_channels(settings.channels)
    own = sum(channel.spaces is not None for channel in channels.channels.values())
    if not own and not settings.default_spaces:
        advice = "Set WIKIWHY_DEFAULT_SPACES, or name channels with their spaces in the file of WIKIWHY_CHANNELS."
        return Finding("channels", "note", "no space is enabled in any channel", advice)
    found = f"default spaces: {settings.default_spaces or 'none'}"
    if settings.channels:
        found += f"; {settings.channels} names {own} channels with spaces, and {len(channels.contacts)} contacts"
    if foreign := _foreign(channels, teams):
        advice = f"A channel of this workspace is written slack:{teams[0]}:C…; /wiki spaces shows it in the channel."
        return Finding("channels", "note", f"{found}; of other workspaces: {', '.join(foreign)}", advice)
    return Finding("channels", "works", found)


def _foreign(channels: Channels, teams: Sequence[str]) -> list[str]:
    ours = tuple(f"slack:{team}:" for team in teams)
    slack = sorted(key for key in channels.channels if key.startswith("slack:"))
    return [key for key in slack if ours and not key.startswith(ours)][:5]


def _calls(settings: Settings, token: str) -> SlackCalls:
    return SlackCalls(token, settings.slack_api_url)
