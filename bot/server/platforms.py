"""The chat platforms that the settings name, as services."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from bot.server.service import Service
from bot.settings import Settings
from bot.wiring import Application
from bot.work.work import Work
from core.ports import ChatPlatform, Platform


@dataclass(frozen=True, slots=True)
class Platforms:
    """``missing``: what a platform that is configured in part still needs, a sentence each."""

    services: tuple[Service, ...] = ()
    missing: tuple[str, ...] = ()


@contextmanager
def platforms(application: Application, work: Work) -> Iterator[Platforms]:
    """Those that are configured; none is of course possible."""
    settings = application.settings
    missing = tuple(missing_of_slack(settings))
    if not _has_slack(settings) or missing:
        yield Platforms(missing=missing)
        return
    # Loading the SDKs takes a moment, which who has no chat need not wait.
    from adapters.slack.calls import SlackCalls
    from adapters.slack.platform import SlackPlatform
    from bot.chat.running import DurableWork, joined
    from bot.slack.listener import SlackListener
    from bot.slack.running import Slack

    calls = SlackCalls(settings.slack_bot_token.get_secret_value(), settings.slack_api_url)
    platform = SlackPlatform(calls, time.monotonic, streams=settings.has_language_model)
    chats: Mapping[Platform, ChatPlatform] = {"slack": platform}
    with joined(application, work, chats) as parts:
        listener = SlackListener(parts.service, parts.commands, platform)
        yield Platforms((Slack(settings, calls, platform, listener), DurableWork(parts.durable)))


def _has_slack(settings: Settings) -> bool:
    return bool(settings.slack_bot_token.get_secret_value())


def missing_of_slack(settings: Settings) -> Iterator[str]:
    """What Slack still needs where it is configured in part, a sentence each."""
    secret, app_token = settings.slack_signing_secret.get_secret_value(), settings.slack_app_token.get_secret_value()
    if _has_slack(settings) and not secret and not app_token:
        yield (
            "Slack is configured in part: set WIKIWHY_SLACK_SIGNING_SECRET, from Basic Information of the app's page, "
            "or WIKIWHY_SLACK_APP_TOKEN for Socket Mode."
        )
    if (secret or app_token) and not _has_slack(settings):
        yield "Slack is configured in part: set WIKIWHY_SLACK_BOT_TOKEN, from OAuth & Permissions of the app's page."
