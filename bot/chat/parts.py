"""What the server lends to the chat."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bot.operations.operation import Operations
from bot.server.metrics import Metrics
from bot.server.syncs import Sync


@dataclass(frozen=True, slots=True)
class ChatParts:
    """``loaded`` is set when the models are: what comes before is taken in, and waits for them."""

    work: Operations
    sync: Sync
    metrics: Metrics
    loaded: asyncio.Event
