"""Who asks in a chat, and how e-mail addresses compare."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import PersonInvalid

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


@dataclass(frozen=True, slots=True)
class PersonId:
    """A chat user without an e-mail address."""

    platform: str
    team: str
    user: str

    @property
    def key(self) -> str:
        """See :func:`person_key`."""
        return person_key(self.platform, self.team, self.user)

    def is_user(self, team: str, user: str) -> bool:
        """Whether a user of a team of the same platform is this person."""
        return person_key(self.platform, team, user) == self.key


def parse_person(text: str) -> PersonId:
    """A person from their key, ``slack:TEAM:USER`` or ``teams:TENANT:OBJECT_ID``. Raises PersonInvalid."""
    platform, _, rest = text.strip().partition(":")
    team, _, user = rest.partition(":")
    whole = f"{team}{user}"
    if platform not in {"slack", "teams"} or not team or not user or any(map(str.isspace, whole)):
        raise PersonInvalid(
            f"{text!r} is no id of a person. Write slack:TEAM:USER, as slack:T012AB3CD:U045EF6GH, or "
            "teams:TENANT:OBJECT_ID with the ids of Microsoft Entra. `wikiwhy feedback export` and `wikiwhy audit` "
            "show ids in this form."
        )
    return PersonId(platform, team, user)
