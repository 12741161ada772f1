from __future__ import annotations

from tests.bot.cli.conftest import data, no_settings_from_outside, pristine, synced_once

__all__ = ["data", "no_settings_from_outside", "pristine", "synced_once"]
