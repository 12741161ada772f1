"""What a Confluence site is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Status = Literal["current", "archived", "trashed", "draft"]


@dataclass
class User:
    """``name`` is the handle that tests use; Data Center calls it username, Cloud shows it nowhere."""

    name: str
    account_id: str
    user_key: str
    display_name: str
    email: str
    email_visible: bool = False  # on Cloud a profile setting of the user's own
    time_zone: str = "UTC"
    active: bool = True
    super_user: bool = False  # of Data Center's super group: no restriction holds
    guest: bool = False  # of Cloud: sees the spaces that name it, and is no licensed user


@dataclass
class Group:
    name: str
    group_id: str
    members: list[str] = field(default_factory=list)  # names of users


@dataclass
class Restriction:
    """Who alone may read; nobody named means that the page inherits."""

    users: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.users or self.groups)


@dataclass
class Space:
    space_id: str
    key: str
    name: str
    kind: str = "global"
    status: str = "current"
    readers: Restriction = field(default_factory=Restriction)  # nobody named: nobody, unless anonymous
    anonymous: bool = False
    homepage_id: str | None = None


@dataclass
class Attachment:
    attachment_id: str
    title: str
    media_type: str = "application/octet-stream"
    size: int = 0


@dataclass
class Page:
    """``created`` and ``modified`` are UTC. ``kind`` is ``folder`` for what only Cloud has: a parent without a text."""

    page_id: str
    space: str  # its key
    title: str
    body: str
    created: datetime
    modified: datetime
    author: str
    editor: str
    parent_id: str | None = None
    version: int = 1
    status: Status = "current"
    labels: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    read: Restriction = field(default_factory=Restriction)
    kind: Literal["page", "folder"] = "page"
