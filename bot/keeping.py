"""Keeping a turn, also beside a sync that takes away what it was made from."""

from __future__ import annotations

from bot.wiring import Application
from core.model import Turn


async def keep_turn(application: Application, turn: Turn) -> None:
    """Stores a turn. Of pages that were removed or restricted while it was answered it keeps no words."""
    await application.turns.keep(turn)
