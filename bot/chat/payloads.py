"""What durable work is started with, as JSON."""

from __future__ import annotations

from typing import Any

from core.ports import Place

Json = dict[str, Any]


def place_of(payload: Json) -> Place:
    return Place(**payload["place"])
