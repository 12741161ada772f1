"""Who a Teams user is: https://learn.microsoft.com/microsoftteams/platform/bots/how-to/get-teams-context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.ports import Member

_GUESTS = frozenset({"guest", "anonymous", "bot"})
_FOREIGN = "#EXT#"  # in the name that Entra gives to guests
_APP = "28:"  # begins the id of an app


def member_of(found: Mapping[str, Any], tenant: str, user: str) -> Member:
    """A member from what the connector tells. An address counts only of a member of our own organisation.

    Whoever it tells too little about is a guest.
    """
    role = str(found.get("userRole") or "").lower()
    principal = str(found.get("userPrincipalName") or "")
    account = str(found.get("id") or "")
    home = bool(tenant) and found.get("tenantId") == tenant
    guest = not home or role in _GUESTS or _FOREIGN in principal.upper() or account.startswith(_APP)
    email = str(found.get("email") or "") or None
    return Member(user, str(found.get("name") or user), None if guest else email, guest)
