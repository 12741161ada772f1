"""Checks of Slack and Teams: tokens, permissions, how events arrive and are verified, and the channels file."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence

from adapters.slack.calls import SlackCalls
from adapters.slack.manifest import SCOPES
from adapters.teams.app.manifest import SCHEMA
from adapters.teams.app.package import check_files
from adapters.teams.credentials import AuthenticationError, Credentials, Registration, SigningKeys
from bot import slack
from bot.admin_files import read_channels
from bot.operations.finding import Finding, run_check
from bot.settings import Settings
from bot.teams import service as teams
from core.errors import ChatRefused
from core.ports.chat import Platform

_REINSTALL = (
    "Paste the manifest that `wikiwhy slack manifest` prints into the app at https://api.slack.com/apps, and reinstall "
    "the app."
)
_ID = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}")
_TENANT = "Set WIKIWHY_TEAMS_TENANT_ID to the Directory (tenant) ID of the app registration's Overview."
_VALUE = "Set WIKIWHY_TEAMS_APP_PASSWORD to the Value of a client secret of the app registration, not to its Secret ID."
_RENEW = (
    "Make a new secret under Certificates & secrets of the app registration, and set WIKIWHY_TEAMS_APP_PASSWORD to its "
    "Value."
)
_APP = "Compare WIKIWHY_TEAMS_APP_ID and WIKIWHY_TEAMS_TENANT_ID with the app registration's Overview."
_REASONS: Mapping[str, tuple[str, str]] = {
    "AADSTS7000215": ("the client secret is wrong", _VALUE),
    "AADSTS7000222": ("the client secret has expired", _RENEW),
    "AADSTS700016": ("there is no such application in this directory", _APP),
    "AADSTS7000229": ("the application has no service principal in this directory", _APP),
    "AADSTS90002": ("there is no such directory", _TENANT),
    "AADSTS900023": ("the directory id is not an id", _TENANT),
    "authority configuration": ("there is no such directory", _TENANT),  # MSAL's own error, before any request
}
"""The meaning of Entra's error codes, https://learn.microsoft.com/entra/identity-platform/reference-error-codes."""
_OURS: Mapping[Platform, str] = {
    "slack": "Channels of this workspace look like slack:{team}:C…; `/wiki spaces` in a channel shows its key.",
    "teams": "Channels of this organisation look like teams:{team}:19:…; `spaces` in a channel shows its key.",
}


def check_slack(settings: Settings) -> list[Finding]:
    """Check the app, how its events arrive, and the spaces of channels."""
    if missing := list(slack.find_missing_slack_settings(settings)):
        return [Finding("Slack", "broken", " ".join(missing))]
    workspaces: list[str] = []
    events = _check_socket_mode if settings.slack_app_token.get_secret_value() else _describe_requests
    return [
        run_check("Slack", lambda: _check_app(settings, workspaces)),
        run_check("Slack's events", lambda: events(settings)),
        run_check("channels", lambda: _check_channels("channels", settings, "slack", workspaces)),
    ]


def _check_app(settings: Settings, workspaces: list[str]) -> Finding:
    """Check the bot's token and permissions. Adds its workspace to ``workspaces``."""
    calls = SlackCalls(settings.slack_bot_token.get_secret_value(), settings.slack_api_url)
    me, scopes = asyncio.run(calls.test_auth())
    found = f"workspace {me.get('team')} ({me.get('team_id')}), as {me.get('user')}"
    workspaces.append(str(me.get("team_id")))
    if not me.get("bot_id"):
        advice = "Set WIKIWHY_SLACK_BOT_TOKEN to the Bot User OAuth Token (xoxb-…) of OAuth & Permissions."
        return Finding("Slack", "broken", f"{found}: that is a person, not a bot", advice)
    if scopes is not None and (lacking := sorted(SCOPES.keys() - scopes)):
        return Finding("Slack", "broken", f"{found}, without the permission {', '.join(lacking)}", _REINSTALL)
    return Finding("Slack", "works", found)


def _check_socket_mode(settings: Settings) -> Finding:
    async def connect() -> None:
        token = settings.slack_app_token.get_secret_value()
        await SlackCalls(token, settings.slack_api_url).set("apps.connections.open")

    asyncio.run(connect())
    return Finding("Slack's events", "works", "by Socket Mode, and the app-level token is valid")


def _describe_requests(settings: Settings) -> Finding:
    base = settings.base_url.rstrip("/")
    address = f"{base}{slack.PATH}" if base else f"{slack.PATH} at the server's public address"
    return Finding("Slack's events", "works", f"by signed requests to {address}")


