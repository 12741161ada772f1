"""Who a Teams user is: https://learn.microsoft.com/microsoftteams/platform/bots/how-to/get-teams-context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.ports import Member

_GUESTS = frozenset({"guest", "anonymous", "bot"})
_FOREIGN_ROLES = _GUESTS - {"bot"}
_FOREIGN = "#EXT#"  # in the name that Entra gives to guests
_APP = "28:"  # begins the id of an app


def member_of(found: Mapping[str, Any], tenant: str, user: str) -> Member:
    """A member from what the connector tells. An address counts only of a member of our own organisation.

    Whoever it tells too little about is a guest.
    """
    role = str(found.get("userRole") or "").lower()
    account = str(found.get("id") or "")
    foreign = is_foreign(found, tenant)
    guest = foreign or role in _GUESTS or account.startswith(_APP)
    email = str(found.get("email") or "") or None
    return Member(user, str(found.get("name") or user), None if guest else email, guest, foreign)


def is_foreign(found: Mapping[str, Any], tenant: str) -> bool:
    """Whether a person of a roster belongs to another organisation: also a guest, who has an account of another.

    Whoever the connector tells too little about does. An app is no person, and reads nothing here.
    """
    if str(found.get("id") or "").startswith(_APP):
        return False
    role = str(found.get("userRole") or "").lower()
    home = bool(tenant) and found.get("tenantId") == tenant
    return not home or role in _FOREIGN_ROLES or _FOREIGN in str(found.get("userPrincipalName") or "").upper()
