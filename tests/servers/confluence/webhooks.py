"""What Data Center posts to a webhook, signed as it signs.

https://developer.atlassian.com/server/confluence/webhooks/
"""

from __future__ import annotations

import hashlib
import hmac
import json

from tests.servers.confluence.site import Site


def webhook(site: Site, event: str, page_id: str, secret: str) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of one delivery: ``page_updated``, ``page_trashed``, ``page_moved``, … of a page."""
    page = site.pages[page_id]
    about = {
        "id": int(page_id), "title": page.title, "spaceKey": page.space, "version": page.version,
        "creatorKey": site.users[page.author].user_key, "lastModifierKey": site.users[page.editor].user_key,
        "creationDate": int(page.created.timestamp() * 1000), "modificationDate": int(page.modified.timestamp() * 1000),
    }  # fmt: skip
    timestamp = int(site.clock().timestamp() * 1000)
    delivery = {"timestamp": timestamp, "event": event, "userKey": site.users[page.editor].user_key, "page": about}
    body = json.dumps(delivery).encode()
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return body, {"Content-Type": "application/json", "X-Hub-Signature": f"sha256={signature}"}
