"""Start a server: make the services that the settings name, and log what is served and what is missing."""

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
from bot.chat.connect import DurableWork, FinishTasks, open_chat
from bot.coordination.bots import AUDIENCES, PEOPLE
from bot.coordination.several_bots import OneOfSeveral
from bot.durable import Durable
from bot.maintenance import clean_files_regularly, remove_old_daily
from bot.server.hints import make_webhook_service
from bot.server.metrics import Metrics
from bot.server.processes import AnswerProcesses, choose_count
from bot.server.sampling import Sampling
from bot.server.service import BackgroundService, Heartbeat, Service
from bot.server.serving import Serving, serve
from bot.server.syncs import ScheduledSync, ScheduledSyncs, Sync, make_sync
from bot.server.webhooks import DATA_CENTER_PATH, RELAY_PATH
from bot.settings import Settings
from bot.slack import Slack, SlackListener, find_missing_slack_settings, has_slack
from bot.teams.answer_finder import AnswerFinder
from bot.teams.chat_sessions import ChatSessions
from bot.teams.links import LinkCards
from bot.teams.listener import TeamsListener
from bot.teams.service import Teams, find_missing_teams_settings, has_teams, read_registration
from bot.threads import Threads
from bot.wiring import Application, now
from core.chat.requests import SyncRequest, make_sync_key
from core.ports.chat import ChatPlatform, Platform

_SWITCH_SECONDS = 0.0002

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ChatPlatforms:
    """The services of the configured chat platforms and of their workflows.

    ``missing``: a sentence for each setting that a partly configured platform still needs.
    """

    services: tuple[Service, ...]
    sync: ScheduledSync
    durable: Durable
    names: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


async def start(application: Application) -> None:
    """Serve what the settings name, until SIGTERM or SIGINT. Raises SettingsInvalid and AddressUnavailable."""
    # SQLite releases Python's lock at every row, and waits this long for it while another thread computes.
    sys.setswitchinterval(_SWITCH_SECONDS)
    serving = Serving(Metrics(), Threads())
    sync = make_sync(application, serving.metrics)
    with open_platforms(application, sync=sync, metrics=serving.metrics, loaded=serving.loaded) as chat:
        await record_changed_settings(application)
        services = _make_services(application, serving, chat)

        def announce(address: str) -> None:
            for line in describe_server(application.settings, address, chat, services):
                logger.info(line)

        await serve(application, services, replace(serving, on_listening=announce))


def _make_services(application: Application, serving: Serving, chat: ChatPlatforms) -> list[Service]:
    settings = application.settings
    services: list[Service] = [
        *chat.services,
        BackgroundService("metrics", Sampling(application, chat.durable, serving.metrics).run),
        BackgroundService("upkeep", partial(clean_files_regularly, application)),
    ]
    if count := choose_count(application):
        services.append(AnswerProcesses(application, count, serving.metrics))
    if settings.retention_days or settings.audit_days:
        services.append(BackgroundService("retention", partial(remove_old_daily, application)))
    if settings.confluence_url and settings.webhook_secret.get_secret_value():
        services.append(make_webhook_service(application, serving.metrics))
    if settings.confluence_url and settings.schedules:
        bots = application.bots
        syncs = ScheduledSyncs(settings.schedules, application.spaces, chat.sync, lambda: bots.leads)
        services.append(BackgroundService("schedules", syncs.run))
    return services


