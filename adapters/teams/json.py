"""Activities as JSON (https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference)."""

from __future__ import annotations

import json
from typing import Any

from core.views.document import units

Json = dict[str, Any]


def serialise_activity(activity: Json) -> bytes:
    """An activity as it is sent."""
    return json.dumps(activity, ensure_ascii=False, separators=(",", ":")).encode()


def size(item: object) -> int:
    """Bytes of a part of an activity in UTF-16, in which Teams counts them."""
    return 2 * units(json.dumps(item, ensure_ascii=False, separators=(",", ":")))
