"""Who asks in a chat, and how e-mail addresses compare."""

from __future__ import annotations

from dataclasses import dataclass

_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True, slots=True)
class Person:
    """A chat user. ``team``: Slack's workspace, Teams' tenant. ``user``: Slack's user, Teams' Entra object id.

    ``email`` is one that the platform vouches for, None otherwise: neither one that the user may type in, nor that of a
    guest whose account another organisation manages.
    """

    platform: str
    team: str
    user: str
    email: str | None = None

    @property
    def key(self) -> str:
        """As in the file of accounts."""
        return person_key(self.platform, self.team, self.user)


def person_key(platform: str, team: str, user: str) -> str:
    """``slack:T…:U…``, ``teams:{tenant}:{object id}``; Entra's ids are the same in capitals."""
    key = f"{platform}:{team}:{user}"
    return key.translate(_LOWER) if platform == "teams" else key


def comparable(email: str | None) -> str:
    """The address for comparing: equal for the same mailbox, "" for what is no address.

    Of capitals only the English ones are lowered: Unicode has others, such as the Kelvin sign, that become a plain
    letter, and with them the address of somebody else.
    """
    address = (email or "").strip().translate(_LOWER)
    name, at, domain = address.rpartition("@")
    return address if at and name and domain and not any(character.isspace() for character in address) else ""