def check_teams(settings: Settings) -> list[Finding]:
    """Check the app registration, requests, the app's package, and the spaces of channels."""
    if missing := list(teams.find_missing_teams_settings(settings)):
        return [Finding("Teams", "broken", " ".join(missing))]
    if not teams.has_teams(settings):
        advice = "Also set WIKIWHY_TEAMS_APP_ID and WIKIWHY_TEAMS_APP_PASSWORD, or unset WIKIWHY_TEAMS_TENANT_ID."
        return [Finding("Teams", "note", "only WIKIWHY_TEAMS_TENANT_ID is set, so Teams is not served", advice)]
    tenants = [settings.teams_tenant_id] if settings.teams_tenant_id else []
    ours = teams.read_registration(settings)
    if settings.teams_anonymous:
        found = f"anonymous, on {settings.host} only: any local program can send messages in anyone's name"
        advice = "Use this for the Agents Playground only. docs/teams.md explains the setup for Microsoft Teams."
        parts = [Finding("Teams", "note", found, advice)]
    else:
        parts = [
            run_check("Teams", lambda: _check_login(ours)),
            run_check("Teams' requests", lambda: _check_requests(settings, ours)),
        ]
    return [
        *parts,
        run_check("Teams' app", _check_package),
        run_check("Teams' channels", lambda: _check_channels("Teams' channels", settings, "teams", tenants)),
    ]


def _check_login(ours: Registration) -> Finding:
    """Request a token from Entra. Entra also accepts a directory's name, but messages of Teams have its id."""
    if not _ID.fullmatch(ours.tenant):
        found = f"{ours.tenant} is not a directory id, so no message would be answered"
        return Finding("Teams", "broken", found, _TENANT)
    found = f"as {ours.app_id}, of the directory {ours.tenant}"
    try:
        asyncio.run(Credentials(ours).get_token())
    except ChatRefused as error:
        cause = str(error.__cause__)
        for sign, (reason, advice) in _REASONS.items():
            if sign in cause:
                return Finding("Teams", "broken", f"{found}: {reason}", advice)
        return Finding("Teams", "broken", f"{found}: {error}")
    return Finding("Teams", "works", found)


def _check_requests(settings: Settings, ours: Registration) -> Finding:
    """Read Microsoft's keys, without which no request can be verified."""
    asyncio.run(_read_keys(ours.metadata_url))
    if not settings.base_url:
        found = f"at {teams.PATH} of the server's public address, verified by Microsoft's keys"
        return Finding("Teams' requests", "works", found)
    address = f"{settings.base_url.rstrip('/')}{teams.PATH}"
    if not address.startswith("https://"):
        advice = "Put a reverse proxy with TLS in front of the server, and set WIKIWHY_BASE_URL to its address."
        return Finding("Teams' requests", "note", f"at {address}, but Microsoft sends to https only", advice)
    return Finding("Teams' requests", "works", f"at {address}, verified by Microsoft's keys")


async def _read_keys(url: str) -> None:
    try:
        await SigningKeys(url).get(None)
    except AuthenticationError:  # there is no key without an id, but the keys were read
        return


def _check_package() -> Finding:
    check_files()
    return Finding("Teams' app", "works", f"the files for wikiwhy teams package are complete, for schema {SCHEMA}")


def _check_channels(part: str, settings: Settings, platform: Platform, teams: Sequence[str]) -> Finding:
    """Check the channels file. ``teams``: the ids of our workspaces or organisations, as far as they are known."""
    file = read_channels(settings.channels)
    own = sum(channel.spaces is not None for channel in file.channels.values())
    if not own and not settings.default_spaces:
        advice = (
            "Set WIKIWHY_DEFAULT_SPACES, or list channels and their spaces in the channels file (WIKIWHY_CHANNELS)."
        )
        return Finding(part, "note", "no channel has a space", advice)
    found = f"default spaces: {settings.default_spaces or 'none'}"
    if settings.channels:
        found += f"; {settings.channels} names {own} channels with spaces, and {len(file.contacts)} contacts"
    ours = tuple(f"{platform}:{team}:" for team in teams)
    there = sorted(key for key in file.channels if key.startswith(f"{platform}:"))
    if foreign := [key for key in there if ours and not key.startswith(ours)][:5]:
        place = "workspaces" if platform == "slack" else "organisations"
        advice = _OURS[platform].format(team=teams[0])
        return Finding(part, "note", f"{found}; of other {place}: {', '.join(foreign)}", advice)
    return Finding(part, "works", found)
