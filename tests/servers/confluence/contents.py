"""Sites with something in them: a folder of documents, many short pages, odd pages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.servers.confluence.site import Site

_START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


def from_documents(folder: Path, site: Site | None = None) -> Site:
    """The pages of a documents folder (``id, title, url, content, space, date``), by the page number in their URL."""
    site = site or Site()
    for path in sorted(folder.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["space"] not in site.spaces:
            site.add_space(document["space"])
        found = re.search(r"/pages/(\d+)", document["url"])
        number = found[1] if found and found[1] not in site.pages else None
        modified = datetime.fromisoformat(document["date"]).replace(tzinfo=UTC)
        place = document["space"], document["title"], document["content"]
        labels = document.get("labels", [])
        page = site.add_page(*place, page_id=number, modified=modified, labels=labels)
        _add_comments(site, page.page_id, document.get("comments", []))
        for attached in document.get("attachments", []):
            path = folder / attached["file"]
            site.attach(page.page_id, path.name, path.read_bytes())
        for account_id, name in document.get("people", {}).items():
            site.add_user(account_id, name, everyone=False).account_id = account_id
    return site


def _add_comments(site: Site, page_id: str, documents: Sequence[Mapping[str, Any]]) -> None:
    """The ``comments`` of a document, by people of the same names."""
    ids: dict[str, str] = {}
    for document in documents:
        name = document["author"]
        if name not in site.users:
            site.add_user(name, name)
        comment = site.add_comment(
            page_id,
            document["content"],
            author=name,
            parent=ids.get(document.get("parent", "")),
            marked=document.get("marked", ""),
            written=datetime.fromisoformat(document["date"]).replace(tzinfo=UTC),
        )
        ids[document["id"]] = comment.comment_id


def many_pages(count: int, key: str = "BIG", site: Site | None = None, per_parent: int = 50, first: int = 0) -> Site:
    """A space of ``count`` short pages with distinct texts, in a tree of ``per_parent`` children each.

    ``first``: the number of the first page.
    """
    site = site or Site()
    site.add_space(key)
    numbers = [str(10_000_000 + first + number) for number in range(count)]
    for number, page_id in enumerate(numbers, first):
        body = f"<p>Tower {number} strikes at {number % 24}:{number % 60:02}. Its tenor weighs {number + 400} kg.</p>"
        parent = numbers[(number - first - 1) // per_parent] if number > first else None
        modified = _START + timedelta(minutes=number)
        site.add_page(key, f"Tower {number}", body, page_id=page_id, parent=parent, modified=modified)
    return site


ODD = {
    "broken storage format": ("Broken", "<p>Open <strong>never closed</p><ac:link>"),
    "not XML at all": ("Ampersands & angles", "a < b && c > d <<<"),
    "empty title": ("", "<p>A page without a title.</p>"),
    "title used twice": ("Meeting notes", "<p>The first of the name.</p>"),
    "title used twice, again": ("Meeting notes", "<p>The second of the name.</p>"),
    "unknown macro": (
        "Unknown macro",
        '<ac:structured-macro ac:name="acme-widget" ac:schema-version="1"><ac:parameter ac:name="colour">red'
        "</ac:parameter><ac:rich-text-body><p>Text inside the widget.</p></ac:rich-text-body></ac:structured-macro>",
    ),
    "empty body": ("Nothing here", ""),
    "control characters": ("Control", "<p>bell \x07 and nul \x00 inside</p>"),
}
"""Odd pages by what is odd: title and body."""


def odd_pages(site: Site, key: str = "ODD", big: int = 5_000_000) -> dict[str, str]:
    """Adds a space of odd pages and an empty space ``EMPTY``. Returns the page ids by what is odd.

    ``big`` is the length of the big body in characters; 0 leaves that page out.
    """
    site.add_space(key)
    site.add_space("EMPTY")
    ids = {oddity: site.add_page(key, title, body).page_id for oddity, (title, body) in ODD.items()}
    if big:
        sentence = "<p>The great bell rings on the hour, and the little one a minute later.</p>\n"
        ids["big body"] = site.add_page(key, "Big", sentence * (big // len(sentence) + 1)).page_id
    ids["missing ancestor"] = site.add_page(key, "Orphan", "<p>My parent is gone.</p>", parent="999999999").page_id
    ids["cycle"] = site.add_page(key, "Ouroboros", "<p>My parent is my child.</p>").page_id
    ids["cycle, below"] = site.add_page(key, "Tail", "<p>My child is my parent.</p>", parent=ids["cycle"]).page_id
    site.pages[ids["cycle"]].parent_id = ids["cycle, below"]
    ids["its own parent"] = site.add_page(key, "Narcissus", "<p>I am my parent.</p>").page_id
    site.pages[ids["its own parent"]].parent_id = ids["its own parent"]
    ids["archived"] = site.add_page(key, "Archived", "<p>Was current once.</p>").page_id
    site.archive(ids["archived"])
    ids["trashed"] = site.add_page(key, "Trashed", "<p>Was current once.</p>").page_id
    site.trash(ids["trashed"])
    ids["draft"] = site.add_page(key, "Draft", "<p>Will be current one day.</p>").page_id
    site.pages[ids["draft"]].status = "draft"
    return ids
