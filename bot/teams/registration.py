"""The bot's registration by the settings, and what is missing in them."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from adapters.teams.credentials import LOGIN_URL, METADATA_URL, Registration
from bot.settings import Settings


def has_teams(settings: Settings) -> bool:
    return bool(settings.teams_app_id or settings.teams_anonymous)


def registration(settings: Settings) -> Registration:
    password = settings.teams_app_password.get_secret_value()
    return Registration(
        settings.teams_app_id,
        password,
        settings.teams_tenant_id,
        settings.teams_metadata_url or METADATA_URL,
        settings.teams_login_url or LOGIN_URL,
    )


def find_missing_teams_settings(settings: Settings) -> Iterator[str]:
    """What Teams still needs where it is configured in part, a sentence each."""
    password = settings.teams_app_password.get_secret_value()
    values = {"APP_ID": settings.teams_app_id, "APP_PASSWORD": password, "TENANT_ID": settings.teams_tenant_id}
    lacking = [f"WIKIWHY_TEAMS_{name}" for name, value in values.items() if not value]
    if settings.teams_anonymous:
        if settings.teams_app_id:
            yield "Teams is configured twice: unset WIKIWHY_TEAMS_ANONYMOUS, or WIKIWHY_TEAMS_APP_ID."
        if not is_loopback(settings.host):
            yield "WIKIWHY_TEAMS_ANONYMOUS would let anyone in: set WIKIWHY_HOST to 127.0.0.1, or unset it."
    elif len(lacking) < len(values) and (settings.teams_app_id or password) and lacking:
        yield f"Teams is configured in part: set {' and '.join(lacking)}, from the bot's registration in Azure."


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own, which no other reaches."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
