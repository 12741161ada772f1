"""Accounts, as each flavour tells them.

Cloud: https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-users/ and ``api-group-search/``.
Data Center: https://developer.atlassian.com/server/confluence/rest/v1020/api-group-user/ and
``api-group-admin-users/``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from adapters.confluence.failures import Refusal, make_malformed_response_error
from adapters.confluence.http import Http, Json, Parameters, Reply
from adapters.confluence.paging import items
from adapters.confluence.site import part, text
from core.ports.wiki import Account, Emails

_AT_ONCE = 200
_MOST_FOUND = 10_000  # by Cloud's search for users
_MEMBER_OF = "rest/api/user/memberof"
_USER = "rest/api/user"
_SEARCH = "rest/api/search/user"
_LICENSED, _GUESTS = "none", "externalCollaborator"  # values of the search's sitePermissionTypeFilter


async def cloud_account(http: Http, account_id: str) -> Account | None:
    """An account is active if Atlassian has it as such, and if it may use this Confluence, which the search tells."""
    user = await _user(http, {"accountId": account_id})
    if user is None or text(user.get("accountId")) != account_id:
        return None
    if user.get("accountStatus") != "active" or user.get("accountType") != "atlassian":
        return Account(account_id, active=False, guest=True)
    query = f'user.accountid="{_quote(account_id)}"'
    licensed = await _is_found(http, query, _LICENSED, account_id)
    guest = not licensed and await _is_found(http, query, _GUESTS, account_id)
    return Account(account_id, active=licensed or guest, guest=not licensed)


async def cloud_emails(http: Http) -> Emails:
    """Those that their owners show to everybody: Cloud tells others to approved apps alone, which a token is not."""
    people = [each async for each in _search_users(http, "type=user", "all") if each.get("accountType") == "atlassian"]
    told = tuple((text(each.get("email")), text(each.get("accountId"))) for each in people if text(each.get("email")))
    return Emails(told, complete=len(told) == len(people) < _MOST_FOUND)


async def cloud_groups(http: Http, account_id: str) -> frozenset[str]:
    return await _groups(http, {"accountId": account_id, "limit": _AT_ONCE})


async def data_center_account(http: Http, username: str) -> Account | None:
    user = await _user(http, {"username": username, "expand": "status"})
    name = text(user.get("username")) if user else ""
    return Account(name, active=bool(user) and user.get("status") == "current") if user and name else None


async def data_center_emails(http: Http) -> Emails:
    """From Confluence 9.4 on, and for administrators alone. It lists the active accounts, all with their addresses."""
    path = "rest/api/admin/users/list/active"
    listed = items(http.get, http.host, path, {"limit": _AT_ONCE}, key="username")
    people = [each async for each in listed]
    told = tuple((text(each.get("email")), str(each["username"])) for each in people if text(each.get("email")))
    return Emails(told, complete=len(told) == len(people))


async def data_center_groups(http: Http, username: str) -> frozenset[str]:
    return await _groups(http, {"username": username, "limit": _AT_ONCE})


async def _user(http: Http, parameters: Parameters) -> Json | None:
    try:
        return (await http.get(_USER, parameters)).body
    except Refusal as refusal:
        if refusal.status != 404:
            raise
        return None


async def _groups(http: Http, parameters: Parameters) -> frozenset[str]:
    listed = items(http.get, http.host, _MEMBER_OF, parameters, key="name")
    return frozenset([text(group["name"]) async for group in listed])


async def _is_found(http: Http, cql: str, permission: str, account_id: str) -> bool:
    return account_id in [text(user.get("accountId")) async for user in _search_users(http, cql, permission)]


async def _search_users(http: Http, cql: str, permission: str) -> AsyncIterator[Json]:
    """The users that Cloud's search finds. The index follows changes within minutes."""

    async def get(path: str, parameters: Parameters) -> Reply:
        reply = await http.get(path, parameters)
        results = reply.body.get("results")
        if not isinstance(results, list):
            raise make_malformed_response_error("a listing without results")
        users = [part(each, "user") for each in results if isinstance(each, dict)]
        return replace(reply, body={**reply.body, "results": [user for user in users if user.get("accountId")]})

    parameters: Parameters = {"cql": cql, "sitePermissionTypeFilter": permission, "limit": _AT_ONCE}
    async for user in items(get, http.host, _SEARCH, parameters, key="accountId"):
        yield user


def _quote(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
