"""What a server consists of by its settings, and what it logs about that when it starts."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from adapters.slack.calls import SlackCalls
from adapters.slack.platform import SlackPlatform
from adapters.teams.connector import Connector
from adapters.teams.credentials import Credentials
from adapters.teams.platform import TeamsPlatform
from bot.audit import record_changed_settings
from bot.chat.connect import DurableWork, open_chat
from bot.coordination.bots import AUDIENCES, PEOPLE
from bot.coordination.several_bots import OneOfSeveral
from bot.durable import Durable
from bot.maintenance import remove_old_daily, tend_files_regularly
from bot.server.heartbeat import Heartbeat
from bot.server.hints import webhook_service
from bot.server.metrics import Metrics
from bot.server.sampling import Sampling
from bot.server.service import BackgroundService, Service
from bot.server.serving import Serving, Threads, serve
from bot.server.syncs import ScheduledSync, ScheduledSyncs, Sync, sync_now
from bot.server.webhooks import DATA_CENTER_PATH, RELAY_PATH
from bot.settings import Settings
from bot.slack import Slack, SlackListener, find_missing_slack_settings, has_slack
from bot.teams.chat_sessions import ChatSessions
from bot.teams.listener import TeamsListener
from bot.teams.service import Teams, find_missing_teams_settings, has_teams, registration
from bot.wiring import Application, now
from core.chat.requests import SyncRequest, sync_key
from core.ports.chat import ChatPlatform, Platform

_SWITCH_SECONDS = 0.0002

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ChatPlatforms:
    """The services of the platforms that are configured, and of the durable work that they and schedules start.

    ``missing``: what a platform that is configured in part still needs, a sentence each.
    """

    services: tuple[Service, ...]
    sync: ScheduledSync
    durable: Durable
    names: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


async def start(application: Application) -> None:
    """Serves what the settings name, until SIGTERM or SIGINT. Raises SettingsInvalid and AddressUnavailable."""
    # SQLite releases Python's lock at every row, and gets it back after this long while another thread computes.
    sys.setswitchinterval(_SWITCH_SECONDS)
    serving = Serving(Metrics(), Threads())
    sync = sync_now(application, serving.metrics)
    with open_platforms(application, sync=sync, metrics=serving.metrics, loaded=serving.loaded) as chat:
        await record_changed_settings(application)
        services = _services(application, serving, chat)

        def announce(address: str) -> None:
            for line in announcement(application.settings, address, chat, services):
                logger.info(line)

        await serve(application, services, replace(serving, on_listening=announce))


def _services(application: Application, serving: Serving, chat: ChatPlatforms) -> list[Service]:
    settings = application.settings
    services: list[Service] = [
        *chat.services,
        BackgroundService("metrics", Sampling(application, chat.durable, serving.metrics).run),
        BackgroundService("upkeep", partial(tend_files_regularly, application)),
    ]
    if settings.retention_days or settings.audit_days:
        services.append(BackgroundService("retention", partial(remove_old_daily, application)))
    if settings.confluence_url and settings.webhook_secret.get_secret_value():
        services.append(webhook_service(application, serving.metrics))
    if settings.confluence_url and settings.schedules:
        bots = application.bots
        syncs = ScheduledSyncs(settings.schedules, application.spaces, chat.sync, lambda: bots.leads)
        services.append(BackgroundService("schedules", syncs.run))
    return services


@contextmanager
def open_platforms(
    application: Application, *, sync: Sync, metrics: Metrics, loaded: asyncio.Event
) -> Iterator[ChatPlatforms]:
    """The chat platforms that are configured, perhaps none; for the other arguments see :func:`open_chat`."""
    settings = application.settings
    missing = (*find_missing_slack_settings(settings), *find_missing_teams_settings(settings))
    chats: dict[Platform, ChatPlatform] = {}
    with open_chat(application, chats, sync=sync, metrics=metrics, loaded=loaded) as chat:
        services: list[Service] = []
        if has_slack(settings) and not list(find_missing_slack_settings(settings)):
            token, may_send = settings.slack_bot_token.get_secret_value(), application.bots.check_may_send
            calls = SlackCalls(token, settings.slack_api_url, may_send)
            chats["slack"] = slack = SlackPlatform(calls, time.monotonic)
            chat.running.forgetting.append(lambda person: slack.forget(person.user))
            application.bots.on_signal(PEOPLE, slack.forget_all)
            application.bots.on_signal(AUDIENCES, slack.audiences.forget_all)
            listen = SlackListener(chat.service, chat.commands, slack, chat.home, chat.links, application.bots)
            services.append(Slack(settings, calls, slack, listen))
        if has_teams(settings) and not list(find_missing_teams_settings(settings)):
            credentials = Credentials(registration(settings))
            connector = Connector(credentials, application.bots.check_may_send)
            chats["teams"] = teams = TeamsPlatform(connector, application.references, time.monotonic)
            listener = TeamsListener(
                service=chat.service,
                commands=chat.commands,
                platform=teams,
                references=application.references,
                posts=application.posts,
                turns=application.turns,
                sessions=ChatSessions(application.posts, application.bots.are_several),
                bots=application.bots,
            )
            application.bots.on_signal(PEOPLE, listener.forget_all)
            application.bots.on_signal(AUDIENCES, teams.audiences.forget)
            chat.running.forgetting.append(listener.forget)
            services.append(Teams(settings, credentials, connector, listener))
        names = tuple(service.name for service in services)
        # Unfinished work posts as soon as it is resumed: its platform has to be started before.
        work = DurableWork(chat.durable, application.bots, application.recent_questions)
        yield ChatPlatforms(
            (*_heartbeat(application), *services, work), _scheduled(chat.durable), chat.durable, names, missing
        )


def _heartbeat(application: Application) -> Iterator[Service]:
    """The first that starts and the last that stops, where there may be several bots."""
    if isinstance(application.bots, OneOfSeveral):
        yield Heartbeat(application.bots)


def _scheduled(durable: Durable) -> ScheduledSync:
    async def sync(keys: Sequence[str]) -> None:
        await durable.run_to_end(SyncRequest(sync_key(",".join(keys), now()), tuple(keys), "schedule"))

    return sync


def announcement(settings: Settings, address: str, chat: ChatPlatforms, services: Sequence[Service]) -> Iterator[str]:
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
