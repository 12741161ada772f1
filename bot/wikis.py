"""Connect to the Confluence and the Jira that the settings name."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit, urlunsplit

from bot.settings import Settings
from core.errors import SettingsInvalid
from core.ports.wiki import IssueTracker

if TYPE_CHECKING:
    from adapters.confluence.wiki import ConfluenceWiki
    from adapters.jira import Jira
    from core.indexing.files import FileTexts

_CLOUD_HOSTS = (".atlassian.net", ".jira.com")
_CLOUD_GATEWAY = "api.atlassian.com"
_ANSWER_SECONDS = 10.0


Patience = Literal["sync", "answer", "none"]


def make_confluence(settings: Settings, patience: Patience = "sync", files: FileTexts | None = None) -> ConfluenceWiki:
    """Return the Confluence of the settings; it connects on the first request.

    ``patience``: what waits for its responses. A sync waits minutes for a busy server, an answer seconds. ``files``:
    reads attached files; required to read pages.

    Raises SettingsInvalid with the settings that are missing.
    """
    flavour = find_confluence_flavour(settings)
    missing = [
        f"WIKIWHY_{name.upper()}"
        for name, value in (
            ("confluence_url", settings.confluence_url),
            ("confluence_token", settings.confluence_token.get_secret_value().strip()),
            ("confluence_email", settings.confluence_email.strip() or flavour == "datacenter"),
        )
        if not value
    ]
    if missing:
        raise SettingsInvalid(
            f"To sync Confluence, also set {' and '.join(missing)}. Needed are the address and, on Cloud, the e-mail "
            "address and an API token of the account to sync with, or on Data Center a personal access token."
        )
    bundle = settings.confluence_ca_bundle
    if bundle and not Path(bundle).is_file():
        raise SettingsInvalid(f"WIKIWHY_CONFLUENCE_CA_BUNDLE names {bundle}, which is not a file. Correct or unset it.")
    # Imported here because the SDK loads slowly, and only Confluence needs it.
    from adapters.confluence.http import Connection, Retries
    from adapters.confluence.wiki import ConfluenceWiki

    # A person waits for the answer, and an answer with less access is better than a long delay.
    soon = patience == "answer"
    retries = {
        "sync": Retries(),
        "answer": Retries(0.5, 2, budget=4, attempts=2),
        "none": Retries(attempts=1, budget=0),
    }
    connection = Connection(
        url=_make_base_url(settings.confluence_url, flavour),
        token=settings.confluence_token.get_secret_value().strip(),
        account=settings.confluence_email.strip() if flavour == "cloud" else "",
        timeout=min(settings.confluence_timeout, _ANSWER_SECONDS) if soon else settings.confluence_timeout,
        concurrency=settings.confluence_concurrency,
        ca_bundle=bundle,
        retries=retries[patience],
    )
    return ConfluenceWiki(connection, flavour, settings.reads_comments, files)


async def list_wiki_spaces(settings: Settings) -> Sequence[str]:
    """Return the keys of all spaces of the Confluence of the settings, none if none is set.

    Raises SettingsInvalid, and WikiUnavailable if it does not answer within seconds.
    """
    if not settings.confluence_url:
        return ()
    with closing(make_confluence(settings, patience="answer")) as confluence:
        return await confluence.list_spaces()


def make_tracker(settings: Settings) -> IssueTracker | None:
    """Return the Jira of the settings, None if none is set. Raises SettingsInvalid with the missing settings."""
    return make_jira(settings) if settings.jira_url else None


def make_jira(settings: Settings, attempts: int = 4) -> Jira:
    """Return the Jira of the settings, which must name one. ``attempts``: the most tries of each request."""
    from adapters.jira import Connection, Jira

    parts = urlsplit(settings.jira_url.strip())
    is_cloud = (parts.hostname or "").lower().endswith(_CLOUD_HOSTS) or find_confluence_flavour(settings) == "cloud"
    token = settings.jira_token.get_secret_value().strip()
    email = settings.jira_email.strip() or settings.confluence_email.strip()
    projects = settings.jira_project_keys
    missing = [
        f"WIKIWHY_{name}"
        for name, value in (
            ("JIRA_TOKEN", token), ("JIRA_EMAIL", email or not is_cloud), ("JIRA_PROJECTS", projects),
        )
        if not value
    ]  # fmt: skip
    if missing:
        raise SettingsInvalid(
            f"To show issues of Jira, also set {' and '.join(missing)}. Needed are an API token and its e-mail address "
            "(Cloud) or a personal access token (Data Center), and the projects that everybody may read. To show only "
            "keys, unset WIKIWHY_JIRA_URL."
        )
    connection = Connection(
        url=urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", "")),
        flavour="cloud" if is_cloud else "datacenter",
        token=token,
        account=email if is_cloud else "",
        timeout=settings.confluence_timeout,
        ca_bundle=settings.confluence_ca_bundle,
        attempts=attempts,
    )
    return Jira(connection, projects)


def find_confluence_flavour(settings: Settings) -> Literal["cloud", "datacenter"]:
    """Return the configured flavour, or else Cloud for Atlassian's own hosts and Data Center for others."""
    if settings.confluence_flavour:
        return settings.confluence_flavour
    host = (urlsplit(settings.confluence_url).hostname or "").lower()
    return "cloud" if host.endswith(_CLOUD_HOSTS) or host == _CLOUD_GATEWAY else "datacenter"


def _make_base_url(url: str, flavour: Literal["cloud", "datacenter"]) -> str:
    """Return the address without a password, query or final slash; on Cloud with ``/wiki``, the root of Confluence."""
    parts = urlsplit(url.strip())
    path = parts.path.rstrip("/")
    if flavour == "cloud" and not path.endswith("/wiki"):
        before, wiki, _ = path.partition("/wiki/")  # somebody pasted the address of a page
        path = f"{before}/wiki" if wiki else f"{path}/wiki"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], path, "", ""))
