"""Ids and e-mail addresses of chat users."""

from __future__ import annotations

from dataclasses import dataclass

_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True, slots=True)
class PersonId:
    """A chat user without an e-mail address."""

    platform: str
    team: str  # Slack workspace, Teams tenant
    user: str  # Slack user, Entra object id

    @property
    def key(self) -> str:
        """See :func:`make_person_key`."""
        return make_person_key(self.platform, self.team, self.user)

    def is_user(self, team: str, user: str) -> bool:
        """Whether this is the user of this team on the same platform."""
        return make_person_key(self.platform, team, user) == self.key


@dataclass(frozen=True, slots=True)
class Person(PersonId):
    """A chat user.

    ``email`` is None unless the platform has verified it: an address that users can edit themselves does not count, nor
    does the address of a guest whose account another organisation manages.
    """

    email: str | None = None


def make_person_key(platform: str, team: str, user: str) -> str:
    """Return ``slack:T…:U…`` or ``teams:{tenant}:{object id}``. Entra's ids are lowered: they ignore case."""
    key = f"{platform}:{team}:{user}"
    return key.translate(_LOWER) if platform == "teams" else key


def normalize_email(email: str | None) -> str:
    """Return a form of an e-mail address that is equal for the same mailbox, or "" for an invalid address.

    Only ASCII capitals are lowered: other Unicode characters, such as the Kelvin sign, become ASCII letters when
    lowered, which could make the address equal to somebody else's.
    """
    address = (email or "").strip().translate(_LOWER)
    name, at, domain = address.rpartition("@")
    return address if at and name and domain and not any(character.isspace() for character in address) else ""
