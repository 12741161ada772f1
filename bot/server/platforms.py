"""The chat platforms that the settings name, as services."""

from __future__ import annotations

from dataclasses import dataclass

from bot.server.metrics import Metrics
from bot.server.service import Service
from bot.wiring import Application


@dataclass(frozen=True, slots=True)
class Platforms:
    """``missing``: what a platform that is configured in part still needs, a sentence each."""

    services: tuple[Service, ...] = ()
    missing: tuple[str, ...] = ()


def platforms(application: Application, metrics: Metrics) -> Platforms:
    """Those that are configured; none is of course possible."""
    return Platforms()
