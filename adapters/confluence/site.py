"""The interface of both flavours, and helpers that read their responses."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Collection, Coroutine, Iterable, Mapping
from datetime import date
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

from adapters.confluence.failures import NotAsListed, Refusal, make_malformed_response_error
from adapters.confluence.http import Json, Reply
from core.errors import SpaceUnknown
from core.model import LinkTarget, NamedPerson, Page
from core.ports.wiki import Account, Emails, ListedPage, SpaceReaders, WikiPerson

T = TypeVar("T")

# NUL ends texts early in C libraries; lone surrogates cannot be stored as UTF-8.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class People(Protocol):
    """The accounts and groups of one Confluence. All methods raise Refusal."""

    @property
    def people_per_request(self) -> int: ...

    async def find_people(self, accounts: Collection[str]) -> dict[str, WikiPerson]: ...

    async def find_account(self, account_id: str) -> Account | None: ...

    async def list_emails(self) -> Emails: ...

    async def find_groups(self, account_id: str) -> frozenset[str]: ...


class Site(Protocol):
    """One Confluence. All methods raise :class:`adapters.confluence.failures.Refusal`."""

    @property
    def people(self) -> People: ...

    async def list_spaces(self) -> list[str]: ...

    async def list_pages(self, space: str) -> list[ListedPage]:
        """Return all current pages of a space, without bodies. Raises SpaceUnknown."""

    async def list_linked(self, space: str, targets: Collection[LinkTarget]) -> list[ListedPage]:
        """Return those of the folders and the like that are in a space, best after :meth:`list_pages` of the space."""

    async def find_page(self, page_id: str) -> ListedPage | None:
        """Return one page without its body, or None if there is no such current page for the account."""

    async def read_page(self, listed: ListedPage) -> Page:
        """Return one page with body, version, and the readers of that version. Raises NotAsListed."""

    async def find_readers(self, space: str) -> SpaceReaders:
        """Return the readers of a space. Raises SpaceUnknown."""


def read_text(value: object) -> str:
    """Return a field's text without characters that cannot be stored, or "" if it is missing."""
    return _UNSTORABLE.sub("", value) if isinstance(value, str) else ""


def read_title(item: Mapping[str, Any]) -> str:
    """Return a page's title in one line, or a name for a page without title."""
    return " ".join(read_text(item.get("title")).split()) or f"Untitled page {item.get('id')}"


