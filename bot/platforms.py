"""The chat platforms that the settings name, as services, and the durable work that they and the schedules start."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from adapters.slack.calls import SlackCalls
from adapters.slack.platform import SlackPlatform
from adapters.teams.connector import Connector
from adapters.teams.credentials import Credentials
from adapters.teams.platform import TeamsPlatform
from bot.chat.connect import DurableWork, open_chat
from bot.chat.parts import ChatParts
from bot.durable import Durable
from bot.server.schedules import ScheduledSync
from bot.server.service import Service
from bot.settings import Settings
from bot.slack.listener import SlackListener
from bot.slack.service import Slack
from bot.teams.chat_sessions import ChatSessions
from bot.teams.listener import TeamsListener
from bot.teams.registration import find_missing_teams_settings, has_teams, registration
from bot.teams.service import Teams
from bot.wiring import Application, now
from core.chat.keys import sync_key
from core.identity.person import PersonId
from core.ports import ChatPlatform, Platform


@dataclass(frozen=True, slots=True)
class Platforms:
    """``names`` of the platforms. ``missing``: what one that is configured in part still needs, a sentence each."""

    services: tuple[Service, ...]
    sync: ScheduledSync
    names: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@contextmanager
def platforms(application: Application, parts: ChatParts) -> Iterator[Platforms]:
    """Those that are configured; none is of course possible."""
    settings = application.settings
    missing = (*find_missing_slack_settings(settings), *find_missing_teams_settings(settings))
    chats: dict[Platform, ChatPlatform] = {}
    with open_chat(application, parts, chats) as chat:
        services: list[Service] = []
        if _has_slack(settings) and not list(find_missing_slack_settings(settings)):
            calls = SlackCalls(settings.slack_bot_token.get_secret_value(), settings.slack_api_url)
            chats["slack"] = slack = SlackPlatform(calls, time.monotonic, streams=settings.has_language_model)
            _forget_with(application, lambda person: slack.forget(person.user))
            services.append(Slack(settings, calls, slack, SlackListener(chat.service, chat.commands, slack)))
        if has_teams(settings) and not list(find_missing_teams_settings(settings)):
            credentials = Credentials(registration(settings))
            connector = Connector(credentials)
            chats["teams"] = teams = TeamsPlatform(
                connector, application.references, time.monotonic, streams=settings.has_language_model
            )
            sittings = ChatSessions(application.posts)
            listener = TeamsListener(chat.service, chat.commands, teams, application.references, sittings)
            _forget_with(application, listener.forget)
            services.append(Teams(settings, credentials, connector, listener))
        names = tuple(service.name for service in services)
        # Operations that was under way posts as soon as it is taken up: its platform has to be there by then.
        durable = DurableWork(chat.durable)
        yield Platforms((*services, durable), _scheduled(chat.durable), names, missing)


def _forget_with(application: Application, forget: Callable[[PersonId], None]) -> None:
    """Has a platform forget what it remembers of a person who is forgotten."""
    if application.running_chat:
        application.running_chat.forgetting.append(forget)


def _scheduled(durable: Durable) -> ScheduledSync:
    async def sync(keys: Sequence[str]) -> None:
        await durable.run_to_end("sync", sync_key(",".join(keys), now()), {"spaces": list(keys), "reason": "schedule"})

    return sync


def _has_slack(settings: Settings) -> bool:
    return bool(settings.slack_bot_token.get_secret_value())


def find_missing_slack_settings(settings: Settings) -> Iterator[str]:
    """What Slack still needs where it is configured in part, a sentence each."""
    secret, app_token = settings.slack_signing_secret.get_secret_value(), settings.slack_app_token.get_secret_value()
    if _has_slack(settings) and not secret and not app_token:
        yield (
            "Slack is configured in part: set WIKIWHY_SLACK_SIGNING_SECRET, from Basic Information of the app's page, "
            "or WIKIWHY_SLACK_APP_TOKEN for Socket Mode."
        )
    if (secret or app_token) and not _has_slack(settings):
        yield "Slack is configured in part: set WIKIWHY_SLACK_BOT_TOKEN, from OAuth & Permissions of the app's page."
