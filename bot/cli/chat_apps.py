"""``wikiwhy slack`` and ``wikiwhy teams``: what setting up the apps in Slack and Microsoft Teams needs."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import SplitResult, urlsplit

import typer

from adapters.teams.app.manifest import MOST_STARTERS, VERSION, About
from bot.cli.options import output, print_json, say
from bot.settings import Settings, load_settings
from core.errors import OutputUnwritable

slack = typer.Typer(help="Set up the app in Slack.", no_args_is_help=True)
teams = typer.Typer(help="Set up the app in Microsoft Teams.", no_args_is_help=True)

_GUID = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_VERSION = re.compile(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}")
_HOST = re.compile(r"[^\s/@]+")
_LONGEST_NAME, _LONGEST_STARTER = 32, 128

_APP_ID_IS = "In the Azure portal it is the Microsoft App ID of the Azure Bot's Configuration."


def _page(what: str, default: str) -> Any:
    return typer.Option(help=f"A page {what}.", show_default=default, metavar="https://…")


@slack.callback()
@teams.callback()
def _group() -> None:
    """Keeps each group one, as long as it has a single command."""


@slack.command("manifest")
def manifest(
    url: Annotated[
        str | None,
        typer.Option(
            "--url", help="Where Slack reaches the server.", show_default="WIKIWHY_BASE_URL", metavar="https://…"
        ),
    ] = None,
    socket: Annotated[
        bool, typer.Option("--socket", help="For Socket Mode, where Slack need not reach the server.")
    ] = False,
) -> None:
    """Print the app's manifest as JSON, to paste at https://api.slack.com/apps."""
    if socket and url:
        raise typer.BadParameter("With --socket Slack reaches no address: leave one of the two out.")
    from adapters.slack.manifest import make_manifest
    from bot.slack import PATH

    wiki = urlsplit(load_settings().confluence_url).hostname
    print_json(make_manifest("" if socket else _slack_address(url) + PATH, [wiki] if wiki else []))


def _slack_address(url: str | None) -> str:
    """The server's own, without a slash at its end. Raises BadParameter for one that Slack does not send to."""
    address = url or load_settings().base_url
    if not address:
        raise typer.BadParameter("Name the server's address with --url or WIKIWHY_BASE_URL, or choose --socket.")
    parts = urlsplit(address)
    if parts.scheme != "https" or not parts.hostname or parts.query or parts.fragment:
        raise typer.BadParameter(
            f"Slack sends to addresses like https://wikiwhy.example.com only, not to {address}. Put a reverse proxy "
            "with TLS before the server, or choose --socket."
        )
    return address.rstrip("/")


@teams.command("package")
def package(
    url: Annotated[
        str | None,
        typer.Option(
            "--url", help="Where Microsoft reaches the server.", show_default="WIKIWHY_BASE_URL", metavar="https://…"
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="The file to write.", metavar="FILE")] = Path("wikiwhy-teams.zip"),
    app_id: Annotated[
        str | None,
        typer.Option("--app-id", help="The bot's application id.", show_default="WIKIWHY_TEAMS_APP_ID", metavar="GUID"),
    ] = None,
    developer: Annotated[str, typer.Option(help="Who gives people the app; at most 32 characters.")] = "WikiWhy",
    website: Annotated[
        str | None, _page("of yours where people find help", "WIKIWHY_CONFLUENCE_URL, else --url")
    ] = None,
    privacy: Annotated[str | None, _page("about privacy", "that of --website")] = None,
    terms: Annotated[str | None, _page("with your terms of use", "that of --website")] = None,
    starter: Annotated[
        list[str] | None,
        typer.Option(help="A question that Teams offers to begin with, in place of three general ones; up to 8."),
    ] = None,
    read_channels: Annotated[
        bool,
        typer.Option("--read-channels", help="Ask team owners for all messages of channels: see docs/teams.md."),
    ] = False,
    app_version: Annotated[
        str, typer.Option(help="Teams takes an update only with a higher one.", metavar="1.2.3")
    ] = VERSION,
) -> None:
    """Write the app's package, to upload in the Teams admin center."""
    from adapters.teams.app.package import make_package
    from bot.teams.service import PATH

    settings = load_settings()
    address = _teams_address(url or settings.base_url)
    site = _link("--website", website or settings.confluence_url or address)
    about = About(
        app_id=_app_id(app_id, settings),
        host=urlsplit(address).hostname or "",
        website=site,
        privacy=_link("--privacy", privacy or site),
        terms=_link("--terms", terms or site),
        developer=_developer(developer),
        starters=_starters(starter or []),
        read_channels=read_channels,
        version=_version(app_version),
    )
    _write(out, make_package(about))
    say("written:", "green", f"{out}, version {about.version} of the app {about.app_id}")
    output.print(f"The bot's messaging endpoint, for Azure: {address}{PATH}", soft_wrap=True)
    if site == address:
        output.print("The app's pages lead to the server, which has none: name yours with --website.", soft_wrap=True)


