"""The page to play with."""

from aiohttp import web

from tests.servers.slack.context import Context


class Page:
    def __init__(self, context: Context) -> None: ...
    def routes(self) -> list[web.RouteDef]:
        return []
