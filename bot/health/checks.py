"""All checks, in the order that ``wikiwhy doctor`` shows them.

They change nothing: no migration, no rebuilt index, no new directory. What only one process may open is owned while
it is checked. An unexpected exception of a check becomes a finding, and the others go on.
"""

from __future__ import annotations

import os
from pathlib import Path

from adapters.store.database import Database
from bot.data_directory import DataDirectory
from bot.finding import Finding, run_check
from bot.health import data, machine, services
from bot.settings import Settings, load_settings
from bot.wiring import Application
from core.errors import WikiWhyError


def check(data_dir: Path | None) -> list[Finding]:
    """Checks every part, as far as the others allow."""
    findings = [run_check("Python", machine.python), run_check("SQLite", machine.sqlite)]
    try:
        settings = load_settings(data_dir=data_dir)
    except WikiWhyError as error:
        broken = Finding("settings", "broken", str(error), "The parts below are checked with the default settings.")
        findings.append(broken)
        settings = Settings.model_construct(data_dir=data_dir or Path(os.environ.get("WIKIWHY_DATA_DIR") or "data"))
    else:
        findings.append(run_check("settings", machine.settings))
    directory = DataDirectory(settings.data_dir)
    findings.append(run_check("data directory", lambda: machine.data_directory(directory.path)))
    findings.append(run_check("file permissions", lambda: machine.privacy(directory.path)))
    findings.append(run_check("disk space", lambda: machine.disk_space(directory.path)))
    findings.append(run_check("embedder", lambda: services.embedder(settings)))
    findings.append(run_check("language model", lambda: services.language_model(settings)))
    if settings.reranker != "none":
        findings.append(run_check("reranker", lambda: services.reranker(settings)))
    if settings.confluence_url or settings.confluence_token.get_secret_value():
        findings.append(run_check("Confluence", lambda: services.confluence(settings)))
    if _names_slack(settings):
        from bot.health import slack  # its imports take a moment, and are not needed without Slack

        findings += slack.findings(settings)
    if _names_teams(settings):
        from bot.health import teams

        findings += teams.findings(settings)
    if settings.accounts:
        findings.append(run_check("chat accounts", lambda: services.chat_accounts(settings)))
    with data.database(settings, directory) as database:
        findings.append(run_check("database", lambda: data.revision(database)))
        if isinstance(database, Database) and findings[-1].state == "works":
            findings += data.of_application(Application(settings, directory, database))
    return findings


def _names_slack(settings: Settings) -> bool:
    """Whether Slack is configured, if only in part."""
    named = (settings.slack_bot_token, settings.slack_signing_secret, settings.slack_app_token)
    return any(secret.get_secret_value() for secret in named)


def _names_teams(settings: Settings) -> bool:
    """The same of Teams."""
    password = settings.teams_app_password.get_secret_value()
    return bool(settings.teams_app_id or password or settings.teams_tenant_id or settings.teams_anonymous)
