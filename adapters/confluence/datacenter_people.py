"""People, groups and readers of spaces of Confluence Data Center."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import quote

from adapters.confluence.http import Http, Parameters
from adapters.confluence.paging import list_items
from adapters.confluence.site import get_or_none, read_name, read_part, read_text, run_concurrently
from core.ports.wiki import Account, Emails, SpaceReaders, WikiPerson

ACCOUNT = "username"
"""The field that identifies a user."""
_PARAMETERS = {"userkey": "key", "username": "username"}


class DataCenterPeople:
    """See :class:`adapters.confluence.site.People`."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def find_readers(self, space: str) -> SpaceReaders:
        """Return the readers of a space. Before Confluence 9.1, accounts can see only their own space permissions."""
        granted = await self._http.get_list(f"rest/api/space/{quote(space, safe='~')}/permissions")
        entries = [entry for entry in granted if isinstance(entry, dict)]
        subjects = [
            read_part(entry, "subject")
            for entry in entries
            if read_part(entry, "operation").get("operationKey") == "read"
        ]
        groups = {f"group:{subject.get('name')}" for subject in subjects if subject.get("type") == "group"}
        keys = sorted(
            {read_text(subject.get("userKey")) for subject in subjects if subject.get("type") == "user"} - {""}
        )
        users = await run_concurrently(self._read_username(key) for key in keys)
        anonymous = any(subject.get("type") == "anonymous" for subject in subjects)
        return SpaceReaders(frozenset(groups | {f"user:{name}" for name in users if name}), anonymous, anonymous)

    async def find_account(self, account_id: str) -> Account | None:
        # https://developer.atlassian.com/server/confluence/rest/v1020/api-group-user/
        parameters: Parameters = {"username": account_id, "expand": "status"}
        user = await get_or_none(self._http.get("rest/api/user", parameters)) or {}
        name = read_username(user)
        return Account(name, active=user.get("status") == "current") if name else None

    async def list_emails(self) -> Emails:
        """Return the addresses of all active accounts. Needs Confluence 9.4 and an administrator's token.

        https://developer.atlassian.com/server/confluence/rest/v1020/api-group-admin-users/
        """
        people = await list_items(self._http, "rest/api/admin/users/list/active", key="username")
        told = tuple(
            (read_text(each.get("email")), str(each["username"])) for each in people if read_text(each.get("email"))
        )
        return Emails(told, complete=len(told) == len(people))

    @property
    def people_per_request(self) -> int:
        return 1

    async def find_people(self, accounts: Collection[str]) -> dict[str, WikiPerson]:
        # https://developer.atlassian.com/server/confluence/rest/v1020/api-group-user/ returns one user per request, and
        # the lists of the site's users (api-group-admin-users) cannot be filtered.
        return dict(zip(accounts, await run_concurrently(map(self._read_person, accounts)), strict=True))

    async def _read_person(self, account: str) -> WikiPerson:
        kind, _, value = account.partition(":")
        if kind not in _PARAMETERS:
            return WikiPerson("", active=False)
        parameters: Parameters = {_PARAMETERS[kind]: value, "expand": "status"}
        user = await get_or_none(self._http.get("rest/api/user", parameters)) or {}
        return WikiPerson(read_name(user), user.get("status") in {None, "current"})

    async def find_groups(self, account_id: str) -> frozenset[str]:
        groups = await list_items(self._http, "rest/api/user/memberof", {"username": account_id}, key="name")
        return frozenset(read_text(group["name"]) for group in groups)

    async def _read_username(self, key: str) -> str:
        """Return the user's name, or "" for a deleted user, who reads nothing any more."""
        return read_username(await get_or_none(self._http.get("rest/api/user", {"key": key})) or {})


def read_username(user: Mapping[str, Any]) -> str:
    """Return the name that identifies a user."""
    return read_text(user.get(ACCOUNT))
