"""``wikiwhy slack`` and ``wikiwhy teams``: make the manifest and the package to set up the apps."""

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

_APP_ID_PLACE = "The Azure portal shows it as Microsoft App ID in the Azure Bot's Configuration."


def _make_page_option(what: str, default: str) -> Any:
    return typer.Option(help=f"A page {what}.", show_default=default, metavar="https://…")


@slack.callback()
@teams.callback()
def _group() -> None:
    """Keep each group a group, which typer would merge with its only command."""


@slack.command("manifest")
def manifest(
    url: Annotated[
        str | None,
        typer.Option(
            "--url", help="The server's public address.", show_default="WIKIWHY_BASE_URL", metavar="https://…"
        ),
    ] = None,
    socket: Annotated[bool, typer.Option("--socket", help="Use Socket Mode, which needs no public address.")] = False,
) -> None:
    """Print the app's manifest as JSON, to paste at https://api.slack.com/apps."""
    if socket and url:
        raise typer.BadParameter("With --socket there is no address. Leave out --socket or --url.")
    from adapters.slack.manifest import make_manifest
    from bot.slack import PATH

    wiki = urlsplit(load_settings().confluence_url).hostname
    print_json(make_manifest("" if socket else _check_slack_address(url) + PATH, [wiki] if wiki else []))


def _check_slack_address(url: str | None) -> str:
    """Return the server's public address, without a final slash. Raises BadParameter if Slack does not send to it."""
    address = url or load_settings().base_url
    if not address:
        raise typer.BadParameter("Name the server's address with --url or WIKIWHY_BASE_URL, or use --socket.")
    parts = urlsplit(address)
    if parts.scheme != "https" or not parts.hostname or parts.query or parts.fragment:
        raise typer.BadParameter(
            f"Slack sends only to addresses like https://wikiwhy.example.com, not to {address}. Put a reverse proxy "
            "with TLS in front of the server, or use --socket."
        )
    return address.rstrip("/")


@teams.command("package")
def package(
    url: Annotated[
        str | None,
        typer.Option(
            "--url", help="The server's public address.", show_default="WIKIWHY_BASE_URL", metavar="https://…"
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="The file to write.", metavar="FILE")] = Path("wikiwhy-teams.zip"),
    app_id: Annotated[
        str | None,
        typer.Option("--app-id", help="The bot's application id.", show_default="WIKIWHY_TEAMS_APP_ID", metavar="GUID"),
    ] = None,
    developer: Annotated[str, typer.Option(help="Name of the app's provider; at most 32 characters.")] = "WikiWhy",
    website: Annotated[
        str | None, _make_page_option("on your site with help", "WIKIWHY_CONFLUENCE_URL, else --url")
    ] = None,
    privacy: Annotated[str | None, _make_page_option("about privacy", "that of --website")] = None,
    terms: Annotated[str | None, _make_page_option("with your terms of use", "that of --website")] = None,
    starter: Annotated[
        list[str] | None,
        typer.Option(help="A first question that Teams offers, instead of three general ones; up to 8."),
    ] = None,
    read_channels: Annotated[
        bool,
        typer.Option("--read-channels", help="Request permission to read all channel messages, see docs/teams.md."),
    ] = False,
    app_version: Annotated[
        str, typer.Option(help="The app's version. Teams accepts an update only with a higher one.", metavar="1.2.3")
    ] = VERSION,
) -> None:
    """Write the app's package, to upload in the Teams admin center."""
    from adapters.teams.app.package import make_package
    from bot.teams.service import PATH

    settings = load_settings()
    address = _check_teams_address(url or settings.base_url)
    site = _check_link("--website", website or settings.confluence_url or address)
    about = About(
        app_id=_check_app_id(app_id, settings),
        host=urlsplit(address).hostname or "",
        website=site,
        privacy=_check_link("--privacy", privacy or site),
        terms=_check_link("--terms", terms or site),
        developer=_check_developer(developer),
        starters=_check_starters(starter or []),
        read_channels=read_channels,
        wiki_host=urlsplit(settings.confluence_url).hostname or "",
        version=_check_version(app_version),
    )
    _write(out, make_package(about))
    say("written:", "green", f"{out}, version {about.version} of the app {about.app_id}")
    output.print(f"Enter this messaging endpoint in the Azure Bot's Configuration: {address}{PATH}", soft_wrap=True)
    if site == address:
        output.print(
            "The app's links lead to the server, which has no pages for people. Name a page with --website.",
            soft_wrap=True,
        )


def _check_teams_address(address: str) -> str:
    """Return the server's public address, without a final slash. Raises BadParameter if Teams does not send to it."""
    if not address:
        raise typer.BadParameter("Name the server's address with --url or WIKIWHY_BASE_URL.")
    parts = _split_address(address)
    if parts is None or parts.scheme != "https" or parts.query or parts.fragment:
        raise typer.BadParameter(
            f"Microsoft sends only to addresses like https://wikiwhy.example.com, not to {address}. Put a reverse "
            "proxy with TLS in front of the server."
        )
    return address.rstrip("/")


def _split_address(address: str) -> SplitResult | None:
    """Split an address. None for one that cannot be opened, or with a password, which the package would disclose."""
    try:
        parts = urlsplit(address)
        usable = parts.port != 0 and _HOST.fullmatch(parts.hostname or "") and not parts.username
    except ValueError:  # such as "https://[x", or a port of six digits
        return None
    return parts if usable else None


def _check_app_id(given: str | None, settings: Settings) -> str:
    app_id = (given or settings.teams_app_id).strip()
    if not app_id:
        raise typer.BadParameter(
            f"Name the bot's application id with --app-id or WIKIWHY_TEAMS_APP_ID. {_APP_ID_PLACE} docs/teams.md "
            "explains how to create one."
        )
    if not _GUID.fullmatch(app_id):
        raise typer.BadParameter(
            f"{app_id} is not an application id such as 8f2c1f0e-5a55-4c1e-9d0a-3b9a3f1f2e11. {_APP_ID_PLACE}"
        )
    return app_id.lower()


def _check_link(option: str, address: str) -> str:
    parts = _split_address(address)
    if parts is None or parts.scheme not in {"http", "https"}:
        raise typer.BadParameter(f"{option} is not an address: {address}. Write for example https://wiki.example.com.")
    return address


def _check_developer(name: str) -> str:
    if not 0 < len(name.strip()) <= _LONGEST_NAME:
        raise typer.BadParameter(f"--developer must be a name of at most {_LONGEST_NAME} characters.")
    return name.strip()


def _check_starters(questions: list[str]) -> tuple[str, ...]:
    stripped = tuple(question.strip() for question in questions)
    if len(stripped) > MOST_STARTERS or not all(0 < len(question) <= _LONGEST_STARTER for question in stripped):
        raise typer.BadParameter(
            f"--starter is a question of at most {_LONGEST_STARTER} characters. Give at most {MOST_STARTERS} of them."
        )
    return stripped


def _check_version(version: str) -> str:
    if not _VERSION.fullmatch(version):
        raise typer.BadParameter(f"--app-version must be three numbers such as 1.0.1, not {version}.")
    return version


def _write(out: Path, content: bytes) -> None:
    """Write the file completely or not at all."""
    if not out.name:
        raise typer.BadParameter("--out must be the name of a file.")
    aside = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        try:
            aside.write_bytes(content)
            aside.replace(out)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        raise OutputUnwritable(f"{out} cannot be written: {error.strerror}. Name another file with --out.") from error
