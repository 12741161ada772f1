"""REST v1's JSON: a part is there if it was expanded, and named under ``_expandable`` if it was not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any
from urllib.parse import quote_plus
from zoneinfo import ZoneInfo

from tests.servers.confluence.asked import Asked
from tests.servers.confluence.parts import Group, Page, Restriction, Space, User


def content_json(asked: Asked, page: Page, expands: Callable[[str], bool] | None = None) -> dict[str, Any]:
    """https://developer.atlassian.com/server/confluence/rest/v920/api-group-content-resource/

    ``expands`` says what of it was asked for, where that is not the request's own ``expand``.
    """
    expands = expands or asked.expands

    def above(name: str) -> bool:
        return asked.nests and not name.startswith("ancestors") and expands(f"ancestors.{name}")

    shown: dict[str, Any] = {
        "id": page.page_id, "type": page.kind, "status": page.status, "title": page.title,
        "extensions": {"position": "none"}, "_links": _links(asked, page),
    }  # fmt: skip
    parts: dict[str, tuple[str, Callable[[], Any]]] = {
        "space": (f"/rest/api/space/{page.space}", lambda: space_json(asked, asked.site.spaces[page.space])),
        "version": ("", lambda: _version(asked, page)),
        "history": (f"/rest/api/content/{page.page_id}/history", lambda: _history(asked, page, expands)),
        "ancestors": ("", lambda: [content_json(asked, at, above) for at in asked.site.ancestors(page.page_id)]),
        "body": ("", lambda: _body(asked, page, expands)),
        "metadata": ("", lambda: _metadata(page, expands)),
        "restrictions": (
            f"/rest/api/content/{page.page_id}/restriction/byOperation", lambda: _restrictions(asked, page, expands),
        ),
        "children": (f"/rest/api/content/{page.page_id}/child", lambda: _children(asked, page, expands)),
    }  # fmt: skip
    shown |= {name: rendered() for name, (_, rendered) in parts.items() if expands(name)}
    shown["_expandable"] = {name: path for name, (path, _) in parts.items() if not expands(name)}
    return shown


def restriction_json(
    asked: Asked, page: Page, operation: str, start: int = 0, limit: int | None = None
) -> dict[str, Any]:
    """Who alone may do this to the page. Users and groups are paged together, by the same ``start`` and ``limit``.

    https://developer.atlassian.com/server/confluence/rest/v920/api-group-content-restrictions
    """
    asked.sent.restrictions[page.page_id] += operation == "read"
    named = page.read if operation == "read" else Restriction()
    limit = min(limit or asked.limits.subjects, asked.limits.subjects, asked.limits.cap or asked.limits.subjects)
    users = [user_json(asked, asked.site.users[name]) for name in named.users]
    groups = [group_json(asked, asked.site.groups[name]) for name in named.groups]

    def cut(subjects: list[dict[str, Any]]) -> dict[str, Any]:
        part = subjects[start : start + limit]
        return {"results": part, "start": start, "limit": limit, "size": len(part)}

    path = f"{asked.base}/rest/api/content/{page.page_id}"
    return {
        "operation": operation, "restrictions": {"user": cut(users), "group": cut(groups), "_expandable": {}},
        "_expandable": {"content": f"/rest/api/content/{page.page_id}"},
        "_links": {"self": f"{path}/restriction/byOperation/{operation}"},
    }  # fmt: skip


def space_json(asked: Asked, space: Space) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": int(space.space_id), "key": space.key, "name": space.name, "status": space.status, "type": space.kind,
        "_links": {"webui": f"/display/{space.key}", "self": f"{asked.base}/rest/api/space/{space.key}"},
        "_expandable": {"metadata": "", "icon": "", "description": "", "homepage": ""},
    }  # fmt: skip
    if asked.flavour == "cloud":
        shown |= {"alias": space.key, "_links": {**shown["_links"], "webui": f"/spaces/{space.key}"}}
    return shown


def user_json(asked: Asked, user: User) -> dict[str, Any]:
    """Data Center names people by key and username, without e-mail; Cloud by account id, with it if they allow it.

    https://developer.atlassian.com/cloud/confluence/deprecation-notice-user-privacy-api-migration-guide/
    """
    shown: dict[str, Any] = {
        "type": "known", "displayName": user.display_name,
        "profilePicture": {"path": "/images/default.svg", "width": 48, "height": 48, "isDefault": True},
    }  # fmt: skip
    if asked.flavour == "datacenter":
        link = f"{asked.base}/rest/api/user?key={user.user_key}"
        return shown | {
            "username": user.name, "userKey": user.user_key, "_links": {"self": link}, "_expandable": {"status": ""},
        }  # fmt: skip
    return shown | {
        "accountId": user.account_id, "accountType": "atlassian",
        "accountStatus": "active" if user.active else "inactive",
        "email": user.email if user.email_visible or user.name == asked.me else "", "publicName": user.display_name,
        "timeZone": None, "isExternalCollaborator": False, "_expandable": {"operations": "", "personalSpace": ""},
        "_links": {"self": f"{asked.base}/rest/api/user?accountId={user.account_id}"},
    }  # fmt: skip


def group_json(asked: Asked, group: Group) -> dict[str, Any]:
    if asked.flavour == "datacenter":
        return {
            "type": "group",
            "name": group.name,
            "_links": {"self": f"{asked.base}/rest/api/group/{quote_plus(group.name)}"},
        }
    link = f"{asked.base}/rest/api/group/by-id?id={group.group_id}"
    return {
        "type": "group", "name": group.name, "id": group.group_id, "usageType": "USERBASE_GROUP", "managedBy": "ADMINS",
        "_links": {"self": link},
    }  # fmt: skip


def date(asked: Asked, at: datetime) -> str:
    """In the account's time zone on Data Center, in UTC on Cloud; with milliseconds."""
    local = at.astimezone(ZoneInfo(asked.account.time_zone)) if asked.flavour == "datacenter" else at
    shown = local.isoformat(timespec="milliseconds")
    return shown.replace("+00:00", "Z")