def _teams_address(address: str) -> str:
    """The server's own, without a slash at its end. Raises BadParameter for one that Microsoft does not send to."""
    if not address:
        raise typer.BadParameter("Name the server's address with --url or WIKIWHY_BASE_URL.")
    parts = _parts(address)
    if parts is None or parts.scheme != "https" or parts.query or parts.fragment:
        raise typer.BadParameter(
            f"Microsoft sends to addresses like https://wikiwhy.example.com only, not to {address}. Put a reverse "
            "proxy with TLS before the server."
        )
    return address.rstrip("/")


def _parts(address: str) -> SplitResult | None:
    """None of an address that nobody can open, and of one with a name and password, which a package would give away."""
    try:
        parts = urlsplit(address)
        usable = parts.port != 0 and _HOST.fullmatch(parts.hostname or "") and not parts.username
    except ValueError:  # such as "https://[x", or a port of six digits
        return None
    return parts if usable else None


def _app_id(given: str | None, settings: Settings) -> str:
    app_id = (given or settings.teams_app_id).strip()
    if not app_id:
        raise typer.BadParameter(
            f"Name the bot's application id with --app-id or WIKIWHY_TEAMS_APP_ID. {_APP_ID_IS} docs/teams.md says how "
            "to make one."
        )
    if not _GUID.fullmatch(app_id):
        raise typer.BadParameter(
            f"{app_id} is no application id, such as 8f2c1f0e-5a55-4c1e-9d0a-3b9a3f1f2e11. {_APP_ID_IS}"
        )
    return app_id.lower()


def _link(option: str, address: str) -> str:
    parts = _parts(address)
    if parts is None or parts.scheme not in {"http", "https"}:
        raise typer.BadParameter(f"{option} is no address: {address}. Write for example https://wiki.example.com.")
    return address


def _developer(name: str) -> str:
    if not 0 < len(name.strip()) <= _LONGEST_NAME:
        raise typer.BadParameter(f"--developer has to be a name of at most {_LONGEST_NAME} characters.")
    return name.strip()


def _starters(questions: list[str]) -> tuple[str, ...]:
    stripped = tuple(question.strip() for question in questions)
    if len(stripped) > MOST_STARTERS or not all(0 < len(question) <= _LONGEST_STARTER for question in stripped):
        raise typer.BadParameter(
            f"--starter is a question of at most {_LONGEST_STARTER} characters, up to {MOST_STARTERS} of them."
        )
    return stripped


def _version(version: str) -> str:
    if not _VERSION.fullmatch(version):
        raise typer.BadParameter(f"--app-version is three numbers, as 1.0.1, not {version}.")
    return version


def _write(out: Path, content: bytes) -> None:
    """All of it or nothing."""
    if not out.name:
        raise typer.BadParameter("--out is the name of a file.")
    aside = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        try:
            aside.write_bytes(content)
            aside.replace(out)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        raise OutputUnwritable(f"{out} cannot be written: {error.strerror}. Name another file with --out.") from error
