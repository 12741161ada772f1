"""``wikiwhy serve``: run the server."""

from __future__ import annotations

import asyncio
import logging
import os
from typing import Annotated

import typer

from bot.cli.options import DataDir
from bot.settings import load_settings
from bot.wiring import open_bot


def serve(
    context: typer.Context,
    host: Annotated[
        str | None, typer.Option("--host", help="Address to listen on.", show_default="127.0.0.1", metavar="ADDRESS")
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", help="Port to listen on.", min=0, max=65535, show_default="8080")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Serve chats, webhooks and schedules until Ctrl-C, and run other commands that use the same data directory."""
    settings = load_settings(data_dir=data_dir or (context.obj or {}).get("data_dir"), host=host, port=port)
    # Imported here because the server loads slowly, and other commands do not need it.
    from bot.server.logs import log_to_stderr
    from bot.startup import start
    from bot.tracing import export_traces

    level = os.environ.get("WIKIWHY_LOG_LEVEL", "INFO").upper()
    log_to_stderr(settings, level if level in logging.getLevelNamesMapping() else "INFO")
    with export_traces(settings.otlp_endpoint), open_bot(settings) as application:
        asyncio.run(start(application))
