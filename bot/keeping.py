"""Keeping a turn, also beside a sync that takes away what it was made from."""

from __future__ import annotations

from bot.wiring import Application
from core.model import Turn


async def keep_turn(application: Application, turn: Turn) -> None:
    """Stores a turn. Of pages that were removed while it was answered it keeps no words.

    A removal erases the turns that are stored by then; one that is stored later has to look for itself.
    """
    await application.turns.add(turn)
    used = {ranked.evidence.page_id for ranked in turn.evidences}
    hidden = used - await application.evidences.visible(used, turn.scope)
    gone = [page_id for page_id in sorted(hidden) if await application.pages.page(page_id) is None]
    if gone:
        await application.pages.remove(gone)
