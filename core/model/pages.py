"""Pages of a wiki, with their facts, comments and attached files; references from page to page."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

ReadRestrictions = tuple[frozenset[str], ...]
"""One set of principals per restricted page on the way from the space's root, see :class:`Page`."""

NOBODY: ReadRestrictions = (frozenset(),)
"""The read restrictions of a page that nobody may read."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What is known about a page besides its text. "", None and () mean "unknown" or "none".

    People are given by name; the ``…_account`` fields have their accounts, in the form of :class:`NamedPerson`.
    """

    owner: str = ""
    creator: str = ""
    created: date | None = None
    editor: str = ""  # who made the last change
    updated: date | None = None
    version: int | None = None  # increases with each change
    labels: tuple[str, ...] = ()
    files: tuple[str, ...] = ()  # names of attached files
    comments: int | None = None  # the number of comments
    commenters: tuple[str, ...] = ()
    licence: str = ""  # the text of the copyright or licence banner
    owner_account: str = ""
    creator_account: str = ""
    editor_account: str = ""
    # Of a space's home page only:
    space_name: str = ""
    space_owner_account: str = ""
    space_creator: str = ""
    space_creator_account: str = ""

    @property
    def accounts(self) -> tuple[str, ...]:
        """The known accounts, without duplicates."""
        of_page = (self.owner_account, self.creator_account, self.editor_account)
        known = (*of_page, self.space_owner_account, self.space_creator_account)
        return tuple(dict.fromkeys(account for account in known if account))


@dataclass(frozen=True, slots=True)
class NamedPerson:
    """A person whom a page mentions. ``account`` is the id as the page has it, with its kind: ``userkey:2c9d…``."""

    account: str
    name: str


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment: below a page (footer comment) or about a stretch of its text (inline comment)."""

    comment_id: str
    content: str  # Confluence storage format
    author: str = ""  # a name
    author_account: str = ""  # as in :class:`NamedPerson`
    date: str = ""  # when it was written, ISO 8601
    url: str = ""
    parent_id: str = ""  # the comment that this one replies to; "" for the first of a thread
    version: str = ""  # opaque: differs after every change, including when the comment is resolved
    marked: str = ""  # the stretch of the page's text that an inline comment is about
    resolved: bool = False


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file that is attached to a page."""

    file_id: str
    name: str
    version: str = ""  # opaque: differs after every change; "" if the next sync has to read the file again
    url: str = ""
    content: str = ""  # its text in Confluence storage format; "" if files of its kind are not read
    problem: str = ""  # why the file, or a part of it, could not be read


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a wiki.

    ``read_restrictions`` has one set of principals for each restricted page on the path from the space's root to this
    page. A reader needs at least one principal of EVERY set. Without restrictions, everybody who may read the space may
    read the page.
    """

    page_id: str
    space: str
    title: str
    url: str
    content: str  # Confluence storage format
    date: str = ""  # when it was last modified, ISO 8601
    read_restrictions: ReadRestrictions = ()
    author: str = ""  # an account
    labels: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()  # names of files
    version: str = ""  # version of this content, as in :class:`core.ports.wiki.ListedPage`; "" if unknown
    facts: PageFacts = field(default_factory=PageFacts)  # from the wiki; of a stored page also from its byline
    comments: tuple[Comment, ...] = ()  # in the order in which they were written
    posted: str = ""  # when a blog post was published, ISO 8601; "" for other pages
    files: tuple[AttachedFile, ...] = ()  # with their texts; () if files are not read


@dataclass(frozen=True, slots=True)
class PageReference:
    """A page as another page refers to it: by space key and title."""

    space: str
    title: str


@dataclass(frozen=True, slots=True, order=True)
class LinkTarget:
    """What an address leads to, as far as the address tells."""

    page_id: str
    kind: str = ""  # "pages", "blog", "folder", "database", "whiteboard" or "embed"; "" if unknown
    space: str = ""  # key; "" if unknown


@dataclass(frozen=True, slots=True)
class PageTree:
    """The pages below a root page, down to ``levels`` levels; the root page itself for 0 levels."""

    root: str | PageReference  # a page id, or a reference
    levels: int


@dataclass(frozen=True, slots=True)
class PageQuery:
    """The pages that a report, a page list or a smart link selects."""

    labels: tuple[frozenset[str], ...]  # a page needs one label of each set; lower case
    spaces: frozenset[str]  # empty for any space if ``tree`` is given
    tree: PageTree | None = None  # only pages of this tree
