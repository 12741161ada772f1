"""The servers of a tenant, and the switches they have: what :class:`TeamsWorld` stands on."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

from aiohttp import web

from tests.servers.confluence.server import CERTIFICATE
from tests.servers.faults import Faults
from tests.servers.parts import Setting
from tests.servers.teams.connector import REGION, Call, Connector
from tests.servers.teams.context import Context, Refusal
from tests.servers.teams.delivery import Delivery
from tests.servers.teams.identity import BotConfiguration, Identity
from tests.servers.teams.state import APP_ID, BOT, SECRET, TENANT
from tests.servers.teams.tokens import Tokens
from tests.servers.threaded import ThreadedApplication

Result = TypeVar("Result")


class TeamsServer:
    """Serves while the ``with`` block lasts."""

    bot = BOT

    def __init__(
        self,
        app_id: str = APP_ID,
        secret: str = SECRET,
        *,
        tenant: str = TENANT,
        port: int = 0,
        login_port: int = 0,
        bot_name: str = "WikiWhy",
    ) -> None:
        self.identity = Identity(app_id, secret, tenant)
        self.context = Context(self.identity, bot_name)
        self.connector = Connector(self.context)
        self.app_id, self.secret, self.tenant = app_id, secret, tenant
        self.url = self.login_url = ""
        certificate = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.load_cert_chain(CERTIFICATE)
        self._server = ThreadedApplication(port=port)
        self._login = ThreadedApplication(port=login_port, certificate=certificate)

    def __enter__(self) -> Self:
        application = web.Application(client_max_size=2**26)
        application.add_routes([*self.connector.routes(), *self.identity.channel_routes()])
        self._server.start(application)
        login = web.Application()
        login.add_routes(self.identity.login_routes())
        self._login.start(login)
        self.url, self.login_url = self._server.url, f"{self._login.url}/adfs"
        self.context.service_url = f"{self.url}{REGION}/"
        self.identity.tokens = Tokens(self.context.service_url, self.app_id)
        self.run(self.context.deliverer.open())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.run(self.context.deliverer.close())
        self._server.stop()
        self._login.stop()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """In the server's event loop."""
        return self._server.run(work)

    def do(self, work: Callable[..., Result], *given: Any) -> Result:
        async def do() -> Result:
            return work(self.context, *given)

        return self.run(do())

    # How a bot gets in

    @property
    def service_url(self) -> str:
        """Ends with a slash, as Teams' does."""
        return self.context.service_url

    @property
    def tokens(self) -> Tokens:
        """Makes good tokens and, with :data:`tokens.FORGERIES`, bad ones."""
        return self.identity.tokens

    @property
    def token_url(self) -> str:
        """Over http, for a bot that asks for its token without msal."""
        return f"{self.url}/{self.tenant}/oauth2/v2.0/token"

    @property
    def configuration(self) -> BotConfiguration:
        return BotConfiguration(
            TO_CHANNEL_FROM_BOT_LOGIN_URL=self.login_url,
            TO_BOT_FROM_CHANNEL_OPENID_METADATA_URL=f"{self.url}/v1/.well-known/openidconfiguration",
            TO_BOT_FROM_EMULATOR_OPENID_METADATA_URL=f"{self.url}/common/v2.0/.well-known/openid-configuration",
            APP_ID=self.app_id, APP_PASSWORD=self.secret, APP_TENANTID=self.tenant,
        )  # fmt: skip

    @property
    def settings(self) -> dict[str, str]:
        """What :class:`bot.settings.Settings` takes for a bot of this tenant."""
        return {
            "teams_app_id": self.app_id,
            "teams_app_password": self.secret,
            "teams_tenant_id": self.tenant,
            "teams_login_url": self.login_url,
            "teams_metadata_url": self.configuration.TO_BOT_FROM_CHANNEL_OPENID_METADATA_URL,
        }

    @property
    def environment(self) -> dict[str, str]:
        """What the bot's process needs, so that msal trusts the login's certificate."""
        return {"REQUESTS_CA_BUNDLE": str(CERTIFICATE)}

    def deliver_to(self, url: str | None) -> None:
        """The bot's messaging endpoint."""
        self.context.deliverer.url = url

    # What happened, and how it should

    @property
    def faults(self) -> Faults:
        """By route: post, reply, update, delete, create, member, members, pagedmembers; ``*``."""
        return self.connector.faults

    @property
    def calls(self) -> list[Call]:
        """Every call of the bot, in order of beginning."""
        return self.connector.calls

    @property
    def deliveries(self) -> list[Delivery]:
        """Every request to the bot, repeated ones too."""
        return self.context.deliverer.deliveries

    @property
    def refusals(self) -> list[Refusal]:
        """The calls that Teams' limits forbade."""
        return self.context.refusals

    @property
    def pending(self) -> int:
        """Activities neither answered nor given up."""
        return self.context.deliverer.pending

    retry_delays = Setting[tuple[float, ...]]("context.deliverer.retry_delays")
    """Seconds before each repetition of what got no answer, or a server's error."""
    patience = Setting[float]("context.deliverer.patience")
    """Seconds until an unanswered request counts as failed; Teams' 15 at first."""
    at_once = Setting[bool]("context.deliverer.at_once")
    """Whether the copies of one activity (``deliveries``) arrive together. At first one after the other."""
    streams = Setting[bool]("context.streams")
    """Whether personal chats have streaming; elsewhere it is ``ContentStreamNotAllowed`` always."""
    stream_life = Setting[float]("context.stream_life")
    """Seconds from its start until a stream dies."""
    stream_pace = Setting[float]("context.stream_pace")
    """Seconds that two pieces must be apart, else 429; 0 at first."""
    rates = Setting[bool]("connector.rates.on")
    """Whether calls above Teams' rates are answered 429. Off at first; ``rate_scale`` 0.1 makes its windows short."""
    rate_scale = Setting[float]("connector.rates.scale")
    authenticates = Setting[bool]("context.authenticates")
    """Whether calls without the bot's token are answered 401. On at first."""
    page_size = Setting[int]("context.page_size")
    latency = Setting[float]("connector.latency")
    """Seconds that every call takes at least."""
