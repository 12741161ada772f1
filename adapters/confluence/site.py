"""What the two flavours have in common, seen from the wiki port."""

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
from core.model import Page
from core.ports.wiki import Account, Emails, ListedPage, SpaceReaders, WikiPerson

T = TypeVar("T")

# NUL cuts texts short in C libraries; lone surrogates cannot be stored as UTF-8.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Site(Protocol):
    """One Confluence. Each method raises :class:`adapters.confluence.failures.Refusal`."""

    async def spaces(self) -> list[str]: ...

    async def pages(self, space: str) -> list[ListedPage]:
        """All current pages of a space, without their bodies. Raises SpaceUnknown."""
        ...

    async def find(self, page_id: str) -> ListedPage | None:
        """One page without its body, None if there is no such current page, or not for the account."""
        ...

    async def page(self, listed: ListedPage) -> Page:
        """One page with its body, its version and the readers of that version. Raises NotAsListed."""
        ...

    async def readers(self, space: str) -> SpaceReaders:
        """Who may read a space. Raises SpaceUnknown."""
        ...

    async def account(self, account_id: str) -> Account | None: ...

    async def emails(self) -> Emails: ...

    async def groups(self, account_id: str) -> frozenset[str]: ...

    @property
    def people_at_once(self) -> int: ...

    async def people(self, accounts: Collection[str]) -> dict[str, WikiPerson]: ...


def text(value: object) -> str:
    """A field's text as it can be stored, "" where the field is missing."""
    return _UNSTORABLE.sub("", value) if isinstance(value, str) else ""


def title_of(item: Mapping[str, Any]) -> str:
    """A page's title on one line; a name for one that has none."""
    return " ".join(text(item.get("title")).split()) or f"Untitled page {item.get('id')}"


def part(value: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The object at a path of names, empty where there is none: optional parts of an answer are often missing."""
    at: object = value
    for name in names:
        at = at.get(name) if isinstance(at, Mapping) else None
    return dict(at) if isinstance(at, Mapping) else {}


def names(items: object, key: str) -> tuple[str, ...]:
    """One text field of each object in a list, without empty ones, in order."""
    found = [text(item.get(key)) for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    return tuple(dict.fromkeys(name for name in found if name))


def label_names(labels: object) -> tuple[str, ...]:
    """The names in a list of labels, without those that the syncing account alone sees, such as its favourites."""
    listed = [item for item in labels if isinstance(item, dict)] if isinstance(labels, list) else []
    return names([item for item in listed if item.get("prefix", "global") == "global"], "name")


def read_labels(item: Mapping[str, Any]) -> frozenset[str] | None:
    """All labels of a page that v1 gave with them expanded; None where there may be more."""
    labels = part(item, "metadata", "labels")
    results, limit = labels.get("results"), labels.get("limit")
    if not isinstance(results, list) or not isinstance(limit, int) or len(results) >= limit:
        return None
    return frozenset(label_names(results))


def version_number(item: Mapping[str, Any]) -> int:
    """The number of a page's version. Raises Refusal where there is none."""
    number = part(item, "version").get("number")
    if not isinstance(number, int):
        raise make_malformed_response_error("a page without its version")
    return number


def version_of(item: Mapping[str, Any], moment: str) -> str:
    """Changes with a page's text or its title. ``moment``: the field with the time of its version."""
    return f"{version_number(item)} {text(part(item, 'version').get(moment))} {text(item.get('title'))}"


def day_of(moment: object) -> date | None:
    """The day of a time in ISO 8601, None where there is none."""
    try:
        return date.fromisoformat(text(moment)[:10])
    except ValueError:
        return None


def storage_body(item: Mapping[str, Any]) -> str:
    """A page's body in storage format. Raises Refusal where there is none: that is not an empty page."""
    value = part(item, "body", "storage").get("value")
    if not isinstance(value, str):
        raise make_malformed_response_error("a page without its body")
    return text(value)


def page_url(item: Mapping[str, Any], fallback: str) -> str:
    """The address of a page for people: Confluence's own base address with the page's ``webui``."""
    links = part(item, "_links")
    root, webui = links.get("base"), links.get("webui")
    if not isinstance(root, str) or urlsplit(root).scheme not in {"http", "https"}:
        root = fallback
    if not isinstance(webui, str) or not webui.startswith("/"):
        return ""
    return f"{text(root).rstrip('/')}{text(webui)}"


def check_place(found_space: str, listed: ListedPage, status: str) -> None:
    """Raises NotAsListed where a page that was read is not where it was listed."""
    if status not in {"", "current"}:
        raise NotAsListed(f"has page {listed.page_id} as {status} by now", "Sync again.")
    if found_space != listed.space:
        raise NotAsListed(f"has page {listed.page_id} in another space by now", "Sync again.")


def changes_too_often(page_id: str) -> Refusal:
    """A page that was another one each time it was read, so that nothing says who may read which of its versions."""
    return Refusal(f"gave page {page_id} in another version each time it was read", "Sync again.")


def make_unknown_space_error(space: str, host: str, known: Iterable[str]) -> SpaceUnknown:
    """No space of that key, for this account."""
    readable = sorted(known)
    shown = ", ".join(readable[:10]) + (f" and {len(readable) - 10} more" if len(readable) > 10 else "")
    return SpaceUnknown(
        f"Confluence at {host} has no space {space}, or the account may not read it. Check the key, and give the "
        f"account permission to view the space. Spaces that it may read: {shown or 'none'}. If the space was deleted, "
        f"run: wikiwhy forget {space}"
    )


def name_of(user: Mapping[str, Any]) -> str:
    """What a user is called, on one line; Cloud has a public name for those who hide their full one.

    "" for an account that was closed or deleted, of which Confluence gives words of its own in place of a name.
    """
    if user.get("type") == "unknown" or user.get("accountStatus") in {"closed", "unknown"}:
        return ""
    return " ".join((text(user.get("displayName")) or text(user.get("publicName"))).split())


def account_of(kind: str, user_id: object) -> str:
    """An account as :class:`core.model.NamedPerson` has it, "" where there is none."""
    return f"{kind}:{user_id}" if isinstance(user_id, str) and user_id else ""


def quote_cql(value: str) -> str:
    """A text within CQL."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


async def get_or_none(asking: Awaitable[Reply] | Awaitable[Json]) -> Json | None:
    """What was asked for, None if there is no such thing, or not for the account."""
    try:
        answer = await asking
        return answer.body if isinstance(answer, Reply) else answer
    except Refusal as refusal:
        if refusal.status != 404:
            raise
        return None


async def concurrently(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results in order. The first error ends the rest and is raised as it is, not in a group."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in work]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]
