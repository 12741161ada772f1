"""What a server consists of by its settings, and what it says of that when it starts."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot.chat.parts import ChatParts
from bot.operations.operation import LocalOperations
from bot.platforms import Platforms, platforms
from bot.server.metrics import metrics
from bot.server.schedules import ScheduledSyncs
from bot.server.service import Service
from bot.server.serving import Serving, serve
from bot.server.syncs import sync_now
from bot.server.threads import Threads
from bot.server.upkeep import retention_service, upkeep_service
from bot.server.webhooks import Webhooks
from bot.settings import Settings
from bot.settings_changes import record_changed_settings
from bot.webhooks import DATA_CENTER_PATH, RELAY_PATH
from bot.wiring import Application

_SWITCH_SECONDS = 0.0002

logger = logging.getLogger(__name__)


async def start(application: Application) -> None:
    """Serves what the settings name, until SIGTERM or SIGINT. Raises SettingsInvalid and AddressUnavailable."""
    # SQLite gives up Python's lock at every row; who wants it back waits this long while another thread computes.
    sys.setswitchinterval(_SWITCH_SECONDS)
    serving = Serving(metrics(), Threads())
    sync = sync_now(application, serving.metrics)
    work = LocalOperations(application)
    with platforms(application, ChatParts(work, sync, serving.metrics, serving.loaded)) as chat:
        await _serve(application, serving, chat)


async def _serve(application: Application, serving: Serving, chat: Platforms) -> None:
    settings = application.settings
    await record_changed_settings(application)
    services: list[Service] = [*chat.services, upkeep_service(application)]
    if settings.retention_days or settings.audit_days:
        services.append(retention_service(application))
    if settings.confluence_url:
        if settings.webhook_secret.get_secret_value():
            services.append(Webhooks(application, serving.metrics))
        if settings.schedules:
            services.append(ScheduledSyncs(settings.schedules, application.spaces, chat.sync))

    def announce(address: str) -> None:
        for line in announcement(settings, address, chat, services):
            logger.info(line)

    await serve(application, services, replace(serving, on_listening=announce))


def announcement(settings: Settings, address: str, chat: Platforms, services: Sequence[Service]) -> Iterator[str]:
    """What is served where, and what is missing, in plain words."""
    names = {service.name for service in services}
    yield f"Serving {settings.data_dir.resolve()} at {address}: /healthz, /readyz and /metrics."
    if settings.base_url:
        yield f"People and other programs reach it at {settings.base_url}."
    if chat.names:
        yield f"Chat: {', '.join(chat.names)}."
    else:
        yield "No chat platform is configured: nobody can ask in a chat. Commands are served all the same."
    yield from chat.missing
    if "webhooks" in names:
        yield f"Confluence's webhooks are taken at {DATA_CENTER_PATH} and {RELAY_PATH}."
    elif settings.webhook_secret.get_secret_value():
        yield "WIKIWHY_WEBHOOK_SECRET is set, but no Confluence: no webhooks are taken. Set WIKIWHY_CONFLUENCE_URL."
    if "schedules" in names:
        yield f"These spaces are synced by schedule: {', '.join(sorted(settings.schedules))}."
    elif settings.schedules:
        yield "WIKIWHY_SYNC_SCHEDULE is set, but no Confluence: nothing is synced. Set WIKIWHY_CONFLUENCE_URL."
    elif settings.confluence_url:
        yield "No space is synced by itself: WIKIWHY_SYNC_SCHEDULE is not set. `wikiwhy sync confluence KEY…` syncs."
    yield "Other commands with this data directory hand their work to this server."
