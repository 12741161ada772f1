"""Microsoft Teams: the bot's registration, how its requests are proved, the app, and the file of channels."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping

from adapters.teams.app.manifest import SCHEMA
from adapters.teams.app.package import complete
from adapters.teams.credentials import Credentials, Keys, NotAuthentic, Registration
from bot.finding import Finding, run_check
from bot.health.channels import channels
from bot.settings import Settings
from bot.teams.registration import find_missing_teams_settings, has_teams, registration
from bot.teams.service import PATH
from core.errors import ChatRefused

_ID = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}")
_TENANT = "Set WIKIWHY_TEAMS_TENANT_ID to the Directory (tenant) ID of the app registration's Overview."
_VALUE = "Set WIKIWHY_TEAMS_APP_PASSWORD to the Value of a client secret of the app registration, not to its Secret ID."
_RENEW = (
    "Make a new one under Certificates & secrets of the app registration, and set WIKIWHY_TEAMS_APP_PASSWORD to it."
)
_APP = "Compare WIKIWHY_TEAMS_APP_ID and WIKIWHY_TEAMS_TENANT_ID with the app registration's Overview."
_REASONS: Mapping[str, tuple[str, str]] = {
    "AADSTS7000215": ("the client secret is wrong", _VALUE),
    "AADSTS7000222": ("the client secret has expired", _RENEW),
    "AADSTS700016": ("there is no such application in this directory", _APP),
    "AADSTS7000229": ("the application has no service principal in this directory", _APP),
    "AADSTS90002": ("there is no such directory", _TENANT),
    "AADSTS900023": ("the id of the directory is no id", _TENANT),
    "authority configuration": ("there is no such directory", _TENANT),  # MSAL's own words, before it asks
}
"""Entra's error codes in plain words: https://learn.microsoft.com/entra/identity-platform/reference-error-codes."""


def findings(settings: Settings) -> list[Finding]:
    """The registration, requests, the package, and where they may ask what."""
    if missing := list(find_missing_teams_settings(settings)):
        return [Finding("Teams", "broken", " ".join(missing))]
    if not has_teams(settings):
        advice = "Set WIKIWHY_TEAMS_APP_ID and WIKIWHY_TEAMS_APP_PASSWORD too, or unset it."
        return [Finding("Teams", "note", "only WIKIWHY_TEAMS_TENANT_ID is set, so Teams is not served", advice)]
    tenants = [settings.teams_tenant_id] if settings.teams_tenant_id else []
    parts = [_anonymous(settings)] if settings.teams_anonymous else _registered(settings)
    return [
        *parts,
        run_check("Teams' app", _check_app),
        run_check("Teams' channels", lambda: channels("Teams' channels", settings, "teams", tenants)),
    ]


def _anonymous(settings: Settings) -> Finding:
    found = f"anonymous, on {settings.host} only: whoever reaches that speaks for anyone"
    return Finding(
        "Teams", "note", found, "This is for the Agents Playground. docs/teams.md says what people's Teams needs."
    )


def _registered(settings: Settings) -> list[Finding]:
    ours = registration(settings)
    return [
        run_check("Teams", lambda: _check_login(ours)),
        run_check("Teams' requests", lambda: _check_requests(settings, ours)),
    ]


def _check_login(ours: Registration) -> Finding:
    """Asks Entra for a token, which it also gives for a directory's name; but messages of Teams have its id."""
    if not _ID.fullmatch(ours.tenant):
        return Finding(
            "Teams", "broken", f"{ours.tenant} is no directory's id, so no message would be answered", _TENANT
        )
    found = f"as {ours.app_id}, of the directory {ours.tenant}"
    try:
        asyncio.run(Credentials(ours).token())
    except ChatRefused as error:
        said = str(error.__cause__)
        for sign, (reason, advice) in _REASONS.items():
            if sign in said:
                return Finding("Teams", "broken", f"{found}: {reason}", advice)
        return Finding("Teams", "broken", f"{found}: {error}")
    return Finding("Teams", "works", found)


def _check_requests(settings: Settings, ours: Registration) -> Finding:
    """Reads Microsoft's keys, without which no request can be proved."""
    asyncio.run(_keys(ours.metadata_url))
    if not settings.base_url:
        return Finding(
            "Teams' requests", "works", f"at {PATH} of the server's public address, proved by Microsoft's keys"
        )
    address = f"{settings.base_url.rstrip('/')}{PATH}"
    if not address.startswith("https://"):
        advice = "Put a reverse proxy with TLS before the server, and set WIKIWHY_BASE_URL to its address."
        return Finding("Teams' requests", "note", f"at {address}, to which Microsoft does not send", advice)
    return Finding("Teams' requests", "works", f"at {address}, proved by Microsoft's keys")


async def _keys(url: str) -> None:
    try:
        await Keys(url).get(None)
    except NotAuthentic:  # no key has no id; but they were read
        return


def _check_app() -> Finding:
    complete()
    return Finding("Teams' app", "works", f"wikiwhy teams package has its files, for Teams' schema {SCHEMA}")
