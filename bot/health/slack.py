"""Slack: the app's tokens and permissions, how its events arrive, and the file of channels."""

from __future__ import annotations

import asyncio

from adapters.slack.calls import Json, SlackCalls
from adapters.slack.manifest import SCOPES
from bot.finding import Finding, run_check
from bot.health.channels import channels
from bot.settings import Settings
from bot.slack.service import PATH, find_missing_slack_settings

_AGAIN = "At https://api.slack.com/apps give the app the manifest of `wikiwhy slack manifest`, and install it again."


def findings(settings: Settings) -> list[Finding]:
    """The app, how its events arrive, and where people may ask what."""
    if missing := list(find_missing_slack_settings(settings)):
        return [Finding("Slack", "broken", " ".join(missing))]
    teams: list[str] = []
    parts = [run_check("Slack", lambda: _app(settings, teams))]
    if settings.slack_app_token.get_secret_value():
        parts.append(run_check("Slack's events", lambda: _socket_mode(settings)))
    else:
        parts.append(Finding("Slack's events", "works", _requests(settings)))
    return [*parts, run_check("channels", lambda: channels("channels", settings, "slack", teams))]


def _app(settings: Settings, teams: list[str]) -> Finding:
    """Checks the bot's token and permissions. Adds its workspace to ``teams``."""
    me, scopes = asyncio.run(_calls(settings, settings.slack_bot_token.get_secret_value()).test_auth())
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


def _calls(settings: Settings, token: str) -> SlackCalls:
    return SlackCalls(token, settings.slack_api_url)