@contextmanager
def open_platforms(
    application: Application, *, sync: Sync, metrics: Metrics, loaded: asyncio.Event
) -> Iterator[ChatPlatforms]:
    """Open the configured chat platforms, possibly none. For the arguments see :func:`bot.chat.connect.open_chat`."""
    settings, bots = application.settings, application.bots
    check_may_send = bots.check_may_send if isinstance(bots, OneOfSeveral) else None
    missing = (*find_missing_slack_settings(settings), *find_missing_teams_settings(settings))
    chats: dict[Platform, ChatPlatform] = {}
    with open_chat(application, chats, sync=sync, metrics=metrics, loaded=loaded) as chat:
        services: list[Service] = []
        finish_tasks: list[FinishTasks] = []
        if has_slack(settings) and not list(find_missing_slack_settings(settings)):
            calls = SlackCalls(settings.slack_bot_token.get_secret_value(), settings.slack_api_url, check_may_send)
            chats["slack"] = slack = SlackPlatform(calls, time.monotonic)
            chat.running.forgetting.append(lambda person: slack.forget(person.user))
            bots.on_signal(PEOPLE, slack.forget_all)
            bots.on_signal(AUDIENCES, slack.audiences.forget_all)
            listen = SlackListener(chat.service, chat.answers, chat.commands, slack, chat.home, chat.links, bots)
            finish_tasks.append(listen.close)
            services.append(Slack(settings, calls, slack, listen))
        if has_teams(settings) and not list(find_missing_teams_settings(settings)):
            credentials = Credentials(read_registration(settings))
            connector = Connector(credentials, check_may_send)
            chats["teams"] = teams = TeamsPlatform(connector, application.references, time.monotonic)
            sessions = ChatSessions(application.posts, bots.are_several)
            listener = TeamsListener(
                service=chat.service,
                answers=chat.answers,
                commands=chat.commands,
                platform=teams,
                references=application.references,
                posts=application.posts,
                sessions=sessions,
                finder=AnswerFinder(application.posts, sessions, application.references),
                links=LinkCards(chat.links, chat.service, sessions, application.references),
                bots=bots,
            )
            bots.on_signal(PEOPLE, listener.forget_all)
            bots.on_signal(AUDIENCES, teams.audiences.forget)
            chat.running.forgetting.append(listener.forget)
            finish_tasks.append(listener.finish_tasks)
            services.append(Teams(settings, credentials, connector, listener))
        names = tuple(service.name for service in services)
        # Last, because resumed workflows post at once: their platforms have to be started before.
        work = DurableWork(chat.durable, bots, application.recent_questions, finish_tasks)
        yield ChatPlatforms(
            (*_make_heartbeat(application), *services, work),
            _make_scheduled_sync(chat.durable),
            chat.durable,
            names,
            missing,
        )


def _make_heartbeat(application: Application) -> Iterator[Service]:
    """Yield the heartbeat if there may be several bots: it starts first and stops last."""
    if isinstance(application.bots, OneOfSeveral):
        yield Heartbeat(application.bots)


def _make_scheduled_sync(durable: Durable) -> ScheduledSync:
    async def sync(keys: Sequence[str]) -> None:
        await durable.run_to_end(SyncRequest(make_sync_key(",".join(keys), now()), tuple(keys), "schedule"))

    return sync


def describe_server(
    settings: Settings, address: str, chat: ChatPlatforms, services: Sequence[Service]
) -> Iterator[str]:
    """Yield the lines that say what is served at which address, and which settings are missing."""
    names = {service.name for service in services}
    yield f"Serving {settings.data_dir.resolve()} at {address}: /healthz, /readyz and /metrics."
    if settings.base_url:
        yield f"The public address is {settings.base_url}."
    if chat.names:
        yield f"Chat: {', '.join(chat.names)}."
    else:
        yield (
            "No chat platform is configured, so the server runs only commands, webhooks and schedules. To serve Slack "
            "or Teams, see docs/slack.md or docs/teams.md."
        )
    yield from chat.missing
    if "webhooks" in names:
        yield f"Webhooks of Confluence are received at {DATA_CENTER_PATH} and {RELAY_PATH}."
    elif settings.webhook_secret.get_secret_value():
        yield (
            "Webhooks are off: WIKIWHY_WEBHOOK_SECRET is set, but no Confluence is configured. Set "
            "WIKIWHY_CONFLUENCE_URL."
        )
    if "schedules" in names:
        yield f"These spaces are synced by schedule: {', '.join(sorted(settings.schedules))}."
    elif settings.schedules:
        yield (
            "No space is synced: WIKIWHY_SYNC_SCHEDULE is set, but no Confluence is configured. Set "
            "WIKIWHY_CONFLUENCE_URL."
        )
    elif settings.confluence_url:
        yield (
            "No space is synced by schedule, because WIKIWHY_SYNC_SCHEDULE is not set. To sync a space now, run: "
            "wikiwhy sync confluence KEY…"
        )
    yield "This server runs the other commands that use this data directory."