def _version(asked: Asked, page: Page) -> dict[str, Any]:
    by = user_json(asked, asked.site.users[page.editor])
    return {
        "by": by,
        "when": date(asked, page.modified),
        "message": "",
        "number": page.version,
        "minorEdit": False,
        "hidden": False,
    }


def _history(asked: Asked, page: Page, expands: Callable[[str], bool]) -> dict[str, Any]:
    by = user_json(asked, asked.site.users[page.author])
    shown: dict[str, Any] = {"latest": True, "createdBy": by, "createdDate": date(asked, page.created)}
    if expands("history.lastUpdated"):
        return shown | {"lastUpdated": _version(asked, page)}
    return shown | {"_expandable": {"lastUpdated": "", "previousVersion": "", "contributors": "", "nextVersion": ""}}


def _body(asked: Asked, page: Page, expands: Callable[[str], bool]) -> dict[str, Any]:
    formats = [name for name in ("storage", "view", "export_view") if expands(f"body.{name}")]
    asked.sent.bodies[page.page_id] += bool(formats)
    shown = {name: {"value": page.body, "representation": name, "_expandable": {"content": ""}} for name in formats}
    return shown | {"_expandable": {name: "" for name in ("editor", "view", "storage") if name not in formats}}


def _metadata(page: Page, expands: Callable[[str], bool]) -> dict[str, Any]:
    if not expands("metadata.labels"):
        return {"_expandable": {"currentuser": "", "properties": "", "labels": "", "frontend": ""}}
    results = [
        {"prefix": "global", "name": name, "id": str(number), "label": name}
        for number, name in enumerate(page.labels, 1)
    ]
    return {"labels": {"results": results, "start": 0, "limit": 200, "size": len(results)}}


def _restrictions(asked: Asked, page: Page, expands: Callable[[str], bool]) -> dict[str, Any]:
    """Without ``….restrictions.user`` and ``….restrictions.group`` the operation is named, but not who may do it."""
    shown: dict[str, Any] = {"_expandable": {"update": ""}}
    if not expands("restrictions.read"):
        return {"_expandable": {"read": "", "update": ""}}
    shown["read"] = restriction_json(asked, page, "read")
    for subject in ("user", "group"):
        if not expands(f"restrictions.read.restrictions.{subject}"):
            del shown["read"]["restrictions"][subject]
            shown["read"]["restrictions"]["_expandable"][subject] = ""
    if not expands("restrictions.read.restrictions"):
        del shown["read"]["restrictions"]
        shown["read"]["_expandable"]["restrictions"] = ""
    return shown


def _children(asked: Asked, page: Page, expands: Callable[[str], bool]) -> dict[str, Any]:
    if not expands("children.attachment"):
        return {"_expandable": {"attachment": f"/rest/api/content/{page.page_id}/child/attachment"}}
    results = [attachment_json(asked, page, attachment) for attachment in page.attachments[:25]]
    return {"attachment": {"results": results, "start": 0, "limit": 25, "size": len(results)}}


def attachment_json(asked: Asked, page: Page, attachment: Any) -> dict[str, Any]:
    link = f"/download/attachments/{page.page_id}/{quote_plus(attachment.title)}"
    return {
        "id": attachment.attachment_id, "type": "attachment", "status": "current", "title": attachment.title,
        "metadata": {"mediaType": attachment.media_type},
        "extensions": {"mediaType": attachment.media_type, "fileSize": attachment.size, "comment": ""},
        "_links": {"download": link, "self": f"{asked.base}/rest/api/content/{attachment.attachment_id}"},
    }  # fmt: skip


def _links(asked: Asked, page: Page) -> dict[str, str]:
    """Data Center's pretty address only works for titles that have nothing an address must escape."""
    plain = page.title and all(sign.isalnum() or sign in " -_." for sign in page.title)
    webui = (
        f"/display/{page.space}/{quote_plus(page.title)}" if plain else f"/pages/viewpage.action?pageId={page.page_id}"
    )
    if asked.flavour == "cloud":
        webui = f"/spaces/{page.space}/{page.kind}s/{page.page_id}/{quote_plus(page.title)}".rstrip("/")
    return {
        "webui": webui, "edit": f"/pages/resumedraft.action?draftId={page.page_id}", "tinyui": f"/x/{page.page_id}",
        "self": f"{asked.base}/rest/api/content/{page.page_id}",
    }  # fmt: skip
