from __future__ import annotations

from tests.transcripts.conftest import settings
from tests.transcripts.teams.conftest import bot, teams, tenant

__all__ = ["bot", "settings", "teams", "tenant"]
