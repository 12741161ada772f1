"""People, groups and readers of spaces of Confluence Cloud: v1 has accounts and groups, v2 names in bulk."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adapters.confluence.cloud_readers import ACCOUNT
from adapters.confluence.failures import Refusal, make_malformed_response_error
from adapters.confluence.http import Http, Json, Parameters, Reply
from adapters.confluence.paging import AT_ONCE_IN_V1, iterate_items, read_items
from adapters.confluence.site import get_or_none, quote_cql, read_name, read_part, read_text, run_concurrently
from adapters.confluence.v2 import V2, list_v2_items
from core.ports.wiki import Account, Emails, SpaceReaders, WikiPerson

_KIND = "account-id:"
_PEOPLE_AT_ONCE = 100
_MOST_USERS = 10_000  # maximum of a user search
_ANONYMOUS, _LICENSED = frozenset({"anonymous", "anonymous-users"}), frozenset({"all-licensed-users"})


class CloudPeople:
    """See :class:`adapters.confluence.site.People`."""

    def __init__(self, http: Http) -> None:
        self._http = http
        self._has_bulk = True  # until a request shows that the site lacks it

    async def find_readers(self, space_id: str) -> SpaceReaders:
        """Return the readers of the space with this id."""
        listed = await list_v2_items(self._http, f"{V2}/spaces/{space_id}/permissions")
        principals = [
            read_part(entry, "principal") for entry in listed if _is_read_operation(read_part(entry, "operation"))
        ]
        users = {f"user:{each['id']}" for each in principals if each.get("type") == "user" and each.get("id")}
        group_ids = sorted({read_text(each.get("id")) for each in principals if each.get("type") == "group"} - {""})
        groups = await run_concurrently(self._read_group(group_id) for group_id in group_ids)
        ids = {read_text(each.get("id")) for each in principals}
        named = frozenset(users | {f"group:{name}" for name in groups if name})
        return SpaceReaders(named, bool(ids & _ANONYMOUS), bool(ids & (_ANONYMOUS | _LICENSED)))

    async def find_account(self, account_id: str) -> Account | None:
        """Return the account. It is active if Atlassian says so and it may use this Confluence, which a search tells.

        https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-users/
        """
        user = await get_or_none(self._http.get("rest/api/user", {"accountId": account_id}))
        if user is None or read_text(user.get("accountId")) != account_id:
            return None
        if user.get("accountStatus") != "active" or user.get("accountType") != "atlassian":
            return Account(account_id, active=False, guest=True)
        query = f"user.accountid={quote_cql(account_id)}"
        licensed = account_id in [user["accountId"] async for user in self._search_users(query, "none")]
        guest = not licensed and account_id in [
            user["accountId"] async for user in self._search_users(query, "externalCollaborator")
        ]
        return Account(account_id, active=licensed or guest, guest=not licensed)

    async def list_emails(self) -> Emails:
        """Return the addresses that users show to everybody. Cloud shows others only to approved apps, not tokens."""
        found = self._search_users("type=user", "all")
        people = [each async for each in found if each.get("accountType") == "atlassian"]
        told = tuple(
            (email, read_text(each.get("accountId"))) for each in people if (email := read_text(each.get("email")))
        )
        return Emails(told, complete=len(told) == len(people) < _MOST_USERS)

    @property
    def people_per_request(self) -> int:
        return _PEOPLE_AT_ONCE if self._has_bulk else 1

    async def find_people(self, accounts: Collection[str]) -> dict[str, WikiPerson]:
        # https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-user/
        ids = {account: account.removeprefix(_KIND) for account in accounts if account.startswith(_KIND)}
        found: dict[str, Json] = {}
        asked = sorted(ids.values())
        for start in range(0, len(asked), _PEOPLE_AT_ONCE):
            users = await self._read_users(asked[start : start + _PEOPLE_AT_ONCE])
            found |= {read_text(user.get("accountId")): user for user in users}
        # Keys and usernames of Data Center are left over from a migration and identify nobody on Cloud.
        return {account: _make_person(found.get(ids.get(account, ""), {})) for account in accounts}

    async def _read_users(self, account_ids: Sequence[str]) -> list[Json]:
        """Return the users that the account may see, by one request if the site supports that."""
        if self._has_bulk:
            try:
                return read_items(
                    (await self._http.post(f"{V2}/users-bulk", {"accountIds": account_ids})).body, ACCOUNT
                )
            except Refusal as refusal:
                if refusal.status != 404:
                    raise
                self._has_bulk = False
        asked = (get_or_none(self._http.get("rest/api/user", {"accountId": each})) for each in account_ids)
        return [user for user in await run_concurrently(asked) if user is not None]

    async def find_groups(self, account_id: str) -> frozenset[str]:
        parameters: Parameters = {"accountId": account_id, "limit": AT_ONCE_IN_V1}
        listed = iterate_items(self._http.get, self._http.host, "rest/api/user/memberof", parameters, key="name")
        return frozenset([read_text(group["name"]) async for group in listed])

    async def _search_users(self, cql: str, permission: str) -> AsyncIterator[Json]:
        """Yield the users that a search finds. The search index lags by minutes.

        ``permission``: none, externalCollaborator (guests) or all, for ``sitePermissionTypeFilter``.
        """

        async def get(path: str, parameters: Parameters) -> Reply:
            reply = await self._http.get(path, parameters)
            results = reply.body.get("results")
            if not isinstance(results, list):
                raise make_malformed_response_error("a listing without results")
            users = [read_part(each, "user") for each in results if isinstance(each, dict)]
            return replace(reply, body={**reply.body, "results": [user for user in users if user.get("accountId")]})

        parameters: Parameters = {"cql": cql, "sitePermissionTypeFilter": permission, "limit": AT_ONCE_IN_V1}
        async for user in iterate_items(get, self._http.host, "rest/api/search/user", parameters, key="accountId"):
            yield user

    async def _read_group(self, group_id: str) -> str:
        """Return a group's name, or "" for a deleted group, which has no members."""
        return read_text(
            (await get_or_none(self._http.get("rest/api/group/by-id", {"id": group_id})) or {}).get("name")
        )


def _make_person(user: Mapping[str, Any]) -> WikiPerson:
    """Return the person. A deactivated account keeps its name; a closed or invisible one has none.

    Cloud adds "(Deactivated)" to the display name of the former, in the site's language, but not to the public name.
    """
    name, public = read_name(user), " ".join(read_text(user.get("publicName")).split())
    active = user.get("accountStatus") == "active"
    return WikiPerson(public if not active and public and name.startswith(f"{public} (") else name, active)


def _is_read_operation(operation: Mapping[str, Any]) -> bool:
    return operation.get("key") == "read" and operation.get("targetType") == "space"