def read_part(value: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the object at a path of names, or {}: optional parts of a response are often missing."""
    at: object = value
    for name in names:
        at = at.get(name) if isinstance(at, dict) else None
    return dict(at) if isinstance(at, dict) else {}


def read_names(items: object, key: str) -> tuple[str, ...]:
    """Return one text field of each object in a list, in order, without empty ones and duplicates."""
    found = [read_text(item.get(key)) for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    return tuple(dict.fromkeys(name for name in found if name))


def select_label_names(labels: object) -> tuple[str, ...]:
    """Return the names of labels, without those that only the syncing account sees, such as favourites."""
    listed = [item for item in labels if isinstance(item, dict)] if isinstance(labels, list) else []
    return read_names([item for item in listed if item.get("prefix", "global") == "global"], "name")


def read_labels(item: Mapping[str, Any]) -> frozenset[str] | None:
    """Return all labels of a page from v1 with expanded labels, or None if there may be more."""
    labels = read_part(item, "metadata", "labels")
    results, limit = labels.get("results"), labels.get("limit")
    if not isinstance(results, list) or not isinstance(limit, int) or len(results) >= limit:
        return None
    return frozenset(select_label_names(results))


def read_version_number(item: Mapping[str, Any]) -> int:
    """Return the number of a page's version. Raises Refusal if it is missing."""
    number = read_part(item, "version").get("number")
    if not isinstance(number, int):
        raise make_malformed_response_error("a page without its version")
    return number


def make_version(item: Mapping[str, Any], moment: str) -> str:
    """Return a version that changes with a page's text or title. ``moment``: the field with the version's time."""
    time = read_text(read_part(item, "version").get(moment))
    return f"{read_version_number(item)} {time} {read_text(item.get('title'))}"


def read_day(moment: object) -> date | None:
    """Return the day of a time in ISO 8601, or None."""
    try:
        return date.fromisoformat(read_text(moment)[:10])
    except ValueError:
        return None


def read_body(item: Mapping[str, Any]) -> str:
    """Return a page's body in storage format. Raises Refusal if it is missing, which does not mean an empty page."""
    value = read_part(item, "body", "storage").get("value")
    if not isinstance(value, str):
        raise make_malformed_response_error("a page without its body")
    return read_text(value)


def make_page_url(item: Mapping[str, Any], fallback: str) -> str:
    """Return the address of a page for people: Confluence's base URL with the page's ``webui`` link."""
    links = read_part(item, "_links")
    root, webui = links.get("base"), links.get("webui")
    if not isinstance(root, str) or urlsplit(root).scheme not in {"http", "https"}:
        root = fallback
    if not isinstance(webui, str) or not webui.startswith("/"):
        return ""
    return f"{read_text(root).rstrip('/')}{read_text(webui)}"


def check_location(found_space: str, listed: ListedPage, status: str) -> None:
    """Raise NotAsListed if a page that was read is not where it was listed."""
    if status not in {"", "current"}:
        raise NotAsListed(f"now has page {listed.page_id} as {status}", "Sync again.")
    if found_space != listed.space:
        raise NotAsListed(f"now has page {listed.page_id} in another space", "Sync again.")


def make_changing_page_error(page_id: str) -> Refusal:
    """Make the error for a page that differed each time it was read, so that its readers are not certain."""
    return Refusal(f"returned page {page_id} in another version each time it was read", "Sync again.")


def make_unknown_space_error(space: str, host: str, known: Iterable[str]) -> SpaceUnknown:
    """Make the error for a space that does not exist for this account."""
    readable = sorted(known)
    shown = ", ".join(readable[:10]) + (f" and {len(readable) - 10} more" if len(readable) > 10 else "")
    return SpaceUnknown(
        f"Confluence at {host} has no space {space}, or the account may not read it. Check the key, and give the "
        f"account permission to view the space. Spaces that it may read: {shown or 'none'}. If the space was deleted, "
        f"run: wikiwhy forget {space}"
    )


def read_name(user: Mapping[str, Any]) -> str:
    """Return a user's name in one line; "" for a closed or deleted account, which has a text in place of a name.

    Cloud has a public name for users who hide their full one.
    """
    if user.get("type") == "unknown" or user.get("accountStatus") in {"closed", "unknown"}:
        return ""
    return " ".join((read_text(user.get("displayName")) or read_text(user.get("publicName"))).split())


def read_editor(item: Mapping[str, Any]) -> NamedPerson | None:
    """Return who made a page's version, if the listing names the person, as v1 does."""
    user = read_part(item, "version", "by")
    account, name = make_account("userkey", user.get("userKey")), read_name(user)
    return NamedPerson(account, name) if account and name else None


def make_account(kind: str, user_id: object) -> str:
    """Return an account in the form of :class:`core.model.NamedPerson`, or ""."""
    return f"{kind}:{user_id}" if isinstance(user_id, str) and user_id else ""


def quote_cql(value: str) -> str:
    """Quote a text for CQL."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


async def get_or_none(asking: Awaitable[Reply] | Awaitable[Json]) -> Json | None:
    """Return the response, or None if the object does not exist for the account."""
    try:
        answer = await asking
        return answer.body if isinstance(answer, Reply) else answer
    except Refusal as refusal:
        if refusal.status != 404:
            raise
        return None


async def run_concurrently(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Return the results in order. The first error cancels the rest and is raised itself, not in a group."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in work]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]
