"""``wikiwhy slack``: what setting up the app in Slack needs."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

import typer

from bot.cli.options import print_json
from bot.settings import load_settings

app = typer.Typer(help="Set up the app in Slack.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keeps the group one, as long as it has a single command."""


@app.command("manifest")
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
    from adapters.slack import manifest as slack
    from bot.slack import PATH

    print_json(slack.manifest("" if socket else _address(url) + PATH))


def _address(url: str | None) -> str:
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
